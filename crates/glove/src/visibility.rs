//! Which messages and events a screen shows: a hidden prompt, its answer and its tools are for the model alone.

use std::sync::Arc;

use glove_wasm::event::Event;
use glove_wasm::message::Message;
use glove_wasm::runtime::Session;

/// So many messages are shown of a session that is opened again.
const RECALLED: usize = 6;

/// What was said last.
pub(crate) fn recalled(messages: &[Message]) -> impl Iterator<Item = &Message> {
    let said = messages
        .iter()
        .filter(|message| !message.hidden && !message.text.is_empty() && message.results().is_empty());
    let said: Vec<_> = said.collect();
    let skipped = said.len().saturating_sub(RECALLED);
    said.into_iter().skip(skipped)
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
    matches!(event, Event::TextDelta { .. } | Event::ToolUse { .. } | Event::ToolUseResult(_))
}
