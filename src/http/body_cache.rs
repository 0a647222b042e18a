//! Request bodies of a growing conversation: what was written of settled messages is kept, so that a further turn
//! costs what is new in it and one copy.

use crate::message::{Message, Sender, ToolResult};
use crate::providers::request::{RequestParts, ToolNames};
use crate::run::views::model::View;

/// Keeps the settled front of one conversation in one provider's form.
#[derive(Debug, Default)]
pub struct BodyWriter {
    identity: Option<String>,
    names: ToolNames,
    /// How many messages of the view are in `text`.
    count: usize,
    text: String,
}

impl BodyWriter {
    /// The body of a request for this view. The options must be the same each time; another conversation, other
    /// tool names or a new summary begin anew.
    pub fn body(&mut self, prompt: &RequestParts<'_>, view: View<'_>) -> String {
        let mut out = String::new();
        self.write(prompt, view, &mut out);
        out
    }

    /// The same into a text that may be used again; what it held is gone.
    pub fn write(&mut self, prompt: &RequestParts<'_>, view: View<'_>, out: &mut String) {
        let identity = view.identity();
        let is_other = identity.is_none()
            || self.identity != identity
            || self.names != *prompt.names
            || self.count > view.recorded_len();
        let mut open = view.skip(if is_other { 0 } else { self.count });
        let mut late = late(&open);
        if is_other || late > 0 {
            *self = BodyWriter { identity, names: prompt.names.clone(), ..BodyWriter::default() };
            open = view.skip(0);
            late = self::late(&open);
        }
        let cut = cut(&open, view.recorded_len() - self.count);
        if self.identity.is_some() && cut > late {
            let behind = open.split_off(cut);
            write(prompt, &open, self.count > 0, false, &mut self.text);
            self.count += cut;
            open = behind;
        }
        let head = prompt.open(&open);
        out.clear();
        out.reserve(head.len() + self.text.len() + 1_024);
        out.push_str(&head);
        if !self.text.is_empty() {
            prompt.separate(out);
            out.push_str(&self.text);
        }
        write(prompt, &open, self.count > 0, true, out);
        prompt.close(out);
    }
}

/// `behind`: other messages stand in front of these.
fn write(prompt: &RequestParts<'_>, messages: &[&Message], behind: bool, last: bool, out: &mut String) {
    let groups = prompt.groups(messages, behind);
    let end = groups.len().saturating_sub(1);
    for (at, group) in groups.iter().enumerate() {
        if !out.is_empty() {
            prompt.separate(out);
        }
        prompt.write_group(group, last && at == end, out);
    }
}

/// How many of the messages can be kept: up to the last answer that follows on a user's message. What comes before
/// an answer never changes, and no group reaches over it.
fn cut(messages: &[&Message], settled: usize) -> usize {
    let settled = messages.get(..settled).unwrap_or_default();
    let begins_group = |pair: &[&Message]| match pair {
        [before, answer] => {
            before.sender == Sender::User
                && answer.sender == Sender::Agent
                && !answer.partial
                && (!answer.calls().is_empty() || !answer.text.trim().is_empty())
        }
        _ => false,
    };
    settled.windows(2).rposition(begins_group).map_or(0, |before| before + 1)
}

/// How many messages there are up to the last with a result of a call that does not stand right before it, but may be anywhere
/// further up.
fn late(messages: &[&Message]) -> usize {
    let (mut calls, mut late) = (&[][..], 0);
    for (at, message) in messages.iter().enumerate() {
        if message.sender == Sender::Agent {
            calls = message.calls();
        }
        let is_late = |result: &ToolResult| !calls.iter().any(|call| result.call_id == call.id);
        if message.results().iter().any(is_late) {
            late = at + 1;
        }
    }
    late
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::json::Json;
    use crate::message::ToolCall;
    use crate::providers::Format;
    use crate::providers::facts::Facts;
    use crate::providers::request::{Notices, Options};

    fn conversation() -> Vec<Message> {
        let mut messages = Vec::new();
        for n in 0..40 {
            let call =
                ToolCall { id: Some(format!("c{n}")), ..ToolCall::new("look", Json::parse("{}").unwrap()) };
            let result = ToolResult { call_id: call.id.clone(), ..ToolResult::default() };
            let mut partial = Message::agent("cut");
            partial.partial = true;
            let mut results = Message::user("tool results");
            results.tool_results = Some(vec![result]);
            messages.push(Message::user(format!("question {n}")));
            match n % 4 {
                0 => messages.push(Message::agent("plain")),
                1 => messages.extend([
                    Message::agent("").with_calls(vec![call]),
                    results,
                    Message::agent("done"),
                ]),
                2 => messages.extend([partial, Message::user("again"), Message::agent("ok")]),
                _ => messages.extend([Message::agent("").with_calls(vec![call]), results, partial]),
            }
        }
        messages
    }

    #[test]
    fn a_result_that_comes_late_changes_what_was_written_of_its_call_and_is_kept_then() {
        let plain = conversation();
        for call_at in [1, 20] {
            for result_at in [call_at + 2, call_at + 5, call_at + 9] {
                let mut messages = plain.clone();
                let call =
                    ToolCall { id: Some("late".into()), ..ToolCall::new("look", Json::parse("{}").unwrap()) };
                let result = ToolResult { call_id: call.id.clone(), ..ToolResult::default() };
                let mut results = Message::user("tool results");
                results.tool_results = Some(vec![result]);
                messages.insert(call_at, Message::agent("").with_calls(vec![call]));
                messages.insert(result_at, results);
                bit_by_bit(&messages);
            }
        }
    }

    #[test]
    fn a_body_made_bit_by_bit_is_the_body_made_at_once() {
        bit_by_bit(&conversation());
    }

    fn bit_by_bit(messages: &[Message]) {
        let mut messages = messages.to_vec();
        for (n, message) in messages.iter_mut().enumerate() {
            message.id = Some(format!("m{n}"));
        }
        let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
        let reminder = [Arc::new(Message::user("remember"))];
        for format in
            [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini, Format::Endpoint]
        {
            let (names, options) = (ToolNames::new(format, &Facts::default(), &[]), Options::default());
            let prompt = RequestParts {
                format,
                system: "s",
                tools: &[],
                names: &names,
                options: &options,
                notices: &Notices::default(),
            };
            let mut kept = BodyWriter::default();
            for end in 1..=messages.len() {
                let transient = if end % 3 == 0 { &reminder[..] } else { &[] };
                let view = View::of(&messages[..end], transient);
                let whole = view.skip(0);
                assert_eq!(kept.body(&prompt, view), prompt.body(&whole), "{format:?} up to message {end}");
            }
            for end in 8..messages.len() {
                let replaced = end - 5..end - 1;
                let view = View::of(&messages[..end], &[]).without(std::slice::from_ref(&replaced), &[]);
                let whole = view.skip(0);
                assert_eq!(whole.len(), end - 4);
                assert_eq!(kept.body(&prompt, view), prompt.body(&whole), "{format:?} replaced before {end}");
            }
            kept.body(&prompt, View::of(&messages, &[]));
            assert!(kept.count > messages.len() - 8, "{format:?} kept only {}", kept.count);
        }
    }
}
