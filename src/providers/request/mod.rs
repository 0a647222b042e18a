//! Request bodies: the record, the tools and the options in each provider's form.

pub(in crate::providers) mod choice;
pub(in crate::providers) mod media;
mod most_tools;
mod names;
mod notice;
pub(in crate::providers) mod project;
mod sampling;
mod schema;
pub(in crate::providers) mod thinking;

use std::borrow::Cow;

use crate::json::Json;
use crate::json::codec::{Read, Write, to_text};
use crate::json::reader::{Broken, Reader};
use crate::json::scan::joined;
use crate::json::writer::{Object, string};
use crate::message::Message;
use crate::providers::facts::{Facts, ReasoningBack};
use crate::providers::{Format, endpoint};
#[cfg(feature = "providers")]
use crate::providers::{anthropic, gemini, openai_chat, openai_responses};
use crate::tool::ToolDefinition;

pub use choice::ToolChoice;
pub use most_tools::fewer_tools;
pub use names::ToolNames;
pub use notice::{Notice, Notices};
pub use project::{CallResult, Group, Part, WireCall};
pub use thinking::Thinking;

/// How long a provider keeps a cached prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum CacheTtl {
    #[json(rename = "5m")]
    FiveMinutes,
    #[json(rename = "1h")]
    OneHour,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    pub model: String,
    pub max_tokens: Option<u32>,
    pub stream: bool,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub seed: Option<u64>,
    /// Texts that end an answer.
    pub stop_sequences: Vec<String>,
    pub tool_choice: Option<ToolChoice>,
    /// Whether the model may make several calls at once.
    pub parallel_tool_calls: Option<bool>,
    /// Marks the prompt for caching where the provider does not cache by itself.
    pub cache: Option<CacheTtl>,
    /// Sends earlier reasoning back; without it none ever leaves.
    pub echo_reasoning: bool,
    pub thinking: Thinking,
    /// Where a model that is asked for its calls as text is to stop, for providers that can be told so.
    pub stop: Option<&'static str>,
    /// What is known of the model and its host, from [`Facts::of`].
    pub facts: Facts,
    /// An object whose fields are added to the body as they are, in the place of those that would be there. Where both are objects,
    /// their fields come together.
    pub extra: Option<Json>,
}

/// All that one request is made of.
#[derive(Debug, Clone, Copy)]
pub struct RequestParts<'a> {
    pub format: Format,
    pub system: &'a str,
    pub tools: &'a [ToolDefinition],
    pub names: &'a ToolNames,
    pub options: &'a Options,
    /// Where it is told what the provider does not take.
    pub notices: &'a Notices,
}

/// How the requests of one format are written.
pub(in crate::providers) struct FormatWriter {
    /// What comes before the messages.
    pub(in crate::providers) head: fn(&RequestParts<'_>, &mut Object<'_>),
    /// The field that holds the messages.
    pub(in crate::providers) list: &'static str,
    /// What comes first in it.
    pub(in crate::providers) lead: Option<fn(&RequestParts<'_>, &mut String)>,
    /// `last` puts the cache mark where there is one.
    pub(in crate::providers) group:
        fn(prompt: &RequestParts<'_>, group: &Group<'_>, last: bool, out: &mut String),
}

impl Format {
    fn writer(self) -> &'static FormatWriter {
        match self {
            #[cfg(feature = "providers")]
            Format::Anthropic => &anthropic::request::WRITER,
            #[cfg(feature = "providers")]
            Format::OpenAiChat => &openai_chat::request::WRITER,
            #[cfg(feature = "providers")]
            Format::OpenAiResponses => &openai_responses::request::WRITER,
            #[cfg(feature = "providers")]
            Format::Gemini => &gemini::request::WRITER,
            _ => &endpoint::request::WRITER,
        }
    }
}

