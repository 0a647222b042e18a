//! The machine: every decision about a conversation, as a pure function of what happened. It does no IO, reads no
//! clock and makes no random ids, so it can be stored at any point, replayed, and tested as a table.
//!
//! `mod.rs` takes the inputs. `protocol.rs` says which of them fit, `decisions` what each leads to, and `queries.rs` reads the run.

mod branches;
pub mod checkpoint;
mod decisions;
pub mod effect;
pub mod input;
pub mod journal;
pub mod log;
mod long_list;
mod protocol;
mod queries;
mod recording;
pub mod replay;
pub mod salvage;
mod sanitize;
pub mod settings;
mod state;
mod texts;
mod truncate;
pub mod views;
#[doc(hidden)]
pub mod written;

use std::iter::from_fn;
use std::sync::Arc;

use crate::ids::Ids;
use crate::message::Message;
pub use branches::Alternatives;
use branches::Branches;
use effect::{Effect, Effects};
use input::{AbortReason, Input};
use journal::Record;
pub use protocol::OutOfProtocol;
pub use queries::{CallView, PhaseName};
use settings::Settings;
pub use state::UndoEntry;
use state::{CallRecord, CallState, Phase, State};

/// One session's conversation and all that is going on in it.
#[derive(Debug, Clone)]
pub struct Run {
    /// Each on its own: a list of the messages themselves leaves half its memory unused when it has grown.
    messages: Vec<Arc<Message>>,
    state: State,
    seq: u64,
    saved_messages: usize,
    unsaved_records: Vec<Record>,
    recording: Option<Box<journal::Recording>>,
    /// The stored checkpoint is of an older version.
    is_older: bool,
    /// Derived from the messages: where the last summary is, and which ids were used.
    last_summary: Option<usize>,
    /// Derived from the messages: which of them are read.
    branches: Branches,
    /// Derived from the state: what is sent for messages whose media were too large, each with its place.
    without_media: Vec<(usize, Arc<Message>)>,
    call_ids: Ids,
    request_ids: Ids,
    /// Derived from the state: what goes to the model without being in the record.
    transient: Vec<Arc<Message>>,
}

impl Run {
    /// A run over a record, which may be empty or come from a store that keeps messages alone. Calls at its end that
    /// nobody answered get the result that their outcome is unknown, so that no provider refuses the conversation.
    pub fn new(settings: Settings, messages: Vec<Arc<Message>>) -> Self {
        let stored = messages.len();
        let mut run = Run::of(State::new(settings), messages);
        run.saved_messages = stored;
        run.state.estimated_tokens = run.model_request().iter().map(views::model::estimate).sum();
        run.answer_open_calls();
        run.keep_old_answer(&mut Effects::default());
        run
    }

    /// A run that is only read.
    pub fn reading(messages: Vec<Arc<Message>>) -> Self {
        Run::of(State::new(Settings::default()), messages)
    }

    fn of(state: State, messages: Vec<Arc<Message>>) -> Self {
        let (mut call_ids, mut request_ids) = (Ids::default(), Ids::default());
        for message in &messages {
            for call in message.calls() {
                call_ids.insert(call.id());
            }
            if let Some(request) = &message.prompt_id {
                request_ids.insert(request);
            }
        }
        let mut run = Run {
            saved_messages: messages.len(),
            last_summary: None,
            call_ids,
            request_ids,
            branches: Branches::default(),
            without_media: Vec::new(),
            messages,
            state,
            seq: 0,
            unsaved_records: Vec::new(),
            recording: None,
            is_older: false,
            transient: Vec::new(),
        };
        for (at, message) in run.messages.iter().enumerate() {
            if let Some(back) = message.replaces {
                run.branches.mark(at, back);
            }
        }
        run.branches.settle(run.messages.len());
        let summary = run.read_back().find(|(_, message)| message.is_compaction).map(|(at, _)| at);
        run.last_summary = summary;
        run.note_media();
        run.prepare_transient();
        run
    }

