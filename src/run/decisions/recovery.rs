//! Going on after something broke: a record with open calls, a store that failed, a process that died.

use crate::error::StoreError;
use crate::event::QuestionKind;
use crate::message::{CallOutcome, Message, ToolResult, ToolResultData};
use crate::run::effect::{Effect, Outcome};
use crate::run::state::{Batch, CallRecord, CallState, Finished, Halt, Phase, Undoing};
use crate::run::{Effects, Run, texts};
use crate::tool::{OnInterrupted, ToolSpec};

impl Run {
    /// Calls at the end of a record that came without a run: nobody will answer them any more.
    pub(in crate::run) fn answer_open_calls(&mut self) {
        let Some(last) = self.messages.last() else { return };
        if last.calls().is_empty() {
            return;
        }
        let mut results = Vec::new();
        for call in last.calls() {
            results.push(ToolResult {
                tool_name: call.tool_name.clone(),
                call_id: call.id.clone(),
                result: ToolResultData::unfinished(CallOutcome::Interrupted, texts::interrupted()),
                ..ToolResult::default()
            });
        }
        let mut message = Message::user(texts::TOOL_RESULTS);
        message.tool_results = Some(results);
        message.prompt_id = last.prompt_id.clone();
        message.id = last.id.as_ref().map(|id| format!("{id}.results"));
        self.append(message);
    }

    /// Everything that is to be going on now. After `Resumed` the driver begins what it does not have in flight.
    /// On a restored run step `Recovered` first: it alone knows which interrupted calls may run again.
    pub fn outstanding(&self) -> Vec<Effect> {
        let mut work = Vec::new();
        match &self.state.halt {
            None => {}
            Some(Halt::AskBudget((_, question))) => {
                work.push(Effect::Ask { question: question.id.clone() });
            }
            Some(Halt::Store | Halt::Model | Halt::Budget(_)) => return work,
        }
        match &self.state.phase {
            Phase::Idle | Phase::Turn => {}
            Phase::Model { call, .. } => work.push(Effect::CallModel { call: *call }),
            Phase::Compacting { call, .. } => work.push(Effect::Compact { call: *call }),
            Phase::Undoing(undoing) => begin_undo(undoing, &mut work),
            Phase::Tools(batch) => {
                for call in &batch.calls {
                    let call_id = call.id.clone();
                    match &call.state {
                        CallState::Queued | CallState::Done(_) => {}
                        CallState::CheckingPermission => work.push(Effect::CheckPermission { call_id }),
                        CallState::CheckingApproval => work.push(Effect::CheckApproval { call_id }),
                        CallState::Asking(question) => {
                            work.push(Effect::Ask { question: question.id.clone() });
                        }
                        CallState::Running { .. } if call.cut_off => {}
                        CallState::Running { attempt, .. } => {
                            work.push(Effect::RunTool { call_id, attempt: *attempt });
                        }
                        CallState::Waiting { timer, .. } => {
                            work.push(Effect::SetTimer { timer: *timer, after_ms: 0 });
                        }
                        CallState::Undoing(undoing) => begin_undo(undoing, &mut work),
                    }
                }
            }
        }
        work
    }

    /// Each call that was in flight is decided by its tool: run again, ask a person, or tell the model that the
    /// outcome is unknown.
    pub(in crate::run) fn on_recovered(&mut self, fx: &mut Effects) {
        for index in 0..self.calls().len() {
            if let Some(finished) = self.take_returned(index) {
                self.end_call(index, finished, fx);
            }
            let Some(call) = self.state.batch().and_then(|batch| batch.calls.get(index)) else { break };
            match &call.state {
                CallState::Running { .. } => self.go_on(index, fx),
                CallState::CheckingPermission | CallState::CheckingApproval
                    if self.spec(call).is_some_and(|tool| tool.away) =>
                {
                    self.set(index, CallState::Queued);
                }
                CallState::Undoing(Undoing { entry: Some(entry), .. }) => {
                    let entry = entry.clone();
                    self.on_undo_finished(&entry, Some(texts::interrupted()));
                }
                CallState::Queued
                | CallState::CheckingPermission
                | CallState::CheckingApproval
                | CallState::Asking(_)
                | CallState::Waiting { .. }
                | CallState::Undoing(_)
                | CallState::Done(_) => {}
            }
        }
        if let Phase::Undoing(Undoing { entry: Some(entry), .. }) = &self.state.phase {
            let entry = entry.clone();
            self.on_undo_finished(&entry, Some(texts::interrupted()));
        }
        for effect in self.outstanding() {
            if !fx.list.iter().any(|begun| effect.is_same_work(begun)) {
                fx.push(effect);
            }
        }
    }

