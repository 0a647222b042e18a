//! Where answers under way are kept, so that a client that lost its connection reads on.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use glove_wasm::error::StoreError;
use glove_wasm::portable::BoxFuture;

pub type Kept<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Keeps lists of short texts for some minutes: in memory, or in any store that can append to a list. Those of
/// PostgreSQL and Redis come with their databases.
pub trait AnswerBuffer: Send + Sync {
    /// Puts events behind those of this answer, and begins it where there is none. Gives how many there were before, as one step. What is
    /// tried again after a lost connection must not be there twice.
    fn append(&self, id: &str, events: Vec<String>) -> Kept<u64>;

    /// The events from this number on; none where there is no such answer.
    fn read(&self, id: &str, from: u64) -> Kept<Vec<String>>;

    fn delete(&self, id: &str) -> Kept<()>;
}

/// For one process: what another one has begun is not found here.
#[derive(Debug)]
pub struct MemoryBuffer {
    kept_for: Duration,
    bytes: usize,
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    all: HashMap<String, Answer>,
    bytes: usize,
}

#[derive(Debug)]
struct Answer {
    events: Vec<String>,
    bytes: usize,
    at: Instant,
}

/// What an event takes beside its letters.
const EACH: usize = 32;

impl Default for MemoryBuffer {
    fn default() -> Self {
        MemoryBuffer::new(Duration::from_secs(300), 64_000_000)
    }
}

impl MemoryBuffer {
    /// An answer is forgotten this long after its last event. Of more than these bytes, the one that was written to longest ago is.
    pub fn new(kept_for: Duration, bytes: usize) -> Self {
        MemoryBuffer { kept_for, bytes, answers: Mutex::default() }
    }

    fn with<T>(&self, does: impl FnOnce(&mut Answers) -> T) -> T {
        does(&mut self.answers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, id: &str, events: Vec<String>) -> u64 {
        let now = Instant::now();
        self.with(|answers| {
            let added = events.iter().map(|event| event.len() + EACH).sum::<usize>();
            let answer = answers.all.entry(id.to_owned()).or_insert_with(|| Answer {
                events: Vec::new(),
                bytes: 0,
                at: now,
            });
            let before = answer.events.len();
            answer.events.extend(events);
            answer.at = now;
            answer.bytes += added;
            answers.bytes += added;
            // Only who begins pays for looking at the others.
            if before == 0 || answers.bytes > self.bytes {
                answers.make_room(id, now, self.kept_for, self.bytes);
            }
            before as u64
        })
    }
}

impl Answers {
    fn make_room(&mut self, but: &str, now: Instant, kept_for: Duration, bytes: usize) {
        let mut others: Vec<(Instant, String)> = self
            .all
            .iter()
            .filter(|(id, _)| *id != but)
            .map(|(id, answer)| (answer.at, id.clone()))
            .collect();
        others.sort();
        for (at, id) in others {
            if self.bytes <= bytes && now - at < kept_for {
                break;
            }
            self.forget(&id);
        }
    }

    fn forget(&mut self, id: &str) {
        self.bytes -= self.all.remove(id).map_or(0, |answer| answer.bytes);
    }
}

impl AnswerBuffer for MemoryBuffer {
    fn append(&self, id: &str, events: Vec<String>) -> Kept<u64> {
        Box::pin(ready(Ok(self.add(id, events))))
    }

    fn read(&self, id: &str, from: u64) -> Kept<Vec<String>> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let events = self.with(|answers| {
            let events = answers.all.get(id).and_then(|answer| answer.events.get(from..));
            events.map(<[String]>::to_vec).unwrap_or_default()
        });
        Box::pin(ready(Ok(events)))
    }

    fn delete(&self, id: &str) -> Kept<()> {
        self.with(|answers| answers.forget(id));
        Box::pin(ready(Ok(())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(buffer: &MemoryBuffer, id: &str, from: u64) -> String {
        futures_executor::block_on(buffer.read(id, from)).unwrap().concat()
    }

    #[test]
    fn events_are_read_from_a_number_on_until_they_are_deleted() {
        let buffer = MemoryBuffer::default();
        let texts = |text: &str| text.chars().map(String::from).collect();
        assert_eq!(
            (buffer.add("a", texts("xy")), buffer.add("a", texts("z")), buffer.add("b", texts("q"))),
            (0, 2, 0)
        );
        assert_eq!(
            (read(&buffer, "a", 1), read(&buffer, "a", 3), read(&buffer, "a", 9)),
            ("yz".to_owned(), String::new(), String::new())
        );
        futures_executor::block_on(buffer.delete("a")).unwrap();
        assert_eq!((read(&buffer, "a", 0), read(&buffer, "b", 0)), (String::new(), "q".to_owned()));
        assert_eq!(buffer.with(|answers| answers.bytes), 1 + EACH);
    }

    #[test]
    fn the_answer_that_was_written_to_longest_ago_gives_way() {
        let buffer = MemoryBuffer::new(Duration::from_secs(300), 3 * (10 + EACH));
        for id in ["a", "b", "c"] {
            buffer.add(id, vec!["0123456789".to_owned()]);
        }
        buffer.add("a", vec![]);
        buffer.add("c", vec!["0123456789".to_owned()]);
        assert_eq!([("a"), ("b"), ("c")].map(|id| read(&buffer, id, 0).len()), [10, 0, 20]);
        let short = MemoryBuffer::new(Duration::ZERO, 1 << 20);
        short.add("a", vec!["x".to_owned()]);
        short.add("b", vec!["y".to_owned()]);
        assert_eq!((read(&short, "a", 0), read(&short, "b", 0)), (String::new(), "y".to_owned()));
    }
}
