//! Rules against going in circles: rounds of nothing but errors, and the same calls with the same results.

use crate::event::{Event, Rule};
use crate::message::{Message, ToolStatus};
use crate::run::state::{CallState, Phase};
use crate::run::{Effects, Run, texts};

impl Run {
    /// Looks at the batch that has just ended and goes on to the next turn, with the model told to stop where a
    /// rule says so. It then has one answer left in which no tool runs.
    pub(in crate::run) fn watch_for_circles(&mut self, fx: &mut Effects) {
        let (error_rounds, same_rounds) =
            (self.state.settings.limits.error_rounds, self.state.settings.limits.same_rounds);
        let signature = self.round_signature();
        let Some(batch) = self.state.batch() else { return };
        let failed = batch.calls.iter().all(|call| {
            matches!(&call.state, CallState::Done(finished) if finished.result.status == ToolStatus::Error)
        });
        self.state.phase = Phase::Turn;
        let Some(current) = &mut self.state.current else { return };
        if let Some(rule) = current.wrap_up {
            let rounds = if rule == Rule::ErrorRounds { error_rounds } else { same_rounds };
            self.say_and_complete(texts::stopped(rule, rounds), "limit", fx);
            return;
        }
        current.error_rounds = if failed { current.error_rounds + 1 } else { 0 };
        current.rounds.push(signature);
        let remembered = (same_rounds as usize).saturating_mul(2);
        current.rounds.drain(..current.rounds.len().saturating_sub(remembered));
        let repeats = |period: usize| {
            let needed = (same_rounds as usize).saturating_mul(period);
            let last = current.rounds.iter().rev().take(needed);
            let before = current.rounds.iter().rev().skip(period).take(needed.saturating_sub(period));
            needed > 0 && current.rounds.len() >= needed && last.zip(before).all(|(a, b)| a == b)
        };
        // A model may also go back and forth between two calls.
        let rule = if error_rounds > 0 && current.error_rounds >= error_rounds {
            Some((Rule::ErrorRounds, error_rounds))
        } else if repeats(1) || repeats(2) {
            Some((Rule::Repetition, same_rounds))
        } else {
            None
        };
        if let Some((rule, rounds)) = rule {
            current.wrap_up = Some(rule);
            let text = texts::wrap_up(rule, rounds);
            fx.emit(Event::Guard { rule, message: text.clone() });
            let mut message = Message::user(text);
            message.framework_context = Some("guard".to_owned());
            self.append(message);
        }
    }

    /// Equal for rounds with the same calls, arguments and results.
    fn round_signature(&self) -> u64 {
        let mut hash = Fnv::default();
        let Some(batch) = self.state.batch() else { return 0 };
        let answer = self.message(batch.message).map(Message::calls).unwrap_or_default();
        for (call, tool_call) in batch.calls.iter().zip(answer) {
            hash.text(call.tool.as_deref().unwrap_or(&tool_call.tool_name));
            hash.text(&tool_call.input_args.canonical());
            if let CallState::Done(finished) = &call.state {
                hash.text(finished.result.data.as_str());
                hash.text(finished.result.message.as_deref().unwrap_or_default());
                hash.byte(finished.result.status as u8);
            }
        }
        hash.0
    }
}

/// FNV-1a: signatures are stored, so they must be the same on every target and in every version.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.byte(byte));
        // No UTF-8 text has this byte, so that two texts never run into each other.
        self.byte(0xff);
    }
}
