//! The event feed of a session for pages: the same batches that tabs send each other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::batch::Batch;
use super::events::EventLog;
use super::failures::{safe, safe_failure};
use super::reply::{self, Reply};
use crate::session_database::LeasedStore;
use glove_wasm::display::Slot;
use glove_wasm::error::Error;
use glove_wasm::event::Event;
use glove_wasm::json;
use glove_wasm::json::codec::{Write, object};
use glove_wasm::ports::{Clock, IdSource};
use glove_wasm::run::PhaseName;
use glove_wasm::runtime::{Follower, Prompt, Response, ResponseFuture, Session};
use glove_wasm::system::{RandomIds, SystemClock};
use glove_wasm::wire::outcome::{CoreError, CoreOutcome};

/// How many outcomes are kept for clients that ask again.
const MAX_OUTCOMES: usize = 64;

/// The code of a session that no server continues by itself.
pub(super) const HELD_BACK: &str = "SESSION_HELD_BACK";
/// What such a session is doing, in one word.
pub(super) const INTERRUPTED: &str = "interrupted";

/// What a session tells pages.
pub(super) struct PageFeed {
    pub log: EventLog,
    session: Session,
    store: Arc<dyn LeasedStore>,
    state: Mutex<FeedState>,
    /// Locked while a batch is sent; not locked while events are noted.
    telling: Mutex<()>,
    wake: Arc<Notify>,
    teller: JoinHandle<()>,
    /// Why the session waits for a person, although it was running.
    held_back: OnceLock<String>,
    /// What was begun, for those who ask again.
    started: Mutex<VecDeque<StartedCommand>>,
}

/// Something that a page asked for.
struct StartedCommand {
    id: String,
    /// The request that it is, if it is one.
    request: Option<String>,
    outcome: Outcome,
}

/// What a page is told of the end; closed without it where another server goes on.
pub(super) type Outcome = watch::Receiver<Option<String>>;

struct FeedState {
    batch: Batch,
    text: String,
    reasoning: String,
}

impl PageFeed {
    /// Has to be called in a runtime of tokio.
    pub(super) fn new(session: &Session, store: Arc<dyn LeasedStore>) -> Arc<Self> {
        let wake = Arc::new(Notify::new());
        let feed = Arc::new_cyclic(|feed: &Weak<PageFeed>| {
            let (woken, teller) = (Arc::clone(&wake), feed.clone());
            let teller = tokio::spawn(async move {
                loop {
                    woken.notified().await;
                    let Some(feed) = teller.upgrade() else { return };
                    feed.flush();
                }
            });
            PageFeed {
                log: EventLog::new(RandomIds.fresh()),
                session: session.clone(),
                store,
                state: Mutex::new(FeedState {
                    batch: Batch::with_safe_failures(safe_failure),
                    text: String::new(),
                    reasoning: String::new(),
                }),
                telling: Mutex::default(),
                wake,
                teller,
                held_back: OnceLock::new(),
                started: Mutex::default(),
            }
        });
        let noted = Arc::downgrade(&feed);
        session.subscribe(move |request: Option<&str>, event: &Event| {
            if let Some(feed) = noted.upgrade() {
                feed.note(request, event);
            }
        });
        let shown = Arc::downgrade(&feed);
        session.display().subscribe(move |_: &[Slot]| {
            if let Some(feed) = shown.upgrade() {
                feed.state().batch.note_slots();
                feed.wake.notify_one();
            }
        });
        session.on_step(RunFollower(Arc::downgrade(&feed)));
        feed.refresh();
        feed
    }

