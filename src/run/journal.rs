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

/// What a run has taken since it is recorded, and where it was before. It is kept as text, since nothing but a file comes of it.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    /// The run then: an object of its checkpoint and its messages.
    pub start: String,
    /// A list of records without its last bracket.
    records: String,
}

impl Recording {
    pub(in crate::run) fn from(start: String) -> Self {
        Recording { start, records: String::new() }
    }

    pub(in crate::run) fn take(&mut self, record: &Record) {
        self.records.push(if self.records.is_empty() { '[' } else { ',' });
        record.write(&mut self.records);
    }

    pub(in crate::run) fn records(&self) -> String {
        let mut records = self.records.clone();
        records.push_str(if records.is_empty() { "[]" } else { "]" });
        records
    }
}

through_codec! { Record }
