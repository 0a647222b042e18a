//! What happens in a session, numbered and kept for a while, so that a follower who was away goes on where it was. What followers read is
//! written once for all of them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hyper::body::Bytes;
use tokio::sync::watch;

use super::chat::event;
use glove_wasm::event::Event;
use glove_wasm::json;
use glove_wasm::json::codec::to_text;

/// So much is kept for followers who come back.
const KEPT_EVENTS: usize = 4096;
const KEPT_BYTES: usize = 4 << 20;
/// So much is given to a follower at once: what is smaller is put together for it, and what is larger is the same for all.
const AT_ONCE: usize = 16 << 10;

pub(super) struct EventLog {
    /// Tells the numbers of this process from those of another.
    epoch: String,
    retained: Mutex<Retained>,
    last: watch::Sender<u64>,
    whole: Mutex<Whole>,
}

struct Retained {
    /// The number of the first of the events.
    first: u64,
    /// As followers read them.
    events: VecDeque<Bytes>,
    bytes: usize,
    /// Of all that there ever were.
    bytes_ever: usize,
    /// The text of the answer that is being written.
    partial: String,
}

/// The session as a follower begins with it, as long as somebody still reads it.
#[derive(Default)]
struct Whole {
    text: Weak<String>,
    /// The last event before it.
    number: u64,
    /// `bytes_ever` at that event.
    at: usize,
}

/// What a follower has not seen.
pub(super) enum Missed {
    /// The next of it, and the number of its last event; `None` where it has seen all.
    Events(Option<(Bytes, u64)>),
    /// More than is kept: it has to begin with the session as it is.
    TooMuch,
}

impl EventLog {
    pub(super) fn new(epoch: String) -> Self {
        let (events, partial) = (VecDeque::new(), String::new());
        let retained = Retained { first: 1, events, bytes: 0, bytes_ever: 0, partial };
        EventLog {
            epoch,
            retained: Mutex::new(retained),
            last: watch::Sender::new(0),
            whole: Mutex::default(),
        }
    }

    fn retained(&self) -> MutexGuard<'_, Retained> {
        self.retained.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, event: &Event) {
        let text = to_text(event);
        let mut retained = self.retained();
        match event {
            Event::TextDelta { text } => retained.partial.push_str(text),
            Event::ModelResponse(_) | Event::ModelResponseComplete(_) | Event::RequestFinished { .. } => {
                retained.partial.clear();
            }
            _ => {}
        }
        self.push(retained, text);
    }

    /// Something that is no event of the run, as JSON.
    pub(super) fn add(&self, text: String) {
        self.push(self.retained(), text);
    }

    fn push(&self, mut retained: MutexGuard<'_, Retained>, text: String) {
        let number = retained.last() + 1;
        let text = event(Some(&self.id(number)), &json::written(text));
        retained.bytes += text.len();
        retained.bytes_ever = retained.bytes_ever.wrapping_add(text.len());
        retained.events.push_back(Bytes::from(text));
        while retained.events.len() > KEPT_EVENTS || retained.bytes > KEPT_BYTES {
            let Some(old) = retained.events.pop_front() else { break };
            retained.bytes -= old.len();
            retained.first += 1;
        }
        drop(retained);
        self.last.send_replace(number);
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

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.epoch)
    }

    pub(super) fn since(&self, number: u64) -> Missed {
        let retained = self.retained();
        let Some(events) = retained.since(number) else { return Missed::TooMuch };
        let (mut all, mut last): (Vec<&Bytes>, _) = (Vec::new(), number);
        let mut length = 0;
        for event in events {
            length += event.len();
            if length > AT_ONCE && !all.is_empty() {
                break;
            }
            all.push(event);
            last += 1;
        }
        let bytes = match all.as_slice() {
            [] => return Missed::Events(None),
            [event] => Bytes::clone(event),
            events => {
                let mut joined = Vec::with_capacity(events.iter().map(|event| event.len()).sum());
                events.iter().for_each(|event| joined.extend_from_slice(event));
                Bytes::from(joined)
            }
        };
        Missed::Events(Some((bytes, last)))
    }

    /// The first event for a follower, and the number of the last event before it; `make` creates it from that number. While a follower still
    /// reads a long one, others get the same text and the events since, so many slow readers share one copy.
    pub(super) fn whole(&self, make: impl FnOnce() -> (u64, String)) -> (Bytes, u64) {
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = whole.text.upgrade() {
            let retained = self.retained();
            let behind = retained.bytes_ever.wrapping_sub(whole.at);
            if retained.since(whole.number).is_some() && behind <= text.len() / 8 {
                return (Bytes::from_owner(Shared(text)), whole.number);
            }
        }
        // What is told meanwhile is told again after it.
        let at = self.retained().bytes_ever;
        let (number, text) = make();
        let text = Arc::new(event(Some(&self.id(number)), &json::written(text)));
        *whole = Whole { text: Arc::downgrade(&text), number, at };
        (Bytes::from_owner(Shared(text)), number)
    }

    /// The number of the last event.
    pub(super) fn last(&self) -> u64 {
        self.retained().last()
    }

    /// The number of the last event and the answer that is being written, with what `look` sees at that moment.
    pub(super) fn now<T>(&self, look: impl FnOnce() -> T) -> (u64, String, T) {
        let retained = self.retained();
        (retained.last(), retained.partial.clone(), look())
    }
}

