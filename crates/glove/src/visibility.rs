//! Which messages and events a screen shows: a hidden prompt, its answer and its tools are for the model alone.

use std::sync::Arc;

use glove_wasm::event::Event;
use glove_wasm::message::Message;
use glove_wasm::run::views::timeline::{Timeline, TimelineEntry};
use glove_wasm::runtime::Session;

use crate::calls::Shown;
use crate::terminal_text;

/// So many texts are shown of a session that is opened again, and what was called between them.
const RECALLED: usize = 6;
/// All of it together.
const MOST_RECALLED: usize = 30;

pub(crate) enum Recalled {
    Person(String),
    Agent(String),
    Call(Shown),
    Note(String),
}

/// What was said and done last.
pub(crate) fn recalled(session: &Session) -> Vec<Recalled> {
    session.with_run(|run| {
        let mut timeline = Timeline::default();
        drop(timeline.follow(run));
        let entries = timeline.entries(run);
        let is_text = |entry: &TimelineEntry<'_>| !matches!(entry, TimelineEntry::Tool(_));
        let mut texts = entries.iter().enumerate().rev().filter(|(_, entry)| is_text(entry));
        let first = texts.nth(RECALLED - 1).map_or(0, |(at, _)| at);
        let first = first.max(entries.len().saturating_sub(MOST_RECALLED));
        entries.iter().skip(first).filter_map(recall).collect()
    })
}

fn recall(entry: &TimelineEntry<'_>) -> Option<Recalled> {
    Some(match entry {
        TimelineEntry::User { text, .. } => Recalled::Person((*text).to_owned()),
        TimelineEntry::AgentText { text, .. } if text.trim().is_empty() => return None,
        TimelineEntry::AgentText { text, .. } => Recalled::Agent((*text).to_owned()),
        TimelineEntry::Tool(tool) => Recalled::Call(Shown {
            call: Some(terminal_text::call_line(&tool.name, &tool.input.read().unwrap_or_default())),
            result: terminal_text::entry_lines(tool),
            ..Shown::default()
        }),
        TimelineEntry::Compaction { .. } => {
            Recalled::Note("! what was said before is summarised for the model".to_owned())
        }
    })
}

/// Whether the prompt of this request is hidden; without a request, the last one.
pub(crate) fn is_hidden(session: &Session, request: Option<&str>) -> bool {
    session.with_run(|run| {
        let is_meant = |message: &&Arc<Message>| {
            message.begins_prompt() && request.is_none_or(|id| message.prompt_id.as_deref() == Some(id))
        };
        run.messages().iter().rev().find(is_meant).is_some_and(|message| message.hidden)
    })
}

/// Whether the event draws a part of an answer.
pub(crate) fn is_of_answer(event: &Event) -> bool {
    matches!(
        event,
        Event::TextDelta { .. }
            | Event::ModelResponse(_)
            | Event::ModelResponseComplete(_)
            | Event::ToolUse { .. }
            | Event::ToolUseResult(_)
    )
}
