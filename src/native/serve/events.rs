//! What happens in a session, numbered and kept for a while, so that a follower who was away goes on where it was.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::event::Event;
use crate::json::codec::to_text;

/// So much is kept for followers who come back.
const KEPT_EVENTS: usize = 4096;
const KEPT_BYTES: usize = 4 << 20;

pub(super) struct EventLog {
    /// Tells the numbers of this process from those of another.
    epoch: String,
    kept: Mutex<Kept>,
    last: watch::Sender<u64>,
}

struct Kept {
    /// The number of the first of the events.
    first: u64,
    events: VecDeque<String>,
    bytes: usize,
    /// The text of the answer that is being written.
    partial: String,
}

/// What a follower has not seen.
pub(super) enum Missed {
    /// These, and the number of the last of them.
    Events(Vec<(u64, String)>),
    /// More than is kept: it has to begin with the session as it is.
    TooMuch,
}

impl EventLog {
    pub(super) fn new(epoch: String) -> Self {
        let kept = Kept { first: 1, events: VecDeque::new(), bytes: 0, partial: String::new() };
        EventLog { epoch, kept: Mutex::new(kept), last: watch::Sender::new(0) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, event: &Event) {
        let text = to_text(event);
        let mut kept = self.kept();
        match event {
            Event::TextDelta { text } => kept.partial.push_str(text),
            Event::ModelResponse(_) | Event::ModelResponseComplete(_) | Event::RequestFinished { .. } => {
                kept.partial.clear();
            }
            _ => {}
        }
        self.push(kept, text);
    }

    /// Something that is no event of the run, as JSON.
    pub(super) fn add(&self, text: String) {
        self.push(self.kept(), text);
    }

    fn push(&self, mut kept: MutexGuard<'_, Kept>, text: String) {
        kept.bytes += text.len();
        kept.events.push_back(text);
        while kept.events.len() > KEPT_EVENTS || kept.bytes > KEPT_BYTES {
            let Some(old) = kept.events.pop_front() else { break };
            kept.bytes -= old.len();
            kept.first += 1;
        }
        let last = kept.last();
        drop(kept);
        self.last.send_replace(last);
    }

    /// Woken with each event, and when the log is closed.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    pub(super) fn followers(&self) -> usize {
        self.last.receiver_count()
    }

    /// The number that stands in an event's id, unless that is of another process.
    pub(super) fn number(&self, id: &str) -> Option<u64> {
        let (epoch, number) = id.rsplit_once('-')?;
        (epoch == self.epoch).then(|| number.parse().ok()).flatten()
    }

    pub(super) fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.epoch)
    }

    pub(super) fn since(&self, number: u64) -> Missed {
        let kept = self.kept();
        if number > kept.last() || number + 1 < kept.first {
            return Missed::TooMuch;
        }
        let skip = usize::try_from(number + 1 - kept.first).unwrap_or(usize::MAX);
        let events = (number + 1..).zip(kept.events.iter().skip(skip).cloned());
        Missed::Events(events.collect())
    }

    /// The number of the last event.
    pub(super) fn last(&self) -> u64 {
        self.kept().last()
    }

    /// The number of the last event and the answer that is being written, with what `look` sees at that moment.
    pub(super) fn now<T>(&self, look: impl FnOnce() -> T) -> (u64, String, T) {
        let kept = self.kept();
        (kept.last(), kept.partial.clone(), look())
    }
}

impl Kept {
    fn last(&self) -> u64 {
        self.first + self.events.len() as u64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(missed: Missed) -> Option<Vec<String>> {
        match missed {
            Missed::Events(events) => {
                Some(events.into_iter().map(|(number, text)| format!("{number}{text}")).collect())
            }
            Missed::TooMuch => None,
        }
    }

    #[test]
    fn who_comes_back_gets_what_was_missed_or_begins_anew() {
        let log = EventLog::new("e".to_owned());
        assert_eq!(texts(log.since(0)), Some(vec![]));
        for text in ["a", "b", "c"] {
            log.add(text.to_owned());
        }
        assert_eq!(log.id(3), "e-3");
        assert_eq!((log.number("e-2"), log.number("other-2"), log.number("2")), (Some(2), None, None));
        assert_eq!(texts(log.since(1)), Some(vec!["2b".to_owned(), "3c".to_owned()]));
        assert_eq!(texts(log.since(4)), None, "it is of the future");
        for _ in 0..KEPT_EVENTS {
            log.add("d".to_owned());
        }
        assert_eq!(texts(log.since(2)), None);
        assert_eq!(texts(log.since(3)).map(|events| events.len()), Some(KEPT_EVENTS));
        log.add("x".repeat(KEPT_BYTES));
        assert_eq!(texts(log.since(3 + KEPT_EVENTS as u64)).map(|events| events.len()), Some(1));
    }
}
