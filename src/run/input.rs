//! Everything that can happen to a run. The journal is the list of these.

use crate::display::Slot;
use crate::error::{ModelError, StoreError};
use crate::json::Json;
use crate::json::codec::{record, through_codec, variants, words};
use crate::message::{InboxItem, Message, SideOutput, Task, ToolResultData, Usage};
use crate::run::log::{SlotAnswer, StepResult};
use crate::run::settings::Settings;

variants! {
    #[derive(Debug, Clone, PartialEq)]
    pub enum Input {
        /// A person (or a program in their place) asks for something.
        "request" => Request(Box<Request>),
        "model_finished" => ModelFinished {
            "call" => required call: u64,
            "reply" => required reply: Reply,
        },
        /// No answer. `partial` is the text that had been shown.
        "model_failed" => ModelFailed {
            "call" => required call: u64,
            "error" => required error: ModelError,
            "partial" => required partial: String,
        },
        /// The text of an answer so far, when the page may be gone in a moment.
        "model_partial" => ModelPartial {
            "call" => required call: u64,
            "text" => required text: String,
        },
        "compacted" => Compacted {
            "call" => required call: u64,
            "reply" => required reply: Reply,
            "carry" => required carry: Carry,
        },
        "permission_checked" => PermissionChecked {
            "call_id" => required call_id: String,
            "verdict" => required verdict: PermissionVerdict,
        },
        "approval_checked" => ApprovalChecked {
            "call_id" => required call_id: String,
            "verdict" => required verdict: ApprovalVerdict,
        },
        /// What its tool's schema has made of a call's arguments, where that is something else than the model sent. From now on
        /// it is what is shown, judged and run.
        "validated" => Validated {
            "call_id" => required call_id: String,
            "validated" => required validated: Validated,
        },
        "answered" => Answered {
            "question" => required question: String,
            "answer" => required answer: Answer,
        },
        "tool_finished" => ToolFinished {
            "call_id" => required call_id: String,
            "outcome" => required outcome: ToolOutcome,
        },
        /// A running tool shows something, again or for the first time. `at` counts what it has shown before;
        /// `deterministic` says that it did nothing else since it was last told something.
        "slot_pushed" => SlotPushed {
            "call_id" => required call_id: String,
            "at" => required at: usize,
            "slot" => required slot: Slot,
            "clean" => required deterministic: bool,
        },
        /// A question of a running tool has an answer, or will have none.
        "slot_settled" => SlotSettled {
            "slot" => required slot: String,
            "answer" => required answer: SlotAnswer,
        },
        /// These are not on the display any more.
        "slots_removed" => SlotsRemoved {
            "slots" => required slots: Vec<String>,
        },
        "step_begun" => StepBegun {
            "call_id" => required call_id: String,
            "key" => required key: String,
            "clean" => required deterministic: bool,
        },
        "step_done" => StepDone {
            "call_id" => required call_id: String,
            "key" => required key: String,
            "result" => required result: StepResult,
        },
        /// A tool works, while all that is known of it is that it waits.
        "unseen_work" => UntrackedWork {
            "call_id" => required call_id: String,
        },
        /// A tool that was entered again does not ask what it asked before.
        "went_astray" => ReplayDiverged {
            "call_id" => required call_id: String,
        },
        /// Take back the last `steps` actions.
        "undo" => Undo {
            "request" => required request: String,
            "steps" => required steps: u32,
        },
        /// A request that waits for its turn is not wanted any more.
        "queued_cancelled" => QueuedCancelled {
            "request" => required request: String,
        },
        "undo_finished" => UndoFinished {
            "call_id" => required call_id: String,
            "error" => plain error: Option<String>,
        },
        "timer_fired" => TimerFired {
            "timer" => required timer: u64,
        },
        "store_failed" => StoreFailed {
            "error" => required error: StoreError,
        },
        /// Tools, limits or the model changed; they hold from the next decision on.
        "configured" => Configured {
            "settings" => required settings: Box<Settings>,
        },
        /// The process that ran this is gone; another one has taken the run over.
        "recovered" => Recovered,
        /// Go on after a pause.
        "resumed" => Resumed,
        "aborted" => Aborted {
            "why" => required why: AbortReason,
        },
    }
}

record! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct Request {
        /// Unique over all sessions: ids of messages, calls and questions are made from it.
        "id" => required pub id: String,
        "message" => required pub message: Message,
        "when_busy" => plain pub when_busy: WhenBusy,
        /// Nothing new is asked: the last message of a person is answered again, and the message is ignored.
        "regenerate" => flag pub regenerate: bool,
        /// Inbox items that were resolved since the last request, and those that block until they are.
        "inbox" => skipped pub inbox: Vec<InboxItem>,
    }
}

words! {
    /// What becomes of a request that comes while another one runs.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum WhenBusy {
        #[default]
        "queue" => Queue,
        "drop" => Drop,
        "interrupt" => Interrupt,
        /// Read by the request that runs before its next model call; begun next where there is none.
        "steer" => Steer,
    }
}

record! {
    /// A model's finished answer.
    #[derive(Debug, Clone, Default, PartialEq)]
    pub struct Reply {
        "messages" => plain pub messages: Vec<Message>,
        "usage" => plain pub usage: Usage,
        "stop_reason" => optional pub stop_reason: String,
        /// The text was shown as it came.
        "streamed" => skipped pub streamed: bool,
    }
}

record! {
    /// What a summary must not lose.
    #[derive(Debug, Clone, Default, PartialEq)]
    pub struct Carry {
        "tasks" => plain pub tasks: Vec<Task>,
        "inbox" => plain pub inbox: Vec<InboxItem>,
    }
}

record! {
    /// Arguments as a tool gets them.
    #[derive(Debug, Clone, Default, PartialEq)]
    pub struct Validated {
        "input" => required pub input: Json,
        /// JSON holds all of it. Else (a date, a map) it is made again from what the model sent when its process is gone, and is
        /// the same if it looks the same.
        "exact" => flag pub exact: bool,
    }
}

variants! {
    #[derive(Debug, Clone, PartialEq)]
    pub enum PermissionVerdict {
        "not_needed" => NotNeeded,
        "granted" => Granted,
        "denied" => Denied,
        "unset" => Unset,
        /// The arguments do not fit.
        "invalid" => Invalid(Vec<Issue>),
        /// The check itself failed; the call is answered with this and does not run.
        "failed" => Failed(String),
    }
}

variants! {
    #[derive(Debug, Clone, PartialEq)]
    pub enum ApprovalVerdict {
        "not_needed" => NotNeeded,
        "needed" => Needed { "reason" => plain reason: Option<String>, },
        /// The arguments cannot be made again as they were allowed: what was said of them does not hold.
        "changed" => Changed,
        "invalid" => Invalid(Vec<Issue>),
        "failed" => Failed(String),
    }
}

variants! {
    /// A person's answer. For a permission `remember` keeps it; for an interrupted call allowing means to run it
    /// again; for a budget it means to go on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Answer {
        "allow" => Allow { "remember" => required remember: bool, },
        "deny" => Deny { "remember" => required remember: bool, "reason" => plain reason: Option<String>, },
    }
}

variants! {
    #[derive(Debug, Clone, PartialEq)]
    pub enum ToolOutcome {
        "returned" => Returned {
            "result" => required result: ToolResultData,
            "outputs" => required outputs: Vec<SideOutput>,
        },
        /// It has returned this, and the sentence that later requests show of it is still being made.
        "summing" => Summing {
            "result" => required result: ToolResultData,
            "outputs" => required outputs: Vec<SideOutput>,
        },
        /// That sentence; none when it could not be made.
        "summed" => Summed(Option<String>),
        /// The arguments do not fit; the tool did not run.
        "invalid" => Invalid(Vec<Issue>),
        /// The arguments cannot be made again as they were allowed; the tool did not run.
        "changed" => Changed,
        /// It was stopped after its time limit, or when the request had no time left.
        "timed_out" => TimedOut,
        /// The tool threw.
        "threw" => Threw(String),
        /// The person turned down what the tool asked of them.
        "rejected" => Rejected(Option<String>),
    }
}

record! {
    /// One thing that is wrong with a value, and where.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Issue {
        /// Object keys as strings, array indexes as numbers.
        "path" => required pub path: Vec<Json>,
        "message" => required pub message: String,
    }
}

words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AbortReason {
        /// The user stopped the run: it ends.
        "user" => User,
        /// The tab or process goes away: nothing ends, the run can be taken up again.
        "host_gone" => HostGone,
    }
}

through_codec! {
    Validated, Input, PermissionVerdict, ApprovalVerdict, Answer, ToolOutcome, WhenBusy, AbortReason, Request, Reply, Carry, Issue,
}