impl RequestParts<'_> {
    /// The whole body for the model's view of the record.
    pub fn body(&self, messages: &[&Message]) -> String {
        let groups = self.groups(messages, false);
        let mut out = self.open(messages);
        let last = groups.len().saturating_sub(1);
        for (at, group) in groups.iter().enumerate() {
            self.separate(&mut out);
            self.write_group(group, at == last, &mut out);
        }
        self.close(&mut out);
        out
    }

    /// The messages of the model's view in groups. `behind`: from an answer on, where those before it have been grouped already. Calls
    /// in a run have ids of their own, so none can be taken by what came before.
    pub fn groups<'m>(&self, messages: &[&'m Message], behind: bool) -> Vec<Group<'m>> {
        project::groups(self.format, self.options.facts.call_ids, messages, behind)
    }

    /// The body up to where the groups go: then comes each group behind a `separate`, then `close`. The text of a
    /// settled group may be kept and used again. `messages` are the last ones of the conversation.
    pub fn open(&self, messages: &[&Message]) -> String {
        let mut out = String::new();
        let writer = self.format.writer();
        if self.format.spoken() == Format::Endpoint {
            self.head(&mut out);
        } else {
            let options = self.options.at(self, messages);
            RequestParts { options: &options, ..*self }.head(&mut out);
        }
        if out.len() > 1 {
            out.push(',');
        }
        string(&mut out, writer.list);
        out.push_str(":[");
        if let Some(lead) = writer.lead {
            lead(self, &mut out);
        }
        out
    }

    /// The beginning of the body, with an open brace.
    fn head(&self, out: &mut String) {
        let mut body = Object::new(out);
        (self.format.writer().head)(self, &mut body);
        let Some(extra) = &self.options.extra else { return };
        let mut given = Vec::new();
        // Of a text that is no object nothing is taken.
        let _ = each_field(extra.as_str(), |key, value| given.push((key, value)));
        given.retain(|(key, _)| *key != self.format.writer().list);
        let mut ours = std::mem::take(out);
        ours.push('}');
        let mut body = Object::new(out);
        let _ = each_field(&ours, |key, value| match given.iter_mut().find(|(other, _)| *other == key) {
            Some((_, theirs)) if are_merged(value, theirs) => {
                merge(body.key(key), value, std::mem::take(theirs));
            }
            Some(_) => {}
            None => drop(body.raw(key, value)),
        });
        for (key, value) in given {
            if !value.is_empty() {
                body.raw(key, value);
            }
        }
    }

    /// The comma before a group, where one is needed.
    pub fn separate(&self, out: &mut String) {
        if !out.ends_with('[') {
            out.push(',');
        }
    }

    pub fn close(&self, out: &mut String) {
        out.push_str("]}");
    }

    /// One group as the provider's messages. `last` puts the cache mark where there is one.
    pub fn write_group(&self, group: &Group<'_>, last: bool, out: &mut String) {
        (self.format.writer().group)(self, group, last, out);
        match group {
            Group::Agent { .. } if last && self.format.spoken() != Format::Endpoint => {
                self.separate(out);
                let parts = vec![Part::Text(GO_ON)];
                (self.format.writer().group)(self, &Group::User { answers: Vec::new(), parts }, false, out);
            }
            Group::Agent { .. } | Group::User { .. } => {}
        }
    }

    /// The arguments of an earlier call as the model would write them.
    pub(in crate::providers) fn input<'c>(&self, call: &'c WireCall<'_>) -> Cow<'c, str> {
        match self.names.form(&call.call.tool_name) {
            Some(form) => Cow::Owned(form.on_wire(&call.input())),
            None => call.input(),
        }
    }

    /// The mark that asks for caching up to here.
    pub(in crate::providers) fn cache_mark(&self) -> Option<&'static str> {
        self.options.cache.map(|ttl| match ttl {
            CacheTtl::FiveMinutes => r#"{"type":"ephemeral"}"#,
            CacheTtl::OneHour => r#"{"type":"ephemeral","ttl":"1h"}"#,
        })
    }

    /// The list of what the model's provider gave and wants back with the message.
    pub(in crate::providers) fn echoed<'m>(&self, message: &'m Message, field: &str) -> Option<&'m str> {
        let thinks = self.format == Format::Anthropic && self.options.anthropic_thinks();
        let endpoint = self.format.spoken() == Format::Endpoint && is_wanted_back(message);
        (self.options.echo_reasoning || thinks || endpoint).then(|| kept(message, field))?
    }
}

/// The field of a message by which a chat handler says that the model's provider wants its thoughts back.
pub(crate) const WANTED_BACK: &str = "wanted_back";

pub(in crate::providers) fn is_wanted_back(message: &Message) -> bool {
    message.extra.0.iter().any(|(key, value)| key == WANTED_BACK && value.as_str() == "true")
}

/// A list that is kept with a message, unless there is nothing in it.
pub(in crate::providers) fn kept<'m>(message: &'m Message, field: &str) -> Option<&'m str> {
    let kept = message.extra.0.iter().find(|(key, _)| key == field);
    let list = kept?.1.as_str();
    let items = list.strip_prefix('[')?.strip_suffix(']')?.trim();
    (!items.is_empty()).then_some(list)
}

