//! A model's answer as the text of an endpoint's stream.

use std::borrow::Cow;

use crate::answer::Finish;
use crate::endpoint::{Disclosure, Tickets, WireDone, WireEvent};
use crate::message::{Message, Sender};
use crate::ports::{Delta, IdSource};
use crate::run::input::Reply;

const THOUGHTS: [&str; 2] = ["<think>", "</think>"];

/// Collects the text to send. The sender takes it as often as it likes.
#[derive(Debug, Default)]
pub struct AnswerStream {
    out: String,
    /// Reasoning is told as a part of the text, in the original's `<think>` marks.
    reasoning_in_text: bool,
    thinking: bool,
    /// The text that was told.
    text: String,
    /// Notices. They begin no answer: until one begins, a failure may have an HTTP status of its own.
    notices: String,
    disclosure: Disclosure,
    /// Of a server that has tools.
    tickets: Option<Tickets>,
}

impl AnswerStream {
    pub fn new(reasoning_in_text: bool) -> Self {
        AnswerStream { reasoning_in_text, ..AnswerStream::default() }
    }

    /// How much of a notice is told.
    pub fn disclosing(self, disclosure: Disclosure) -> Self {
        AnswerStream { disclosure, ..self }
    }

    /// Signs the calls of these tools.
    pub fn signing(self, tickets: Option<Tickets>) -> Self {
        AnswerStream { tickets, ..self }
    }

    /// A piece of the answer, while the model writes it.
    pub fn delta(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Text(text) => self.text(text, false),
            Delta::Reasoning(text) if self.reasoning_in_text => self.text(text, true),
            Delta::Reasoning(text) => self.event(&WireEvent::ReasoningDelta { text }),
            // A call without an id cannot be matched; the whole call follows later in any case.
            Delta::ToolInput { id: "", .. } => {}
            Delta::ToolInput { id, name, text } => {
                self.event(&WireEvent::ToolInputDelta { id, name, delta: text });
            }
            // A wait that a client hears of begins the stream, as the comments of a long silence do.
            Delta::Retry { code, wait_ms } => self.event(&WireEvent::Retry { code, wait_ms }),
            Delta::Notice { code, message } => {
                if let Some(message) = self.disclosure.of_notice(message) {
                    WireEvent::Notice { code, message: &message }.write(&mut self.notices);
                }
            }
        }
    }

    /// The finished answer: its calls and the end statement. Calls without an id get one.
    pub fn done(&mut self, reply: Reply, ids: &dyn IdSource) {
        let Reply { messages, usage, stop_reason, .. } = reply;
        let mut message = messages.into_iter().next_back().unwrap_or_else(|| Message::new(Sender::Agent, ""));
        self.rest_of(&mut message);
        for call in message.tool_calls.iter_mut().flatten() {
            if call.id().is_empty() {
                call.id = Some(format!("call_{}", ids.fresh()));
            }
            if let Some(tickets) = &self.tickets {
                tickets.sign(call, &ids.fresh());
            }
            self.event(&WireEvent::ToolUse { id: call.id(), name: &call.tool_name, input: &call.input_args });
        }
        let (finish, stop_reason) = (cut_short(&message).then_some(Finish::Length), stop_reason.as_deref());
        let done = WireDone { message: Cow::Owned(message), usage, finish, stop_reason };
        self.event(&WireEvent::Done(Box::new(done)));
    }

    /// What was noticed, for a client that gets no answer.
    pub fn send_notices(&mut self) {
        self.out.push_str(&std::mem::take(&mut self.notices));
    }

    /// What is to be sent now.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Sends the part of the text that was not streamed, and makes the message equal to the stream.
    fn rest_of(&mut self, message: &mut Message) {
        if self.reasoning_in_text {
            if self.text.is_empty() {
                let reasoning = message.reasoning_content.clone().unwrap_or_default();
                self.text(&reasoning, true);
                self.text(&message.text, false);
            }
            self.switch(false);
            message.text.clone_from(&self.text);
        } else if let Some(rest) = message.text.strip_prefix(self.text.as_str()) {
            let rest = rest.to_owned();
            self.text(&rest, false);
        }
    }

    fn text(&mut self, text: &str, thinking: bool) {
        if !text.is_empty() {
            self.switch(thinking);
            self.say(text);
        }
    }

    fn switch(&mut self, thinking: bool) {
        if self.thinking != thinking {
            self.thinking = thinking;
            let [open, close] = THOUGHTS;
            self.say(if thinking { open } else { close });
        }
    }

    fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.event(&WireEvent::TextDelta { text });
    }

    fn event(&mut self, event: &WireEvent<'_>) {
        self.send_notices();
        event.write(&mut self.out);
    }
}

/// The last call has no arguments yet: only the token limit leaves it so. A client that took it for a call without
/// arguments would run it.
fn cut_short(message: &Message) -> bool {
    let last = message.tool_calls.iter().flatten().next_back();
    last.is_some_and(|call| call.unparsed_args && call.input_args.as_str() == "\"\"")
}
