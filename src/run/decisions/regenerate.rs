//! Giving an answer again: another one takes the place of the last, as a branch. What tools did stays true: it is taken back where it can be, else it stays with its result.

use crate::ids::Ids;
use crate::message::{CallOutcome, ToolResult};
use crate::run::state::{Phase, Undoing};
use crate::run::{Effects, Run};
use crate::tool::find;

impl Run {
    /// Serves a request for another answer.
    pub(in crate::run) fn answer_again(&mut self, fx: &mut Effects) {
        let calls = self.calls_from(self.last_answer());
        let left = self.state.undo.iter().rev().take_while(|entry| calls.contains(&entry.call_id)).count();
        match u32::try_from(left) {
            Ok(left @ 1..) => {
                let undoing = Undoing { left, regenerates: true, ..Undoing::default() };
                self.state.phase = Phase::Undoing(undoing);
            }
            _ => self.replace_answer(fx),
        }
    }

    /// Its actions are taken back.
    pub(in crate::run) fn replace_answer(&mut self, fx: &mut Effects) {
        self.branch(self.last_answer(), "regenerate", fx);
        self.expect_answer();
        self.state.phase = Phase::Turn;
    }

    /// Where the last answer begins: after the message that it answers, or the last result that stays.
    fn last_answer(&self) -> usize {
        let mut undone = Ids::default();
        for (at, message) in self.read_back() {
            for id in &message.undone {
                undone.insert(id);
            }
            let mut results = message.results().iter();
            // What no person sees is not what is answered again.
            if (message.begins_prompt() && !message.hidden)
                || message.is_compaction
                || results.any(|result| self.result_stays(result, &undone))
            {
                return at + 1;
            }
        }
        0
    }

    /// Its tool did something that is still so, or may have done.
    fn result_stays(&self, result: &ToolResult, undone: &Ids) -> bool {
        let id = result.call_id.as_deref().unwrap_or_default();
        let never_ran =
            [CallOutcome::Denied, CallOutcome::Invalid, CallOutcome::NotRun, CallOutcome::UnknownTool]
                .map(CallOutcome::word);
        let ran = result.result.outcome.as_ref().is_none_or(|outcome| !never_ran.contains(&outcome.as_str()));
        let tool = find(&self.state.settings.tools, &result.tool_name);
        ran && !undone.contains(id)
            && self.undo_entry(id).is_none()
            && !tool.is_some_and(|tool| tool.idempotent)
    }

    fn calls_from(&self, from: usize) -> Ids {
        let mut calls = Ids::default();
        for (_, message) in self.read_back().take_while(|(at, _)| *at >= from) {
            for call in message.calls() {
                calls.insert(call.id());
            }
        }
        calls
    }
}