impl Options {
    /// Whether a model that is asked so wants the thoughts of its answers back, without being asked to take them.
    pub(crate) fn wants_back(&self, format: Format) -> bool {
        match format {
            Format::Anthropic => self.anthropic_thinks(),
            Format::OpenAiChat => match self.facts.reasoning_back {
                Some(ReasoningBack::Calls) => self.thinks_by_itself(),
                Some(ReasoningBack::DetailsAlways) => true,
                _ => false,
            },
            Format::OpenAiResponses | Format::Gemini | Format::Endpoint => false,
        }
    }
}

/// The items of these kinds. What is kept for a provider comes back through a client, who could write a message of
/// the developer into it.
pub(in crate::providers) fn of_kind<'m>(list: &'m str, kinds: &[&str]) -> Vec<&'m str> {
    let mut found = Vec::new();
    let mut reader = Reader::new(list);
    let mut read = || {
        reader.array()?;
        while reader.item()? {
            let item = reader.raw()?;
            let (mut typed, mut fits) = (false, true);
            each_field(item, |key, value| {
                let is_type = key == "type";
                typed |= is_type;
                // Readers differ in which of two fields of one name counts, and an escaped name could be one.
                let is_kind = || kinds.iter().any(|kind| value.trim_matches('"') == *kind);
                fits &= !key.contains('\\') && (!is_type || is_kind());
            })?;
            if typed && fits {
                found.push(item);
            }
        }
        Ok::<(), Broken>(())
    };
    // Of a list that cannot be read on, the rest is left out.
    let _ = read();
    found
}

/// Whether the fields of two objects can stand together: which of them may stand beside a `type` depends on it.
pub(in crate::providers) fn are_merged(ours: &str, theirs: &str) -> bool {
    let mut typed = false;
    let is_read = each_field(theirs, |key, _| typed |= key == "type").is_ok();
    is_read && !typed && ours.starts_with('{') && theirs.starts_with('{')
}

/// The fields of both objects; theirs count where both have one.
pub(in crate::providers) fn merge(out: &mut String, ours: &str, theirs: &str) {
    let mut given = Vec::new();
    let _ = each_field(theirs, |key, value| given.push((key, value)));
    let mut body = Object::new(out);
    let _ = each_field(ours, |key, value| {
        if !given.iter().any(|(other, _)| *other == key) {
            body.raw(key, value);
        }
    });
    for (key, value) in given {
        body.raw(key, value);
    }
    body.end();
}

/// Tells of each field of an object as it is written.
pub(in crate::providers) fn each_field<'a>(
    json: &'a str,
    mut tell: impl FnMut(&'a str, &'a str),
) -> Result<(), Broken> {
    let mut reader = Reader::new(json);
    if reader.object()? {
        while let Some(key) = reader.key()? {
            tell(key, reader.raw()?);
        }
    }
    Ok(())
}

pub(in crate::providers) fn number(value: f64) -> String {
    to_text(&value)
}

/// `{"type": …, "text": …}` as most providers have it.
pub(in crate::providers) fn text_block(out: &mut String, kind: &str, text: &str, cache_mark: Option<&str>) {
    let mut block = Object::new(out);
    block.text("type", kind).text("text", text);
    if let Some(mark) = cache_mark {
        block.raw("cache_control", mark);
    }
    block.end();
}

/// Google's word for a call that another model made, as base64: `skip_thought_signature_validator`.
pub(in crate::providers) const UNSIGNED: &str = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

/// What a user says where an answer comes last: no provider goes on from one.
pub(in crate::providers) const GO_ON: &str = "[Go on.]";

/// Stands between texts of several messages that become one.
pub(in crate::providers) const BETWEEN: &str = "\n\n";

/// What the user wrote, without media.
pub(in crate::providers) fn user_texts<'a>(parts: &[Part<'a>]) -> Vec<&'a str> {
    let mut texts = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => texts.push(*text),
            Part::Media(_) => {}
        }
    }
    texts
}

/// The reasoning of several messages.
pub(in crate::providers) fn reasoning(messages: &[&Message]) -> Option<String> {
    let mut texts = Vec::new();
    for message in messages {
        if let Some(text) = &message.reasoning_content {
            texts.push(text.as_str());
        }
    }
    Some(joined(&texts, BETWEEN)).filter(|text| !text.is_empty())
}

pub(in crate::providers) fn push_string(out: &mut String, text: &str) {
    string(out, text);
}
