//! What listeners are told, with the original's names and payloads where it has them.

use crate::json::Json;
use crate::json::codec::{Read, Ts, Write, through_codec};
use crate::message::{Message, SideOutput, ToolCall, ToolResultData, Usage};

/// One event. As JSON it is `{"type": …, "data": …}`, the two arguments of a subscriber's `record`.
#[derive(Debug, Clone, PartialEq, Write)]
#[json(tag = "type", content = "data")]
// Told once and kept by nobody: a box would be one more allocation for each result.
#[allow(clippy::large_enum_variant)]
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
        #[json(write_null)]
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
    /// The model is asked without something, or in another form, because its provider does not take it. Told once.
    ModelNotice {
        code: String,
        message: String,
    },
    /// The call of the model has failed with this code, and is made again by itself after this time. Told of waits that a person notices.
    ModelRetry {
        code: String,
        wait_ms: u64,
        /// When that is, in milliseconds since 1970.
        until: u64,
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

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct ToolUseResult {
    pub tool_name: String,
    pub call_id: String,
    /// Aliases of the two above, as later versions of the original have them.
    pub name: String,
    pub id: String,
    pub result: ToolResultData,
    pub duration_ms: Option<u64>,
    /// What the tool showed beside its result.
    pub outputs: Option<Vec<SideOutput>>,
}

#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct ModelResponse {
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    pub stop_reason: Option<String>,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

/// What stopped or paused a run: a budget, or a rule against going in circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(name = "RunRule")]
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
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(name = "CoreQuestion")]
pub struct Question {
    pub id: String,
    pub kind: QuestionKind,
    pub call_id: Option<String>,
    pub tool_name: Option<String>,
    /// The call's arguments, as they will be used.
    #[json(skip_if_default)]
    pub input: Json,
    pub reason: Option<String>,
    /// What the host said of the call when it was looked at, and what a decision rests on.
    pub judged: Option<Json>,
    pub asked_at: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
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

through_codec! { ToolUseResult, ModelResponse, Rule, Question, QuestionKind }
through_codec! { write Event }
