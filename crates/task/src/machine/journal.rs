//! The events of a task.

use crate::error::{Failure, TaskErrorKind};
use crate::events::TaskEvent;
use crate::machine::Task;
use crate::machine::effect::{Effect, Effects};
use crate::report::ToolCallReport;
use crate::text::first_line;
use glove_wasm::json::codec::{Write, object};
use glove_wasm::json::{self, Json};

impl Task {
    /// Reports the calls of a step that were not reported yet. Returns true if there was one.
    pub(super) fn tell_calls(&mut self, now: u64, step: &str, calls: &[ToolCallReport]) -> bool {
        let begun = calls.iter().map(|call| (call, false));
        let ended = calls.iter().filter(|call| !call.status.is_empty()).map(|call| (call, true));
        let mut all: Vec<(usize, &ToolCallReport, bool)> =
            begun.chain(ended).map(|(call, over)| (0, call, over)).collect();
        for (at, call) in calls.iter().enumerate() {
            for entry in all.iter_mut().filter(|entry| entry.1.call_id == call.call_id) {
                entry.0 = at;
            }
        }
        // Each call beside its result: so the order is the same, whenever it is looked at.
        all.sort_by_key(|(at, _, over)| (*at, *over));
        // Up to the first call that still runs.
        let ready = all.iter().position(|(_, call, _)| call.status.is_empty()).map_or(all.len(), |at| at + 1);
        let before = self.reported_calls;
        for (_, call, over) in all.into_iter().take(ready).skip(before) {
            let data = match over {
                false => fields(&[("call_id", &call.call_id), ("input_bytes", &call.input_bytes)]),
                true => fields(&[
                    ("call_id", &call.call_id),
                    ("status", &call.status),
                    ("output_bytes", &call.output_bytes),
                    ("duration_ms", &call.duration_ms.unwrap_or_default()),
                ]),
            };
            let kind = if over { "tool.result" } else { "tool.call" };
            self.emit_of(now, kind, step, call.tool.clone(), data);
            if over && let Some(event) = self.state.outbox.last_mut() {
                event.error = first_line(&call.error, 300);
            }
            self.reported_calls += 1;
        }
        self.reported_calls > before
    }

    /// Counts alone: what is remembered stands in no journal.
    pub(super) fn remembers(&mut self, now: u64, kind: &str, counts: Json, failed: String, fx: &mut Effects) {
        let step = match kind {
            // Once for each step: one that is taken up reads what it read before.
            "memory.read" if std::mem::replace(&mut self.recalled, true) => return,
            "memory.read" => self.state.current.as_ref().map(|step| step.id.clone()).unwrap_or_default(),
            _ => String::new(),
        };
        self.emit_of(now, kind, &step, "", counts);
        if !failed.is_empty() {
            if let Some(event) = self.state.outbox.last_mut() {
                TaskErrorKind::Memory.code().clone_into(&mut event.error);
            }
            if !self.state.warnings.contains(&failed) {
                self.warn(failed);
            }
        }
        fx.push(Effect::Save);
    }

    pub(super) fn emit_start(&mut self, now: u64, goal: String) {
        let data = match self.state.skills.is_empty() {
            true => Json::null(),
            false => fields(&[("skills", &self.state.skills)]),
        };
        self.emit(now, "task.start", goal, data);
    }

    pub(super) fn emit(&mut self, now: u64, kind: &str, message: impl Into<String>, data: Json) {
        self.emit_of(now, kind, "", message, data);
    }

    pub(super) fn emit_of(
        &mut self,
        now: u64,
        kind: &str,
        step: &str,
        message: impl Into<String>,
        data: Json,
    ) {
        self.state.last_event += 1;
        self.state.outbox.push(TaskEvent {
            id: TaskEvent::id_of(self.state.last_event),
            kind: kind.to_owned(),
            step: step.to_owned(),
            timestamp: now,
            message: message.into(),
            data,
            error: String::new(),
        });
    }

    pub(super) fn emit_error(&mut self, now: u64, failure: &Failure) {
        let step = self.state.current.as_ref().map(|step| step.id.clone()).unwrap_or_default();
        self.emit_of(now, "error", &step, failure.message.clone(), Json::null());
        if let Some(event) = self.state.outbox.last_mut() {
            event.error.clone_from(&failure.code);
        }
    }
}

pub(super) fn fields(fields: &[(&str, &dyn Write)]) -> Json {
    let mut out = String::new();
    object(&mut out, fields);
    json::written(out)
}
