//! Everything that can happen to a run. The journal is the list of these.

use crate::display::Slot;
use crate::error::{ModelError, StoreError};
use crate::json::Json;
use crate::json::codec::{Read, Ts, Write, through_codec};
use crate::message::{InboxItem, Message, SideOutput, Task, ToolResultData, Usage};
use crate::run::log::{SlotAnswer, StepResult};
use crate::run::settings::Settings;

/// What can happen to a run.
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(name = "RunInput", tag = "type", input)]
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
        #[ts(type = "Pick<RunModelError, \"kind\" | \"message\"> & Partial<RunModelError>")]
        error: ModelError,
        partial: String,
    },
    /// The text of an answer so far, when the page may be gone in a moment; of a long one what is new, behind the first `from` bytes.
    ModelPartial {
        call: u64,
        text: String,
        #[json(skip_if_default)]
        from: usize,
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
    /// What its tool's schema has made of a call's arguments, where that is something else than the model sent. From now on
    /// it is what is shown, judged and run.
    Validated {
        call_id: String,
        validated: Validated,
    },
    /// What the decision about a call rests on: the host said this of it when it was looked at.
    Judged {
        call_id: String,
        judged: Json,
    },
    Answered {
        question: String,
        answer: Answer,
    },
    ToolFinished {
        call_id: String,
        outcome: ToolOutcome,
    },
    /// A running tool shows something, again or for the first time. `at` counts what it has shown before;
    /// `deterministic` says that it did nothing else since it was last told something.
    SlotPushed {
        call_id: String,
        at: usize,
        slot: Slot,
        #[json(rename = "clean")]
        deterministic: bool,
    },
    /// A question of a running tool has an answer, or will have none.
    SlotSettled {
        slot: String,
        answer: SlotAnswer,
    },
    /// These are not on the display any more.
    SlotsRemoved {
        slots: Vec<String>,
    },
    StepBegun {
        call_id: String,
        key: String,
        #[json(rename = "clean")]
        deterministic: bool,
    },
    StepDone {
        call_id: String,
        key: String,
        result: StepResult,
    },
    /// A tool works, while all that is known of it is that it waits.
    #[json(rename = "unseen_work")]
    UntrackedWork {
        call_id: String,
    },
    /// A tool that was entered again does not ask what it asked before.
    #[json(rename = "went_astray")]
    ReplayDiverged {
        call_id: String,
    },
    /// Take back the last `steps` actions.
    Undo {
        request: String,
        steps: u32,
    },
    /// Show the branch that has this message, and go on from there.
    Switch {
        request: String,
        message: String,
    },
    /// A request that waits for its turn is not wanted any more.
    QueuedCancelled {
        request: String,
    },
    /// A request that waits comes in front of another that does. Without `before` the request that runs reads it before its next
    /// model call.
    QueuedMoved {
        request: String,
        before: Option<String>,
    },
    UndoFinished {
        call_id: String,
        #[json(write_null)]
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
        /// `Recovered` follows, which tells what was cut off from what never began: nothing begins before it.
        #[json(skip_if_default)]
        before_recovered: bool,
    },
    /// What plugins of the host keep from now on: all of it.
    PluginsChanged {
        states: Json,
    },
    /// What the page tells the model of itself, from now on and up to the end of the request.
    ContextSet {
        text: String,
    },
    /// The process that ran this is gone; another one has taken the run over.
    Recovered,
    /// Go on after a pause.
    Resumed,
    Aborted {
        why: AbortReason,
    },
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(input)]
pub struct Request {
    /// Unique over all sessions: ids of messages, calls and questions are made from it.
    pub id: String,
    pub message: Message,
    #[json(default)]
    pub when_busy: WhenBusy,
    /// Nothing new is asked: the last message of a person is answered again, and the message is ignored.
    #[json(null_as_default, skip_if_default)]
    pub regenerate: bool,
    /// The person's message in whose place this one is said.
    pub edits: Option<String>,
    /// Inbox items that were resolved since the last request, and those that block until they are.
    #[json(skip_if_default)]
    pub inbox: Vec<InboxItem>,
}

/// What becomes of a request that comes while another one runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
pub enum WhenBusy {
    #[default]
    Queue,
    Drop,
    Interrupt,
    /// Read by the request that runs before its next model call; begun next where there is none.
    Steer,
}

/// A model's finished answer.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "RunReply")]
pub struct Reply {
    #[json(default)]
    pub messages: Vec<Message>,
    #[json(default)]
    #[ts(optional)]
    pub usage: Usage,
    pub stop_reason: Option<String>,
    /// The text was shown as it came.
    #[json(skip_if_default)]
    pub streamed: bool,
}

/// What a summary must not lose.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(inline, input)]
pub struct Carry {
    #[json(default)]
    pub tasks: Vec<Task>,
    #[json(default)]
    pub inbox: Vec<InboxItem>,
}

/// Arguments as a tool gets them.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
pub struct Validated {
    pub input: Json,
    /// JSON holds all of it. Else (a date, a map) it is made again from what the model sent when its process is gone, and is
    /// the same if it looks the same.
    #[json(null_as_default, skip_if_default)]
    pub exact: bool,
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(inline, input)]
pub enum PermissionVerdict {
    NotNeeded,
    Granted,
    Denied,
    Unset,
    /// The arguments do not fit.
    Invalid(Vec<Issue>),
    /// The check itself failed; the call is answered with this and does not run.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(inline, input)]
pub enum ApprovalVerdict {
    NotNeeded,
    Needed {
        #[json(write_null)]
        reason: Option<String>,
    },
    /// The arguments cannot be made again as they were allowed: what was said of them does not hold.
    Changed,
    Invalid(Vec<Issue>),
    Failed(String),
}

/// A person's answer. For a permission `remember` keeps it; for an interrupted call allowing means to run it
/// again; for a budget it means to go on.
#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline, input)]
pub enum Answer {
    Allow {
        remember: bool,
    },
    Deny {
        remember: bool,
        #[json(write_null)]
        reason: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(inline, input)]
pub enum ToolOutcome {
    Returned {
        result: ToolResultData,
        outputs: Vec<SideOutput>,
    },
    /// It has returned this, and the sentence that later requests show of it is still being made.
    Summing {
        result: ToolResultData,
        outputs: Vec<SideOutput>,
    },
    /// That sentence; none when it could not be made.
    Summed(Option<String>),
    /// The arguments do not fit; the tool did not run.
    Invalid(Vec<Issue>),
    /// The arguments cannot be made again as they were allowed; the tool did not run.
    Changed,
    /// It was stopped after its time limit, or when the request had no time left.
    TimedOut,
    /// The tool threw.
    Threw(String),
    /// The person turned down what the tool asked of them.
    Rejected(Option<String>),
}

/// One thing that is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(input)]
pub struct Issue {
    /// Object keys as strings, array indexes as numbers.
    #[ts(type = "readonly (string | number)[]")]
    pub path: Vec<Json>,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline, input)]
pub enum AbortReason {
    /// The user stopped the run: it ends.
    User,
    /// The tab or process goes away: nothing ends, the run can be taken up again.
    HostGone,
}

through_codec! {
    Validated, Input, PermissionVerdict, ApprovalVerdict, Answer, ToolOutcome, WhenBusy, AbortReason, Request, Reply, Carry, Issue,
}
