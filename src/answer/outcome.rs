//! Decides what a finished or broken answer is worth: whether it counts, which part of it is kept, and which calls may run.

use crate::answer::{BOTH_FORMS, CallBuilder, TurnBuilder};
use crate::error::{ModelError, ModelErrorKind};
use crate::json::Json;
use crate::json::codec::{Read, Write, through_codec};
use crate::message::{Message, ToolCall, Usage};

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum Finish {
    Stop,
    /// The token limit: text and the last call may be incomplete.
    Length,
    ToolCalls,
    /// The provider withheld (a part of) the answer, or the model refused.
    Refused,
    Other,
}

through_codec! { Finish }

/// A finished answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub message: Message,
    pub usage: Usage,
    pub finish: Finish,
    /// The provider's own word for it.
    pub stop_reason: Option<String>,
}

/// How a model call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The provider's end statement came.
    Answered(Turn),
    /// It did not, or the provider reported a failure. No tool call is handed on.
    Failed(Failure),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub error: ModelError,
    /// The text that had come, marked as partial; `None` where there was none.
    pub partial: Option<Message>,
    pub usage: Usage,
}

impl TurnBuilder {
    /// Everything came, in one body: an answer counts, also where the provider does not say why it ended. False where there
    /// is none.
    pub fn end_without_reason(&mut self) -> bool {
        if !self.ended && !self.is_blank() {
            // For a call without arguments we cannot know whether the model had finished it.
            let finish = if self.calls.is_empty() { Finish::Stop } else { Finish::Other };
            self.finish_reason(finish, None);
            self.end();
        }
        self.ended || self.is_failed()
    }

    /// The input is over.
    pub fn into_outcome(mut self) -> Outcome {
        let error = match self.failed.take() {
            Some(error) => error,
            None if self.ended
                && !self.has_stray_args
                && !self.calls.iter().any(CallBuilder::is_nameless) =>
            {
                return Outcome::Answered(self.into_turn());
            }
            None if self.ended => ModelError::new(
                ModelErrorKind::BadResponse,
                "the model's answer has a tool call without a name; none of them was run",
            ),
            None => ModelError::new(
                ModelErrorKind::Cut,
                "the model's answer was cut off before its end; what had come is kept, nothing was run",
            ),
        };
        let mut partial = Message::agent(self.text);
        partial.partial = true;
        partial.sources = self.sources;
        partial.reasoning_content = Some(self.reasoning).filter(|text| !text.is_empty());
        let visible = !partial.text.is_empty() || partial.reasoning_content.is_some();
        Outcome::Failed(Failure { error, partial: visible.then_some(partial), usage: self.usage })
    }

    fn into_turn(mut self) -> Turn {
        let in_text = if BOTH_FORMS { self.in_text.take() } else { None };
        let mut preface = None;
        if let Some(mut in_text) = in_text {
            self.text.push_str(&in_text.reader.rest());
            // A model that still calls tools has not answered yet: what it wrote in front of them is none, and nothing to show.
            preface = in_text.call.filter(|_| self.calls.len() > 1);
        }
        let (finish, stop_reason) = match self.finish.unwrap_or((Finish::Stop, None)) {
            (Finish::Stop, raw) if self.refused => (Finish::Refused, raw),
            finish => finish,
        };
        // A handler may say it in our own word alone.
        let stop_reason = stop_reason.or_else(|| (finish == Finish::Length).then(|| "length".to_owned()));
        let last = self.calls.len().saturating_sub(1);
        let mut calls = Vec::new();
        for (index, call) in self.calls.into_iter().enumerate() {
            if call.name.is_empty() || preface == Some(index) {
                continue;
            }
            let args = self.names.real_arguments(&call.name, &call.args);
            let mut made = ToolCall::from_model(call.name, call.id, &args);
            // Better asked again than run: what never ended, and "no arguments" that may mean "none yet".
            let stopped_in_it = index == last && !matches!(finish, Finish::Stop | Finish::ToolCalls);
            if !call.ended || stopped_in_it && call.args.trim().is_empty() {
                made.input_args = Json::string(&call.args);
                made.unparsed_args = true;
            }
            made.extra = call.extra;
            calls.push(made);
        }
        // What was withheld or refused runs nothing, whatever had come.
        if finish == Finish::Refused {
            calls.clear();
        }
        let mut message = Message::agent(self.text);
        message.reasoning_content = Some(self.reasoning).filter(|text| !text.is_empty());
        message.tool_calls = Some(calls).filter(|calls| !calls.is_empty());
        message.extra = self.extra;
        message.sources = self.sources;
        Turn { message, usage: self.usage, finish, stop_reason }
    }
}
