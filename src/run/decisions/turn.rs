//! A turn: when the model is called, and what its answer leads to.

use std::sync::Arc;

use crate::error::{ModelError, ModelErrorKind};
use crate::event::{Event, ModelResponse};
use crate::message::{Message, Sender, Usage, dollars};
use crate::run::effect::{Effect, Outcome};
use crate::run::input::Reply;
use crate::run::state::{Halt, Phase};
use crate::run::{Effects, Run, texts};

impl Run {
    pub(in crate::run) fn begin_turn(&mut self, fx: &mut Effects) {
        self.take_steering(fx);
        if !self.has_turns_left(fx) {
            return;
        }
        if let Some(keep) = self.summary_is_due() {
            self.begin_summary(keep, fx);
            return;
        }
        let call = self.state.number();
        self.state.phase = Phase::Model { call, partial: String::new() };
        fx.push(Effect::CallModel { call });
    }

    pub(in crate::run) fn on_partial(&mut self, text: &str, from: usize) {
        if let Phase::Model { partial, .. } = &mut self.state.phase {
            if from == 0 {
                partial.clear();
            }
            partial.push_str(text);
        }
    }

    pub(in crate::run) fn on_answer(&mut self, reply: Reply, fx: &mut Effects) {
        let Reply { messages, usage, stop_reason, streamed } = reply;
        let mut answer = one_answer(messages);
        self.name_calls(&mut answer);
        self.count_usage(&usage);
        if usage.tokens_in > 0 {
            self.state.context_tokens = usage.tokens_in;
        }
        self.state.turns += 1;
        self.state.turns_since_summary += 1;
        if let Some(current) = &mut self.state.current {
            current.used.turns += 1;
        }
        answer.usage = Some(usage);
        answer.at_limit = answer.calls().is_empty() && stop_reason.as_deref().is_some_and(is_limit);
        let index = self.messages.len();
        self.append(answer);
        let Some(answer) = self.message(index) else { return };
        for call in answer.calls() {
            fx.emit(Event::ToolUse {
                id: call.id().to_owned(),
                name: call.tool_name.clone(),
                input: call.input_args.clone(),
            });
        }
        let response = ModelResponse {
            text: answer.text.clone(),
            tool_calls: answer.calls().to_vec(),
            stop_reason: stop_reason.clone(),
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
        };
        fx.emit(if streamed {
            Event::ModelResponseComplete(response)
        } else {
            Event::ModelResponse(response)
        });
        fx.emit(Event::TokenConsumption { consumption: usage });
        if answer.calls().is_empty() {
            if self.asks_for_answer() {
                return;
            }
            let Some(answer) = self.message(index) else { return };
            let reply = Reply { messages: vec![answer.clone()], usage, stop_reason, streamed };
            self.complete(reply, fx);
        } else {
            self.begin_batch(index, fx);
        }
    }

    pub(in crate::run) fn on_model_failed(&mut self, error: &ModelError, partial: &str, fx: &mut Effects) {
        let too_large = error.kind == ModelErrorKind::TooLarge;
        let left_out = (too_large || error.media) && self.leave_media_out(error.media);
        if matches!(self.state.phase, Phase::Compacting { .. }) {
            self.on_summary_failed(&error.message, fx);
            return;
        }
        // What an earlier process had shown counts as long as this one has shown nothing.
        let kept = match std::mem::replace(&mut self.state.phase, Phase::Turn) {
            Phase::Model { partial: earlier, .. } if partial.is_empty() => earlier,
            _ => partial.to_owned(),
        };
        self.keep_partial(kept);
        let mut error = error.clone();
        if left_out {
            error.message = texts::media_left_out(&error.message, error.media);
        }
        self.park(Halt::Model, Outcome::ModelFailed(error), fx);
    }

    /// Text that a person has seen stays in the record, marked as no finished answer.
    pub(in crate::run) fn keep_partial(&mut self, text: String) {
        if !text.is_empty() {
            let mut message = Message::agent(text);
            message.partial = true;
            self.append(message);
        }
    }

    /// An answer that the framework or a hook gives in the model's place; it ends the request.
    pub(in crate::run) fn say_and_complete(&mut self, text: String, context: &str, fx: &mut Effects) {
        let mut message = Message::agent(text);
        message.framework_context = Some(context.to_owned());
        self.append(message);
        let mut reply = Reply::default();
        if let Some(message) = self.messages.last() {
            reply.messages.push(Message::clone(message));
        }
        self.complete(reply, fx);
    }

    pub(in crate::run) fn count_usage(&mut self, usage: &Usage) {
        self.state.usage.add(usage);
        if let Some(current) = &mut self.state.current {
            current.used.tokens =
                current.used.tokens.saturating_add(usage.tokens_in).saturating_add(usage.tokens_out);
            current.used.cost =
                dollars(current.used.cost + usage.cost.unwrap_or_default()).unwrap_or(current.used.cost);
        }
    }

    /// Every call has an id of its own in this conversation: providers leave ids out, use one twice, or begin again
    /// with `call_0` in each answer.
    fn name_calls(&mut self, answer: &mut Message) {
        let mut calls = answer.tool_calls.take().unwrap_or_default();
        for call in &mut calls {
            let known = call.id().is_empty() || self.call_ids.contains(call.id());
            if known {
                call.id = self.mint("c");
            }
            self.call_ids.insert(call.id());
        }
        answer.tool_calls = (!calls.is_empty()).then_some(calls);
    }

    /// What goes to the model without being in the record: the instructions for a summary, a reminder, what the page tells.
    pub(in crate::run) fn prepare_transient(&mut self) {
        self.transient.clear();
        match (&self.state.phase, &self.state.current) {
            (Phase::Compacting { .. }, _) => {
                let mut request = Message::user(self.state.settings.compaction.instructions.clone());
                request.is_compaction_request = true;
                self.transient.push(Arc::new(request));
            }
            (Phase::Model { .. }, Some(current)) => {
                let reminder = current.reminder.as_deref().unwrap_or_default();
                for (text, context) in [(reminder, "inbox"), (&current.context, "page")] {
                    if !text.is_empty() {
                        let mut message = Message::user(text);
                        message.framework_context = Some(context.to_owned());
                        self.transient.push(Arc::new(message));
                    }
                }
            }
            _ => {}
        }
    }
}

/// A provider's word for an answer that was as long as it may be.
fn is_limit(stop_reason: &str) -> bool {
    let words = ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded"];
    words.contains(&stop_reason)
}

/// One message for one answer: adapters may give several, but results must follow all the calls.
fn one_answer(messages: Vec<Message>) -> Message {
    let mut messages = messages.into_iter();
    let mut answer = messages.next().unwrap_or_else(|| Message::agent(""));
    for more in messages {
        if !answer.text.is_empty() && !more.text.is_empty() {
            answer.text.push('\n');
        }
        answer.text.push_str(&more.text);
        if let Some(calls) = more.tool_calls {
            answer.tool_calls.get_or_insert_default().extend(calls);
        }
        if let Some(parts) = more.content {
            answer.content.get_or_insert_default().extend(parts);
        }
        answer.reasoning_content = answer.reasoning_content.or(more.reasoning_content);
        answer.sources = answer.sources.or(more.sources);
        answer.extra.0.extend(more.extra.0);
    }
    answer.sender = Sender::Agent;
    answer.tool_results = None;
    answer.is_compaction = false;
    answer.partial = false;
    answer
}