impl Retained {
    fn last(&self) -> u64 {
        self.first + self.events.len() as u64 - 1
    }

    /// Those after this number; `None` where some of them are not kept, or it is of the future.
    fn since(&self, number: u64) -> Option<impl Iterator<Item = &Bytes>> {
        if number > self.last() || number + 1 < self.first {
            return None;
        }
        let skip = usize::try_from(number + 1 - self.first).unwrap_or(usize::MAX);
        Some(self.events.iter().skip(skip))
    }
}

struct Shared(Arc<String>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(log: &EventLog, mut seen: u64) -> Option<(Vec<String>, usize)> {
        let (mut texts, mut pieces) = (Vec::new(), 0);
        loop {
            match log.since(seen) {
                Missed::Events(Some((bytes, last))) => {
                    let text = String::from_utf8(bytes.to_vec()).unwrap();
                    texts.extend(text.split_terminator("\n\n").map(str::to_owned));
                    (seen, pieces) = (last, pieces + 1);
                }
                Missed::Events(None) => return Some((texts, pieces)),
                Missed::TooMuch => return None,
            }
        }
    }

    #[test]
    fn who_comes_back_gets_what_was_missed_or_begins_anew() {
        let log = EventLog::new("e".to_owned());
        assert_eq!(all(&log, 0), Some((vec![], 0)));
        for text in ["1", "2", "3"] {
            log.add(text.to_owned());
        }
        assert_eq!((log.number("e-2"), log.number("other-2"), log.number("2")), (Some(2), None, None));
        let told = vec!["id: e-2\ndata: 2".to_owned(), "id: e-3\ndata: 3".to_owned()];
        assert_eq!(all(&log, 1), Some((told, 1)));
        assert_eq!(all(&log, 4), None, "it is of the future");
        for _ in 0..KEPT_EVENTS {
            log.add("4".to_owned());
        }
        assert_eq!(all(&log, 2), None);
        assert_eq!(all(&log, 3).map(|(events, _)| events.len()), Some(KEPT_EVENTS));
        log.add(format!("\"{}\"", "x".repeat(KEPT_BYTES - 100)));
        assert_eq!(all(&log, 3 + KEPT_EVENTS as u64).map(|(events, _)| events.len()), Some(1));
    }

    #[test]
    fn much_is_given_in_pieces_and_what_is_large_is_the_same_for_all() {
        let log = EventLog::new("e".to_owned());
        let large = format!("\"{}\"", "x".repeat(AT_ONCE));
        for text in ["1", "2", &large, "3"] {
            log.add(text.to_owned());
        }
        let (events, pieces) = all(&log, 0).unwrap();
        assert_eq!((events.len(), pieces), (4, 3));
        let read = || match log.since(2) {
            Missed::Events(Some((bytes, 3))) => bytes.as_ptr(),
            _ => panic!("it is not alone"),
        };
        assert_eq!(read(), read());
    }

    #[test]
    fn those_who_join_while_others_read_begin_with_the_same() {
        let log = EventLog::new("e".to_owned());
        let make = || {
            let text = format!("\"{}\"", "x".repeat(1_000));
            log.whole(|| (log.last(), text))
        };
        let (first, number) = make();
        assert_eq!(number, 0);
        log.add("1".to_owned());
        let (second, number) = make();
        assert_eq!((second.as_ptr(), number), (first.as_ptr(), 0), "what came since is told after it");
        log.add(format!("\"{}\"", "x".repeat(200)));
        let (third, number) = make();
        assert_eq!(number, 2, "too much came since");
        assert_ne!(third.as_ptr(), first.as_ptr());
        drop((first, second, third));
        log.add("3".to_owned());
        assert_eq!(make().1, 3, "nobody reads it any more");
    }
}
