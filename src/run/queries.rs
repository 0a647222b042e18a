//! What can be read of a run: its record, what it does now, and its calls.

use std::sync::Arc;

use super::Run;
use super::input::{Input, Request, Validated};
use super::journal::Record;
use super::log::Log;
use super::settings::Settings;
use super::state::{CallRecord, CallState, Halt, Phase, UndoEntry};
use super::views::model::View;
use crate::event::Question;
use crate::json::Json;
use crate::json::codec::{Ts, Write};
use crate::message::{Message, ToolCall, ToolResult, Usage};

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
    /// The run knows the request, and the step that brought it is stored.
    pub fn has_stored(&self, request: &str) -> bool {
        let brings = |record: &Record| matches!(&record.input, Input::Request(new) if new.id == request);
        self.accepts_request_id(request).is_err() && !self.unsaved_records.iter().any(brings)
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

    pub fn queued(&self) -> impl Iterator<Item = &Request> {
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
}
