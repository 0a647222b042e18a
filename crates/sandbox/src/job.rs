//! What the engine of a call is given, and what the two say to each other, on whichever side of a process it runs.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// More of it nobody reads.
pub(super) const MAX_LOG_BYTES: usize = 20_000;

/// What the engine says or is told. An id of 0 asks nothing.
pub(super) struct Message {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) text: String,
}

impl Message {
    pub(super) fn word(name: &str, text: impl Into<String>) -> Self {
        Message { id: 0, name: name.to_owned(), text: text.into() }
    }

    /// Nothing of the call follows.
    pub(super) fn is_last(&self) -> bool {
        self.id == 0 && !matches!(self.name.as_str(), "log" | READY)
    }
}

/// The engine stands, and the code begins: the time of the call counts from here.
pub(super) const READY: &str = "ready";

#[derive(Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) code: String,
    pub(super) input: String,
    /// What the prelude has functions for.
    pub(super) grants: Vec<String>,
    pub(super) memory: usize,
    pub(super) output: usize,
    pub(super) time: Duration,
}
