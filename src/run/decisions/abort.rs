//! Stopping: the user ends a run at any moment, and every call still gets exactly one result.

use super::undo::ids_of;
use crate::event::{Question, QuestionKind};
use crate::message::{CallOutcome, ToolResultData};
use crate::run::effect::{Effect, Outcome};
use crate::run::state::{CallRecord, CallState, Finished, Phase, Undoing};
use crate::run::{Effects, Run, texts};
use crate::tool::Gate;

impl Run {
    pub(in crate::run) fn on_abort(&mut self, fx: &mut Effects) {
        if self.is_parked() {
            self.abandon(fx);
            return;
        }
        if let Some(crate::run::state::Halt::AskBudget((_, question))) = self.state.halt.take() {
            fx.push(Effect::CancelQuestion { question: question.id });
        }
        if matches!(self.state.phase, Phase::Tools(_)) && self.stop_tools(fx) {
            return;
        }
        self.cut_off(fx);
        self.close(Outcome::Aborted, fx);
    }

    /// Ends all calls that may be cut off. True when others are running on: the run ends with them.
    fn stop_tools(&mut self, fx: &mut Effects) -> bool {
        // As in the original: a queue is cut short by the first call that is cut off, else what must not be cut
        // off still gets its turn.
        let (mut none_cut, mut some_run) = (true, false);
        for call in self.calls() {
            if let CallState::Running { .. } | CallState::Waiting { .. } = call.state {
                let keeps = self.is_un_abortable(call);
                (none_cut, some_run) = (none_cut && keeps, some_run || keeps);
            }
        }
        let (mut stay, mut ends) = (false, Vec::new());
        for (index, call) in self.calls().iter().enumerate() {
            let stays = match call.state {
                CallState::Running { .. } => call.returned.is_none() && self.is_un_abortable(call),
                CallState::Queued => {
                    some_run && none_cut && self.is_un_abortable(call) && !self.is_gated(call)
                }
                _ => false,
            };
            stay |= stays;
            if !stays {
                ends.push(index);
            }
        }
        if !stay {
            return false;
        }
        for index in ends {
            self.cut_off_call(index, fx);
        }
        if let Some(batch) = self.state.batch_mut() {
            batch.stopped = true;
        }
        true
    }

    fn is_un_abortable(&self, call: &CallRecord) -> bool {
        !call.cut_off && self.spec(call).is_some_and(|tool| tool.un_abortable)
    }

    fn is_gated(&self, call: &CallRecord) -> bool {
        self.spec(call).is_some_and(|tool| (tool.permission, tool.approval) != (Gate::Never, Gate::Never))
    }

    /// Ends whatever is going on, without telling anyone that the request is over.
    pub(in crate::run) fn cut_off(&mut self, fx: &mut Effects) {
        match &mut self.state.phase {
            Phase::Idle | Phase::Turn => {}
            Phase::Model { call, partial } => {
                fx.push(Effect::CancelModel { call: *call });
                let text = std::mem::take(partial);
                self.keep_partial(text);
            }
            Phase::Compacting { call, .. } => {
                fx.push(Effect::CancelModel { call: *call });
                self.on_summary_failed("it was stopped", fx);
            }
            Phase::Undoing(undoing) => {
                if let Some(call_id) = undoing.entry.take() {
                    fx.push(Effect::CancelTool { call_id });
                }
                let taken = std::mem::take(&mut undoing.taken);
                self.report_undone(&taken);
            }
            Phase::Tools(batch) => {
                for index in 0..batch.calls.len() {
                    self.cut_off_call(index, fx);
                }
                self.append_results();
            }
        }
    }

    fn cut_off_call(&mut self, index: usize, fx: &mut Effects) {
        if let Some(finished) = self.take_returned(index) {
            // Only its summary is not wanted any more.
            self.end_call(index, finished, fx);
            return;
        }
        let Some(call) = self.state.batch().and_then(|batch| batch.calls.get(index)) else { return };
        let mut begun = false;
        match &call.state {
            CallState::Done(_) => return,
            CallState::Asking(question) => {
                begun = question.kind == QuestionKind::Interrupted;
                fx.push(Effect::CancelQuestion { question: question.id.clone() });
            }
            CallState::Running { .. } | CallState::CheckingPermission | CallState::CheckingApproval => {
                begun = true;
            }
            CallState::Undoing(undoing) => {
                if let Some(call_id) = &undoing.entry {
                    fx.push(Effect::CancelTool { call_id: call_id.clone() });
                }
            }
            CallState::Queued | CallState::Waiting { .. } => {}
        }
        let unknown = || ToolResultData {
            outcome: Some(CallOutcome::Interrupted.word().to_owned()),
            ..ToolResultData::aborted(texts::interrupted())
        };
        let result = match &call.state {
            // Whether it took effect is not known, and stopping does not make it known.
            _ if call.cut_off => unknown(),
            CallState::Asking(Question { kind: QuestionKind::Interrupted, .. }) => unknown(),
            CallState::Undoing(Undoing { taken, .. }) if !taken.is_empty() => {
                let (text, mut ids) = (self.undone_text(taken, Some(texts::ABORTED)), ids_of(taken));
                self.state.undone.append(&mut ids);
                ToolResultData::aborted(text)
            }
            _ => ToolResultData::aborted(texts::ABORTED),
        };
        if begun {
            self.take_back_shown(index, fx);
        }
        self.end_call(index, Finished::without_running(result), fx);
    }

    /// What the host stops doing when it goes away. Nothing ends and nothing is written.
    pub(in crate::run) fn stop_work(&self) -> Vec<Effect> {
        let mut work = Vec::new();
        match &self.state.phase {
            Phase::Model { call, .. } | Phase::Compacting { call, .. } => {
                work.push(Effect::CancelModel { call: *call });
            }
            Phase::Tools(_) | Phase::Undoing(_) | Phase::Idle | Phase::Turn => {}
        }
        for call in self.calls() {
            if matches!(
                call.state,
                CallState::Running { .. } | CallState::CheckingPermission | CallState::CheckingApproval
            ) {
                work.push(Effect::CancelTool { call_id: call.id.clone() });
            }
        }
        if let Some(call_id) = self.undoing().and_then(|undoing| undoing.entry.clone()) {
            work.push(Effect::CancelTool { call_id });
        }
        work
    }
}
