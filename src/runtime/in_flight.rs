//! Work that was begun and has not ended.

use std::sync::Arc;

use futures_util::future;

use crate::error::StoreError;
use crate::message::InboxItem;
use crate::ports::AbortHandle;
use crate::run::input::Input;
use crate::runtime::partial_answer::PartialAnswer;

/// What is in flight. The same thing is never begun twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Model(u64),
    /// A check before a call, or the call itself.
    Call(String),
    Undo(String),
    Question(String),
    Timer(u64),
    Inbox,
    /// Something to be remembered; the run does not wait for it.
    Note(u64),
}

pub(crate) enum Done {
    Input(Box<Input>),
    /// The inbox, for the first of the requests that arrive.
    Inbox(Result<Vec<InboxItem>, StoreError>),
    Noted(Result<(), StoreError>),
    Nothing,
}

pub(crate) struct InFlight {
    pub(super) future: future::AbortHandle,
    pub(super) signal: AbortHandle,
    pub(super) partial: Option<Arc<PartialAnswer>>,
}

impl InFlight {
    pub(crate) fn cancel(self) {
        if let Some(partial) = &self.partial {
            partial.end();
        }
        self.signal.abort();
        self.future.abort();
    }
}

impl From<Input> for Done {
    fn from(input: Input) -> Self {
        Done::Input(Box::new(input))
    }
}