    fn state(&self) -> MutexGuard<'_, FeedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn started(&self) -> MutexGuard<'_, VecDeque<StartedCommand>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, request: Option<&str>, event: &Event) {
        let mut state = self.state();
        match event {
            Event::TextDelta { text } => state.text.push_str(text),
            Event::ReasoningDelta { text } => state.reasoning.push_str(text),
            Event::ModelResponse(_) | Event::ModelResponseComplete(_) | Event::RequestFinished { .. } => {
                state.forget_written();
            }
            _ => {}
        }
        state.batch.note(request, event);
        drop(state);
        self.wake.notify_one();
    }

    fn refresh(&self) {
        let interrupted = self.session.is_interrupted();
        self.session.with_run(|run| {
            let mut state = self.state();
            if run.phase() != PhaseName::Model {
                state.forget_written();
            }
            state.batch.follow(&self.session, run, interrupted);
        });
        self.wake.notify_one();
    }

    /// Tells what was not told yet.
    fn flush(&self) {
        let _telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = self.state().batch.take_slots_changed();
        let slots = changed.then(|| self.session.display().stack());
        drop(self.tell(slots.as_ref()));
    }

    /// Nothing is noted until what this gives is dropped.
    fn tell(&self, slots: Option<&Vec<Slot>>) -> MutexGuard<'_, FeedState> {
        let mut state = self.state();
        if let Some(events) = state.batch.take(slots) {
            self.log.add(message("events", &[("events", &json::written(events))]));
        }
        state
    }

    /// The session as it is, and the number of the last event before.
    pub(super) fn whole(&self) -> (u64, String) {
        let _telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        self.state().batch.take_slots_changed();
        let (slots, held_back) = (self.session.display().stack(), self.held_back());
        self.session.with_run(|run| {
            let state = self.tell(Some(&slots));
            let events = json::written(state.batch.whole(run, &slots, held_back, SystemClock.now()));
            let mut written = String::new();
            object(&mut written, &[("text", &state.text), ("reasoning", &state.reasoning)]);
            (self.log.last(), message("all", &[("events", &events), ("written", &json::written(written))]))
        })
    }

    /// Those who join are told this as long as the session waits.
    pub(super) fn hold_back(&self, why: String) {
        let _ = self.held_back.set(why);
    }

    pub(super) fn held_back(&self) -> Option<CoreError<'_>> {
        let why = self.held_back.get().filter(|_| self.session.is_interrupted())?;
        Some(CoreError { code: HELD_BACK, message: why.clone(), model: None })
    }

    /// The session is not stored any more.
    pub(super) fn tell_deleted(&self) {
        self.log.add(message("deleted", &[]));
    }

    /// Starts a command once, also if it is sent again. Its outcome goes to the followers and into the returned channel.
    pub(super) fn begin(
        self: &Arc<Self>,
        id: String,
        begin: impl FnOnce(&Session) -> ResponseFuture,
    ) -> Outcome {
        self.begin_once(id, None, begin).1
    }

    /// The same of a request, whose id this gives too: where a page asks again without having named one, the id that was drawn first.
    pub(super) fn request(
        self: &Arc<Self>,
        id: String,
        prompt: Prompt,
        request: String,
    ) -> (String, Outcome) {
        let prompt = Prompt { id: Some(request.clone()), ..prompt };
        let (known, outcome) = self.begin_once(id, Some(request.clone()), |session| session.request(prompt));
        (known.unwrap_or(request), outcome)
    }

    fn begin_once(
        self: &Arc<Self>,
        id: String,
        request: Option<String>,
        begin: impl FnOnce(&Session) -> ResponseFuture,
    ) -> (Option<String>, Outcome) {
        let mut started = self.started();
        if let Some(known) = started.iter().find(|known| known.id == id) {
            return (known.request.clone(), known.outcome.clone());
        }
        let (tell, outcome) = watch::channel(None);
        started.push_back(StartedCommand {
            id: id.clone(),
            request: request.clone(),
            outcome: outcome.clone(),
        });
        if started.len() > MAX_OUTCOMES {
            started.pop_front();
        }
        drop(started);
        let (feed, response) = (Arc::clone(self), begin(&self.session));
        tokio::spawn(async move {
            let end = safe(response.await);
            // Another server continues the session and reports the outcome.
            if feed.store.is_lost() {
                return;
            }
            let answer = match CoreOutcome::of(&end) {
                Ok(outcome) => message("answered", &[("id", &id), ("value", &outcome)]),
                Err(error) => message("answered", &[("id", &id), ("error", &CoreError::from(error))]),
            };
            tell.send_replace(Some(answer.clone()));
            // What led to it comes first.
            feed.flush();
            feed.log.add(answer);
        });
        (request, outcome)
    }
}

/// The response to a started command: its outcome, or 202 while it runs.
pub(super) fn outcome_reply(outcome: &Outcome) -> Reply {
    match outcome.borrow().as_ref() {
        Some(outcome) => reply::json(200, outcome.clone()),
        None => reply::json(202, "{}".to_owned()),
    }
}

/// Whether it ended here.
pub(super) async fn ended(outcome: &Outcome) -> bool {
    outcome.clone().wait_for(Option::is_some).await.is_ok()
}

impl FeedState {
    fn forget_written(&mut self) {
        self.text.clear();
        self.reasoning.clear();
    }
}

impl Drop for PageFeed {
    fn drop(&mut self) {
        self.teller.abort();
    }
}

struct RunFollower(Weak<PageFeed>);

impl Follower for RunFollower {
    fn on_change(&self) {
        if let Some(feed) = self.0.upgrade() {
            feed.refresh();
        }
    }

    fn on_end(&self, request: Option<&str>, end: &Result<Response, Error>) {
        let Some(feed) = self.0.upgrade() else { return };
        if feed.store.is_lost() {
            return;
        }
        let end = safe(end.clone());
        let error = match CoreOutcome::of(&end) {
            Ok(CoreOutcome::Failed { error }) => Some(error),
            Ok(_) => None,
            // Who asked for that hears it alone.
            Err(_) => return,
        };
        feed.state().batch.note_end(request, error);
        feed.wake.notify_one();
    }
}

fn message(kind: &str, fields: &[(&str, &dyn Write)]) -> String {
    let mut all: Vec<(&str, &dyn Write)> = vec![("kind", &kind)];
    all.extend_from_slice(fields);
    let mut text = String::new();
    object(&mut text, &all);
    text
}
