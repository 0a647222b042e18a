//! What each wire format says of how its answers are read.

use std::fmt::Debug;

use crate::answer::TurnBuilder;
use crate::json::reader::{Broken, Reader};
use crate::portable::MaybeSend;

/// How the answers of one format are read.
pub(super) trait Mapping: Debug + MaybeSend {
    fn event(&mut self, data: &str, turn: &mut TurnBuilder) -> Result<(), Broken>;

    /// An answer that was asked for without streaming.
    fn response(&mut self, body: &str, turn: &mut TurnBuilder) -> Result<(), Broken>;

    /// Nothing follows the end statement: later events are not read. The others send counts after it.
    fn ends_at_once(&self) -> bool;

    /// Whether events with this name, which not every format gives, are its own.
    fn owns(&self, _name: &str) -> bool {
        false
    }
}

pub(super) fn set(place: &mut u64, reader: &mut Reader<'_>) -> Result<(), Broken> {
    if let Some(count) = reader.count()? {
        *place = count;
    }
    Ok(())
}
