//! Events that differ from the one before in nothing but a piece of text. Most of a stream is made of these, and to read one field by
//! field costs several times as much.

use crate::json::scan::{find2, same};
use crate::providers::mapping::{Piece, PieceOf};

/// What stood around the piece of the last event.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    of: Option<PieceOf>,
    before: String,
    after: String,
}

impl Repeated {
    /// The piece of an event that is otherwise the same. One with escapes is read as any other event.
    pub(super) fn piece<'a>(&self, data: &'a str) -> Option<(PieceOf, &'a str)> {
        let of = self.of?;
        let (before, rest) = data.split_at_checked(self.before.len())?;
        // What an escape begins is no end of it.
        let (text, after) = rest.split_at_checked(find2(b'"', b'\\', rest.as_bytes()))?;
        (same(before.as_bytes(), self.before.as_bytes()) && self.ends(after)).then_some((of, text))
    }

    /// Anthropic puts any number of spaces before the last brace. They say nothing where no further text is.
    fn ends(&self, after: &str) -> bool {
        same(after.as_bytes(), self.after.as_bytes())
            || self.after.bytes().filter(|byte| *byte == b'"').count() == 1
                && solid(after).eq(solid(&self.after))
    }

    /// An event was read, and held this.
    pub(super) fn keep(&mut self, data: &str, piece: Option<Piece<'_>>) {
        self.of = None;
        let Some(Piece { of, text }) = piece else { return };
        let body = text.body();
        let at = (body.as_ptr() as usize).wrapping_sub(data.as_ptr() as usize);
        if let (Some(before), Some(after)) = (data.get(..at), data.get(at + body.len()..)) {
            before.clone_into(&mut self.before);
            after.clone_into(&mut self.after);
            self.of = Some(of);
        }
    }
}

fn solid(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| *byte != b' ')
}
