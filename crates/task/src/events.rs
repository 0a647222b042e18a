//! What happened in a task, one JSON object to a line of `progress/events.ndjson`.

use crate::text::in_one_line;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Ts, Write, from_text, through_codec};

/// One event. Its kinds: `task.start`, `task.stop`, `task.resume`, `phase.start`, `phase.finish`, `plan.proposed`, `plan.edited`, `plan.approved`,
/// `plan.denied`, `approval.requested`, `approval.decided`, `approval.ignored`, `tool.call`, `tool.result`, `verify.pass`,
/// `verify.fail`, `context.pushed`, `memory.read`, `memory.write`, `budget.hit`, `output.missing`, `error`,
/// `finish`.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
pub struct TaskEvent {
    /// `ev_000001`: numbered from 1 without a gap.
    pub id: String,
    #[json(rename = "type")]
    pub kind: String,
    /// The step that it belongs to.
    #[json(skip_if_default)]
    pub step: String,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    #[json(skip_if_default)]
    pub message: String,
    #[json(skip_if_default)]
    pub data: Json,
    #[json(skip_if_default)]
    pub error: String,
}

through_codec! { TaskEvent }

impl TaskEvent {
    pub(crate) fn id_of(number: u64) -> String {
        format!("ev_{number:06}")
    }

    pub fn number(&self) -> u64 {
        self.id.strip_prefix("ev_").and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }

    pub fn line(&self) -> String {
        // Its data may have been read from a file with line breaks.
        let mut line = in_one_line(self);
        line.push('\n');
        line
    }
}

/// A journal as it was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Journal {
    pub events: Vec<TaskEvent>,
    /// What stands in it and is no event, by a process that died while it wrote or by a hand: line breaks included.
    pub broken: String,
}

impl Journal {
    pub fn read(text: &str) -> Journal {
        let mut journal = Journal::default();
        for line in text.split_inclusive('\n') {
            match from_text::<TaskEvent>(line.trim_end()) {
                Ok(event) if line.ends_with('\n') && event.number() > 0 => journal.events.push(event),
                _ if line.trim().is_empty() => {}
                _ => journal.broken.push_str(line),
            }
        }
        journal
    }

    pub fn last(&self) -> u64 {
        self.events.iter().map(TaskEvent::number).max().unwrap_or_default()
    }

    /// Its whole lines alone.
    pub fn text(&self) -> String {
        self.events.iter().map(TaskEvent::line).collect()
    }
}
