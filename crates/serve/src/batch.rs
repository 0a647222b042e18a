//! Batches of events about a session, for pages that show it and for pages that join, also while a model call waits for its retry.

use std::mem::replace;

use glove_wasm::error::ModelError;
use glove_wasm::event::Event;
use glove_wasm::message::Slot;
use glove_wasm::run::Run;
use glove_wasm::runtime::Session;
use glove_wasm::wire::batch::EventBatch;
use glove_wasm::wire::outcome::CoreError;

pub(crate) struct Batch {
    events: EventBatch,
    /// That the model is asked again later: the request, the code, and until when.
    waits: Option<(Option<String>, String, u64)>,
    phase: &'static str,
}

impl Batch {
    /// One for clients that may know only this of failures.
    pub(crate) fn with_safe_failures(safe: fn(&ModelError) -> ModelError) -> Self {
        Batch { events: EventBatch::with_safe_failures(safe), waits: None, phase: "" }
    }

    pub(crate) fn note(&mut self, request: Option<&str>, event: &Event) {
        self.events.note(request, event);
        match event {
            Event::ModelRetry { code, until, .. } => {
                self.waits = Some((request.map(str::to_owned), code.clone(), *until));
            }
            Event::TextDelta { .. }
            | Event::ReasoningDelta { .. }
            | Event::ToolInputDelta { .. }
            | Event::ModelResponse(_)
            | Event::ModelResponseComplete(_)
            | Event::RequestFinished { .. } => self.waits = None,
            _ => {}
        }
    }

    pub(crate) fn note_slots(&mut self) {
        self.events.note_slots();
    }

    pub(crate) fn note_end(&mut self, request: Option<&str>, error: Option<CoreError<'_>>) {
        self.events.note_end(request, error);
    }

    /// What is different in the run. A wait ends with the call of the model that it belongs to.
    pub(crate) fn follow(&mut self, session: &Session, run: &Run, interrupted: bool) {
        self.events.follow(session, run, interrupted);
        let phase = session.phase_of(run).as_str();
        let same = replace(&mut self.phase, phase) == phase;
        self.waits.take_if(|(of, ..)| !same || of.as_deref() != run.request());
    }

    pub(crate) fn take_slots_changed(&mut self) -> bool {
        self.events.take_slots_changed()
    }

    pub(crate) fn take(&mut self, slots: Option<&Vec<Slot>>) -> Option<String> {
        self.events.take(slots)
    }

    /// The whole state for a page that joins now, with the reason why the session waits.
    pub(crate) fn whole(
        &self,
        run: &Run,
        slots: &Vec<Slot>,
        error: Option<CoreError<'_>>,
        now: u64,
    ) -> String {
        let wait = self.waits.as_ref().map(|(request, code, until)| {
            let wait_ms = until.saturating_sub(now);
            (request.as_deref(), Event::ModelRetry { code: code.clone(), wait_ms, until: *until })
        });
        self.events.whole(run, slots, wait.as_ref().map(|(request, event)| (*request, event)), error)
    }
}
