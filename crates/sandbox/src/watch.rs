//! The time of a call: it counts from the moment at which the code begins, and holds whatever the code does.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use futures_channel::mpsc::UnboundedSender;

use super::job::{READY, Said};

/// A machine at its limits takes seconds to start an engine. What takes longer does not come.
const MOST_TO_START: Duration = Duration::from_secs(30);

/// What is heard of a call.
pub(super) enum Heard {
    Said(Said),
    /// The engine is gone, and how.
    Gone(String),
    /// Nobody wants its result any more.
    Stop,
}

/// Passes on what the engine says, until its last word or the end of its time.
pub(super) fn watch(heard: &Receiver<Heard>, time: Duration, told: &UnboundedSender<Said>) {
    let mut until = Instant::now() + MOST_TO_START;
    let mut runs = false;
    let tell = |said: Said| drop(told.unbounded_send(said));
    loop {
        match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Heard::Said(said)) if said.name == READY && !runs => {
                (until, runs) = (Instant::now() + time, true);
            }
            Ok(Heard::Said(said)) => {
                let last = said.is_last();
                tell(said);
                if last {
                    return;
                }
            }
            Ok(Heard::Gone(how)) => return tell(Said::word(if runs { "gone" } else { "unavailable" }, how)),
            Ok(Heard::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) if runs => return tell(Said::word("time", "")),
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("its engine did not start within {} seconds", MOST_TO_START.as_secs());
                return tell(Said::word("unavailable", why));
            }
        }
    }
}
