//! The endpoint protocol: what a chat endpoint is sent and what it streams back, for both ends of it.

use std::borrow::Cow;

use crate::codec::{Write, object, object_and, record, through_codec};
use crate::error::ModelError;
use crate::json::Json;
use crate::message::{Message, Usage};
use crate::stream::{Finish, Turn};
use crate::tool::ToolDefinition;

record! {
    /// What a client posts: the whole context of one model call.
    #[derive(Debug, Clone, PartialEq)]
    pub struct WireRequest {
        "systemPrompt" => plain pub system_prompt: String,
        "messages" => required pub messages: Vec<Message>,
        "tools" => plain pub tools: Vec<WireTool>,
    }
}

record! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct WireTool {
        "name" => required pub name: String,
        "description" => plain pub description: String,
        /// JSON Schema of the arguments.
        "parameters" => plain pub parameters: Json,
    }
}

impl From<WireTool> for ToolDefinition {
    fn from(tool: WireTool) -> Self {
        ToolDefinition { name: tool.name, description: tool.description, schema: tool.parameters }
    }
}

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
    Done(Box<WireDone<'a>>),
    /// The answer failed; whatever text came before is partial.
    Error(&'a ModelError),
}

/// The end statement.
#[derive(Debug, Clone, PartialEq)]
pub struct WireDone<'a> {
    pub message: Cow<'a, Message>,
    pub usage: Usage,
    pub finish: Finish,
    pub stop_reason: Option<&'a str>,
}

impl<'a> WireDone<'a> {
    pub fn of(turn: &'a Turn) -> Self {
        WireDone {
            message: Cow::Borrowed(&turn.message),
            usage: turn.usage,
            finish: turn.finish,
            stop_reason: turn.stop_reason.as_deref(),
        }
    }
}

through_codec! { WireRequest, WireTool }

impl Write for WireEvent<'_> {
    fn write(&self, out: &mut String) {
        match self {
            WireEvent::TextDelta { text } => object(out, &[("type", &"text_delta"), ("text", text)]),
            WireEvent::ReasoningDelta { text } => {
                object(out, &[("type", &"reasoning_delta"), ("text", text)]);
            }
            WireEvent::ToolInputDelta { id, name, delta } => {
                let kind: &dyn Write = &"tool_input_delta";
                object(out, &[("type", kind), ("id", id), ("name", name), ("delta", delta)]);
            }
            WireEvent::ToolUse { id, name, input } => {
                object(out, &[("type", &"tool_use"), ("id", id), ("name", name), ("input", input)]);
            }
            WireEvent::Done(done) => object_and(out, &[("type", &"done")], done),
            WireEvent::Error(error) => object_and(out, &[("type", &"error")], error),
        }
    }
}

impl Write for WireDone<'_> {
    fn write(&self, out: &mut String) {
        object(out, &[("message", self.message.as_ref())]);
        out.pop();
        let mut rest = String::new();
        self.usage.write(&mut rest);
        out.push(',');
        out.push_str(rest.trim_matches(['{', '}']));
        out.push_str(",\"finish\":");
        self.finish.write(out);
        if let Some(reason) = &self.stop_reason {
            out.push_str(",\"stop_reason\":");
            reason.write(out);
        }
        out.push('}');
    }
}

impl WireEvent<'_> {
    /// Adds the event to a stream's text.
    pub fn write(&self, out: &mut String) {
        out.push_str("data: ");
        Write::write(self, out);
        out.push_str("\n\n");
    }
}
