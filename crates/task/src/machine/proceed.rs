//! Going on: what comes next, after a look at the workspace.

use crate::approval::{ApprovalKind, ApprovalRequest, MemoryAccess};
use crate::error::{Failure, TaskError, TaskErrorKind};
use crate::layout::step_name;
use crate::machine::budget::budget_text;
use crate::machine::decisions::Decisions;
use crate::machine::effect::{Effect, Effects};
use crate::machine::{Observed, Task};
use crate::plan::ticked;
use crate::report::{FinishReason, TaskStatus};
use crate::steps::{LoopView, Next, StepOutput, StepSpec, TaskLoop};
use crate::text::first_line;
use glove_wasm::json::Json;

impl Task {
    pub(super) fn proceed(
        &mut self,
        now: u64,
        seen: &Observed,
        by: &dyn TaskLoop,
        fx: &mut Effects,
    ) -> Result<(), TaskError> {
        if self.state.status == TaskStatus::Finished {
            fx.push(Effect::Stop);
            return Ok(());
        }
        if let Some(reason) = &seen.stop {
            let why = first_line(reason, 200);
            self.pause(now, FinishReason::Stopped, "task.stop", &why, fx);
            return Ok(());
        }
        let mut changed = self.take_up(now);
        match self.edited(now, seen.plan.as_deref(), fx) {
            Ok(edited) => changed |= edited,
            Err(error) => {
                self.fail(now, Failure::from(&error), fx);
                return Ok(());
            }
        }
        match self.decide(now, seen, fx) {
            Decisions::None => {}
            Decisions::Some => changed = true,
            Decisions::Over => return Ok(()),
        }
        if self.state.plan_waits && !self.state.pending.iter().any(|open| open.kind == ApprovalKind::Plan) {
            self.ask_for_plan(now);
            changed = true;
        }
        if self.state.current.is_none() {
            changed |= self.ask_for_memory(now, &seen.memory, MemoryAccess::Read);
        }
        if let Some(until) = self.state.pending.iter().map(ApprovalRequest::expires).min() {
            changed |= std::mem::replace(&mut self.state.status, TaskStatus::Waiting) != TaskStatus::Waiting;
            if changed {
                fx.push(Effect::Save);
            }
            fx.push(Effect::Wait { until });
            return Ok(());
        }
        if let Some(step) = self.state.current.clone() {
            changed |= std::mem::take(&mut self.state.status) != TaskStatus::Running;
            if changed {
                fx.push(Effect::Save);
            }
            fx.push(Effect::RunStep(Box::new(step)));
            return Ok(());
        }
        self.state.status = TaskStatus::Running;
        let ticked = ticked(&seen.todo);
        let mut next = by.next(&self.view(&ticked));
        if let (Next::Step(_), Some(reason)) = (&next, self.used_up()) {
            self.pause(now, reason, "budget.hit", budget_text(reason), fx);
            return Ok(());
        }
        if let (None, Some(reason)) = (self.state.only_verify, self.cut(&next)) {
            self.state.only_verify = Some(reason);
            self.emit(now, "budget.hit", "what is left is kept for the verification", Json::null());
            next = by.next(&self.view(&ticked));
        }
        match next {
            Next::Step(step) if self.state.only_verify.is_none() || step.output == StepOutput::Verdict => {
                self.enter(now, *step, fx)?;
            }
            Next::Done
                if self.has_learned() && self.ask_for_memory(now, &seen.memory, MemoryAccess::Write) =>
            {
                match self.state.pending.iter().map(ApprovalRequest::expires).min() {
                    Some(until) => {
                        self.state.status = TaskStatus::Waiting;
                        fx.extend([Effect::Save, Effect::Wait { until }]);
                    }
                    // Approved automatically.
                    None => self.at_end(now, seen, fx),
                }
            }
            Next::Step(_) | Next::Done => self.at_end(now, seen, fx),
            Next::Failed(message) => {
                self.fail(now, Failure { code: TaskErrorKind::Loop.code().to_owned(), message }, fx);
            }
        }
        Ok(())
    }

    fn view<'a>(&'a self, ticked: &'a [String]) -> LoopView<'a> {
        let state = &self.state;
        LoopView {
            goal: &state.spec.goal,
            plan: state.plan.as_ref().map(|plan| &plan.plan),
            ticked,
            steps: &state.steps,
            verdict: state.verdict.as_ref(),
            round: state.round,
            refinements_left: state.spec.budgets.refinements.saturating_add(1).saturating_sub(state.round),
            only_verify: state.only_verify.is_some(),
        }
    }

    /// A task that was paused goes on.
    fn take_up(&mut self, now: u64) -> bool {
        if self.state.status != TaskStatus::Paused {
            return false;
        }
        let was = self.state.finish_reason.take();
        (self.state.status, self.state.error) = (TaskStatus::Running, None);
        if was == Some(FinishReason::BudgetNoProgress) {
            self.state.used.steps_without_progress = 0;
        }
        self.emit(now, "task.resume", "", Json::null());
        true
    }

    fn enter(&mut self, now: u64, mut step: StepSpec, fx: &mut Effects) -> Result<(), TaskError> {
        step.name = step_name(&step.name);
        if step.iteration == 0 {
            let before = self.state.steps.iter().filter(|ended| ended.name == step.name).count();
            step.iteration = u32::try_from(before).unwrap_or(u32::MAX - 1) + 1;
        }
        let id = if step.id.is_empty() {
            format!("{}-{}", step.name, step.iteration)
        } else {
            step_name(&step.id)
        };
        if self.state.steps.iter().any(|ended| ended.id == id) {
            let message = format!(
                "the loop `{}` returned the finished step `{id}` again; give each step its own name or id",
                self.state.loop_name
            );
            return Err(TaskError::new(TaskErrorKind::Loop, message));
        }
        step.id = id;
        self.state.phase.clone_from(&step.name);
        self.state.current_since = now;
        self.state.current = Some(step.clone());
        (self.reported_calls, self.recalled) = (0, false);
        let message = step.plan_step.clone().unwrap_or_default();
        self.emit_of(now, "phase.start", &step.id, message, Json::null());
        fx.push(Effect::Save);
        fx.push(Effect::RunStep(Box::new(step)));
        Ok(())
    }

    pub(super) fn current(&self) -> Result<&StepSpec, TaskError> {
        self.state
            .current
            .as_ref()
            .ok_or_else(|| TaskError::new(TaskErrorKind::Protocol, "no step of this task is running"))
    }
}
