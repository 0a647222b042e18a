//! The time of a call: it counts from the moment at which the code begins, and holds whatever the code does.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use futures_channel::mpsc::UnboundedSender;

use super::job::{Message, READY};

/// A machine at its limits takes seconds to start an engine. What takes longer does not come.
const MAX_TO_START: Duration = Duration::from_secs(30);

/// What is heard of a call.
pub(super) enum WatchEvent {
    Message(Message),
    /// The engine is gone, and how.
    Gone(String),
    /// Nobody wants its result any more.
    Stop,
}

/// Passes on what the engine says, until its last word or the end of its time.
pub(super) fn watch(events: &Receiver<WatchEvent>, time: Duration, messages: &UnboundedSender<Message>) {
    let mut until = Instant::now() + MAX_TO_START;
    let mut runs = false;
    let tell = |message: Message| drop(messages.unbounded_send(message));
    loop {
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(WatchEvent::Message(message)) if message.name == READY && !runs => {
                (until, runs) = (Instant::now() + time, true);
            }
            Ok(WatchEvent::Message(message)) => {
                let last = message.is_last();
                tell(message);
                if last {
                    return;
                }
            }
            Ok(WatchEvent::Gone(how)) => {
                return tell(Message::word(if runs { "gone" } else { "unavailable" }, how));
            }
            Ok(WatchEvent::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) if runs => return tell(Message::word("time", "")),
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("its engine did not start within {} seconds", MAX_TO_START.as_secs());
                return tell(Message::word("unavailable", why));
            }
        }
    }
}
