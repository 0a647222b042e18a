//! The record as a model may see it: strict role order, results first, every call answered, nothing for people only.

use std::borrow::Cow;

use crate::ids::Ids;
use crate::json::Json;
use crate::json::writer::Object;
use crate::message::{ContentPart, Message, Sender, ToolCall, ToolResult, ToolStatus};
use crate::providers::facts::CallIds;
use crate::providers::format::Format;

/// What stands for the result of a call that was never answered.
const NO_RESULT: &str = "No result available";

/// What leads a conversation that an agent began, for providers that want a user first.
const START: &str = "[The conversation starts here.]";

/// The `framework_context` of what the model is told beside the record.
const PASSING: [&str; 2] = ["inbox", "page"];

/// Neighbouring messages of one role. All but the last two groups are settled: a longer conversation gives them
/// again as they are, so what was written of them can be kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Group<'a> {
    User { answers: Vec<CallResult<'a>>, parts: Vec<Part<'a>> },
    Agent { messages: Vec<&'a Message>, calls: Vec<WireCall<'a>> },
}

/// A call with the id that it has in this request.
#[derive(Debug, Clone, PartialEq)]
pub struct WireCall<'a> {
    pub id: Cow<'a, str>,
    pub call: &'a ToolCall,
}

/// The one result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult<'a> {
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
    /// Text that is not in the record, and is another one with the next request.
    Passing(&'a str),
}

/// How many of them are the record's: what stands behind them is of no use to a provider's cache.
pub(crate) fn recorded(parts: &[Part<'_>]) -> usize {
    parts.len() - parts.iter().rev().take_while(|part| matches!(part, Part::Passing(_))).count()
}

impl CallResult<'_> {
    pub fn text(&self) -> String {
        self.result.map_or_else(|| NO_RESULT.to_owned(), ToolResult::text_for_model)
    }

    /// The same with pictures and files among it, where there are some.
    pub(crate) fn parts(&self) -> Option<Vec<ContentPart>> {
        self.result.and_then(ToolResult::parts)
    }

    pub fn is_error(&self) -> bool {
        self.result.is_some_and(|result| match result.result.status {
            ToolStatus::Error | ToolStatus::Aborted => true,
            ToolStatus::Success | ToolStatus::Pending => false,
        })
    }
}

