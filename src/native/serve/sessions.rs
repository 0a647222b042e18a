//! Sessions that live on the server: opened when they are needed, followed, and let go when nobody does.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::channel;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::chat::{BEAT, HEARTBEAT, event};
use super::events::{EventLog, Missed};
use super::failures::{refusal, told_of};
use super::metrics::{Counted, counted};
use super::page::PageFeed;
use super::reply::{AHEAD, Reply, stream};
use super::shared::Shared;
use crate::display::Slot;
use crate::endpoint::Refusal;
use crate::error::Error;
use crate::event::Event;
use crate::json::Json;
use crate::json::codec::{Write, object};
use crate::native::{RandomIds, SystemClock};
use crate::ports::{IdSource, Tools};
use crate::run::PhaseName;
use crate::runtime::{Parts, Prompt, ResponseFuture, Session, Subscription};

/// A session that nobody uses is let go after this time. It is opened again when it is needed.
const IDLE: Duration = Duration::from_secs(600);

pub(super) struct Live {
    pub session: Session,
    pub log: EventLog,
    pub page: Arc<PageFeed>,
    used: Mutex<Instant>,
    /// What keeps it going and listening.
    driver: JoinHandle<()>,
    _listening: [Subscription; 2],
}

pub(super) struct Sessions {
    pub shared: Arc<Shared>,
    open: Mutex<HashMap<String, Arc<OnceCell<Arc<Live>>>>>,
}

/// Who follows a session.
#[derive(Clone, Copy)]
pub(super) enum Audience {
    /// They get events of the run.
    Programs,
    /// They get what tabs tell each other.
    Pages,
}

impl Sessions {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Sessions { shared, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<OnceCell<Arc<Live>>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open session, or one that is opened now, once for all who ask.
    pub(super) async fn get(&self, id: &str) -> Result<Arc<Live>, Refusal> {
        let cell = {
            let mut open = self.open();
            if !open.contains_key(id)
                && open.len() >= self.shared.limits.sessions
                && !let_go(&mut open, Duration::ZERO)
            {
                let message = "The server has as many open sessions as it may. Try again later.";
                return Err(Refusal { retryable: true, ..Refusal::new(503, "TOO_MANY_SESSIONS", message) });
            }
            Arc::clone(open.entry(id.to_owned()).or_default())
        };
        let live = cell.get_or_try_init(|| Live::open(&self.shared, id)).await;
        if live.is_err() {
            self.forget(id);
        }
        let live = live.map(Arc::clone).map_err(|error| refusal(&error))?;
        live.touch();
        Ok(live)
    }

    pub(super) fn forget(&self, id: &str) -> Option<Arc<Live>> {
        self.open().remove(id).and_then(|cell| cell.get().cloned())
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
        let all: Vec<_> = self.open().drain().filter_map(|(_, cell)| cell.get().cloned()).collect();
        while Instant::now() < until && all.iter().any(|live| live.is_working()) {
            sleep(Duration::from_millis(20)).await;
        }
        for live in all {
            live.close().await;
        }
    }
}

/// The longest unused one that is unused for this time. False if there is none.
fn let_go(open: &mut HashMap<String, Arc<OnceCell<Arc<Live>>>>, unused: Duration) -> bool {
    let free = open.iter().filter_map(|(id, cell)| Some((id, cell.get()?)));
    let free = free
        .filter(|(_, live)| !live.is_working() && live.followers() == 0 && live.used().elapsed() >= unused);
    let Some(id) = free.min_by_key(|(_, live)| *live.used()).map(|(id, _)| id.clone()) else { return false };
    if let Some(live) = open.remove(&id).and_then(|cell| cell.get().cloned()) {
        tokio::spawn(async move { live.close().await });
    }
    true
}

impl Live {
    async fn open(shared: &Arc<Shared>, id: &str) -> Result<Arc<Live>, Error> {
        let store = shared.database.store(id);
        store.acquire().await?;
        let mut tools = Tools::new();
        for tool in (shared.tools)(id) {
            tools.register(tool)?;
        }
        let session = Session::open(Parts {
            model: (shared.model)()?,
            system_prompt: shared.system_prompt.clone().unwrap_or_default(),
            store: Arc::new(store),
            tools: Arc::new(tools),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
            settings: Default::default(),
        })
        .await?;
        Ok(Arc::new_cyclic(|live: &std::sync::Weak<Live>| {
            let (events, shown, metrics) = (live.clone(), live.clone(), Arc::clone(&shared.metrics));
            let listening = [
                session.subscribe(move |_: Option<&str>, event: &Event| {
                    metrics.note(event);
                    if let Some(live) = events.upgrade() {
                        live.log.note(event);
                    }
                }),
                session.display().subscribe(move |stack: &[Slot]| {
                    if let Some(live) = shown.upgrade() {
                        live.log.add(told("display", &stack.to_vec()));
                    }
                }),
            ];
            let (driven, metrics) = (session.clone(), Arc::clone(&shared.metrics));
            let driver = tokio::spawn(async move {
                let _open: Counted<'_> = counted(&metrics.sessions);
                driven.drive().await;
            });
            let (log, used) = (EventLog::new(RandomIds.fresh()), Mutex::new(Instant::now()));
            let page = PageFeed::new(&session);
            Live { session, log, page, used, driver, _listening: listening }
        }))
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
    }

