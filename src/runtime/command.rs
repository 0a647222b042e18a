//! What is asked of the driver.

use futures_channel::oneshot;

use crate::error::Error;
use crate::portable::NativeOnly;
use crate::run::input::{Answer, Request, WhenBusy};
use crate::run::settings::{Budgets, Compaction, Limits};
use crate::runtime::response::Response;
use crate::runtime::session_tools::SessionTools;

/// What is asked of the driver.
pub(crate) enum Command {
    Request(Box<Request>, Caller),
    Undo {
        steps: u32,
        /// The call of the action that whoever asks takes for the last one.
        last: Option<String>,
        caller: Caller,
    },
    /// Show the branch with this message.
    Switch {
        message: String,
        caller: Caller,
    },
    Resume(Caller),
    /// `id` is the question's or its call's.
    Answer {
        id: String,
        answer: Answer,
        caller: Option<Caller>,
    },
    Tools(SessionTools),
    Configure(Configure),
    /// Give up a request that still waits for its turn.
    CancelQueued(String),
    /// A request that waits comes in front of another; without one, into the request that runs.
    MoveQueued(String, Option<String>),
    /// Keep the text that a model has shown so far.
    KeepPartial,
    Abort,
    Stored(NativeOnly<StoredQuery>),
    /// The host goes away.
    Close,
}

impl Command {
    /// It may end what is about to begin.
    pub(crate) fn stops(&self) -> bool {
        match self {
            Command::Abort | Command::Close => true,
            Command::Request(request, _) => request.when_busy == WhenBusy::Interrupt,
            _ => false,
        }
    }
}

pub(crate) enum Configure {
    Compaction(Compaction),
    Limits(Limits),
    Budgets(Budgets),
}

/// Somebody who waits for a request to end.
pub(crate) struct Caller {
    /// `None`: the request that is being served.
    pub(crate) request: Option<String>,
    pub(crate) leave_when_waiting: bool,
    pub(crate) reply: oneshot::Sender<Result<Response, Error>>,
}

/// Somebody who wants to know whether what was asked before is stored.
pub(crate) struct StoredQuery {
    /// A write had failed before that was asked.
    pub(super) is_again: bool,
    /// What was on its way is taken in.
    pub(super) is_last: bool,
    pub(super) reply: oneshot::Sender<Result<(), crate::error::StoreError>>,
}
