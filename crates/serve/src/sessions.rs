//! Sessions that live on the server: opened on demand, followed, and closed when unused.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use hyper::body::Bytes;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{OnceCell, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::acknowledge::written;
use super::answers::Answers;
use super::chat::BEAT;
use super::events::{EventLog, Missed};
use super::failures::{FailureLog, refusal, told_of};
use super::forward::NotLocal;
use super::metrics::{Counted, counted};
use super::page::{HELD_BACK, INTERRUPTED, PageFeed};
use super::reply::{AHEAD, HEARTBEAT, Reply, stream};
use super::shared::Shared;
use crate::session_database::LeasedStore;
use glove_wasm::display::Slot;
use glove_wasm::endpoint::Refusal;
use glove_wasm::error::{Error, StoreErrorKind};
use glove_wasm::event::Event;
use glove_wasm::json::codec::{Write, object};
use glove_wasm::json::{self, Json};
use glove_wasm::ports::{IdSource, Tools};
use glove_wasm::run::PhaseName;
use glove_wasm::runtime::{Parts, Prompt, ResponseFuture, Session, Subscription};
use glove_wasm::system::{RandomIds, SystemClock};
use glove_wasm_native::{StoredSession, Traces};

/// Longer than any database leaves a session to a holder that does not show itself.
const LEASE: Duration = Duration::from_millis(4_500);
pub(super) const LOOK: Duration = Duration::from_millis(250);
/// So many servers in a row, each within ten minutes of the one before, end over a session before it waits for a person.
const MAX_DEATHS: u64 = 3;
/// An unused session is closed after this time, and opened again on demand.
const IDLE: Duration = Duration::from_secs(600);

/// The first event of a follower is sent in pieces of this size.
const PIECE: usize = 64 << 10;

pub(super) struct Live {
    pub session: Session,
    pub log: EventLog,
    pub page: Arc<PageFeed>,
    store: Arc<dyn LeasedStore>,
    pub traces: Traces,
    /// Servers have ended while they worked on it, and nobody has asked for it to go on since.
    held_back: AtomicBool,
    used: Mutex<Instant>,
    /// True when those who follow have to look for the session elsewhere.
    over: watch::Sender<bool>,
    /// What keeps it going and listening.
    driver: JoinHandle<()>,
    _listening: [Subscription; 3],
}

pub(super) struct Sessions {
    pub shared: Arc<Shared>,
    /// Of the endpoint.
    pub answers: Arc<Answers>,
    open: Arc<Mutex<Open>>,
}

/// Opened once for all who ask meanwhile, who also hear alike why it could not be.
type Cell = Arc<OnceCell<Result<Arc<Live>, NotLocal>>>;
type Open = HashMap<String, Cell>;

/// Who follows a session.
#[derive(Clone, Copy)]
pub(super) enum Audience {
    /// They get events of the run.
    Programs,
    /// They get what tabs tell each other.
    Pages,
}