impl WireCall<'_> {
    /// The arguments as an object, which is all that providers take.
    pub fn input(&self) -> Cow<'_, str> {
        let args = &self.call.input_args;
        if let Some(text) = args.to_text() {
            return match Json::parse(&text) {
                Err(_) if text.trim().is_empty() && !self.call.unparsed_args => Cow::Borrowed("{}"),
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

/// What a provider takes for the id of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdForm {
    /// Any text, as long as it is not twice in one turn.
    Any,
    /// No id twice in a request, and no more than forty characters.
    Short,
    /// No id twice in a request, and no odd characters.
    Plain,
    /// The same, and nine letters and digits.
    Nine,
}

impl IdForm {
    fn of(format: Format, call_ids: Option<CallIds>) -> Self {
        match (format, call_ids) {
            (Format::Anthropic | Format::OpenAiResponses, _) => IdForm::Plain,
            (Format::OpenAiChat, Some(CallIds::Nine)) => IdForm::Nine,
            (Format::OpenAiChat, _) => IdForm::Short,
            _ => IdForm::Any,
        }
    }

    /// The id in the provider's form: always the same of one id, and itself where it fits.
    fn fit(self, id: Cow<'_, str>) -> Cow<'_, str> {
        match self {
            IdForm::Plain if id.len() > 64 || !id.chars().all(is_plain_char) => {
                let mut plain = String::new();
                for c in id.chars().take(64) {
                    plain.push(if is_plain_char(c) { c } else { '_' });
                }
                Cow::Owned(plain)
            }
            IdForm::Short if id.len() > 40 => {
                let mut short = String::new();
                for c in id.chars().take(31) {
                    short.push(if is_plain_char(c) { c } else { '_' });
                }
                Cow::Owned(short + &nine(&id))
            }
            IdForm::Nine
                if !id.is_empty() && (id.len() != 9 || !id.bytes().all(|b| b.is_ascii_alphanumeric())) =>
            {
                Cow::Owned(nine(&id))
            }
            _ => id,
        }
    }
}

/// Nine letters that are told apart as the ids are (FNV-1a).
fn nine(id: &str) -> String {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    let mut nine = String::new();
    for _ in 0..9 {
        nine.push(char::from(b'a' + (hash % 26) as u8));
        hash /= 26;
    }
    nine
}

/// Groups the messages of the model's view. Ids depend only on what comes before.
pub(crate) fn groups<'a>(
    format: Format,
    call_ids: Option<CallIds>,
    messages: &[&'a Message],
    behind: bool,
) -> Vec<Group<'a>> {
    let mut projection = Projection {
        format,
        call_ids,
        behind,
        groups: Vec::new(),
        results: Vec::new(),
        places: Vec::new(),
        unanswered: Places::default(),
        ids: Ids::default(),
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

/// Places in a list, by a call's id, or where that is missing by the tool's name; the next one last.
#[derive(Default)]
struct Places {
    ids: Ids,
    names: Ids,
    lists: Vec<Vec<usize>>,
}

impl Places {
    fn put(&mut self, is_id: bool, key: &str, place: usize) {
        let known = if is_id { &mut self.ids } else { &mut self.names };
        match known.get(key).and_then(|list| self.lists.get_mut(list)) {
            Some(places) => places.push(place),
            None => {
                known.add(key, self.lists.len());
                self.lists.push(vec![place]);
            }
        }
    }

    fn of(&mut self, is_id: bool, key: &str) -> Option<&mut Vec<usize>> {
        let known = if is_id { &self.ids } else { &self.names };
        self.lists.get_mut(known.get(key)?)
    }
}

struct Projection<'a> {
    format: Format,
    call_ids: Option<CallIds>,
    /// Other messages stand in front of these.
    behind: bool,
    groups: Vec<Group<'a>>,
    /// Results in the user group that is being filled.
    results: Vec<&'a ToolResult>,
    /// The group and the answer of each call without a result: one that is stored behind a later answer is still the call's.
    places: Vec<(usize, usize)>,
    unanswered: Places,
    /// The ids in use: of the whole request where ids are strict, else of the turn.
    ids: Ids,
    /// The number that the next id is made of.
    next: usize,
}

impl<'a> Projection<'a> {
    fn form(&self) -> IdForm {
        IdForm::of(self.format.spoken(), self.call_ids)
    }

    fn wants_user_first(&self) -> bool {
        !self.behind
            && matches!(self.format.spoken(), Format::Anthropic | Format::Gemini | Format::OpenAiChat)
    }

    fn agent(&mut self, message: &'a Message) {
        if !matches!(self.groups.last(), Some(Group::Agent { .. })) {
            self.settle();
        }
        if !matches!(self.groups.last(), Some(Group::Agent { .. })) {
            if self.groups.is_empty() && self.wants_user_first() {
                self.groups.push(Group::User { answers: Vec::new(), parts: vec![Part::Text(START)] });
            }
            if self.form() == IdForm::Any {
                self.ids = Ids::default();
            }
            self.groups.push(Group::Agent { messages: Vec::new(), calls: Vec::new() });
        }
        let mut named = Vec::new();
        for call in message.calls() {
            named.push(WireCall { id: self.id_for(call), call });
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
            if let Some(projected) = user_part(part) {
                parts.push(projected);
            }
        }
        if parts.len() == before && message.results().is_empty() && !message.text.trim().is_empty() {
            // What is recorded has an id.
            let passes = message.id.is_none()
                && message.framework_context.as_deref().is_some_and(|context| PASSING.contains(&context));
            parts.push(if passes { Part::Passing(&message.text) } else { Part::Text(&message.text) });
        }
    }

    fn id_for(&mut self, call: &'a ToolCall) -> Cow<'a, str> {
        let mut id = self.form().fit(Cow::Borrowed(call.id()));
        let mut number = self.next;
        while id.is_empty() || !self.ids.insert(&id) {
            // Nine letters and digits is the form that every provider takes.
            id = self.form().fit(Cow::Owned(format!("call{number:05}")));
            number += 1;
        }
        // No number is tried again: who sends the ids that would be made could else keep this busy for minutes.
        self.next = number.max(self.next + 1);
        id
    }

    /// Closes the last group: each call of the turn gets its one result, and calls before it those that come late; stray and
    /// repeated results go.
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
        let (answers, mut others) = pair(calls, &results);
        for result in results {
            let Some(id) = result.call_id.as_deref() else { continue };
            // The first one of an id that no call of this turn has.
            if others.of(true, id).is_none_or(|others| std::mem::take(others).is_empty()) {
                continue;
            }
            let place = self.unanswered.of(true, id).and_then(Vec::pop);
            let Some((group, answer)) = place.and_then(|place| self.places.get(place)) else { continue };
            if let Some(Group::User { answers, .. }) = self.groups.get_mut(*group)
                && let Some(answer) = answers.get_mut(*answer)
            {
                answer.result = Some(result);
            }
        }
        for (at, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.result.is_none()) {
            self.unanswered.put(true, answer.call.id(), self.places.len());
            self.places.push((self.groups.len(), at));
        }
        let parts = user.unwrap_or_default();
        if !answers.is_empty() || !parts.is_empty() {
            self.groups.push(Group::User { answers, parts });
        }
    }
}

fn is_plain_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn user_part(part: &ContentPart) -> Option<Part<'_>> {
    match (&part.text, &part.source) {
        (_, Some(_)) if part.kind != "text" || part.text.is_none() => Some(Part::Media(part)),
        (Some(text), _) => (!text.trim().is_empty()).then_some(Part::Text(text)),
        (None, _) => None,
    }
}

/// The answers of these calls, and the results that are for others.
fn pair<'a>(calls: &[WireCall<'a>], results: &[&'a ToolResult]) -> (Vec<CallResult<'a>>, Places) {
    let mut waiting = Places::default();
    for (at, result) in results.iter().enumerate().rev() {
        match result.call_id.as_deref().filter(|id| !id.is_empty()) {
            Some(id) => waiting.put(true, id, at),
            None => waiting.put(false, &result.tool_name, at),
        }
    }
    let mut answers = Vec::new();
    for WireCall { id, call } in calls {
        let mut take = |is_id, key| waiting.of(is_id, key)?.pop();
        let at = take(true, call.id()).or_else(|| take(false, &call.tool_name));
        let result = at.and_then(|at| results.get(at).copied());
        answers.push(CallResult { id: id.clone(), call, result });
    }
    // Of a call of this turn a further result is a repeated one.
    for WireCall { call, .. } in calls {
        if let Some(repeated) = waiting.of(true, call.id()) {
            repeated.clear();
        }
    }
    (answers, waiting)
}
