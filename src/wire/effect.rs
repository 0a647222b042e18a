//! What a run asks for, with what belongs to it, so that nothing has to be asked for.

use crate::error::{ModelError, StoreError};
use crate::event::{Event, Question, Rule};
use crate::json::Json;
use crate::json::codec::{Ts, Write};
use crate::run::Run;
use crate::run::effect::{Effect, Outcome};
use crate::run::input::Reply;

/// What a run asks for.
#[derive(Debug, Ts, Write)]
#[json(tag = "type")]
pub enum RunEffect<'a> {
    /// Store `snapshot()` before doing what comes after this.
    Persist {
        strict: bool,
    },
    /// Ask the model with `modelRequest()` for an answer.
    CallModel {
        call: u64,
    },
    /// Ask the model with `modelRequest()` for a summary.
    Compact {
        call: u64,
    },
    CheckPermission(EffectCall<'a>),
    CheckApproval(EffectCall<'a>),
    RememberPermission {
        call_id: &'a str,
        granted: bool,
    },
    RunTool {
        call_id: &'a str,
        #[json(write_null)]
        #[ts(type = "string")]
        tool_name: Option<&'a str>,
        #[json(write_null)]
        #[ts(type = "unknown")]
        input: Option<&'a Json>,
        attempt: u32,
    },
    RunUndo(EffectCall<'a>),
    /// Show a question to a person.
    Ask {
        id: &'a str,
        #[json(write_null)]
        #[ts(type = "CoreQuestion")]
        question: Option<&'a Question>,
    },
    Withdraw {
        id: &'a str,
    },
    CancelModel {
        call: u64,
    },
    CancelTool {
        call_id: &'a str,
    },
    GoOn {
        call_id: &'a str,
        key: &'a str,
    },
    SetTimer {
        timer: u64,
        after_ms: u64,
    },
    ConsumeInbox {
        ids: &'a Vec<String>,
    },
    /// What subscribers are told.
    Event {
        #[ts(type = "{ readonly type: string; readonly data: unknown }")]
        event: &'a Event,
    },
    /// A request has come to its end or to a stop.
    Finish(RunFinish<'a>),
}

#[derive(Debug, Ts, Write)]
pub struct EffectCall<'a> {
    call_id: &'a str,
    #[json(write_null)]
    #[ts(type = "string")]
    tool_name: Option<&'a str>,
    #[json(write_null)]
    #[ts(type = "unknown")]
    input: Option<&'a Json>,
}

/// How a run ended.
#[derive(Debug, Ts, Write)]
#[json(tag = "outcome")]
pub enum RunFinish<'a> {
    Completed {
        request: &'a str,
        reply: &'a Reply,
    },
    Undone {
        request: &'a str,
        steps: u32,
        #[json(write_null)]
        error: Option<&'a String>,
    },
    Switched {
        request: &'a str,
    },
    Aborted {
        request: &'a str,
    },
    Dropped {
        request: &'a str,
    },
    Paused {
        request: &'a str,
        rule: Rule,
        message: &'a str,
    },
    ModelFailed {
        request: &'a str,
        error: &'a ModelError,
    },
    StoreFailed {
        request: &'a str,
        error: &'a StoreError,
    },
}

impl<'a> EffectCall<'a> {
    fn of(run: &'a Run, call_id: &'a str) -> Self {
        let (tool_name, input) = run.call(call_id).map(|call| (call.tool_name, call.input)).unzip();
        EffectCall { call_id, tool_name, input }
    }
}

impl<'a> RunEffect<'a> {
    pub fn of(run: &'a Run, effect: &'a Effect) -> Self {
        match effect {
            Effect::Persist { strict } => RunEffect::Persist { strict: *strict },
            Effect::CallModel { call } => RunEffect::CallModel { call: *call },
            Effect::Compact { call } => RunEffect::Compact { call: *call },
            Effect::CheckPermission { call_id } => RunEffect::CheckPermission(EffectCall::of(run, call_id)),
            Effect::CheckApproval { call_id } => RunEffect::CheckApproval(EffectCall::of(run, call_id)),
            Effect::RememberPermission { call_id, granted } => {
                RunEffect::RememberPermission { call_id, granted: *granted }
            }
            Effect::RunTool { call_id, attempt } => {
                let EffectCall { call_id, tool_name, input } = EffectCall::of(run, call_id);
                RunEffect::RunTool { call_id, tool_name, input, attempt: *attempt }
            }
            Effect::RunUndo { call_id } => {
                let tool_name = run.undo_entry(call_id).map(|entry| entry.tool.as_str());
                let input = run.called(call_id).map(|call| &call.input_args);
                RunEffect::RunUndo(EffectCall { call_id, tool_name, input })
            }
            Effect::Ask { question } => RunEffect::Ask { id: question, question: run.question(question) },
            Effect::CancelQuestion { question } => RunEffect::Withdraw { id: question },
            Effect::CancelModel { call } => RunEffect::CancelModel { call: *call },
            Effect::CancelTool { call_id } => RunEffect::CancelTool { call_id },
            Effect::ResumeTool { call_id, key } => RunEffect::GoOn { call_id, key },
            Effect::SetTimer { timer, after_ms } => {
                RunEffect::SetTimer { timer: *timer, after_ms: *after_ms }
            }
            Effect::ConsumeInbox { ids } => RunEffect::ConsumeInbox { ids },
            Effect::Emit(event) => RunEffect::Event { event },
            Effect::Finish { request, outcome } => RunEffect::Finish(RunFinish::of(request, outcome)),
        }
    }
}

impl<'a> RunFinish<'a> {
    fn of(request: &'a str, outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Completed(reply) => RunFinish::Completed { request, reply },
            Outcome::Undone { steps, error } => {
                RunFinish::Undone { request, steps: *steps, error: error.as_ref() }
            }
            Outcome::Switched => RunFinish::Switched { request },
            Outcome::Aborted => RunFinish::Aborted { request },
            Outcome::Dropped => RunFinish::Dropped { request },
            Outcome::Paused { rule, message } => RunFinish::Paused { request, rule: *rule, message },
            Outcome::ModelFailed(error) => RunFinish::ModelFailed { request, error },
            Outcome::StoreFailed(error) => RunFinish::StoreFailed { request, error },
        }
    }
}
