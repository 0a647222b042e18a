//! The journal of a run: the inputs since its checkpoint.

use crate::json::codec::{Read, Write, through_codec};
use crate::run::input::Input;

/// One input that the run accepted. Feeding the records after a checkpoint to it gives the same run again.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct Record {
    /// Numbers the inputs of a session from 1, without a gap.
    pub seq: u64,
    pub at: u64,
    pub input: Input,
}

through_codec! { Record }
