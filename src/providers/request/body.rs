//! A request's body: what is the same for all formats, around what each of them writes.

use crate::json::writer::{Object, string};
use crate::message::Message;
use crate::providers::endpoint;
use crate::providers::format::Format;
use crate::providers::request::fragments::{GO_ON, each_field};
use crate::providers::request::parts::{FormatWriter, RequestParts};
use crate::providers::request::project::{self, Group, Part};
use crate::providers::{anthropic, gemini, openai_chat, openai_responses};

fn writer(format: Format) -> &'static FormatWriter {
    match format.spoken() {
        Format::Anthropic => &anthropic::request::WRITER,
        Format::OpenAiChat => &openai_chat::request::WRITER,
        Format::OpenAiResponses => &openai_responses::request::WRITER,
        Format::Gemini => &gemini::request::WRITER,
        Format::Endpoint => &endpoint::request::WRITER,
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
        let writer = writer(self.format);
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
        (writer(self.format).head)(self, &mut body);
        let Some(extra) = &self.options.extra else { return };
        let mut added = Vec::new();
        // Of a text that is no object nothing is taken.
        let _ = each_field(extra.as_str(), |key, value| added.push((key, value)));
        added.retain(|(key, _)| *key != writer(self.format).list);
        let mut ours = std::mem::take(out);
        ours.push('}');
        let mut body = Object::new(out);
        let _ = each_field(&ours, |key, value| match added.iter_mut().find(|(other, _)| *other == key) {
            Some((_, theirs)) if are_merged(value, theirs) => {
                merge(body.key(key), value, std::mem::take(theirs));
            }
            Some(_) => {}
            None => drop(body.copied(key, value)),
        });
        for (key, value) in added {
            if !value.is_empty() {
                body.copied(key, value);
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
        (writer(self.format).group)(self, group, last, out);
        match group {
            Group::Agent { .. } if last && self.format.spoken() != Format::Endpoint => {
                self.separate(out);
                let parts = vec![Part::Text(GO_ON)];
                (writer(self.format).group)(self, &Group::User { answers: Vec::new(), parts }, false, out);
            }
            Group::Agent { .. } | Group::User { .. } => {}
        }
    }
}

/// Whether the fields of two objects can stand together: which of them may stand beside a `type` depends on it.
fn are_merged(ours: &str, theirs: &str) -> bool {
    let mut typed = false;
    let is_read = each_field(theirs, |key, _| typed |= key == "type").is_ok();
    is_read && !typed && ours.starts_with('{') && theirs.starts_with('{')
}

/// The fields of both objects; theirs count where both have one.
fn merge(out: &mut String, ours: &str, theirs: &str) {
    let mut added = Vec::new();
    let _ = each_field(theirs, |key, value| added.push((key, value)));
    let mut body = Object::new(out);
    let _ = each_field(ours, |key, value| {
        if !added.iter().any(|(other, _)| *other == key) {
            body.copied(key, value);
        }
    });
    for (key, value) in added {
        body.copied(key, value);
    }
    body.end();
}
