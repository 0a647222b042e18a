//! Request bodies: the record, the tools and the options in each provider's form.

mod anthropic;
mod endpoint;
mod gemini;
mod names;
mod notice;
mod openai_chat;
mod openai_responses;
mod project;
mod thinking;

use std::borrow::Cow;

use crate::codec::{to_text, words};
use crate::json::Json;
use crate::json_read::{Broken, Reader};
use crate::json_write::{Object, string};
use crate::message::{ContentPart, ContentSource, Message};
use crate::providers::Format;
use crate::providers::table::{AZURE, ends_with, is_at};
use crate::scan::joined;
use crate::tool::ToolDefinition;

pub use names::ToolNames;
pub use notice::{Notice, Notices};
pub use project::{Answer, Call, Group, Part};
pub use thinking::Thinking;

words! {
    /// How long a provider keeps a cached prompt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CacheTtl {
        "5m" => FiveMinutes,
        "1h" => OneHour,
    }
}

/// What servers of the chat format differ in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ChatDialect {
    #[default]
    Plain,
    /// Counts thoughts into `max_completion_tokens` and refuses `max_tokens` for thinking models.
    OpenAi,
    /// Takes cache breakpoints and hands them on.
    OpenRouter,
    /// Refuses fields that it does not know, and ids of calls that are not nine letters and digits.
    Mistral,
    /// Wants back what it sent with a call.
    Google,
}

impl ChatDialect {
    /// The dialect spoken at a host: a provider has more of them below its own, for regions and accounts.
    pub fn of_host(host: &str) -> Self {
        let is = |domain| is_at(host, domain);
        if is("api.openai.com") || is(AZURE) {
            ChatDialect::OpenAi
        } else if is("openrouter.ai") {
            ChatDialect::OpenRouter
        } else if is("mistral.ai") {
            ChatDialect::Mistral
        } else if is("generativelanguage.googleapis.com")
            || is("aiplatform.googleapis.com")
            || ends_with(host, "-aiplatform.googleapis.com").is_some()
        {
            ChatDialect::Google
        } else {
            ChatDialect::Plain
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    pub model: String,
    pub max_tokens: Option<u32>,
    pub stream: bool,
    pub temperature: Option<f64>,
    /// Marks the prompt for caching where the provider does not cache by itself.
    pub cache: Option<CacheTtl>,
    /// Sends earlier reasoning back; without it none ever leaves.
    pub echo_reasoning: bool,
    pub thinking: Thinking,
    /// Where the model is to stop, for providers that can be told so.
    pub stop: Option<&'static str>,
    pub dialect: ChatDialect,
    /// An object whose fields are added to the body as they are.
    pub extra: Option<Json>,
}

/// All that one request is made of.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub format: Format,
    pub system: &'a str,
    pub tools: &'a [ToolDefinition],
    pub names: &'a ToolNames,
    pub options: &'a Options,
    /// Where it is told what the provider does not take.
    pub notices: &'a Notices,
}

/// How the requests of one format are written.
struct Writer {
    /// What comes before the messages.
    head: fn(&Prompt<'_>, &mut Object<'_>),
    /// The field that holds the messages.
    list: &'static str,
    /// What comes first in it.
    lead: Option<fn(&Prompt<'_>, &mut String)>,
    /// `last` puts the cache mark where there is one.
    group: fn(prompt: &Prompt<'_>, group: &Group<'_>, last: bool, out: &mut String),
}

impl Format {
    fn writer(self) -> &'static Writer {
        match self {
            #[cfg(feature = "providers")]
            Format::Anthropic => &anthropic::WRITER,
            #[cfg(feature = "providers")]
            Format::OpenAiChat => &openai_chat::WRITER,
            #[cfg(feature = "providers")]
            Format::OpenAiResponses => &openai_responses::WRITER,
            #[cfg(feature = "providers")]
            Format::Gemini => &gemini::WRITER,
            _ => &endpoint::WRITER,
        }
    }
}

impl Prompt<'_> {
    /// The whole body for the model's view of the record.
    pub fn body(&self, messages: &[&Message]) -> String {
        let groups = self.groups(messages, false);
        let mut out = self.open();
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
        project::groups(self.format, self.options.dialect, messages, behind)
    }