impl Sessions {
    pub(super) fn new(shared: Arc<Shared>, answers: Answers) -> Self {
        Sessions { shared, answers: Arc::new(answers), open: Arc::default() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        lock(&self.open)
    }

    /// The open session, or one that is opened now, once for all who ask.
    pub(super) async fn get(&self, id: &str) -> Result<Arc<Live>, NotLocal> {
        let cell = {
            let mut open = self.open();
            if !open.contains_key(id)
                && open.len() >= self.shared.limits.sessions
                && !let_go(&mut open, Duration::ZERO)
            {
                let message = "The server has as many open sessions as it may. Try again later.";
                return Err(
                    Refusal { retryable: true, ..Refusal::new(503, "TOO_MANY_SESSIONS", message) }.into()
                );
            }
            Arc::clone(open.entry(id.to_owned()).or_default())
        };
        let opened = match cell.get() {
            Some(opened) => opened.clone(),
            None => self.open_once(id, cell).await,
        };
        if let Ok(live) = &opened {
            live.touch();
        }
        opened
    }

    /// Opened in its own task: the client may disconnect, and then nobody would finish opening it.
    async fn open_once(&self, id: &str, cell: Cell) -> Result<Arc<Live>, NotLocal> {
        let (id, shared, open) = (id.to_owned(), Arc::clone(&self.shared), Arc::clone(&self.open));
        let (id_of_task, cell_of_task) = (id.clone(), Arc::clone(&cell));
        let opening = tokio::spawn(async move {
            let (id, cell) = (id_of_task, cell_of_task);
            let opened = cell.get_or_init(|| Live::open(&shared, &id)).await;
            match opened {
                Err(_) => forget_cell(&open, &id, &cell),
                // Deleted meanwhile, or the server ends.
                Ok(live) if !is_in(&lock(&open), &id, &cell) => live.close().await,
                Ok(_) => {}
            }
            opened.clone()
        });
        opening.await.unwrap_or_else(|_| {
            forget_cell(&self.open, &id, &cell);
            Err(Refusal::new(500, "INTERNAL", "The session could not be opened.").into())
        })
    }

    pub(super) fn forget(&self, id: &str) -> Option<Arc<Live>> {
        self.open().remove(id).as_ref().and_then(live_of).cloned()
    }

    /// Lets sessions go that another server has taken over; what was going on in them here is not heard any more.
    pub(super) fn let_lost_go(&self) {
        self.let_go_where(|live| live.store.is_lost());
    }

    fn let_go_where(&self, is_lost: impl Fn(&Arc<Live>) -> bool) {
        let open = self.open();
        let lost = open.iter().filter(|(_, cell)| live_of(cell).is_some_and(&is_lost));
        let lost: Vec<_> = lost.map(|(id, cell)| (id.clone(), Arc::clone(cell))).collect();
        drop(open);
        for (id, cell) in lost {
            forget_cell(&self.open, &id, &cell);
            if let Some(live) = live_of(&cell).cloned() {
                live.over.send_replace(true);
                tokio::spawn(async move { live.close().await });
            }
        }
    }

    /// Where something belongs that could not be stored here, or why it is nowhere.
    pub(super) async fn unsaid(&self, id: &str, live: &Arc<Live>, error: &Error) -> NotLocal {
        let conflicts = matches!(error, Error::Store(error) if error.kind == StoreErrorKind::Conflict);
        let (is_elsewhere, refused) = (conflicts || live.store.is_lost(), refusal(error));
        if is_elsewhere || refused.retryable {
            // Forget the session, so that the next caller does not get this process's stale state, and a refused write is not stored with it later.
            self.let_go_where(|known| Arc::ptr_eq(known, live));
        }
        if !is_elsewhere {
            return refused.into();
        }
        match self.shared.session_holder(id).await {
            Ok(Some(address)) => NotLocal::At(address),
            Ok(None) => {
                let message = "Another server has the session now. Send it again.";
                let code = StoreErrorKind::Conflict.code();
                Refusal { detail: error.to_string(), ..Refusal::new(409, code, message) }.into()
            }
            Err(refusal) => refusal.into(),
        }
    }

    /// Done when what was asked of the session is stored, or with where it belongs instead, or why it is nowhere.
    pub(super) async fn keep(&self, id: &str, live: &Arc<Live>) -> Result<(), NotLocal> {
        match live.session.stored().await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.unsaid(id, live, &error).await),
        }
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.open().contains_key(id)
    }

    /// Closes what nobody uses.
    pub(super) fn sweep(&self) {
        while let_go(&mut self.open(), IDLE) {}
    }

    /// When the server ends: runs may come to their end for a while, and go on in another process otherwise.
    pub(super) async fn close(&self, grace: Duration) {
        let until = Instant::now() + grace;
        let all: Vec<_> = self.open().drain().filter_map(|(_, cell)| live_of(&cell).cloned()).collect();
        while Instant::now() < until && all.iter().any(|live| live.is_working()) {
            sleep(Duration::from_millis(20)).await;
        }
        for live in all {
            live.close().await;
        }
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this is the cell of the session, and not one that came since.
fn is_in(open: &Open, id: &str, cell: &Cell) -> bool {
    open.get(id).is_some_and(|known| Arc::ptr_eq(known, cell))
}

fn forget_cell(open: &Mutex<Open>, id: &str, cell: &Cell) {
    let mut open = lock(open);
    if is_in(&open, id, cell) {
        open.remove(id);
    }
}

/// The longest unused one that is unused for this time. False if there is none.
fn let_go(open: &mut Open, unused: Duration) -> bool {
    let free = open.iter().filter_map(|(id, cell)| Some((id, live_of(cell)?)));
    let free = free
        .filter(|(_, live)| !live.is_working() && live.followers() == 0 && live.used().elapsed() >= unused);
    let Some(id) = free.min_by_key(|(_, live)| *live.used()).map(|(id, _)| id.clone()) else { return false };
    if let Some(live) = open.remove(&id).as_ref().and_then(live_of).cloned() {
        tokio::spawn(async move { live.close().await });
    }
    true
}

fn live_of(cell: &Cell) -> Option<&Arc<Live>> {
    cell.get()?.as_ref().ok()
}

impl Live {
    async fn open(shared: &Arc<Shared>, id: &str) -> Result<Arc<Live>, NotLocal> {
        let store = shared.database.store(id);
        taken(shared, &*store, id).await?;
        Self::over_store(shared, id, store).await.map_err(|error| refusal(&error).into())
    }

    async fn over_store(
        shared: &Arc<Shared>,
        id: &str,
        store: Arc<dyn LeasedStore>,
    ) -> Result<Arc<Live>, Error> {
        let (mut tools, traces) = (Tools::new(), Traces::new(id));
        for tool in (shared.tools)(id) {
            tools.register(traces.tool(tool))?;
        }
        let deaths = store.deaths().await?;
        let session = Session::new(Parts {
            model: traces.model((shared.model)()?),
            system_prompt: shared.system_prompt.clone().unwrap_or_default(),
            store: Arc::<dyn LeasedStore>::clone(&store),
            tools: Arc::new(tools),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
            settings: Default::default(),
        })?;
        // What ends each server that goes on with it would end all of them.
        let is_held_back = deaths >= MAX_DEATHS;
        if is_held_back {
            session.resume_by_hand();
        }
        session.opened().await?;
        let live = Arc::new_cyclic(|live: &std::sync::Weak<Live>| {
            let (events, shown, metrics) = (live.clone(), live.clone(), Arc::clone(&shared.metrics));
            let sink = traces.clone();
            let listening = [
                session.on_step(FailureLog::new(shared, id)),
                session.subscribe(move |_: Option<&str>, event: &Event| {
                    metrics.note(event);
                    sink.note(event);
                    if let Some(live) = events.upgrade() {
                        live.log.note(event);
                    }
                }),
                session.display().subscribe(move |stack: &[Slot]| {
                    if let Some(live) = shown.upgrade() {
                        live.log.add(event_text("display", &stack.to_vec()));
                    }
                }),
            ];
            let (driven, metrics) = (session.clone(), Arc::clone(&shared.metrics));
            let driver = tokio::spawn(async move {
                let _open: Counted<'_> = counted(&metrics.sessions);
                driven.drive().await;
            });
            let (log, used) = (EventLog::new(RandomIds.fresh()), Mutex::new(Instant::now()));
            let page = PageFeed::new(&session, Arc::clone(&store));
            Live {
                session,
                log,
                page,
                store,
                traces,
                held_back: AtomicBool::new(is_held_back),
                used,
                over: watch::Sender::new(false),
                driver,
                _listening: listening,
            }
        });
        if is_held_back && live.session.is_interrupted() {
            let why = why_held_back(deaths);
            (shared.log)(&format!("{HELD_BACK}: {id}: {why}"));
            live.log.add(failure_told(HELD_BACK, &why));
            live.page.hold_back(why);
        }
        Ok(live)
    }

    /// A person wants it to go on.
    pub(super) async fn release(&self) -> Result<(), Error> {
        if self.held_back.load(Ordering::Acquire) {
            self.store.forgive().await?;
            self.held_back.store(false, Ordering::Release);
        }
        Ok(())
    }

    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        *self.used() = Instant::now();
    }

    fn followers(&self) -> usize {
        self.log.followers() + self.page.log.followers()
    }

    /// It does something that needs no person.
    fn is_working(&self) -> bool {
        !matches!(self.session.phase(), PhaseName::Idle | PhaseName::Waiting | PhaseName::Paused)
    }

    /// Lets the session go; what it was doing can be continued.
    pub(super) async fn close(&self) {
        self.session.keep_partial();
        self.session.close();
        self.session.drive().await;
        self.driver.abort();
        self.traces.end();
    }

    /// Starts a request of a client. Followers get its outcome; the returned receiver gets its error.
    pub(super) fn begin(
        self: &Arc<Self>,
        request: impl FnOnce(&Session) -> ResponseFuture,
    ) -> oneshot::Receiver<Option<Error>> {
        let (live, response) = (Arc::clone(self), request(&self.session));
        let (tell, ended) = oneshot::channel();
        tokio::spawn(async move {
            let failure = response.await.err();
            // What another server goes on with has not failed.
            if let Some(error) = failure.as_ref().filter(|_| !live.store.is_lost()) {
                live.log.add(failure_told(error.code(), &told_of(error)));
            }
            // The receiver is usually gone by now.
            let _ = tell.send(failure);
        });
        ended
    }

    /// Says something. Done when it is stored, or with why it is not.
    pub(super) async fn say(self: &Arc<Self>, text: &str, id: &str) -> Result<(), Error> {
        self.release().await?;
        let prompt = Prompt { id: Some(id.to_owned()), ..Prompt::new(text) };
        let ended = self.begin(|session| session.request(prompt));
        match written(&self.session, id, ended).await {
            Ok(()) | Err(Ok(None)) => Ok(()),
            Err(Ok(Some(error))) => Err(error),
            Err(Err(_)) => Err(Error::Closed),
        }
    }

    /// The session as it is, and the number of the last event before.
    pub(super) fn snapshot(&self) -> (u64, Json) {
        let look = || (self.session.messages(), self.session.questions(), self.session.phase());
        let (number, partial, (messages, questions, phase)) = self.log.now(look);
        let slots = self.session.display().stack();
        let held_back = self.page.held_back();
        let phase: &dyn Write = if held_back.is_some() { &INTERRUPTED } else { &phase };
        let mut fields: Vec<(&str, &dyn Write)> = vec![
            ("phase", phase),
            ("messages", &messages),
            ("partial", &partial),
            ("questions", &questions),
            ("slots", &slots),
        ];
        if let Some(error) = &held_back {
            fields.push(("error", error));
        }
        let mut text = String::new();
        object(&mut text, &fields);
        (number, json::written(text))
    }

    /// Everything from now on, or from after the event with this id.
    pub(super) fn follow(
        self: Arc<Self>,
        shared: &Arc<Shared>,
        audience: Audience,
        last: Option<&str>,
    ) -> Reply {
        let (pieces, received) = channel(AHEAD);
        let shared = Arc::clone(shared);
        let seen = last.and_then(|id| self.log_for(audience).number(id));
        // From now on it is followed.
        let changed = self.log_for(audience).watch();
        let mut ending = shared.ending.subscribe();
        let mut gone = self.over.subscribe();
        tokio::spawn(async move {
            let _open = counted(&shared.metrics.streams);
            let over = pin!(async {
                let (ends, goes) = (pin!(ending.wait_for(|ends| *ends)), pin!(gone.wait_for(|gone| *gone)));
                select(pin!(pieces.closed()), select(ends, goes)).await;
            });
            select(over, pin!(self.tell(audience, seen, changed, &pieces))).await;
            self.touch();
        });
        stream(None, received)
    }

    /// Ends when nobody listens any more.
    async fn tell(
        &self,
        audience: Audience,
        mut seen: Option<u64>,
        mut changed: watch::Receiver<u64>,
        pieces: &Sender<Bytes>,
    ) {
        let log = self.log_for(audience);
        loop {
            changed.borrow_and_update();
            match seen.map(|number| log.since(number)) {
                Some(Missed::Events(Some((events, last)))) => {
                    seen = Some(last);
                    if pieces.send(events).await.is_err() {
                        return;
                    }
                    continue;
                }
                Some(Missed::Events(None)) => {}
                Some(Missed::TooMuch) | None => {
                    let (mut rest, number) = log.whole(|| self.whole(audience));
                    seen = Some(number);
                    while !rest.is_empty() {
                        let next = rest.split_to(rest.len().min(PIECE));
                        if pieces.send(next).await.is_err() {
                            return;
                        }
                    }
                    continue;
                }
            }
            let quiet = pin!(sleep(HEARTBEAT));
            let goes_on = match select(pin!(changed.changed()), quiet).await {
                Either::Left((changed, _)) => changed.is_ok(),
                Either::Right(_) => pieces.send(Bytes::from_static(BEAT.as_bytes())).await.is_ok(),
            };
            if !goes_on {
                return;
            }
            self.touch();
        }
    }

    fn log_for(&self, audience: Audience) -> &EventLog {
        match audience {
            Audience::Programs => &self.log,
            Audience::Pages => &self.page.log,
        }
    }

    /// What a follower begins with, and the number of the last event before.
    fn whole(&self, audience: Audience) -> (u64, String) {
        match audience {
            Audience::Programs => {
                let (number, snapshot) = self.snapshot();
                (number, event_text("snapshot", &snapshot))
            }
            Audience::Pages => self.page.whole(),
        }
    }
}

