//! What listeners are told, with the original's names and payloads where it has them.

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::message::{Message, ToolCall, ToolResultData, Usage};

/// One event. As JSON it is `{"type": …, "data": …}`, the two arguments of a subscriber's `record`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Event {
    TextDelta {
        text: String,
    },
    ReasoningDelta {
        text: String,
    },
    /// A piece of the arguments of a call that the model is still writing. Nothing runs before `ToolUse`.
    ToolInputDelta {
        id: String,
        name: String,
        delta: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Json,
    },
    ToolUseResult(ToolUseResult),
    ModelResponse(ModelResponse),
    ModelResponseComplete(ModelResponse),
    TokenConsumption {
        consumption: Usage,
    },
    CompactionStart {
        current_token_consumption: u64,
    },
    CompactionEnd {
        current_token_consumption: u64,
        summary_message: Option<Box<Message>>,
    },
    RequestStarted {
        request: String,
    },
    RequestFinished {
        request: String,
        outcome: &'static str,
    },
    QuestionAsked(Question),
    QuestionAnswered {
        id: String,
        allowed: bool,
    },
    /// A rule stopped the run from going in circles, or a budget was reached.
    Guard {
        rule: Rule,
        message: String,
    },
    /// A failure that did not end the run (a listener, a summary); told once.
    Error {
        code: String,
        message: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolUseResult {
    pub tool_name: String,
    pub call_id: String,
    /// Aliases of the two above, as later versions of the original have them.
    pub name: String,
    pub id: String,
    pub result: ToolResultData,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelResponse {
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    Turns,
    ErrorRounds,
    Repetition,
    ToolCalls,
    Tokens,
    Cost,
    WallClock,
}

/// Something that only a person can decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub id: String,
    pub kind: QuestionKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The call's arguments, as they will be used.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub input: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub asked_at: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// May this tool run at all? The answer can be remembered.
    Permission,
    /// May this one call run?
    Approval,
    /// A call was cut off and nobody knows whether it took effect: run it again?
    Interrupted,
    /// A budget is used up: go on?
    Budget,
}
