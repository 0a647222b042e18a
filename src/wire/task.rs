//! What a task of a page is made of.

use crate::json::codec::{Read, Ts};
use crate::message::Message;
use crate::task::{ApprovalPolicy, Decision, ResultView, read_policy};
use crate::wire::options::{ModelOptions, PageTool};

/// What an agent for tasks is made of, as JSON text for `new CoreTask(options, host, files)`.
#[derive(Debug, Clone, Read, Ts)]
#[json(rename_all = "camelCase")]
#[ts(input)]
pub(crate) struct TaskAgentOptions {
    pub(crate) id: Option<String>,
    #[json(default)]
    pub(crate) persona: String,
    pub(crate) model: ModelOptions,
    #[json(default)]
    pub(crate) tools: Vec<PageTool>,
    /// The phases of tools that are not for all but planning.
    #[json(default)]
    pub(crate) tool_phases: Vec<ToolPhases>,
    /// The names of steps that the page does itself.
    #[json(default)]
    pub(crate) functions: Vec<String>,
    #[json(default)]
    pub(crate) seed_messages: Vec<Message>,
    #[json(read_with = read_policy)]
    #[ts(type = "TaskApprovals", optional)]
    pub(crate) approvals: Option<ApprovalPolicy>,
    pub(crate) poll_ms: Option<u64>,
}

#[derive(Debug, Clone, Read, Ts)]
#[ts(inline, input)]
pub(crate) struct ToolPhases {
    pub(crate) tool: String,
    pub(crate) phases: Vec<String>,
}

/// How a task is run.
#[derive(Debug, Clone, Default, Read, Ts)]
#[json(rename_all = "camelCase", default)]
#[ts(input)]
pub(crate) struct TaskRunOptions {
    /// How much the result holds; `summary` by default.
    pub(crate) view: ResultView,
    /// Comes back as soon as a person is to decide, instead of waiting for them.
    pub(crate) leave_when_waiting: bool,
}

#[derive(Debug, Clone, Read)]
pub(crate) struct PolicyChange {
    #[json(read_with = read_policy)]
    pub(crate) approvals: Option<ApprovalPolicy>,
}

/// A decision that a person takes on the screen.
#[derive(Debug, Clone, Read)]
pub(crate) struct PageDecision {
    pub(crate) id: String,
    pub(crate) decision: Decision,
    #[json(default)]
    pub(crate) by: String,
    pub(crate) reason: Option<String>,
}
