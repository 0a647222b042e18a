//! Which inputs fit to where the run is.

use super::Run;
use super::input::Input;
use super::state::{CallState, Halt, Phase};

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

impl Run {
    /// The rules of the protocol, apart from what follows of an input, so that refusing is free of side effects.
    pub(super) fn accepts(&self, input: &Input) -> Result<(), OutOfProtocol> {
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
}
