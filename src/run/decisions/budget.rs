//! What a request may use: budgets, after which it is paused or a person is asked whether to go on, and the number of model calls
//! that ends it.

use crate::event::{Event, Question, QuestionKind, Rule};
use crate::json::Json;
use crate::run::effect::{Effect, Outcome};
use crate::run::state::Halt;
use crate::run::{Effects, Run, texts};

/// A check is no work: one that takes longer than this has got stuck.
const LONGEST_CHECK_MS: u64 = 60_000;

impl Run {
    /// Whether the model may be called once more. If not, the request is paused or has ended.
    pub(in crate::run) fn has_turns_left(&mut self, fx: &mut Effects) -> bool {
        if let Some(rule) = self.used_up() {
            self.pause(rule, fx);
            return false;
        }
        let limit = self.state.settings.limits.turns;
        let all_used = self.state.current.as_ref().is_some_and(|current| current.used.turns >= limit);
        if all_used {
            let text = texts::turn_limit(limit);
            fx.emit(Event::Guard { rule: Rule::Turns, message: text.clone() });
            self.say_and_complete(text, "limit", fx);
        }
        !all_used
    }

    /// The budget that leaves no room for another model call.
    pub(in crate::run) fn used_up(&self) -> Option<Rule> {
        let (budgets, current) = (&self.state.settings.budgets, self.state.current.as_ref()?);
        let (used, granted) = (&current.used, &current.granted);
        let turns = budgets.turns.is_some_and(|limit| used.turns.saturating_sub(granted.turns) >= limit);
        turns.then_some(Rule::Turns).or_else(|| self.used_up_by_work())
    }

    /// The budget that leaves no room for another tool call.
    pub(in crate::run) fn no_more_calls(&self) -> Option<Rule> {
        let (budgets, current) = (&self.state.settings.budgets, self.state.current.as_ref()?);
        let (used, granted) = (&current.used, &current.granted);
        let calls = budgets
            .tool_calls
            .is_some_and(|limit| used.tool_calls.saturating_sub(granted.tool_calls) >= limit);
        calls.then_some(Rule::ToolCalls).or_else(|| self.used_up_by_work())
    }

    /// The budget that leaves no room for any work.
    pub(in crate::run) fn used_up_by_work(&self) -> Option<Rule> {
        let (budgets, current) = (&self.state.settings.budgets, self.state.current.as_ref()?);
        let (used, granted) = (&current.used, &current.granted);
        if budgets.tokens.is_some_and(|limit| used.tokens.saturating_sub(granted.tokens) >= limit) {
            Some(Rule::Tokens)
        } else if budgets.cost.is_some_and(|limit| used.cost - granted.cost >= limit) {
            Some(Rule::Cost)
        } else if budgets
            .wall_clock_ms
            .is_some_and(|limit| used.working_ms.saturating_sub(granted.working_ms) >= limit)
        {
            Some(Rule::WallClock)
        } else {
            None
        }
    }

    /// How long the tool of a running call may still work: its own limit, and what is left of the request's time for one that may
    /// be cut off. `None`: as long as it likes.
    pub fn time_left(&self, call_id: &str, now: u64) -> Option<u64> {
        let call = self.calls().iter().find(|call| call.id == call_id && call.returned.is_none())?;
        let (tool, current) = (self.spec(call)?, self.state.current.as_ref()?);
        let passed = if call.is_working() { now.saturating_sub(self.state.at) } else { 0 };
        let own =
            tool.timeout_ms.filter(|limit| *limit > 0).map(|limit| limit.saturating_sub(call.worked_ms));
        let shared = self.state.settings.budgets.wall_clock_ms.filter(|_| !tool.un_abortable);
        let used = current.used.working_ms.saturating_sub(current.granted.working_ms);
        let left = [own, shared.map(|limit| limit.saturating_sub(used))].into_iter().flatten().min()?;
        Some(left.saturating_sub(passed))
    }

    /// How long what is asked of a tool before a call may take: no longer than the call itself, or than the request has left.
    pub fn time_for_check(&self, call_id: &str) -> u64 {
        let call = self.calls().iter().find(|call| call.id == call_id);
        let own = call.and_then(|call| self.spec(call)).and_then(|tool| tool.timeout_ms);
        let current = self.state.current.as_ref();
        let used =
            current.map_or(0, |current| current.used.working_ms.saturating_sub(current.granted.working_ms));
        let left = self.state.settings.budgets.wall_clock_ms.map(|limit| limit.saturating_sub(used));
        [own.filter(|limit| *limit > 0), left].into_iter().flatten().fold(LONGEST_CHECK_MS, u64::min)
    }

    pub(in crate::run) fn pause(&mut self, rule: Rule, fx: &mut Effects) {
        let message = texts::budget(rule);
        fx.emit(Event::Guard { rule, message: message.clone() });
        if !self.state.settings.budgets.ask {
            self.park(Halt::Budget(rule), Outcome::Paused { rule, message }, fx);
            return;
        }
        let Some(id) = self.mint("q") else { return };
        let question = Question {
            id: id.clone(),
            kind: QuestionKind::Budget,
            call_id: None,
            tool_name: None,
            input: Json::null(),
            reason: Some(message),
            judged: None,
            asked_at: self.state.at,
        };
        fx.emit(Event::QuestionAsked(question.clone()));
        fx.push(Effect::Ask { question: id });
        self.state.halt = Some(Halt::AskBudget((rule, question)));
    }

    pub(in crate::run) fn on_budget_answered(&mut self, go_on: bool, fx: &mut Effects) {
        let Some(Halt::AskBudget((rule, _))) = self.state.halt else { return };
        if go_on {
            self.grant_more();
            self.state.halt = None;
        } else {
            self.park(Halt::Budget(rule), Outcome::Paused { rule, message: texts::budget(rule) }, fx);
        }
    }

    /// The same again, counted from now.
    pub(in crate::run) fn grant_more(&mut self) {
        if let Some(current) = &mut self.state.current {
            current.granted = current.used;
        }
    }
}