    /// Begins what a client asked for. How it ends is told to those who follow.
    pub(super) fn begin(self: &Arc<Self>, request: impl FnOnce(&Session) -> ResponseFuture) {
        let (live, response) = (Arc::clone(self), request(&self.session));
        tokio::spawn(async move {
            if let Err(error) = response.await {
                let (code, message) = (error.code().to_owned(), told_of(&error));
                let mut text = String::new();
                object(&mut text, &[("code", &code), ("message", &message)]);
                live.log.add(told("failed", &Json::written(text)));
            }
        });
    }

    pub(super) fn say(self: &Arc<Self>, text: &str, id: Option<String>) -> String {
        let id = id.unwrap_or_else(|| RandomIds.fresh());
        let prompt = Prompt { id: Some(id.clone()), ..Prompt::new(text) };
        self.begin(|session| session.request(prompt));
        id
    }

    /// The session as it is, and the number of the last event before.
    pub(super) fn snapshot(&self) -> (u64, Json) {
        let look = || (self.session.messages(), self.session.questions(), self.session.phase());
        let (number, partial, (messages, questions, phase)) = self.log.now(look);
        let slots = self.session.display().stack();
        let fields: [(&str, &dyn Write); 5] = [
            ("phase", &phase),
            ("messages", &messages),
            ("partial", &partial),
            ("questions", &questions),
            ("slots", &slots),
        ];
        let mut text = String::new();
        object(&mut text, &fields);
        (number, Json::written(text))
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
        let mut seen = last.and_then(|id| self.log_for(audience).number(id));
        let mut changed = self.log_for(audience).watch();
        let mut ending = shared.ending.subscribe();
        tokio::spawn(async move {
            let _open = counted(&shared.metrics.streams);
            let log = self.log_for(audience);
            loop {
                changed.borrow_and_update();
                let mut text = String::new();
                match seen.map(|number| log.since(number)) {
                    Some(Missed::Events(events)) => {
                        for (number, data) in events {
                            text.push_str(&event(Some(&log.id(number)), &Json::written(data)));
                            seen = Some(number);
                        }
                    }
                    Some(Missed::TooMuch) | None => {
                        let (number, whole) = self.whole(audience);
                        text = event(Some(&log.id(number)), &Json::written(whole));
                        seen = Some(number);
                    }
                }
                if !text.is_empty() && pieces.send(text).await.is_err() {
                    break;
                }
                let more = pin!(async {
                    let quiet = pin!(sleep(HEARTBEAT));
                    match select(pin!(changed.changed()), quiet).await {
                        Either::Left((changed, _)) => changed.is_ok(),
                        Either::Right(_) => pieces.send(BEAT.to_owned()).await.is_ok(),
                    }
                });
                let over = pin!(async {
                    let closed = pin!(pieces.closed());
                    select(closed, pin!(ending.wait_for(|ends| *ends))).await;
                });
                match select(more, over).await {
                    Either::Left((true, _)) => self.touch(),
                    Either::Left((false, _)) | Either::Right(_) => break,
                }
            }
            self.touch();
        });
        stream(None, received)
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
                (number, told("snapshot", &snapshot))
            }
            Audience::Pages => self.page.whole(),
        }
    }
}

/// `{"type": …, "data": …}`, as events have it.
fn told(kind: &str, data: &dyn Write) -> String {
    let mut text = String::new();
    object(&mut text, &[("type", &kind), ("data", data)]);
    text
}
