//! What an endpoint streams back: the events of the answer, as text.

use std::borrow::Cow;

use crate::answer::{Finish, Turn};
use crate::error::ModelError;
use crate::json::Json;
use crate::json::codec::to_text;
use crate::json::scan::find_line_end;
use crate::json::writer::Object;
use crate::message::{Message, Usage};

/// One event of the answer. Clients of the original know `text_delta`, `tool_use` and `done`, and pass over the rest.
#[derive(Debug, Clone, PartialEq)]
pub enum WireEvent<'a> {
    TextDelta {
        text: &'a str,
    },
    ReasoningDelta {
        text: &'a str,
    },
    /// Arguments while the model writes them; `tool_use` follows with the whole.
    ToolInputDelta {
        id: &'a str,
        name: &'a str,
        delta: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Json,
    },
    /// What the model was asked without, or in another form: for the developer.
    Notice {
        code: &'a str,
        message: &'a str,
    },
    /// The model is asked again after this time, as it failed with this code.
    Retry {
        code: &'a str,
        wait_ms: u64,
    },
    Done(Box<WireDone<'a>>),
    /// The answer failed; whatever text came before is partial.
    Error(&'a ModelError),
}

/// The end statement.
#[derive(Debug, Clone, PartialEq)]
pub struct WireDone<'a> {
    pub message: Cow<'a, Message>,
    pub usage: Usage,
    /// `None` where the message says enough: it has calls or it has none.
    pub finish: Option<Finish>,
    pub stop_reason: Option<&'a str>,
}

impl<'a> WireDone<'a> {
    pub fn of(turn: &'a Turn) -> Self {
        WireDone {
            message: Cow::Borrowed(&turn.message),
            usage: turn.usage,
            finish: Some(turn.finish),
            stop_reason: turn.stop_reason.as_deref(),
        }
    }
}

impl WireEvent<'_> {
    /// Adds the event to a stream's text, as one line.
    pub fn write(&self, out: &mut String) {
        let start = out.len();
        out.push_str("data: ");
        let mut event = Object::new(out);
        match self {
            WireEvent::TextDelta { text } => {
                event.text("type", "text_delta").text("text", text);
            }
            WireEvent::ReasoningDelta { text } => {
                event.text("type", "reasoning_delta").text("text", text);
            }
            WireEvent::ToolInputDelta { id, name, delta } => {
                event.text("type", "tool_input_delta").text("id", id).text("name", name).text("delta", delta);
            }
            WireEvent::ToolUse { id, name, input } => {
                event.text("type", "tool_use").text("id", id).text("name", name);
                event.raw("input", input.as_str());
            }
            WireEvent::Notice { code, message } => {
                event.text("type", "model_notice").text("code", code).text("message", message);
            }
            WireEvent::Retry { code, wait_ms } => {
                event.text("type", "model_retry").text("code", code).raw("wait_ms", &wait_ms.to_string());
            }
            WireEvent::Done(done) => {
                event.text("type", "done").raw("message", &to_text(done.message.as_ref()));
                event.fields(&to_text(&done.usage));
                if let Some(finish) = done.finish {
                    event.raw("finish", &to_text(&finish));
                }
                if let Some(reason) = done.stop_reason {
                    event.text("stop_reason", reason);
                }
            }
            WireEvent::Error(error) => {
                event.text("type", "error");
                if error.code.is_none() {
                    event.text("code", error.kind.code());
                }
                event.fields(&to_text(*error));
            }
        }
        event.end();
        strip_line_ends(out, start);
        out.push_str("\n\n");
    }
}

/// What a model wrote as JSON is kept as it wrote it, also where it broke it into lines. JSON has line ends only between its
/// tokens, where they mean nothing.
fn strip_line_ends(out: &mut String, start: usize) {
    let written = out.as_bytes().get(start..).unwrap_or_default();
    if find_line_end(written) < written.len() {
        let lines = out.split_off(start);
        out.extend(lines.split(['\n', '\r']));
    }
}
