//! Where a run is: plain data, small, and all of it stored.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::event::{Question, Rule};
use crate::json::Json;
use crate::message::{KeptRange, SideOutput, ToolResultData, Usage};
use crate::run::input::Request;
use crate::run::settings::Settings;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub settings: Settings,
    pub phase: Phase,
    pub current: Option<Current>,
    /// Why nothing new is begun, although the phase would allow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<Halt>,
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub queue: VecDeque<Request>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<UndoEntry>,
    /// Model calls and timers are numbered, so that a late answer is known for what it is.
    pub next_number: u64,
    /// Over the whole session.
    pub usage: Usage,
    pub turns: u64,
    /// Tokens of the last prompt: the size of the context. 0 while no model has told.
    pub context_tokens: u64,
    /// A guess, for models that never tell.
    pub estimated_tokens: u64,
    pub turns_since_summary: u32,
    /// The last time that anything happened.
    pub at: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    #[default]
    Idle,
    /// About to call the model.
    Turn,
    Model {
        call: u64,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        partial: String,
    },
    Compacting {
        call: u64,
        /// What stays word for word, counted from the end of the record.
        keep: KeptRange,
    },
    Tools(Batch),
    /// A program asked to take actions back; no model is involved.
    Undoing(Undoing),
}

/// The request being served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Current {
    pub id: String,
    /// How many ids were made from the request's id.
    pub minted: u64,
    pub used: Used,
    /// What was used when a person last allowed to go on; budgets count from here.
    #[serde(default, skip_serializing_if = "is_default")]
    pub granted: Used,
    #[serde(default, skip_serializing_if = "is_default")]
    pub error_rounds: u32,
    /// Signatures of the last rounds, to notice circles.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub rounds: VecDeque<u64>,
    /// A rule has told the model to stop: no tool runs any more, the next answer is the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrap_up: Option<Rule>,
    /// After a summary that failed, the next one is tried at this turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub summary_not_before: u32,
    /// For the next model calls of this request only, never in the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminder: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Used {
    pub turns: u32,
    pub tool_calls: u32,
    pub tokens: u64,
    pub cost: f64,
    pub working_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Halt {
    /// Something could not be written.
    Store,
    /// The model gave no answer; a retry asks it again.
    Model,
    Budget(Rule),
    /// Waits for a person to say whether to go on.
    AskBudget(Rule, Question),
}

/// The calls of one answer, in its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// The index of the answer in the record.
    pub message: usize,
    pub calls: Vec<Call>,
    /// The user stopped the run; only what must not be cut off is still running.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stopped: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub id: String,
    /// The tool's registered name; `None` when there is no such tool.
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub permitted: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub approved: bool,
    /// Runs that failed and are to be repeated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attempts: u32,
    pub state: CallState,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallState {
    Queued,
    CheckingPermission,
    CheckingApproval,
    Asking(Question),
    Running {
        since: u64,
        attempt: u32,
    },
    /// Failed, and repeated when the timer fires.
    Waiting {
        since: u64,
        attempt: u32,
        timer: u64,
    },
    /// This call takes other calls back.
    Undoing(Undoing),
    Done(Box<Finished>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finished {
    pub result: ToolResultData,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<SideOutput>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Undoing {
    /// The action being taken back; `None` between two of them.
    pub entry: Option<String>,
    pub left: u32,
    pub done: u32,
    /// Why no more can be taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// An action that can be taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UndoEntry {
    pub call_id: String,
    pub tool: String,
    pub input: Json,
    pub at: u64,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl State {
    pub(crate) fn new(settings: Settings) -> Self {
        State {
            settings: settings.complete(),
            phase: Phase::Idle,
            current: None,
            halt: None,
            queue: VecDeque::new(),
            undo: Vec::new(),
            next_number: 1,
            usage: Usage::default(),
            turns: 0,
            context_tokens: 0,
            estimated_tokens: 0,
            turns_since_summary: 0,
            at: 0,
        }
    }

    pub(crate) fn number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }

    pub(crate) fn batch(&self) -> Option<&Batch> {
        match &self.phase {
            Phase::Tools(batch) => Some(batch),
            Phase::Idle
            | Phase::Turn
            | Phase::Model { .. }
            | Phase::Compacting { .. }
            | Phase::Undoing(_) => None,
        }
    }

    pub(crate) fn batch_mut(&mut self) -> Option<&mut Batch> {
        match &mut self.phase {
            Phase::Tools(batch) => Some(batch),
            Phase::Idle
            | Phase::Turn
            | Phase::Model { .. }
            | Phase::Compacting { .. }
            | Phase::Undoing(_) => None,
        }
    }

    /// Everything that waits for a person.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        let budget = match &self.halt {
            Some(Halt::AskBudget(_, question)) => Some(question),
            _ => None,
        };
        let calls = self.batch().map_or(&[][..], |batch| &batch.calls).iter();
        budget.into_iter().chain(calls.filter_map(|call| match &call.state {
            CallState::Asking(question) => Some(question),
            _ => None,
        }))
    }
}

impl Call {
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.state, CallState::Done(_))
    }
}

impl Finished {
    /// A result made here, because the tool did not run.
    pub(crate) fn without_running(result: ToolResultData) -> Self {
        Finished { result, outputs: Vec::new(), duration_ms: None }
    }
}