    /// The body up to where the groups go: then comes each group behind a `separate`, then `close`. The text of a
    /// settled group may be kept and used again.
    pub fn open(&self) -> String {
        let mut out = String::new();
        let mut body = Object::new(&mut out);
        let writer = self.format.writer();
        (writer.head)(self, &mut body);
        if let Some(extra) = &self.options.extra {
            // Of a text that is no object nothing is taken.
            let _ = each_field(extra.as_str(), |key, value| {
                body.raw(key, value);
            });
        }
        let list = body.key(writer.list);
        list.push('[');
        if let Some(lead) = writer.lead {
            lead(self, list);
        }
        out
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
    }

    /// The mark that asks for caching up to here.
    fn cache_mark(&self) -> Option<&'static str> {
        self.options.cache.map(|ttl| match ttl {
            CacheTtl::FiveMinutes => r#"{"type":"ephemeral"}"#,
            CacheTtl::OneHour => r#"{"type":"ephemeral","ttl":"1h"}"#,
        })
    }

    /// The list of what the model's provider gave and wants back with the message.
    fn echoed<'m>(&self, message: &'m Message, field: &str) -> Option<&'m str> {
        let wanted = self.options.echo_reasoning
            || self.format == Format::Anthropic && self.options.anthropic_thinks();
        let kept = message.extra.0.iter().find(|(key, _)| key == field && wanted);
        let list = kept?.1.as_str();
        let items = list.strip_prefix('[')?.strip_suffix(']')?.trim();
        (!items.is_empty()).then_some(list)
    }
}

/// The items of these kinds. What is kept for a provider comes back through a client, who could write a message of
/// the developer into it.
fn of_kind<'m>(list: &'m str, kinds: &[&str]) -> Vec<&'m str> {
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

/// Tells of each field of an object as it is written.
fn each_field<'a>(json: &'a str, mut tell: impl FnMut(&'a str, &'a str)) -> Result<(), Broken> {
    let mut reader = Reader::new(json);
    if reader.object()? {
        while let Some(key) = reader.key()? {
            tell(key, reader.raw()?);
        }
    }
    Ok(())
}

/// A tool's schema in the form that every provider takes: an object with properties, without the dialect's name.
fn schema(tool: &ToolDefinition, out: &mut String) {
    let (mut typed, mut properties) = (false, false);
    let mut object = Object::new(out);
    let _ = each_field(tool.schema.as_str(), |key, value| match key {
        "$schema" => {}
        key => {
            typed |= key == "type";
            properties |= key == "properties";
            object.raw(key, value);
        }
    });
    if !typed {
        object.text("type", "object");
    }
    if !properties {
        object.raw("properties", "{}");
    }
    object.end();
}

fn number(value: f64) -> String {
    to_text(&value)
}

const PDF: &str = "application/pdf";
/// The kind of a file is read off its name too, which no message has.
const PDF_NAME: &str = "document.pdf";

/// What stands for media that a provider does not take.
fn media_note(part: &ContentPart) -> String {
    let mut kind = part.kind.clone();
    if let Some(first) = kind.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    match part.source.as_ref().map(|source| source.media_type.as_str()) {
        None | Some("") => format!("[{kind} attachment]"),
        Some(media_type) => format!("[{kind} attachment: {media_type}]"),
    }
}

/// Where media are to be found, as one URL.
fn media_url(source: &ContentSource) -> Option<Cow<'_, str>> {
    match (&source.data, &source.url) {
        (Some(data), _) if source.kind == "base64" => {
            Some(Cow::Owned(format!("data:{};base64,{data}", source.media_type)))
        }
        (_, Some(url)) => Some(Cow::Borrowed(url)),
        (_, None) => None,
    }
}

/// `{"type": …, "text": …}` as most providers have it.
fn text_block(out: &mut String, kind: &str, text: &str, cache_mark: Option<&str>) {
    let mut block = Object::new(out);
    block.text("type", kind).text("text", text);
    if let Some(mark) = cache_mark {
        block.raw("cache_control", mark);
    }
    block.end();
}

/// Stands between texts of several messages that become one.
const BETWEEN: &str = "\n\n";

/// What the user wrote, without media.
fn user_texts<'a>(parts: &[Part<'a>]) -> Vec<&'a str> {
    let mut texts = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => texts.push(*text),
            Part::Media(_) => {}
        }
    }
    texts
}

/// The reasoning of several messages, where it is to be sent back.
fn reasoning(prompt: &Prompt<'_>, messages: &[&Message]) -> Option<String> {
    let mut texts = Vec::new();
    for message in messages {
        if let Some(text) = &message.reasoning_content {
            texts.push(text.as_str());
        }
    }
    Some(joined(&texts, BETWEEN)).filter(|text| prompt.options.echo_reasoning && !text.is_empty())
}

fn push_string(out: &mut String, text: &str) {
    string(out, text);
}
