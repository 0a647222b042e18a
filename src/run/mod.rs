//! The machine: every decision about a conversation, as a pure function of what happened. It does no IO, reads no
//! clock and makes no random ids, so it can be stored at any point, replayed, and tested as a table.
//!
//! `mod.rs` takes the inputs; what each of them leads to is decided in the file named after it.

mod branches;
pub mod checkpoint;
mod decisions;
pub mod effect;
pub mod input;
pub mod journal;
pub mod log;
mod long_list;
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

use crate::event::{Event, Question};
use crate::ids::Ids;
use crate::json::Json;
use crate::json::codec::{Ts, Write};
use crate::message::{Message, ToolCall, ToolResult, Usage};
pub use branches::Alternatives;
use branches::Branches;
use effect::Effect;
use input::{AbortReason, Input, Validated};
use journal::Record;
use log::Log;
use settings::Settings;
pub use state::UndoEntry;
use state::{CallRecord, CallState, Halt, Phase, State};
use views::model::View;

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

/// The input does not fit to where the run is. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutOfProtocol {
    #[error("no request is running")]
    NothingRunning,
    #[error("the run is not paused")]
    NotPaused,
    #[error("model call {0} is not pending; it was cancelled or already answered")]
    NoSuchModelCall(u64),
    #[error("call `{0}` is not pending; it was cancelled, was answered, or never existed")]
    NoSuchCall(String),
    #[error(
        "nothing with the id `{0}` waits for a decision: it was decided before, here or elsewhere, or its call was stopped"
    )]
    NoSuchQuestion(String),
    #[error("slot `{0}` is not waiting for an answer")]
    NoSuchSlot(String),
    #[error("timer {0} is not set")]
    NoSuchTimer(u64),
    #[error("request `{0}` is not queued: it already started, was cancelled, or never existed")]
    NotQueued(String),
    #[error("there is no user message to regenerate from")]
    NothingToAnswer,
    #[error("the request id was already used; choose a new one")]
    RequestId,
    #[error("undo is possible only while no request is running")]
    Busy,
    #[error(
        "another action is the last one by now, so nothing was undone; look at what would be undone, and ask again"
    )]
    OtherAction,
    #[error("no message of this session has the id `{0}`, or it is not one that can be edited")]
    NoSuchMessage(String),
    #[error(
        "another branch can be shown only while no request is running or waits to go on; let it end, or stop it"
    )]
    BusyOnBranch,
}

impl OutOfProtocol {
    pub fn code(&self) -> &'static str {
        match self {
            OutOfProtocol::NoSuchMessage(_) => "MESSAGE_UNKNOWN",
            OutOfProtocol::BusyOnBranch => "SESSION_BUSY",
            OutOfProtocol::NoSuchQuestion(_) => "APPROVAL_CLOSED",
            OutOfProtocol::OtherAction => "NOT_LAST_ACTION",
            _ => "OUT_OF_PROTOCOL",
        }
    }
}

/// What a run is doing, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Ts, Write)]
#[ts(name = "CorePhase")]
pub enum PhaseName {
    Idle,
    Model,
    Compacting,
    Tools,
    /// Nothing can go on before a person answers.
    Waiting,
    Undoing,
    Paused,
}

impl PhaseName {
    pub fn as_str(self) -> &'static str {
        self.word()
    }
}

/// A call as its tool needs it.
#[derive(Debug, Clone)]
pub struct CallView<'a> {
    pub call_id: &'a str,
    /// The registered spelling.
    pub tool_name: &'a str,
    /// As the model sent it.
    pub input: &'a Json,
    /// As the tool gets it, where that is something else, or was allowed already.
    pub validated: Option<Validated>,
    /// What the decision about it rests on.
    pub judged: Option<Json>,
    /// 1 for the first run.
    pub attempt: u32,
    pub request: &'a str,
}

impl CallView<'_> {
    /// The same however often the call is run, and no other call's.
    pub fn idempotency_key(&self) -> String {
        idempotency_key(self.request, self.call_id)
    }
}

