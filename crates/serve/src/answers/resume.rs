//! Decides for a request whether it starts an answer, continues reading one, stops one, or is refused.
//!
//! The first event in the buffer names the request and its run, as `? of run`; every later caller of the same answer adds such an event.
//! Each event starts with its run; events of another run, whose answer was deleted meanwhile, are skipped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;

use super::super::failures::refusal;
use super::super::reply::Reply;
use super::AnswerKey;
use glove_wasm::endpoint::Refusal;
use glove_wasm::error::{Error, StoreError};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortHandle, IdSource};
use glove_wasm::system::RandomIds;
use glove_wasm_native::AnswerBuffer;

/// What an answer ends with; with it no event can be mistaken.
pub(super) const END: &str = ": over";
/// So often what is to be stopped may begin anew meanwhile.
const STOP_TRIES: usize = 8;

/// An answer that has begun. Who drops it does not want it any more.
pub(crate) struct StartedAnswer {
    pub first: String,
    pub rest: Receiver<String>,
}

/// Answers of one kind are counted together. If too many have no reader, the one without a reader for the longest time is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    Model,
    Tool,
}

impl AnswerKind {
    pub(super) fn max_unread(self) -> usize {
        match self {
            AnswerKind::Model => 100,
            AnswerKind::Tool => 1_000,
        }
    }
}

/// An answer that this process writes.
pub(super) struct Writing {
    pub stop: AbortHandle,
    /// Told of all that is written, and of the end.
    pub written: watch::Sender<()>,
    pub kind: AnswerKind,
    pub readers: AtomicUsize,
    pub ended: AtomicBool,
    disconnected: Mutex<Option<Instant>>,
}

pub(crate) struct Answers {
    pub(super) buffer: Arc<dyn AnswerBuffer>,
    own: Mutex<HashMap<String, Arc<Writing>>>,
}

impl Answers {
    pub(crate) fn new(buffer: Arc<dyn AnswerBuffer>) -> Self {
        Answers { buffer, own: Mutex::default() }
    }

    fn own(&self) -> MutexGuard<'_, HashMap<String, Arc<Writing>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn writing(&self, id: &str) -> Option<Arc<Writing>> {
        self.own().get(id).cloned()
    }

    /// The client has no use for it any more.
    pub(crate) async fn forget(&self, id: &str) -> Result<(), Refusal> {
        if let Some(writing) = self.writing(id) {
            writing.stop.abort();
        }
        self.buffer.delete(id).await.map_err(unkept)
    }

    /// Stops what is under way, and keeps in its place what is told instead, so that it does not begin any more: a request on its way may
    /// come after its stop. What has come to its end is kept.
    pub(crate) async fn stop(&self, key: &AnswerKey, instead: &str) -> Result<(), Refusal> {
        let known = self.buffer.read(&key.id, 0).await.map_err(unkept)?;
        if known.iter().skip(1).any(|event| event.ends_with(END)) {
            return Ok(());
        }
        let run = RandomIds.fresh();
        let told = [first(key, &run), of_run(&run, instead), of_run(&run, END)];
        for _ in 0..STOP_TRIES {
            self.forget(&key.id).await?;
            // Otherwise it has begun in between.
            if self.buffer.append(&key.id, told.to_vec()).await.map_err(unkept)? == 0 {
                return Ok(());
            }
        }
        self.forget(&key.id).await
    }

    /// Streams the answer after the client's last event. Calls `begin` if the answer was not started. `again` means that the client knows it
    /// was started. Continues when the client disconnects.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        key: AnswerKey,
        last: Option<u64>,
        again: bool,
        kind: AnswerKind,
        begin: impl FnOnce() -> BoxFuture<'static, Result<StartedAnswer, Refusal>> + Send + 'static,
    ) -> Result<Reply, Refusal> {
        let answers = Arc::clone(self);
        let answered = tokio::spawn(async move {
            let run = answers.run_of(&key, last.is_some() || again, kind, begin).await?;
            Ok(answers.follow(key.id, run, last.map_or(1, |last| last + 1)))
        });
        answered.await.unwrap_or_else(|_| Err(Refusal::new(500, "INTERNAL", "The chat handler failed.")))
    }

    async fn run_of(
        self: &Arc<Self>,
        key: &AnswerKey,
        is_known: bool,
        kind: AnswerKind,
        begin: impl FnOnce() -> BoxFuture<'static, Result<StartedAnswer, Refusal>>,
    ) -> Result<String, Refusal> {
        let (id, run) = (key.id.as_str(), RandomIds.fresh());
        if self.buffer.append(id, vec![first(key, &run)]).await.map_err(unkept)? > 0 {
            let known = self.buffer.read(id, 0).await.map_err(unkept)?;
            let mut parts = known.first().map(|first| first.split(' ').skip(1)).into_iter().flatten();
            return match (parts.next(), parts.next()) {
                (Some(of), Some(run)) if of == key.of => Ok(run.to_owned()),
                _ => {
                    let message = "Another request uses this answer id; choose another id.";
                    Err(Refusal::new(409, "ANSWER_TAKEN", message))
                }
            };
        }
        // The client has a part of an answer that is no longer stored.
        if is_known {
            self.buffer.delete(id).await.map_err(unkept)?;
            return Err(Refusal::new(410, "ANSWER_GONE", "This answer is not kept any more; ask again."));
        }
        let writing = Arc::new(Writing {
            stop: AbortHandle::new(),
            written: watch::Sender::new(()),
            kind,
            readers: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            disconnected: Mutex::default(),
        });
        if let Some(before) = self.own().insert(id.to_owned(), Arc::clone(&writing)) {
            before.stop.abort();
        }
        match begin().await {
            Ok(begun) => {
                let (answers, id, written) = (Arc::clone(self), id.to_owned(), run.clone());
                tokio::spawn(async move {
                    if answers.keep(&id, &written, begun, &writing).await.is_err() {
                        // Stop the call: its result cannot be read any more.
                        let _ = answers.buffer.delete(&id).await;
                    }
                    answers.end(&id, &writing);
                });
                Ok(run)
            }
            Err(refused) => {
                let deleted = self.buffer.delete(id).await;
                self.end(id, &writing);
                deleted.map_err(unkept)?;
                Err(refused)
            }
        }
    }

    fn end(&self, id: &str, writing: &Arc<Writing>) {
        writing.ended.store(true, Ordering::Release);
        {
            let mut own = self.own();
            if own.get(id).is_some_and(|known| Arc::ptr_eq(known, writing)) {
                own.remove(id);
            }
        }
        writing.written.send_replace(());
    }

    /// Those who only begin answers must not fill the server with them.
    pub(super) fn disconnected(&self, writing: &Writing) -> Option<String> {
        let own = self.own();
        *writing.disconnected.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let disconnected = own
            .iter()
            .filter(|(_, other)| other.kind == writing.kind && other.readers.load(Ordering::Acquire) == 0);
        let disconnected: Vec<_> = disconnected
            .filter_map(|(id, other)| {
                Some(((*other.disconnected.lock().unwrap_or_else(PoisonError::into_inner))?, id))
            })
            .collect();
        if disconnected.len() <= writing.kind.max_unread() {
            return None;
        }
        disconnected.into_iter().min().map(|(_, id)| id.clone())
    }
}

fn first(key: &AnswerKey, run: &str) -> String {
    format!("? {} {run}", key.of)
}

pub(super) fn of_run(run: &str, event: &str) -> String {
    format!("{run} {event}")
}

fn unkept(error: StoreError) -> Refusal {
    refusal(&Error::Store(error))
}
