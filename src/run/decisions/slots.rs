//! What running tools show and the steps they do: written down before it counts, so that it outlives the process.

use crate::display::Slot;
use crate::run::effect::Effect;
use crate::run::log::{Log, SlotAnswer, StepResult};
use crate::run::state::{CallRecord, CallState};
use crate::run::{Effects, Run, texts};

/// So many slots of the past are shown again.
const MAX_LEFT: usize = 100;

impl Run {
    pub(in crate::run) fn enter(&mut self, index: usize, attempt: u32, strict: bool) {
        self.set(index, CallState::Running { since: self.state.at, attempt });
        if let (false, Some(call)) = (strict, self.call_at(index)) {
            call.worked_ms = 0;
        }
        if let Some(log) = self.log_at(index) {
            log.enter(strict);
        }
    }

    pub(in crate::run) fn log_at(&mut self, index: usize) -> Option<&mut Log> {
        self.state.batch_mut()?.calls.get_mut(index).map(|call| &mut call.log)
    }

    /// Stops the work of a call, and takes away all that it has shown.
    pub(in crate::run) fn take_back_shown(&mut self, index: usize, fx: &mut Effects) {
        let Some(call) = self.state.batch_mut().and_then(|batch| batch.calls.get_mut(index)) else { return };
        call.log = Log::default();
        fx.push(Effect::CancelTool { call_id: call.id.clone() });
    }

    fn log_of(&mut self, call_id: &str) -> Option<&mut Log> {
        self.log_at(self.position(call_id)?)
    }

    /// The running call whose tool waits for the answer to this slot.
    pub(in crate::run) fn call_of_slot(&self, slot: &str) -> Option<&str> {
        let asks = |call: &&CallRecord| {
            matches!(call.state, CallState::Running { .. }) && call.log.open().any(|open| open.id == slot)
        };
        self.calls().iter().find(asks).map(|call| call.id.as_str())
    }

    /// The call whose tool has asked this and may ask it again when it is entered.
    pub fn may_ask_again(&self, slot: &str) -> Option<&str> {
        let asks = |call: &&CallRecord| {
            let goes_on = matches!(call.state, CallState::Running { .. } | CallState::Asking(_));
            goes_on && call.log.open().any(|open| open.id == slot)
        };
        self.calls().iter().find(asks).map(|call| call.id.as_str())
    }

    pub(in crate::run) fn on_slot_pushed(
        &mut self,
        call_id: &str,
        at: usize,
        slot: &Slot,
        deterministic: bool,
    ) {
        if let Some(log) = self.log_of(call_id) {
            log.pushed(at, slot, deterministic);
        }
    }

    /// The tool is told when the answer is written.
    pub(in crate::run) fn on_slot_settled(&mut self, slot: &str, answer: &SlotAnswer, fx: &mut Effects) {
        let Some(call_id) = self.call_of_slot(slot).map(str::to_owned) else { return };
        if let Some(log) = self.log_of(&call_id) {
            log.settled(slot, answer);
        }
        fx.push(Effect::ResumeTool { call_id, key: slot.to_owned() });
    }

    pub(in crate::run) fn on_slots_removed(&mut self, slots: &[String], fx: &mut Effects) {
        for id in slots {
            if let Some(call_id) = self.call_of_slot(id).map(str::to_owned) {
                fx.push(Effect::ResumeTool { call_id, key: id.clone() });
            }
            let calls = self.state.batch_mut().map_or(&mut [][..], |batch| &mut batch.calls);
            if !calls.iter_mut().any(|call| call.log.removed(id)) {
                self.state.slots_gone.push(id.clone());
            }
        }
        if self.state.slots_gone.len() > MAX_LEFT {
            self.state.slots_gone.clear();
            self.state.slots_from = self.messages.len();
        }
    }

    pub(in crate::run) fn on_step_begun(
        &mut self,
        call_id: &str,
        key: &str,
        deterministic: bool,
        fx: &mut Effects,
    ) {
        if let Some(log) = self.log_of(call_id) {
            log.step_begun(key, deterministic);
        }
        fx.push(Effect::ResumeTool { call_id: call_id.to_owned(), key: key.to_owned() });
    }

    pub(in crate::run) fn on_step_done(
        &mut self,
        call_id: &str,
        key: &str,
        result: &StepResult,
        fx: &mut Effects,
    ) {
        if let Some(log) = self.log_of(call_id) {
            log.step_done(key, result);
        }
        fx.push(Effect::ResumeTool { call_id: call_id.to_owned(), key: key.to_owned() });
    }

    pub(in crate::run) fn on_unseen_work(&mut self, call_id: &str) {
        if let Some(log) = self.log_of(call_id) {
            log.gaps = true;
        }
    }

    /// The call was gone on with because its tool would ask the same again. It is asked about after all.
    pub(in crate::run) fn on_astray(&mut self, call_id: &str, fx: &mut Effects) {
        let Some(index) = self.position(call_id) else { return };
        fx.push(Effect::CancelTool { call_id: call_id.to_owned() });
        if let Some(log) = self.log_at(index) {
            log.forget_questions();
        }
        self.ask_or_fail(index, texts::astray(), fx);
    }

    /// What is on the display of a session that was opened again, before any tool is entered.
    pub fn slots_left(&self) -> Vec<Slot> {
        let mut left = Vec::new();
        for (at, message) in self.messages.iter().enumerate().skip(self.state.slots_from) {
            if !self.branches.is_read(at) {
                continue;
            }
            for result in message.results() {
                for slot in &result.slots {
                    if !self.state.slots_gone.contains(&slot.id) {
                        left.push(slot.clone());
                    }
                }
            }
        }
        left.drain(..left.len().saturating_sub(MAX_LEFT));
        for call in self.calls() {
            for slot in call.log.left() {
                if !call.log.withholds(&slot.id) {
                    left.push(slot);
                }
            }
        }
        left
    }
}
