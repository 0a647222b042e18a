//! What each wire format says of how its answers are read.

use std::fmt::Debug;

use crate::answer::TurnBuilder;
use crate::json::reader::{Broken, Reader, Written};
use crate::portable::MaybeSend;

/// A piece of text, and to what it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) of: PieceOf,
    pub(super) text: Written<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceOf {
    Text,
    /// The arguments of a call.
    Call(usize),
}

impl PieceOf {
    pub(super) fn added<'a>(self, text: Written<'a>, turn: &mut TurnBuilder) -> Piece<'a> {
        self.add(&text.text(), turn);
        Piece { of: self, text }
    }

    pub(super) fn add(self, text: &str, turn: &mut TurnBuilder) {
        match self {
            PieceOf::Text => turn.text(text),
            PieceOf::Call(call) => turn.call_args(call, text),
        }
    }
}

/// The piece that an event brought, if it did nothing but add that.
pub(super) type Brought<'a> = Result<Option<Piece<'a>>, Broken>;

/// How the answers of one format are read.
pub(super) trait Mapping: Debug + MaybeSend {
    fn event<'a>(&mut self, data: &'a str, turn: &mut TurnBuilder) -> Brought<'a>;

    /// An answer that was asked for without streaming.
    fn response(&mut self, body: &str, turn: &mut TurnBuilder) -> Result<(), Broken>;

    /// Nothing follows the end statement: later events are not read. The others send counts after it.
    fn ends_at_once(&self) -> bool;

    /// The stream said that nothing follows, and the answer counts.
    fn closed(&mut self, _turn: &mut TurnBuilder) {}

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
