//! What a program writes of a session itself, between two requests: a step like every other one, so that of two who write one is refused.

use crate::message::{Message, Sender, Usage};
use crate::run::input::Input;
use crate::run::state::Phase;
use crate::run::views::model::estimate;
use crate::run::{OutOfProtocol, Run};

/// One change. All of it is written, or nothing.
#[derive(Debug)]
pub enum Written {
    Messages(Vec<Message>),
    /// From now on models read these, of which the first is a summary. The record keeps what was there before.
    Summary(Vec<Message>),
    Tokens(u64),
    Turn,
    /// Tokens and turns are counted from zero. What was paid is not.
    Counters,
}

impl Run {
    /// Refused while anything goes on or waits: what a session is in the middle of, it alone can go on with.
    pub fn write(&mut self, at: u64, written: Written) -> Result<(), OutOfProtocol> {
        let state = &self.state;
        let rests = matches!(state.phase, Phase::Idle) && state.current.is_none() && state.queue.is_empty();
        if !rests {
            return Err(OutOfProtocol::Busy);
        }
        // It removes nothing, and numbers this step.
        self.step(at, Input::SlotsRemoved { slots: Vec::new() })?;
        match written {
            Written::Messages(messages) => {
                for mut message in messages {
                    // It would hide what this session has before it.
                    if std::mem::take(&mut message.is_compaction) {
                        (message.compaction_keeps, message.hidden) = (None, true);
                    }
                    self.append(message);
                }
            }
            Written::Summary(mut messages) => {
                if let Some(first) = messages.first_mut() {
                    (first.is_compaction, first.compaction_keeps) = (true, None);
                }
                messages.into_iter().for_each(|message| self.append(message));
                self.state.context_tokens = 0;
                self.state.turns_since_summary = 0;
                self.state.estimated_tokens = self.model_request().iter().map(estimate).sum();
            }
            Written::Tokens(count) => {
                let usage = &mut self.state.usage;
                usage.tokens_in = usage.tokens_in.saturating_add(count);
            }
            Written::Turn => self.state.turns = self.state.turns.saturating_add(1),
            Written::Counters => {
                self.state.usage = Usage { cost: self.state.usage.cost, ..Usage::default() };
                self.state.turns = 0;
            }
        }
        Ok(())
    }
}

/// Whether a record can begin again with this message.
pub fn is_summary(message: &Message) -> bool {
    message.sender == Sender::User && message.tool_results.is_none() && message.tool_calls.is_none()
}
