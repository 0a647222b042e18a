//! The record as a model may see it: strict role order, results first, every call answered, nothing for people only.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::json::Json;
use crate::json_write::Object;
use crate::message::{ContentPart, Message, Sender, ToolCall, ToolResult, ToolStatus};
use crate::providers::Format;

/// What stands for the result of a call that was never answered.
const NO_RESULT: &str = "No result available";

/// What leads a conversation that an agent began, for providers that want a user first.
const START: &str = "[The conversation starts here.]";

/// Neighbouring messages of one role. All but the last two groups are settled: a longer conversation gives them
/// again as they are, so what was written of them can be kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Group<'a> {
    User { answers: Vec<Answer<'a>>, parts: Vec<Part<'a>> },
    Agent { messages: Vec<&'a Message>, calls: Vec<Call<'a>> },
}

/// A call with the id that it has in this request.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'a> {
    pub id: Cow<'a, str>,
    pub call: &'a ToolCall,
}

/// The one result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<'a> {
    pub id: Cow<'a, str>,
    pub call: &'a ToolCall,
    /// `None`: the call was never answered.
    pub result: Option<&'a ToolResult>,
}

/// A piece of what the user said.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<'a> {
    Text(&'a str),
    Media(&'a ContentPart),
}

impl Answer<'_> {
    pub fn text(&self) -> String {
        self.result.map_or_else(|| NO_RESULT.to_owned(), ToolResult::text_for_model)
    }

    pub fn is_error(&self) -> bool {
        self.result.is_some_and(|result| match result.result.status {
            ToolStatus::Error | ToolStatus::Aborted => true,
            ToolStatus::Success | ToolStatus::Pending => false,
        })
    }
}

impl Call<'_> {
    /// The arguments as an object, which is all that providers take.
    pub fn input(&self) -> Cow<'_, str> {
        let args = &self.call.input_args;
        if let Some(text) = args.to_text() {
            return match Json::parse(&text) {
                Ok(_) if text.trim_start().starts_with('{') => Cow::Owned(text),
                _ => Cow::Owned(wrapped("unparsed_arguments", args)),
            };
        }
        match args.as_str() {
            text if text.starts_with('{') => Cow::Borrowed(text),
            "null" => Cow::Borrowed("{}"),
            _ => Cow::Owned(wrapped("value", args)),
        }
    }
}

fn wrapped(key: &str, value: &Json) -> String {
    let mut out = String::new();
    let mut object = Object::new(&mut out);
    object.raw(key, value.as_str());
    object.end();
    out
}

/// Groups the messages of the model's view. Ids depend only on what comes before.
pub fn groups<'a>(format: Format, messages: &[&'a Message]) -> Vec<Group<'a>> {
    groups_behind(format, messages, false)
}

/// Groups messages from an answer on, where those before it have been grouped already. Calls in a run have ids of
/// their own, so none can be taken by what came before.
pub fn groups_behind<'a>(format: Format, messages: &[&'a Message], behind: bool) -> Vec<Group<'a>> {
    let mut projection = Projection {
        // These two refuse a request in which an id comes back or has odd characters.
        strict_ids: matches!(format, Format::Anthropic | Format::OpenAiResponses),
        user_first: !behind && matches!(format, Format::Anthropic | Format::Gemini),
        groups: Vec::new(),
        results: Vec::new(),
        ids: HashSet::new(),
        next: 0,
    };
    for (at, message) in messages.iter().enumerate() {
        let next = messages.get(at + 1);
        let unfinished = message.partial && next.is_none_or(|next| next.sender == Sender::Agent);
        match message.sender {
            Sender::Agent if unfinished || !is_sent(message) => {}
            Sender::Agent => projection.agent(message),
            Sender::User => projection.user(message),
        }
    }
    projection.settle();
    projection.groups
}

/// An agent's message without text and calls says nothing, and providers refuse it.
fn is_sent(message: &Message) -> bool {
    message.sender == Sender::User || !message.calls().is_empty() || !agent_texts(&[message]).is_empty()
}

/// What an agent said, without blank pieces.
pub(crate) fn agent_texts<'a>(messages: &[&'a Message]) -> Vec<&'a str> {
    let mut texts = Vec::new();
    for message in messages {
        let before = texts.len();
        for part in message.content.as_deref().unwrap_or_default() {
            match part.text.as_deref() {
                Some(text) if part.kind == "text" && !text.trim().is_empty() => texts.push(text),
                _ => {}
            }
        }
        if texts.len() == before && !message.text.trim().is_empty() {
            texts.push(message.text.as_str());
        }
    }
    texts
}

