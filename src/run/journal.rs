//! The journal of a run: the inputs since its checkpoint.

use crate::json::codec::{Read, Write, through_codec};
#[cfg(feature = "native")]
use crate::message::Message;
use crate::run::input::Input;

/// One input that the run accepted. Feeding the records after a checkpoint to it gives the same run again.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct Record {
    /// Numbers the inputs of a session from 1, without a gap.
    pub seq: u64,
    pub at: u64,
    pub input: Input,
}

/// What a run has taken since it is recorded, and where it was before.
#[cfg(feature = "native")]
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub checkpoint: String,
    pub messages: Vec<Message>,
    pub records: Vec<Record>,
}

through_codec! { Record }
