//! Answers in the form of a schema: the model gives them by a tool of its own. Words are asked about once, and the answer ends the request.

use crate::json::Json;
use crate::message::{Message, ToolStatus};
use crate::run::Run;
use crate::run::input::Reply;
use crate::run::state::{CallState, Phase};
use crate::tool::{ANSWER_TOOL, GIVE_ANSWER, Gate, ToolSpec};

/// It changes nothing, so after a crash it runs again. Nobody reads its name.
static TOOL: ToolSpec = ToolSpec {
    name: String::new(),
    permission: Gate::Never,
    approval: Gate::Never,
    parallel: false,
    idempotent: true,
    retries: 0,
    un_abortable: false,
    added: false,
    comes_and_goes: false,
    away: false,
    timeout_ms: None,
    undo: false,
    on_interrupted: None,
};

impl Run {
    /// The schema of the answer that the current request waits for.
    pub fn answer_schema(&self) -> Option<&Json> {
        self.state.current.as_ref()?.answer.as_ref()
    }

    /// What is answered now is the last message of a person, which may have asked for one.
    pub(in crate::run) fn expect_answer(&mut self) {
        let mut asked = None;
        for (_, message) in self.read_back() {
            if message.begins_prompt() {
                asked = message.answer_schema().cloned();
                break;
            }
        }
        if let (Some(_), Some(current)) = (&asked, &mut self.state.current) {
            current.answer = asked;
        }
    }

    /// The tool for the answer, where one is waited for.
    pub(in crate::run) fn answer_tool(&self, name: &str) -> Option<&'static ToolSpec> {
        (name == ANSWER_TOOL && self.answer_schema().is_some()).then_some(&TOOL)
    }

    /// A model that answers in words is told of the tool, once.
    pub(in crate::run) fn asks_for_answer(&mut self) -> bool {
        let Some(current) = &mut self.state.current else { return false };
        let last = current.wrap_up.is_some();
        if last || current.answer.is_none() || std::mem::replace(&mut current.answered_in_words, true) {
            return false;
        }
        let mut message = Message::user(GIVE_ANSWER);
        message.framework_context = Some("guard".to_owned());
        self.append(message);
        self.state.phase = Phase::Turn;
        true
    }

    /// The answer was given in the batch that has ended: that ends the request, and so does the second one that does not fit.
    pub(in crate::run) fn given_answer(&mut self) -> Option<Reply> {
        let batch = self.state.batch()?;
        let (mut fits, mut misfits) = (false, false);
        for call in &batch.calls {
            if let (CallState::Done(finished), Some(name)) = (&call.state, &call.tool)
                && self.answer_tool(name).is_some()
            {
                fits |= finished.result.status == ToolStatus::Success;
                misfits |= finished.result.status == ToolStatus::Error;
            }
        }
        let message = batch.message;
        let current = self.state.current.as_mut()?;
        let again = misfits && std::mem::replace(&mut current.answer_did_not_fit, true);
        if !fits && !again {
            return None;
        }
        let mut answer = self.message(message)?.clone();
        if !fits {
            // Nobody may take it for the answer.
            answer.tool_calls = None;
        }
        let usage = answer.usage.unwrap_or_default();
        Some(Reply { messages: vec![answer], usage, ..Reply::default() })
    }
}
