//! The endpoint protocol: what a chat endpoint is sent and what it streams back, for both ends of it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::ModelError;
use crate::json::Json;
use crate::message::{Message, Usage};
use crate::stream::{Finish, Turn};
use crate::tool::ToolDefinition;

/// What a client posts: the whole context of one model call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct WireRequest {
    #[serde(rename = "systemPrompt", default)]
    pub system_prompt: String,
    pub messages: Vec<Message>,
    #[serde(default)]
    pub tools: Vec<WireTool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WireTool {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    #[serde(default)]
    pub parameters: Json,
}

impl From<WireTool> for ToolDefinition {
    fn from(tool: WireTool) -> Self {
        ToolDefinition { name: tool.name, description: tool.description, schema: tool.parameters }
    }
}

/// One event of the answer. Clients of the original know `text_delta`, `tool_use` and `done`, and pass over the rest.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WireDone<'a> {
    pub message: Cow<'a, Message>,
    #[serde(flatten)]
    pub usage: Usage,
    pub finish: Finish,
    #[serde(skip_serializing_if = "Option::is_none")]
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

impl WireEvent<'_> {
    /// Adds the event to a stream's text.
    pub fn write(&self, out: &mut String) -> Result<(), crate::json::JsonError> {
        let json = Json::of(self)?;
        out.push_str("data: ");
        out.push_str(json.as_str());
        out.push_str("\n\n");
        Ok(())
    }
}
