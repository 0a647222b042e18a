//! How much goes without a question: a person switches it, and whoever runs the tools asks it at each call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Edits and commands are asked about.
    Normal,
    /// Edits of files go without a question, commands are asked about.
    AcceptEdits,
    /// Nothing is changed and nothing runs.
    Plan,
}

impl Mode {
    const ALL: [Mode; 3] = [Mode::Normal, Mode::AcceptEdits, Mode::Plan];

    /// In the line of the status; the usual one needs no name.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Mode::Normal => None,
            Mode::AcceptEdits => Some("accepts edits"),
            Mode::Plan => Some("plan mode"),
        }
    }

    /// What it means, for the person who switches to it.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Mode::Normal => "edits and commands are asked about",
            Mode::AcceptEdits => "edits go without a question, commands are asked about",
            Mode::Plan => "the model reads and plans, and changes nothing",
        }
    }
}

/// The mode of the program. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Modes(Arc<AtomicU8>);

impl Modes {
    pub(crate) fn now(&self) -> Mode {
        let at = usize::from(self.0.load(Ordering::SeqCst));
        // Nothing else is ever stored; if it were, nothing would run.
        Mode::ALL.get(at).copied().unwrap_or(Mode::Plan)
    }

    /// To the next one.
    pub(crate) fn switch(&self) {
        self.set(match self.now() {
            Mode::Normal => Mode::AcceptEdits,
            Mode::AcceptEdits => Mode::Plan,
            Mode::Plan => Mode::Normal,
        });
    }

    /// To this one, and back from it.
    pub(crate) fn toggle(&self, mode: Mode) {
        self.set(if self.now() == mode { Mode::Normal } else { mode });
    }

    fn set(&self, mode: Mode) {
        self.0.store(mode as u8, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_switched_in_a_circle_and_toggled_back_to_normal() {
        let modes = Modes::default();
        assert_eq!(modes.now(), Mode::Normal);
        for expected in [Mode::AcceptEdits, Mode::Plan, Mode::Normal] {
            modes.switch();
            assert_eq!(modes.clone().now(), expected);
        }
        modes.toggle(Mode::Plan);
        modes.toggle(Mode::AcceptEdits);
        assert_eq!(modes.now(), Mode::AcceptEdits);
        modes.toggle(Mode::AcceptEdits);
        assert_eq!(modes.now(), Mode::Normal);
    }
}