    /// A call that was cut off while it ran. One that goes on by itself waits for its tool.
    fn go_on(&mut self, index: usize, fx: &mut Effects) {
        let Some(Batch { calls, stopped, .. }) = self.state.batch() else { return };
        let Some(CallRecord { state: CallState::Running { attempt, .. }, log, .. }) = calls.get(index) else {
            return;
        };
        let tool = calls.get(index).and_then(|call| self.spec(call));
        let reruns = tool.map(ToolSpec::when_interrupted) == Some(OnInterrupted::Rerun);
        let (attempt, by_itself) = (*attempt, !stopped && (reruns || log.is_whole()));
        match tool {
            Some(tool) if by_itself && tool.away => {
                if let Some(call) = self.call_at(index) {
                    call.cut_off = true;
                }
            }
            Some(_) if by_itself => self.enter(index, attempt, !reruns),
            _ => self.ask_or_fail(index, texts::cut_off(), fx),
        }
    }

    /// Calls that were cut off go on when their tools have come.
    pub(in crate::run) fn go_on_with_tools(&mut self, fx: &mut Effects) {
        for index in 0..self.calls().len() {
            let Some(call) = self.calls().get(index) else { return };
            if !call.cut_off || self.spec(call).is_some_and(|tool| tool.away) {
                continue;
            }
            self.go_on(index, fx);
            if let Some(CallRecord { id, state: CallState::Running { attempt, .. }, .. }) =
                self.calls().get(index)
            {
                fx.push(Effect::RunTool { call_id: id.clone(), attempt: *attempt });
            }
        }
    }

    /// Only a person can say whether this call may run again; where nobody is asked, its outcome is unknown.
    pub(in crate::run) fn ask_or_fail(&mut self, index: usize, why: &str, fx: &mut Effects) {
        let Some(Batch { calls, stopped, .. }) = self.state.batch() else { return };
        let tool = calls.get(index).and_then(|call| self.spec(call));
        // A tool that is not there now may come later.
        let asks = tool.is_none_or(|tool| tool.when_interrupted() != OnInterrupted::Fail);
        if asks && !stopped {
            self.ask(index, QuestionKind::Interrupted, Some(why.to_owned()), fx);
        } else {
            self.give_up(index, fx);
        }
    }

    /// The call was cut off and is not run again: what it had shown of its work goes with it.
    pub(in crate::run) fn give_up(&mut self, index: usize, fx: &mut Effects) {
        self.take_back_shown(index, fx);
        let result = ToolResultData::unfinished(CallOutcome::Interrupted, texts::interrupted());
        self.end_call(index, Finished::without_running(result), fx);
    }

    pub(in crate::run) fn on_store_failed(&mut self, error: &StoreError, fx: &mut Effects) {
        if self.is_busy() {
            if let Some(Halt::AskBudget((_, question))) = self.state.halt.take() {
                fx.push(Effect::CancelQuestion { question: question.id });
            }
            // Its answer would have to be written too. It is asked again when the run goes on.
            if let Phase::Model { call, .. } | Phase::Compacting { call, .. } = self.state.phase {
                fx.push(Effect::CancelModel { call });
            }
            self.park(Halt::Store, Outcome::StoreFailed(error.clone()), fx);
        }
    }

    pub(in crate::run) fn on_resumed(&mut self, fx: &mut Effects) {
        if matches!(self.state.halt, Some(Halt::Budget(_))) {
            self.grant_more();
        }
        self.state.halt = None;
        for effect in self.outstanding() {
            fx.push(effect);
        }
    }
}

fn begin_undo(undoing: &Undoing, work: &mut Vec<Effect>) {
    if let Some(call_id) = undoing.entry.clone() {
        work.push(Effect::RunUndo { call_id });
    }
}