fn idempotency_key(request: &str, call_id: &str) -> String {
    // Ids that are made here are made from the request's id.
    if call_id.starts_with(request) {
        return call_id.to_owned();
    }
    format!("{request}.{call_id}")
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
        let mut fx = Effects { persists, ..Effects::default() };
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

    /// The rules of the protocol, apart from what follows of an input, so that refusing is free of side effects.
    fn accepts(&self, input: &Input) -> Result<(), OutOfProtocol> {
        let state = &self.state;
        let call = |call_id: &str, fits: fn(&CallState) -> bool| {
            let calls = state.batch().map_or(&[][..], |batch| &batch.calls);
            match calls.iter().any(|call| call.id == call_id && fits(&call.state)) {
                true => Ok(()),
                false => Err(OutOfProtocol::NoSuchCall(call_id.to_owned())),
            }
        };
        match input {
            Input::Request(request)
                if request.regenerate && !self.read_back().any(|(_, message)| message.begins_prompt()) =>
            {
                Err(OutOfProtocol::NothingToAnswer)
            }
            Input::Request(request)
                if let Some(id) = &request.edits
                    && self.queued_message(id).is_none()
                    && self.line_of_person(id).is_none() =>
            {
                Err(OutOfProtocol::NoSuchMessage(id.clone()))
            }
            Input::Request(request) => self.accepts_request_id(&request.id),
            // A call that was in flight when the run halted was cancelled, and is made again when it goes on.
            Input::ModelFinished { call, .. }
            | Input::ModelPartial { call, .. }
            | Input::Compacted { call, .. }
            | Input::ModelFailed { call, .. }
                if state.halt.is_some() =>
            {
                Err(OutOfProtocol::NoSuchModelCall(*call))
            }
            Input::ModelPartial { call, from, .. } if *from > 0 => match &state.phase {
                Phase::Model { call: awaited, partial } if awaited == call && partial.len() == *from => {
                    Ok(())
                }
                _ => Err(OutOfProtocol::NoSuchModelCall(*call)),
            },
            Input::ModelFinished { call, .. } | Input::ModelPartial { call, .. } => match &state.phase {
                Phase::Model { call: awaited, .. } if awaited == call => Ok(()),
                _ => Err(OutOfProtocol::NoSuchModelCall(*call)),
            },
            Input::Compacted { call, .. } => match &state.phase {
                Phase::Compacting { call: awaited, .. } if awaited == call => Ok(()),
                _ => Err(OutOfProtocol::NoSuchModelCall(*call)),
            },
            Input::ModelFailed { call, .. } => match &state.phase {
                Phase::Model { call: awaited, .. } | Phase::Compacting { call: awaited, .. }
                    if awaited == call =>
                {
                    Ok(())
                }
                _ => Err(OutOfProtocol::NoSuchModelCall(*call)),
            },
            Input::PermissionChecked { call_id, .. } => {
                call(call_id, |state| matches!(state, CallState::CheckingPermission))
            }
            Input::ApprovalChecked { call_id, .. } => {
                call(call_id, |state| matches!(state, CallState::CheckingApproval))
            }
            Input::Validated { call_id, .. } | Input::Judged { call_id, .. } => call(call_id, |state| {
                matches!(
                    state,
                    CallState::CheckingPermission | CallState::CheckingApproval | CallState::Running { .. }
                )
            }),
            Input::ToolFinished { call_id, .. }
            | Input::SlotPushed { call_id, .. }
            | Input::StepBegun { call_id, .. }
            | Input::StepDone { call_id, .. }
            | Input::UntrackedWork { call_id }
            | Input::ReplayDiverged { call_id } => {
                call(call_id, |state| matches!(state, CallState::Running { .. }))
            }
            Input::SlotSettled { slot, .. } => match self.call_of_slot(slot) {
                Some(_) => Ok(()),
                None => Err(OutOfProtocol::NoSuchSlot(slot.clone())),
            },
            Input::Answered { question, .. } => match self.question(question).is_some() {
                true => Ok(()),
                false => Err(OutOfProtocol::NoSuchQuestion(question.clone())),
            },
            Input::QueuedCancelled { request } => self.accepts_queued(request),
            Input::QueuedMoved { request, before } => {
                self.accepts_queued(request)?;
                before.as_ref().map_or(Ok(()), |before| self.accepts_queued(before))
            }
            Input::Undo { request, .. } => match self.is_busy() {
                false => self.accepts_request_id(request),
                true => Err(OutOfProtocol::Busy),
            },
            Input::Switch { message, .. } => match self.line_of(message) {
                None => Err(OutOfProtocol::NoSuchMessage(message.clone())),
                Some(_) if self.is_busy() => Err(OutOfProtocol::BusyOnBranch),
                Some(_) => Ok(()),
            },
            Input::UndoFinished { call_id, .. } => match self.undoing() {
                Some(undoing) if undoing.entry.as_ref() == Some(call_id) => Ok(()),
                _ => Err(OutOfProtocol::NoSuchCall(call_id.clone())),
            },
            Input::TimerFired { timer } => match self.waits_for_timer(*timer) {
                true => Ok(()),
                false => Err(OutOfProtocol::NoSuchTimer(*timer)),
            },
            Input::Resumed => match &state.halt {
                Some(Halt::Store | Halt::Model | Halt::Budget(_)) => Ok(()),
                Some(Halt::AskBudget(..)) | None => Err(OutOfProtocol::NotPaused),
            },
            Input::Aborted { .. } | Input::ContextSet { .. } => match state.current.is_some() {
                true => Ok(()),
                false => Err(OutOfProtocol::NothingRunning),
            },
            Input::StoreFailed { .. }
            | Input::Configured { .. }
            | Input::PluginsChanged { .. }
            | Input::SlotsRemoved { .. }
            | Input::Recovered => Ok(()),
        }
    }

    /// The run knows the request, and the step that brought it is stored.
    pub fn has_stored(&self, request: &str) -> bool {
        let brings = |record: &Record| matches!(&record.input, Input::Request(new) if new.id == request);
        self.accepts_request_id(request).is_err() && !self.unsaved_records.iter().any(brings)
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

    /// The record. A message in it never changes, so that whoever needs one longer shares it.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    pub(in crate::run) fn message(&self, at: usize) -> Option<&Message> {
        self.messages.get(at).map(|message| &**message)
    }

    /// The first line from this one on that is read.
    pub(in crate::run) fn next_line(&self, at: usize) -> usize {
        self.branches.next(at)
    }

    /// How often another path was taken.
    pub fn branch_count(&self) -> usize {
        self.branches.count_of_marks()
    }

    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// It was interrupted and is not taken up yet.
    pub(crate) fn is_held(&self) -> bool {
        self.state.held
    }

    /// No person sees what is written now.
    pub fn is_hidden(&self) -> bool {
        self.state.current.as_ref().is_some_and(|current| current.hidden)
    }

    /// What plugins of the host keep.
    pub fn plugins(&self) -> Option<&Json> {
        self.state.plugins.as_ref()
    }

    /// What the page tells of itself to the model that is being asked.
    pub fn context(&self) -> &str {
        self.state.current.as_ref().map_or("", |current| &current.context)
    }

    /// Tokens and cost of the whole session.
    pub fn usage(&self) -> &Usage {
        &self.state.usage
    }

    /// Model calls of the whole session.
    pub fn turns(&self) -> u64 {
        self.state.turns
    }

    /// Tokens of the last prompt.
    pub fn context_tokens(&self) -> u64 {
        self.state.context_tokens
    }

    /// What was shown of the answer in flight, as far as it was written down.
    pub fn partial(&self) -> Option<&str> {
        match &self.state.phase {
            Phase::Model { partial, .. } if !partial.is_empty() => Some(partial),
            _ => None,
        }
    }

    /// The id of the request being served.
    pub fn request(&self) -> Option<&str> {
        self.state.current.as_ref().map(|current| current.id.as_str())
    }

    pub fn queued(&self) -> impl Iterator<Item = &input::Request> {
        self.state.queue.iter()
    }

    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.state.questions().into_iter()
    }

    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions().find(|question| question.id == id)
    }

    /// The open question with this id, or about the call with this id.
    pub fn asked(&self, id: &str) -> Option<&Question> {
        self.questions().find(|open| open.id == id || open.call_id.as_deref() == Some(id))
    }

    /// The actions that can be taken back, the last one last.
    pub fn undo_stack(&self) -> &[UndoEntry] {
        &self.state.undo
    }

    /// Whether this call is what is taken back first.
    pub(crate) fn is_last_action(&self, call_id: &str) -> bool {
        self.state.undo.last().is_some_and(|entry| entry.call_id == call_id)
    }

    pub fn phase(&self) -> PhaseName {
        match (&self.state.halt, &self.state.phase) {
            (Some(Halt::AskBudget(..)), _) => PhaseName::Waiting,
            (_, Phase::Idle) => PhaseName::Idle,
            (Some(_), _) => PhaseName::Paused,
            (None, Phase::Turn | Phase::Model { .. }) => PhaseName::Model,
            (None, Phase::Compacting { .. }) => PhaseName::Compacting,
            (None, Phase::Undoing(_)) => PhaseName::Undoing,
            (None, Phase::Tools(batch)) => {
                let works = batch.calls.iter().any(|call| {
                    !call.waits_for_a_person()
                        && !matches!(call.state, CallState::Queued | CallState::Done(_))
                });
                if self.asks() && !works { PhaseName::Waiting } else { PhaseName::Tools }
            }
        }
    }

    /// A person is asked something.
    pub fn asks(&self) -> bool {
        matches!(self.state.halt, Some(Halt::AskBudget(..)))
            || self.state.batch().is_some_and(|batch| batch.calls.iter().any(CallRecord::waits_for_a_person))
    }

    /// What the model is to be sent for the call that is being made.
    pub fn model_request(&self) -> View<'_> {
        let view = match self.last_summary {
            Some(at) => View::since(&self.messages, at, &self.transient),
            None => View::whole(&self.messages, &self.transient),
        };
        let view = view.without(self.branches.gaps(), &self.without_media);
        match self.state.phase {
            Phase::Compacting { keep, .. } => view.to_summarise(keep),
            _ => view,
        }
    }

    pub fn call(&self, call_id: &str) -> Option<CallView<'_>> {
        let batch = self.state.batch()?;
        let (index, call) = batch.calls.iter().enumerate().find(|(_, call)| call.id == call_id)?;
        let ToolCall { input_args, .. } = self.messages.get(batch.message)?.calls().get(index)?;
        let attempt = match call.state {
            CallState::Running { attempt, .. } | CallState::Waiting { attempt, .. } => attempt,
            _ => 1,
        };
        let request = self.request()?;
        Some(CallView {
            call_id: &call.id,
            tool_name: call.tool.as_deref()?,
            input: input_args,
            validated: call.validated.clone().or_else(|| {
                let allowed = call.permitted || call.approved;
                allowed.then(|| Validated { input: input_args.clone(), exact: false })
            }),
            judged: call.judged.clone(),
            attempt,
            request,
        })
    }

    /// A call of the record, answered or not.
    pub fn called(&self, call_id: &str) -> Option<&ToolCall> {
        for message in self.messages.iter().rev() {
            if let Some(call) = message.calls().iter().find(|call| call.id() == call_id) {
                return Some(call);
            }
        }
        None
    }

    /// The arguments of a call of the record as its tool gets or got them.
    pub fn validated_input(&self, call_id: &str) -> Option<&Json> {
        if let Some(call) = self.calls().iter().find(|call| call.id == call_id)
            && let Some(validated) = &call.validated
        {
            return Some(&validated.input);
        }
        for message in self.messages.iter().rev() {
            if let Some(result) =
                message.results().iter().find(|result| result.call_id.as_deref() == Some(call_id))
            {
                return result.input.as_ref();
            }
            if message.calls().iter().any(|call| call.id() == call_id) {
                return None;
            }
        }
        None
    }

    /// What the tool of a call that is being worked on has done so far.
    pub fn log(&self, call_id: &str) -> Option<&Log> {
        self.state.batch()?.calls.iter().find(|call| call.id == call_id).map(|call| &call.log)
    }

    /// The last answer's calls are still being worked on.
    pub fn has_open_calls(&self) -> bool {
        self.state.batch().is_some()
    }

    /// Results of the calls that are being worked on, in call order. Those without an end are `pending`, with a
    /// message where a person is waited for.
    pub fn open_results(&self) -> Vec<ToolResult> {
        self.results_so_far()
    }

    pub fn undo_entry(&self, call_id: &str) -> Option<&UndoEntry> {
        self.state.undo.iter().rev().find(|entry| entry.call_id == call_id)
    }

    /// The idempotency key that a call of the record ran with.
    pub fn key_of_past_call(&self, call_id: &str) -> String {
        let mut messages = self.messages().iter().rev();
        let asks =
            messages.find(|message| message.calls().iter().any(|call| call.id.as_deref() == Some(call_id)));
        idempotency_key(asks.and_then(|message| message.prompt_id.as_deref()).unwrap_or_default(), call_id)
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

/// Collects the effects of one step.
#[derive(Default)]
struct Effects {
    persists: bool,
    strict: bool,
    /// What is called off.
    off: Vec<Effect>,
    list: Vec<Effect>,
}

impl Effects {
    fn push(&mut self, effect: Effect) {
        // What must not be forgotten even when the machine's power fails: a tool is about to run, a person has decided.
        self.strict |= matches!(
            effect,
            Effect::RunTool { .. }
                | Effect::RunUndo { .. }
                | Effect::ResumeTool { .. }
                | Effect::RememberPermission { .. }
                | Effect::CancelQuestion { .. }
        );
        if effect.calls_off_work() {
            // What is called off in the step that began it never begins.
            while let Some(at) = self.list.iter().position(|begun| effect.calls_off(begun)) {
                self.list.remove(at);
            }
            self.off.push(effect);
        } else {
            self.list.push(effect);
        }
    }

    fn emit(&mut self, event: Event) {
        self.list.push(Effect::Emit(event));
    }

    /// Work is cancelled before the write, whatever becomes of it; everything else comes after.
    fn finish(mut self) -> Vec<Effect> {
        if self.persists {
            self.off.push(Effect::Persist { strict: self.strict });
        }
        self.off.append(&mut self.list);
        self.off
    }
}
