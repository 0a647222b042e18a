//! Values written one behind the other as a JSON array: a long one is not copied to stand beside others.

use crate::json::codec::Write;

/// The array without its end; empty as long as it has nothing.
#[derive(Debug, Default)]
pub(super) struct Listed(String);

impl Listed {
    pub(super) fn push(&mut self, value: &dyn Write) {
        value.write(self.next());
    }

    /// One that is JSON already.
    pub(super) fn push_text(&mut self, value: &str) {
        self.next().push_str(value);
    }

    fn next(&mut self) -> &mut String {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        &mut self.0
    }

    /// Nothing if nothing was pushed.
    pub(super) fn end(mut self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.push(']');
        Some(self.0)
    }
}
