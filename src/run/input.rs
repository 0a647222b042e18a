//! Everything that can happen to a run. The journal is the list of these.

use serde::{Deserialize, Serialize};

use crate::error::{ModelError, StoreError};
use crate::json::Json;
use crate::message::{InboxItem, Message, SideOutput, Task, ToolResultData, Usage};
use crate::run::settings::Settings;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A person (or a program in their place) asks for something.
    Request(Box<Request>),
    ModelFinished {
        call: u64,
        reply: Reply,
    },
    /// No answer. `partial` is the text that had been shown.
    ModelFailed {
        call: u64,
        error: ModelError,
        partial: String,
    },
    /// The text of an answer so far, when the page may be gone in a moment.
    ModelPartial {
        call: u64,
        text: String,
    },
    Compacted {
        call: u64,
        reply: Reply,
        carry: Carry,
    },
    PermissionChecked {
        call_id: String,
        verdict: PermissionVerdict,
    },
    ApprovalChecked {
        call_id: String,
        verdict: ApprovalVerdict,
    },
    Answered {
        question: String,
        answer: Answer,
    },
    ToolFinished {
        call_id: String,
        outcome: ToolOutcome,
    },
    /// Take back the last `steps` actions.
    Undo {
        request: String,
        steps: u32,
    },
    /// A request that waits for its turn is not wanted any more.
    QueuedCancelled {
        request: String,
    },
    UndoFinished {
        call_id: String,
        error: Option<String>,
    },
    TimerFired {
        timer: u64,
    },
    StoreFailed {
        error: StoreError,
    },
    /// Tools, limits or the model changed; they hold from the next decision on.
    Configured {
        settings: Box<Settings>,
    },
    /// The process that ran this is gone; another one has taken the run over.
    Recovered,
    /// Go on after a pause.
    Resumed,
    Aborted {
        why: AbortReason,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Unique over all sessions: ids of messages, calls and questions are made from it.
    pub id: String,
    pub message: Message,
    #[serde(default)]
    pub when_busy: WhenBusy,
    /// Inbox items that were resolved since the last request, and those that block until they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inbox: Vec<InboxItem>,
}

/// What becomes of a request that comes while another one runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenBusy {
    #[default]
    Queue,
    Drop,
    Interrupt,
}

/// A model's finished answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reply {
    pub messages: Vec<Message>,
    pub usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// The text was shown as it came.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub streamed: bool,
}

/// What a summary must not lose.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Carry {
    pub tasks: Vec<Task>,
    pub inbox: Vec<InboxItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionVerdict {
    NotNeeded,
    Granted,
    Denied,
    Unset,
    /// The check itself failed; the call is answered with this and does not run.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalVerdict {
    NotNeeded,
    Needed { reason: Option<String> },
    Invalid(Vec<Issue>),
    Failed(String),
}

/// A person's answer. For a permission `remember` keeps it; for an interrupted call allowing means to run it
/// again; for a budget it means to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Allow { remember: bool },
    Deny { remember: bool, reason: Option<String> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    Returned {
        result: ToolResultData,
        outputs: Vec<SideOutput>,
    },
    /// The arguments do not fit; the tool did not run.
    Invalid(Vec<Issue>),
    /// The tool threw.
    Threw(String),
    /// The person turned down what the tool asked of them.
    Rejected(Option<String>),
}

/// One thing that is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// Object keys as strings, array indexes as numbers.
    pub path: Vec<Json>,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbortReason {
    /// The user stopped the run: it ends.
    User,
    /// The tab or process goes away: nothing ends, the run can be taken up again.
    HostGone,
}
