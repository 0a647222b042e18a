//! A run as text: written as a checkpoint of its state, restored from one and the records since.

use std::sync::Arc;

use crate::error::{StoreError, StoreErrorKind};
use crate::json::codec::{self, Read, Write};
use crate::message::Message;
use crate::run::journal::Record;
use crate::run::state::{CallRecord, Phase, State};
use crate::run::{OutOfProtocol, PhaseName, Run};

/// Written into every checkpoint; an older number is read, a newer one refused.
pub const VERSION: u32 = 2;

/// From so many bytes on, an answer that is being written is kept piece by piece.
pub(crate) const LONG_ANSWER: usize = 1 << 16;

/// From so many bytes on, what a tool did in steps and questions is kept step by step.
const LONG_LOG: usize = 1 << 14;

/// What the store does not have yet, to be written in one transaction.
#[derive(Debug, Clone)]
pub struct Unsaved<'a> {
    /// Messages to append, the first of them at this index.
    pub first_message: usize,
    pub messages: &'a [Arc<Message>],
    /// Inputs to append to the journal.
    pub records: &'a [Record],
    /// Replaces the stored checkpoint. The records up to `seq` are then needed for replaying the past only.
    pub checkpoint: Option<String>,
    /// The number of the last input that this write covers.
    pub seq: u64,
    /// What the run is doing, for a list of sessions.
    pub phase: PhaseName,
    /// A person is asked, whatever else goes on.
    pub asks: bool,
    /// How many messages wait for their turn.
    pub queued: usize,
}

#[derive(Read)]
struct Checkpoint {
    seq: u64,
    messages: usize,
    state: State,
}

#[derive(Read)]
struct Versioned {
    version: u32,
}

/// Why a stored run cannot be taken up again. Nothing of it was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RestoreError {
    #[error(
        "this run was stored by a newer version (format {found}, this one reads up to {VERSION}); update to open it"
    )]
    Newer { found: u32 },
    #[error("the stored run cannot be read: {0}")]
    Corrupt(String),
    #[error("the stored run needs {needed} messages, but only {found} are there")]
    MessagesMissing { needed: usize, found: usize },
    #[error("the journal does not match the run at record {seq}: {error}")]
    Journal { seq: u64, error: OutOfProtocol },
}

impl From<&RestoreError> for StoreError {
    fn from(error: &RestoreError) -> Self {
        let kind = match error {
            RestoreError::Newer { .. } => StoreErrorKind::Newer,
            RestoreError::Corrupt(_)
            | RestoreError::MessagesMissing { .. }
            | RestoreError::Journal { .. } => StoreErrorKind::Corrupt,
        };
        StoreError::new(kind, error.to_string())
    }
}

impl Run {
    /// The state as text, without the messages.
    pub fn checkpoint(&self) -> String {
        let mut out = String::new();
        let fields: [(&str, &dyn Write); 4] = [
            ("version", &VERSION),
            ("seq", &self.seq),
            ("messages", &self.messages.len()),
            ("state", &self.state),
        ];
        codec::object(&mut out, &fields);
        out
    }

    /// Takes up a stored run: its checkpoint, all messages that are stored, and the journal after the checkpoint
    /// (records before it are passed over). The result is equal to the run that was stored.
    pub fn restore(
        checkpoint: &str,
        messages: Vec<Arc<Message>>,
        records: Vec<Record>,
    ) -> Result<Run, RestoreError> {
        let corrupt = |error: Box<codec::Fault>| RestoreError::Corrupt(error.to_string());
        let Versioned { version } = codec::from_text(checkpoint).map_err(corrupt)?;
        if version > VERSION {
            return Err(RestoreError::Newer { found: version });
        }
        let stored: Checkpoint = codec::from_checked(checkpoint).map_err(corrupt)?;
        let found = messages.len();
        if found < stored.messages {
            return Err(RestoreError::MessagesMissing { needed: stored.messages, found });
        }
        // The records write the messages after the checkpoint again.
        let mut messages = messages;
        messages.truncate(stored.messages);
        let mut run = Run::of(stored.state, messages);
        run.is_older = version < VERSION;
        run.seq = stored.seq;
        for Record { seq, at, input } in records {
            if seq <= stored.seq {
                continue;
            }
            let next = run.seq + 1;
            if seq != next {
                return Err(RestoreError::Corrupt(format!("record {next} is missing from the journal")));
            }
            run.step(at, input).map_err(|error| RestoreError::Journal { seq, error })?;
        }
        if run.messages.len() < found {
            return Err(RestoreError::Corrupt(format!(
                "{found} messages are stored, but the journal accounts for only {}",
                run.messages.len()
            )));
        }
        let is_older = run.is_older;
        run.saved();
        (run.saved_messages, run.is_older) = (found, is_older);
        Ok(run)
    }

    pub fn unsaved(&self) -> Unsaved<'_> {
        Unsaved {
            first_message: self.saved_messages,
            messages: self.messages.get(self.saved_messages..).unwrap_or_default(),
            records: &self.unsaved_records,
            checkpoint: self.is_compact().then(|| self.checkpoint()),
            seq: self.seq,
            phase: self.phase(),
            asks: self.asks(),
            queued: self.state.queue.len(),
        }
    }

    /// The store has taken everything that `unsaved` gave. Nothing may have been stepped in between.
    pub fn saved(&mut self) {
        self.is_older = false;
        self.saved_messages = self.messages.len();
        self.unsaved_records.clear();
    }

    /// Results that wait for the rest of their batch, the text of a long answer so far, and what a tool with many steps did would
    /// be written again with every checkpoint; between those the journal alone grows.
    ///
    /// An older form is replaced at once: what read it could not read the new records behind it.
    fn is_compact(&self) -> bool {
        let has_result =
            |call: &CallRecord| call.is_done() || call.returned.is_some() || call.log.is_at_least(LONG_LOG);
        let grows = match &self.state.phase {
            Phase::Model { partial, .. } => partial.len() >= LONG_ANSWER,
            Phase::Tools(batch) => batch.calls.iter().any(has_result),
            _ => false,
        };
        self.is_older || !grows
    }
}
