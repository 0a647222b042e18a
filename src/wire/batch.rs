//! What is told of a session to those who show it: events, changes of the timeline and the stack, and where the run is, in one batch for
//! all that happened at once.

use std::mem::{replace, take};

use super::event::{CoreEvent, EventOf};
use super::listed::Listed;
use super::outcome::CoreError;
use super::tool_inputs::Inputs;
use crate::error::ModelError;
use crate::event::Event;
use crate::json::codec::to_text;
use crate::message::Slot;
use crate::run::Run;
use crate::run::views::timeline::{Timeline, TimelineEntry, TimelinePatch};
use crate::runtime::Session;

#[derive(Debug, Default)]
pub struct EventBatch {
    events: Listed,
    slots_changed: bool,
    /// How requests ended, told behind the state in which that left the run.
    ended: Vec<String>,
    timeline: Timeline,
    state: String,
    /// The state was not told yet.
    moved: bool,
    /// The model writes: what was shown before gives way.
    writes: bool,
    /// The arguments that it writes.
    inputs: Inputs,
    /// What is shown from before: its id and its text.
    earlier: Option<(String, String)>,
}

impl EventBatch {
    /// One for clients that may know only this of failures.
    pub fn with_safe_failures(safe: fn(&ModelError) -> ModelError) -> Self {
        EventBatch { timeline: Timeline::with_safe_failures(safe), ..EventBatch::default() }
    }

    pub fn note(&mut self, request: Option<&str>, event: &Event) {
        self.events.push(&CoreEvent::Event(EventOf(request, event)));
        match event {
            Event::ToolInputDelta { id, name, delta } => self.inputs.read(id, name, delta),
            Event::ModelResponse(_) | Event::ModelResponseComplete(_) | Event::RequestFinished { .. } => {
                self.inputs.end();
            }
            _ => {}
        }
        if matches!(
            event,
            Event::TextDelta { .. } | Event::ReasoningDelta { .. } | Event::ToolInputDelta { .. }
        ) {
            self.writes = true;
        }
    }

    pub fn note_slots(&mut self) {
        self.slots_changed = true;
    }

    pub fn note_end(&mut self, request: Option<&str>, error: Option<CoreError<'_>>) {
        self.ended.push(to_text(&CoreEvent::Ended { request, error }));
    }

    /// What is different in the run. Only when all of it is written: what is shown as done must not be asked again.
    pub fn follow(&mut self, session: &Session, run: &Run, interrupted: bool) {
        self.follow_timeline(run);
        let phase = session.phase_of(run).as_str();
        if phase != "model" {
            self.inputs.end();
        }
        let state = state_of(run, if interrupted { "interrupted" } else { phase });
        if self.state != state {
            self.state = state;
            self.moved = true;
        }
    }

    /// Whether the slots are to be told; they are looked up outside, as those who change them tell this.
    pub fn take_slots_changed(&mut self) -> bool {
        take(&mut self.slots_changed)
    }

    /// All that was not told yet, with the slots if they have changed: a JSON array.
    pub fn take(&mut self, slots: Option<&Vec<Slot>>) -> Option<String> {
        let mut batch = take(&mut self.events);
        self.inputs.tell(&mut batch);
        if take(&mut self.moved) {
            batch.push_text(&self.state);
        }
        if let Some(slots) = slots {
            batch.push(&CoreEvent::Slots { slots });
        }
        for end in self.ended.drain(..) {
            batch.push_text(&end);
        }
        batch.end()
    }

    /// The whole state for a page that joins now, as a JSON array: with the event that is still valid, and the reason why the session waits.
    pub fn whole(
        &self,
        run: &Run,
        slots: &Vec<Slot>,
        holds: Option<(Option<&str>, &Event)>,
        error: Option<CoreError<'_>>,
    ) -> String {
        let mut timeline = TimelinePatch::of_all(&self.timeline, run);
        timeline.set_last(self.earlier.as_ref().map(partial));
        let mut events = Listed::default();
        events.push(&CoreEvent::Timeline(&timeline));
        events.push(&CoreEvent::Slots { slots });
        if !self.state.is_empty() {
            events.push_text(&self.state);
        }
        if let Some((request, event)) = holds {
            events.push(&CoreEvent::Event(EventOf(request, event)));
        }
        if error.is_some() {
            events.push(&CoreEvent::Ended { request: None, error });
        }
        events.end().unwrap_or_default()
    }

    /// What changed in the timeline. Text that an earlier page had shown stands at its end until it is written anew.
    fn follow_timeline(&mut self, run: &Run) {
        let earlier = run.partial().filter(|_| !self.writes && !run.is_hidden()).map(|text| {
            let mut id = run.request().unwrap_or_default().to_owned();
            id.push_str(".partial");
            (id, text.to_owned())
        });
        let before = replace(&mut self.earlier, earlier);
        let mut patch = match self.timeline.follow(run) {
            Some(patch) => patch,
            None if before == self.earlier => return,
            None => TimelinePatch::of_none(&self.timeline, run),
        };
        patch.set_last(self.earlier.as_ref().map(partial));
        self.events.push(&CoreEvent::Timeline(&patch));
    }
}

fn partial((id, text): &(String, String)) -> TimelineEntry<'_> {
    TimelineEntry::AgentText {
        id: id.clone(),
        text,
        partial: true,
        stopped: false,
        at_limit: false,
        reasoning: None,
        at: None,
        sources: None,
        error: None,
        branches: None,
    }
}

fn state_of(run: &Run, phase: &str) -> String {
    let mut queue = Vec::new();
    for request in run.queued() {
        queue.push(request.into());
    }
    let mut undoable = Vec::new();
    // The last one first.
    for entry in run.undo_stack().iter().rev() {
        undoable.push(entry.into());
    }
    to_text(&CoreEvent::State {
        phase,
        request: run.request(),
        queue,
        questions: Vec::from_iter(run.questions()),
        undoable,
        turns: run.turns(),
        usage: run.usage(),
        context_tokens: run.context_tokens(),
        context_limit: run.settings().compaction.context_limit,
        hidden: run.is_hidden(),
    })
}
