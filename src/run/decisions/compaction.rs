//! Compaction: when the context is too large, older messages give way to a summary. The record keeps all of them.

use crate::event::Event;
use crate::json::scan::joined;
use crate::message::{KeptRange, Message, Sender};
use crate::run::effect::Effect;
use crate::run::input::{Carry, Reply};
use crate::run::state::Phase;
use crate::run::views::model::estimate;
use crate::run::{Effects, Run, texts};

/// After a summary that failed, the run goes on without and tries again this many turns later.
const TURNS_BEFORE_RETRY: u32 = 3;
/// Between two summaries within one long request.
const TURNS_BETWEEN: u32 = 4;

impl Run {
    /// What a summary would keep word for word, when it is time for one.
    pub(in crate::run) fn summary_is_due(&self) -> Option<KeptRange> {
        let (state, rules) = (&self.state, &self.state.settings.compaction);
        let context = if state.context_tokens > 0 { state.context_tokens } else { state.estimated_tokens };
        let due = context >= rules.context_limit
            || rules.every_turns.is_some_and(|turns| turns > 0 && state.turns_since_summary >= turns);
        let current = state.current.as_ref()?;
        if !due || current.used.turns < current.summary_not_before {
            return None;
        }
        self.kept_range()
    }

    /// The last user turn stays word for word: the person's message and all that came of it. When a summary was
    /// made since that message and the turn alone has grown too large, the message alone stays.
    fn kept_range(&self) -> Option<KeptRange> {
        let (last_request, _) = self.read_back().find(|(_, message)| message.begins_prompt())?;
        let back = self.messages.len() - last_request;
        match self.last_summary {
            Some(summary) if summary > last_request => {
                let only_message = self
                    .messages
                    .get(summary)
                    .and_then(|message| message.compaction_keeps)
                    .is_some_and(|range| range.count < range.back);
                let pause = if only_message { TURNS_BETWEEN } else { 1 };
                (self.state.turns_since_summary >= pause).then_some(KeptRange { back, count: 1 })
            }
            earlier => {
                let first = earlier.map_or(0, |summary| summary + 1);
                if self.branches.count(first..last_request) > 0 {
                    Some(KeptRange { back, count: back })
                } else {
                    // Nothing is older than this turn, so only its own rounds can be summarised.
                    let rounds = self.branches.count(last_request..self.messages.len());
                    (rounds > 2 && self.state.turns_since_summary > 1).then_some(KeptRange { back, count: 1 })
                }
            }
        }
    }

    pub(in crate::run) fn begin_summary(&mut self, keep: KeptRange, fx: &mut Effects) {
        let call = self.state.number();
        fx.emit(Event::CompactionStart { current_token_consumption: self.state.context_tokens });
        self.state.phase = Phase::Compacting { call, keep };
        fx.push(Effect::Compact { call });
    }

    pub(in crate::run) fn on_summary(&mut self, reply: &Reply, carry: &Carry, fx: &mut Effects) {
        let Phase::Compacting { keep, .. } = self.state.phase else { return };
        self.count_usage(&reply.usage);
        fx.emit(Event::TokenConsumption { consumption: reply.usage });
        let Some(mut summary) = Run::summary_of(&reply.messages, carry) else {
            // An empty summary would forget the conversation.
            self.on_summary_failed("the model wrote an empty summary", fx);
            return;
        };
        summary.compaction_keeps = Some(keep);
        summary.usage = Some(reply.usage);
        self.append(summary);
        self.state.context_tokens = 0;
        self.state.turns_since_summary = 0;
        self.state.phase = Phase::Turn;
        self.state.estimated_tokens = self.model_request().iter().map(estimate).sum();
        fx.emit(Event::CompactionEnd {
            current_token_consumption: self.state.estimated_tokens,
            summary_message: self.messages.last().map(|summary| Box::new(Message::clone(summary))),
        });
    }

    /// The message that takes the place of what was summarised. `None` for an answer without text.
    pub fn summary_of(answer: &[Message], carry: &Carry) -> Option<Message> {
        let mut texts = Vec::new();
        for message in answer {
            if message.sender == Sender::Agent {
                texts.push(message.text.as_str());
            }
        }
        let text = joined(&texts, "\n");
        if text.trim().is_empty() {
            return None;
        }
        let mut summary = Message::user(texts::summary(&text, carry));
        summary.is_compaction = true;
        Some(summary)
    }

    /// Everything stays as it was, and the request goes on without a summary.
    pub(in crate::run) fn on_summary_failed(&mut self, why: &str, fx: &mut Effects) {
        fx.emit(Event::Error {
            code: "COMPACTION_FAILED".to_owned(),
            message: format!("the conversation could not be summarised and continues as it is: {why}"),
        });
        fx.emit(Event::CompactionEnd {
            current_token_consumption: self.state.context_tokens,
            summary_message: None,
        });
        if let Some(current) = &mut self.state.current {
            current.summary_not_before = current.used.turns + TURNS_BEFORE_RETRY;
        }
        self.state.phase = Phase::Turn;
    }
}