    /// Takes one thing that happened and says what to do. An input that does not fit changes nothing.
    pub fn step(&mut self, at: u64, input: Input) -> Result<Vec<Effect>, OutOfProtocol> {
        self.accepts(&input)?;
        if let Input::Aborted { why: AbortReason::HostGone } = input {
            return Ok(self.stop_work());
        }
        let at = at.max(self.state.at);
        let input = sanitize::sanitize(input, &self.state.settings);
        self.seq += 1;
        self.count_time(at, &input);
        // A store that has just failed is not asked again for the sake of noting that.
        let persists = !matches!(input, Input::StoreFailed { .. });
        let mut fx = Effects::new(persists);
        self.decide(&input, &mut fx);
        if matches!(input, Input::Recovered | Input::Resumed | Input::Aborted { .. }) {
            self.state.held = false;
        }
        let record = Record { seq: self.seq, at, input };
        if let Some(recording) = &mut self.recording {
            recording.take(&record);
        }
        self.unsaved_records.push(record);
        if !self.state.held {
            self.advance(&mut fx);
        }
        self.prepare_transient();
        Ok(fx.finish())
    }

    fn decide(&mut self, input: &Input, fx: &mut Effects) {
        match input {
            Input::Request(request) => self.on_request(request, fx),
            Input::ModelFinished { reply, .. } => self.on_answer(reply.clone(), fx),
            Input::ModelFailed { error, partial, .. } => self.on_model_failed(error, partial, fx),
            Input::ModelPartial { text, from, .. } => self.on_partial(text, *from),
            Input::Compacted { reply, carry, .. } => self.on_summary(reply, carry, fx),
            Input::PermissionChecked { call_id, verdict } => self.on_permission_checked(call_id, verdict, fx),
            Input::ApprovalChecked { call_id, verdict } => self.on_approval_checked(call_id, verdict, fx),
            Input::Validated { call_id, validated } => self.on_validated(call_id, validated),
            Input::Judged { call_id, judged } => self.on_judged(call_id, judged),
            Input::Answered { question, answer } => self.on_answered(question, answer, fx),
            Input::ToolFinished { call_id, outcome } => self.on_tool_finished(call_id, outcome, fx),
            Input::SlotPushed { call_id, at, slot, deterministic } => {
                self.on_slot_pushed(call_id, *at, slot, *deterministic);
            }
            Input::SlotSettled { slot, answer } => self.on_slot_settled(slot, answer, fx),
            Input::SlotsRemoved { slots } => self.on_slots_removed(slots, fx),
            Input::StepBegun { call_id, key, deterministic } => {
                self.on_step_begun(call_id, key, *deterministic, fx);
            }
            Input::StepDone { call_id, key, result } => self.on_step_done(call_id, key, result, fx),
            Input::UntrackedWork { call_id } => self.on_unseen_work(call_id),
            Input::ReplayDiverged { call_id } => self.on_astray(call_id, fx),
            Input::QueuedCancelled { request } => self.on_queued_cancelled(request, fx),
            Input::QueuedMoved { request, before } => self.on_queued_moved(request, before.as_deref()),
            Input::Undo { request, steps } => self.on_undo(request, *steps, fx),
            Input::Switch { request, message } => self.on_switch(request, message, fx),
            Input::UndoFinished { call_id, error } => self.on_undo_finished(call_id, error.as_deref()),
            Input::TimerFired { timer } => self.on_timer(*timer),
            Input::StoreFailed { error } => self.on_store_failed(error, fx),
            Input::PluginsChanged { states } => self.state.plugins = Some(states.clone()),
            Input::ContextSet { text } => {
                if let Some(current) = &mut self.state.current {
                    current.context.clone_from(text);
                }
            }
            Input::Configured { settings, before_recovered } => {
                // Of one that has ended, nothing is taken up.
                self.state.held |= *before_recovered && !matches!(self.state.phase, Phase::Idle);
                self.state.settings = settings.as_ref().clone().complete().into();
            }
            Input::Recovered => self.on_recovered(fx),
            Input::Resumed => self.on_resumed(fx),
            Input::Aborted { why: AbortReason::User } => self.on_abort(fx),
            Input::Aborted { why: AbortReason::HostGone } => {}
        }
    }

