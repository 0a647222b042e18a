//! Everything that a run asks its driver to do. Effects carry ids; what belongs to them is borrowed from the run.

use crate::error::{ModelError, StoreError};
use crate::event::{Event, Rule};
use crate::run::input::Reply;

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write what `Run::unsaved` holds before doing any effect that comes after this one. When that fails, step
    /// `Input::StoreFailed` (which asks for no write) and pass over the rest of the list: work in it is asked for
    /// again after `Input::Resumed`. Events are still told, a `Finish` still finishes its request, with the store's
    /// error, and a `RememberPermission`, `ConsumeInbox` or `ResumeTool` is kept until a later write has succeeded.
    Persist {
        strict: bool,
    },
    /// Call the model with `Run::model_request`.
    CallModel {
        call: u64,
    },
    /// Call the model with `Run::model_request`, which now asks for a summary.
    Compact {
        call: u64,
    },
    CheckPermission {
        call_id: String,
    },
    CheckApproval {
        call_id: String,
    },
    /// Keep a person's answer for the tool of this call. The call is in the record; it may have ended already.
    RememberPermission {
        call_id: String,
        granted: bool,
    },
    RunTool {
        call_id: String,
        attempt: u32,
    },
    RunUndo {
        call_id: String,
    },
    /// Show `Run::question` to a person.
    Ask {
        question: String,
    },
    /// This question needs no answer any more.
    CancelQuestion {
        question: String,
    },
    CancelModel {
        call: u64,
    },
    CancelTool {
        call_id: String,
    },
    /// What this call's tool waits for is written: the answer to a slot, the beginning or the end of a step.
    ResumeTool {
        call_id: String,
        key: String,
    },
    SetTimer {
        timer: u64,
        after_ms: u64,
    },
    ConsumeInbox {
        ids: Vec<String>,
    },
    Emit(Event),
    /// The request has come to its end or to a stop; exactly one for each time it runs.
    Finish {
        request: String,
        outcome: Outcome,
    },
}

impl Effect {
    pub(super) fn calls_off_work(&self) -> bool {
        matches!(self, Effect::CancelTool { .. } | Effect::CancelModel { .. } | Effect::CancelQuestion { .. })
    }

    pub(super) fn calls_off(&self, begun: &Effect) -> bool {
        match (self, begun) {
            (
                Effect::CancelTool { call_id: off },
                Effect::RunTool { call_id, .. }
                | Effect::RunUndo { call_id }
                | Effect::CheckPermission { call_id }
                | Effect::CheckApproval { call_id },
            ) => off == call_id,
            (Effect::CancelModel { call: off }, Effect::CallModel { call } | Effect::Compact { call }) => {
                off == call
            }
            (Effect::CancelQuestion { question: off }, Effect::Ask { question }) => off == question,
            _ => false,
        }
    }

    /// Both begin the same thing, for the same time.
    pub(crate) fn is_same_work(&self, other: &Effect) -> bool {
        match (self, other) {
            (Effect::CallModel { call: a }, Effect::CallModel { call: b })
            | (Effect::Compact { call: a }, Effect::Compact { call: b })
            | (Effect::SetTimer { timer: a, .. }, Effect::SetTimer { timer: b, .. }) => a == b,
            (Effect::CheckPermission { call_id: a }, Effect::CheckPermission { call_id: b })
            | (Effect::CheckApproval { call_id: a }, Effect::CheckApproval { call_id: b })
            | (Effect::RunUndo { call_id: a }, Effect::RunUndo { call_id: b })
            | (Effect::Ask { question: a }, Effect::Ask { question: b }) => a == b,
            (Effect::RunTool { call_id: a, attempt: m }, Effect::RunTool { call_id: b, attempt: n }) => {
                a == b && m == n
            }
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The answer, with the usage of the last model call alone.
    Completed(Reply),
    /// How many actions were taken back, and why no more were.
    Undone {
        steps: u32,
        error: Option<String>,
    },
    /// Another branch is shown.
    Switched,
    Aborted,
    /// Not begun, because another request was running.
    Dropped,
    /// A budget is used up. The run is kept; `Input::Resumed` goes on.
    Paused {
        rule: Rule,
        message: String,
    },
    ModelFailed(ModelError),
    /// Not everything could be written. Nothing is lost in memory; `Input::Resumed` tries again.
    StoreFailed(StoreError),
}

impl Outcome {
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Completed(_) => "completed",
            Outcome::Undone { .. } => "undone",
            Outcome::Switched => "switched",
            Outcome::Aborted => "aborted",
            Outcome::Dropped => "dropped",
            Outcome::Paused { .. } => "paused",
            Outcome::ModelFailed(_) => "model_failed",
            Outcome::StoreFailed(_) => "store_failed",
        }
    }
}

/// Collects the effects of one step.
#[derive(Default)]
pub(in crate::run) struct Effects {
    persists: bool,
    strict: bool,
    /// What is called off.
    pub(in crate::run) off: Vec<Effect>,
    pub(in crate::run) list: Vec<Effect>,
}

impl Effects {
    pub(in crate::run) fn new(persists: bool) -> Self {
        Effects { persists, ..Effects::default() }
    }

    pub(in crate::run) fn push(&mut self, effect: Effect) {
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

    pub(in crate::run) fn emit(&mut self, event: Event) {
        self.list.push(Effect::Emit(event));
    }

    /// Work is cancelled before the write, whatever becomes of it; everything else comes after.
    pub(in crate::run) fn finish(mut self) -> Vec<Effect> {
        if self.persists {
            self.off.push(Effect::Persist { strict: self.strict });
        }
        self.off.append(&mut self.list);
        self.off
    }
}
