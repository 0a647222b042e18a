//! Budgets: what is used up, and what is kept for the verification.

use crate::budgets::Budgets;
use crate::machine::Task;
use crate::plan::Verdict;
use crate::report::FinishReason;
use crate::steps::{Next, StepOutput, StepSpec, StepSummary};

impl Task {
    /// How long the current or the next step may work, and how long its tools.
    pub fn time_left(&self, step: &StepSpec) -> Option<u64> {
        let budgets = &self.state.spec.budgets;
        let all = budgets.max_wall_clock_ms?;
        let share = if step.output == StepOutput::Verdict { all } else { without_share(all, budgets) };
        Some(share.saturating_sub(self.state.used.wall_clock_ms))
    }

    pub(super) fn used_up(&self) -> Option<FinishReason> {
        let (used, budgets) = (&self.state.used, &self.state.spec.budgets);
        if budgets.max_wall_clock_ms.is_some_and(|most| used.wall_clock_ms >= most) {
            return Some(FinishReason::BudgetWallClock);
        }
        if used.steps >= budgets.max_steps {
            return Some(FinishReason::BudgetSteps);
        }
        let most = budgets.max_steps_without_progress;
        (most > 0 && used.steps_without_progress >= most).then_some(FinishReason::BudgetNoProgress)
    }

    /// Which budget ends the work before `next`: all that is left of it is kept for the verification. A loop that has a verification to do, or
    /// nothing more, has done its work.
    pub(super) fn cut(&self, next: &Next) -> Option<FinishReason> {
        let works = matches!(next, Next::Step(step) if step.output != StepOutput::Verdict);
        let in_the_middle = |step: &StepSummary| step.out_of_time && step.output != StepOutput::Verdict;
        let cut = works || self.state.steps.last().is_some_and(in_the_middle);
        if cut { self.share_is_reached() } else { None }
    }

    /// All but the share of the verification is used.
    pub(super) fn share_is_reached(&self) -> Option<FinishReason> {
        let (used, budgets) = (&self.state.used, &self.state.spec.budgets);
        if budgets.max_wall_clock_ms.is_some_and(|most| used.wall_clock_ms >= without_share(most, budgets)) {
            return Some(FinishReason::BudgetWallClock);
        }
        let most = without_share(budgets.max_steps.into(), budgets);
        (budgets.verify_percent > 0 && u64::from(used.steps) >= most).then_some(FinishReason::BudgetSteps)
    }
}

fn without_share(all: u64, budgets: &Budgets) -> u64 {
    let share = all.saturating_mul(budgets.verify_percent.into()).div_ceil(100);
    all - share.min(all)
}

/// The same, and what the verification said about what there is.
pub(super) fn budget_end(reason: FinishReason, verdict: Option<&Verdict>) -> String {
    let found = match verdict {
        Some(verdict) if verdict.pass => "; the verification of what is there passed",
        Some(_) => "; the verification of what is there failed",
        None => "",
    };
    format!("{}{found}", budget_text(reason))
}

pub(super) fn budget_text(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::BudgetWallClock => "the time of the task is used up; give it more to go on",
        FinishReason::BudgetSteps => "the steps of the task are used up; give it more to go on",
        _ => "one step after another failed; see progress/notes.md, correct what hinders it, and resume",
    }
}