/// Whether such a session waits for a person although it was at work, and why.
pub(super) fn is_held_back(session: &StoredSession) -> Option<String> {
    let rests = ["idle", "waiting", "paused"].contains(&session.phase.as_str());
    (!rests && session.deaths >= MAX_DEATHS).then(|| why_held_back(session.deaths))
}

fn why_held_back(deaths: u64) -> String {
    format!(
        "{deaths} servers ended in a row while they worked on this session, so it does not go on by itself. Look what its last tool does, then resume it."
    )
}

/// Takes the session, or says where it is. Waits until it can be told whether a holder that cannot be asked is still there.
async fn taken(shared: &Shared, store: &dyn LeasedStore, id: &str) -> Result<(), NotLocal> {
    let until = Instant::now() + LEASE;
    loop {
        let refused = match store.take().await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let is_held = refused.kind == StoreErrorKind::Conflict;
        if is_held && let Some(address) = shared.session_holder(id).await? {
            return Err(NotLocal::At(address));
        }
        if !is_held || Instant::now() >= until {
            return Err(refusal(&Error::Store(refused)).into());
        }
        sleep(LOOK).await;
    }
}

fn failure_told(code: &str, message: &str) -> String {
    let mut text = String::new();
    object(&mut text, &[("code", &code), ("message", &message)]);
    event_text("failed", &json::written(text))
}

/// `{"type": …, "data": …}`, as events have it.
fn event_text(kind: &str, data: &dyn Write) -> String {
    let mut text = String::new();
    object(&mut text, &[("type", &kind), ("data", data)]);
    text
}