struct Projection<'a> {
    strict_ids: bool,
    user_first: bool,
    groups: Vec<Group<'a>>,
    /// Results in the user group that is being filled.
    results: Vec<&'a ToolResult>,
    /// The ids in use: of the whole request where ids are strict, else of the turn.
    ids: HashSet<String>,
    /// The number that the next id is made of.
    next: usize,
}

impl<'a> Projection<'a> {
    fn agent(&mut self, message: &'a Message) {
        if !matches!(self.groups.last(), Some(Group::Agent { .. })) {
            self.settle();
        }
        if !matches!(self.groups.last(), Some(Group::Agent { .. })) {
            if self.groups.is_empty() && self.user_first {
                self.groups.push(Group::User { answers: Vec::new(), parts: vec![Part::Text(START)] });
            }
            if !self.strict_ids {
                self.ids.clear();
            }
            self.groups.push(Group::Agent { messages: Vec::new(), calls: Vec::new() });
        }
        let mut named = Vec::new();
        for call in message.calls() {
            named.push(Call { id: self.id_for(call), call });
        }
        if let Some(Group::Agent { messages, calls }) = self.groups.last_mut() {
            messages.push(message);
            calls.append(&mut named);
        }
    }

    fn user(&mut self, message: &'a Message) {
        if !matches!(self.groups.last(), Some(Group::User { .. })) {
            self.groups.push(Group::User { answers: Vec::new(), parts: Vec::new() });
        }
        self.results.extend(message.results());
        let Some(Group::User { parts, .. }) = self.groups.last_mut() else { return };
        let before = parts.len();
        for part in message.content.as_deref().unwrap_or_default() {
            if let Some(said) = user_part(part) {
                parts.push(said);
            }
        }
        if parts.len() == before && message.results().is_empty() && !message.text.trim().is_empty() {
            parts.push(Part::Text(&message.text));
        }
    }

    fn id_for(&mut self, call: &'a ToolCall) -> Cow<'a, str> {
        let given = call.id();
        let mut id = match self.strict_ids && !is_plain(given) {
            true => {
                let mut plain = String::new();
                for c in given.chars().take(64) {
                    plain.push(if is_plain_char(c) { c } else { '_' });
                }
                Cow::Owned(plain)
            }
            false => Cow::Borrowed(given),
        };
        let mut number = self.next;
        while id.is_empty() || !self.ids.insert(id.clone().into_owned()) {
            // Nine letters and digits is the form that every provider takes.
            id = Cow::Owned(format!("call{number:05}"));
            number += 1;
        }
        // No number is tried again: who sends the ids that would be made could else keep this busy for minutes.
        self.next = number.max(self.next + 1);
        id
    }

    /// Closes the last group: each call of the turn gets its one result; stray and repeated results go.
    fn settle(&mut self) {
        let results = std::mem::take(&mut self.results);
        let user = match self.groups.pop() {
            Some(Group::User { parts, .. }) => Some(parts),
            Some(agent) => {
                self.groups.push(agent);
                None
            }
            None => return,
        };
        let calls = match self.groups.last() {
            Some(Group::Agent { calls, .. }) => calls.as_slice(),
            _ => &[],
        };
        let answers = pair(calls, &results);
        let parts = user.unwrap_or_default();
        if !answers.is_empty() || !parts.is_empty() {
            self.groups.push(Group::User { answers, parts });
        }
    }
}

fn is_plain(id: &str) -> bool {
    id.len() <= 64 && id.chars().all(is_plain_char)
}

fn is_plain_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn user_part(part: &ContentPart) -> Option<Part<'_>> {
    match (&part.text, &part.source) {
        (Some(text), _) if part.kind == "text" => (!text.trim().is_empty()).then_some(Part::Text(text)),
        (_, Some(_)) => Some(Part::Media(part)),
        (Some(text), None) => Some(Part::Text(text)),
        (None, None) => None,
    }
}

fn pair<'a>(calls: &[Call<'a>], results: &[&'a ToolResult]) -> Vec<Answer<'a>> {
    // By the call's id, or without one by the tool's name; the next one last.
    let mut waiting: HashMap<(bool, &str), Vec<&'a ToolResult>> = HashMap::new();
    for result in results.iter().rev() {
        let key = match result.call_id.as_deref().filter(|id| !id.is_empty()) {
            Some(id) => (true, id),
            None => (false, result.tool_name.as_str()),
        };
        waiting.entry(key).or_default().push(result);
    }
    let mut answers = Vec::new();
    for Call { id, call } in calls {
        let mut take = |key| waiting.get_mut(&key).and_then(Vec::pop);
        let result = take((true, call.id())).or_else(|| take((false, &call.tool_name)));
        answers.push(Answer { id: id.clone(), call, result });
    }
    answers
}
