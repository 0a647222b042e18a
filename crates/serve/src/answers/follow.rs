//! Reads an answer from the buffer, as far as it is there and as it comes.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::select;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{Instant, sleep, timeout};

use super::super::reply::{AHEAD, HEARTBEAT, Reply, stream};
use super::resume::{Answers, END, Writing};

/// So often is looked for more of an answer that another process writes.
const POLL: Duration = Duration::from_millis(250);
/// And of one's own, should it not be told.
const OWN_POLL: Duration = Duration::from_secs(5);
/// So long an answer of another process may bring nothing before it is taken for broken off.
const STALE: Duration = Duration::from_secs(60);

/// Counted as long as it reads.
struct Reader {
    answers: Arc<Answers>,
    writing: Option<Arc<Writing>>,
}

impl Answers {
    pub(super) fn follow(self: &Arc<Self>, id: String, run: String, from: u64) -> Reply {
        let (pieces, received) = channel(AHEAD);
        let writing = self.writing(&id);
        if let Some(writing) = &writing {
            writing.readers.fetch_add(1, Ordering::AcqRel);
        }
        let reader = Reader { answers: Arc::clone(self), writing };
        tokio::spawn(async move {
            let reading = pin!(reader.read(&id, &run, from, &pieces));
            let _ = select(reading, pin!(pieces.closed())).await;
        });
        stream(None, received)
    }
}

impl Reader {
    async fn read(&self, id: &str, run: &str, mut next: u64, pieces: &Sender<String>) {
        let Reader { answers, writing } = self;
        let mut written = writing.as_ref().map(|writing| writing.written.subscribe());
        let (mut last_read_at, mut last_sent_at) = (Instant::now(), Instant::now());
        loop {
            let has_ended = writing.as_ref().is_some_and(|writing| writing.ended.load(Ordering::Acquire));
            if let Some(written) = &mut written {
                written.borrow_and_update();
            }
            // With the one before: there is always one while the answer is kept.
            let Ok(kept) = answers.buffer.read(id, next.saturating_sub(1)).await else { return };
            let Some((_, events)) = kept.split_first() else { return };
            let (mut text, mut is_over) = (String::new(), false);
            for stored in events {
                let number = next;
                next += 1;
                let Some(event) = stored.strip_prefix(run).and_then(|event| event.strip_prefix(' ')) else {
                    continue;
                };
                text.push_str(&format!("id: {number}\n{event}\n\n"));
                if event == END {
                    is_over = true;
                    break;
                }
            }
            if !events.is_empty() {
                last_read_at = Instant::now();
            }
            if text.is_empty() && last_sent_at.elapsed() >= HEARTBEAT {
                ": waiting\n\n".clone_into(&mut text);
            }
            if !text.is_empty() {
                last_sent_at = Instant::now();
                if pieces.send(text).await.is_err() {
                    return;
                }
            }
            // It was stopped, and something else stands in its place.
            if is_over || (has_ended && events.is_empty()) {
                return;
            }
            if !events.is_empty() {
                continue;
            }
            match &mut written {
                Some(written) => drop(timeout(OWN_POLL, written.changed()).await),
                None if last_read_at.elapsed() > STALE => return,
                None => sleep(POLL).await,
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(writing) = &self.writing else { return };
        if writing.readers.fetch_sub(1, Ordering::AcqRel) > 1 || writing.ended.load(Ordering::Acquire) {
            return;
        }
        if let Some(oldest) = self.answers.disconnected(writing) {
            let answers = Arc::clone(&self.answers);
            tokio::spawn(async move { drop(answers.forget(&oldest).await) });
        }
    }
}
