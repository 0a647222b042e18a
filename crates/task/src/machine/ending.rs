//! The end of a task, and what holds it up.

use crate::error::{Failure, TaskErrorKind};
use crate::layout::{self, WorkspacePath};
use crate::machine::budget::budget_end;
use crate::machine::effect::{Effect, Effects};
use crate::machine::journal::fields;
use crate::machine::{Observed, Task};
use crate::report::{FinishReason, StepStatus, TaskStatus};
use glove_wasm::json::Json;

impl Task {
    /// The loop has nothing left to do.
    pub(super) fn at_end(&mut self, now: u64, seen: &Observed, fx: &mut Effects) {
        if let Some(budget) = self.state.only_verify {
            // The task is not finished, whatever the verification says: the budget stopped it.
            let verdict = self.state.verdict.as_ref().filter(|_| self.state.verified_part);
            let message = budget_end(budget, verdict);
            self.pause(now, budget, "budget.hit", &message, fx);
            return;
        }
        let reason = match &self.state.verdict {
            Some(verdict) if !verdict.pass => FinishReason::VerifyFailed,
            _ if self.state.steps.last().is_some_and(|step| step.status == StepStatus::Failed) => {
                let why = self.state.steps.last().map(|step| step.summary.clone()).unwrap_or_default();
                let message = format!("the last step failed, and the loop has no other: {why}");
                self.fail(now, Failure { code: TaskErrorKind::Loop.code().to_owned(), message }, fx);
                return;
            }
            _ => FinishReason::Completed,
        };
        if seen.output_missing {
            let message = format!("the task ended and never gave its value ({} is missing)", layout::OUTPUT);
            self.emit(now, "output.missing", message.as_str(), Json::null());
            self.warn(message);
        }
        self.finish(now, reason, fx);
    }

    pub(super) fn finish(&mut self, now: u64, reason: FinishReason, fx: &mut Effects) {
        self.state.status = TaskStatus::Finished;
        self.state.finish_reason = Some(reason);
        self.state.completed_at = Some(now);
        self.emit(now, "finish", reason.word(), Json::null());
        fx.extend([Effect::Save, Effect::Stop]);
    }

    pub(super) fn pause(
        &mut self,
        now: u64,
        reason: FinishReason,
        kind: &str,
        message: &str,
        fx: &mut Effects,
    ) {
        let same = self.state.status == TaskStatus::Paused && self.state.finish_reason == Some(reason);
        if !same {
            self.state.status = TaskStatus::Paused;
            self.state.finish_reason = Some(reason);
            let data = fields(&[("reason", &reason)]);
            self.emit(now, kind, message, data);
            fx.push(Effect::Save);
        }
        fx.push(Effect::Stop);
    }

    pub(super) fn fail(&mut self, now: u64, failure: Failure, fx: &mut Effects) {
        self.state.status = TaskStatus::Paused;
        self.state.finish_reason = Some(FinishReason::Failed);
        self.emit_error(now, &failure);
        self.state.error = Some(failure);
        fx.extend([Effect::Save, Effect::Stop]);
    }

    pub(super) fn pushed(&mut self, now: u64, text: String, fx: &mut Effects) {
        self.state.pushed += 1;
        let path = WorkspacePath::known(format!("{}/{:04}.md", layout::CONTEXT, self.state.pushed));
        let data = fields(&[("path", &path.as_str()), ("bytes", &text.len())]);
        fx.push(Effect::Write { path, content: text, unless: None });
        self.emit(now, "context.pushed", "", data);
        fx.push(Effect::Save);
    }
}