    /// Begins whatever can begin now. All new work starts here, so a halt stops all of it.
    fn advance(&mut self, fx: &mut Effects) {
        // A batch that ends leads to the next turn, and a request that ends to the next one, all in the same step.
        while self.state.halt.is_none() {
            match &self.state.phase {
                Phase::Tools(_) => {
                    self.go_on_with_tools(fx);
                    self.advance_tools(fx);
                    if self.state.batch().is_some() {
                        return;
                    }
                }
                Phase::Turn => self.begin_turn(fx),
                Phase::Idle if self.state.queue.is_empty() => return,
                Phase::Idle => self.begin_queued(fx),
                Phase::Undoing(undoing) if undoing.entry.is_none() => self.next_undo(fx),
                Phase::Model { .. } | Phase::Compacting { .. } | Phase::Undoing(_) => return,
            }
        }
    }

    /// Adds to the record. Whatever is written in a request carries its id and the time.
    fn append(&mut self, mut message: Message) {
        if message.id.is_none() {
            message.id = self.mint("m");
        }
        if let Some(request) = self.request().map(str::to_owned) {
            self.request_ids.insert(&request);
            message.prompt_id = Some(request);
        }
        if let Some(current) = &self.state.current {
            message.hidden = current.hidden;
        }
        message.at = message.at.or(Some(self.state.at));
        if message.is_compaction {
            self.last_summary = Some(self.messages.len());
        }
        for call in message.calls() {
            self.call_ids.insert(call.id());
        }
        self.state.estimated_tokens =
            self.state.estimated_tokens.saturating_add(views::model::estimate(&message));
        let (at, replaces) = (self.messages.len(), message.replaces);
        long_list::push(&mut self.messages, Arc::new(message));
        if let Some(back) = replaces {
            self.branches.mark(at, back);
            self.settle_path();
        }
    }

    /// The lines that are read, the last one first.
    fn read_back(&self) -> impl Iterator<Item = (usize, &Message)> {
        let mut end = self.messages.len();
        from_fn(move || {
            end = self.branches.before(end)?;
            Some((end, self.message(end)?))
        })
    }

    /// The last one that is read.
    fn last_line(&self) -> Option<usize> {
        self.branches.before(self.messages.len())
    }

    /// A new id that the same inputs will always give again.
    fn mint(&mut self, kind: &str) -> Option<String> {
        let current = self.state.current.as_mut()?;
        loop {
            current.minted += 1;
            // Not by `format!`, which reserves twice what most ids need.
            let id = [&current.id, ".", kind, &current.minted.to_string()].concat();
            // A model may have guessed it.
            if !self.call_ids.contains(&id) {
                return Some(id);
            }
        }
    }

    /// Nothing can go on before a part of the page brings its tool.
    fn waits_for_a_tool(&self) -> bool {
        let calls = self.calls();
        let stands =
            |call: &CallRecord| call.is_done() || matches!(call.state, CallState::Queued) || call.cut_off;
        calls.iter().any(|call| self.waits_for_tool(call)) && calls.iter().all(stands)
    }

    /// Working time counts while nobody is waited for and there is a process to work.
    fn count_time(&mut self, at: u64, input: &Input) {
        let passed = at.saturating_sub(self.state.at);
        let works = !matches!(self.phase(), PhaseName::Waiting | PhaseName::Idle | PhaseName::Paused)
            && !self.waits_for_a_tool()
            && !matches!(input, Input::Recovered);
        self.state.at = at;
        if let (true, Some(current)) = (works, &mut self.state.current) {
            current.used.working_ms = current.used.working_ms.saturating_add(passed);
        }
        let State { settings, phase: Phase::Tools(batch), .. } = &mut self.state else { return };
        for call in &mut batch.calls {
            let tool = settings.tools.iter().find(|tool| call.tool.as_ref() == Some(&tool.name));
            if works && call.is_working() && tool.is_some_and(|tool| tool.timeout_ms.is_some()) {
                call.worked_ms = call.worked_ms.saturating_add(passed);
            }
        }
    }
}

/// Two runs are the same when the same things happened to them, wherever they are stored.
impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        (self.seq, &self.state, &self.messages) == (other.seq, &other.state, &other.messages)
    }
}
