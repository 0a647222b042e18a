//! Connections to Redis, each with a thread. Calls of one session go through one of them, one after another, in the order in which they
//! are made.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ::redis::{Client, Connection, RedisResult, Script, Value};
use futures_channel::oneshot;

use super::failure::{failed, may_pass};
use super::scripts::SCRIPTS;
use super::values::{Given, read};
use crate::error::{StoreError, StoreErrorKind};
use crate::native::lease::{self, Lease};
use crate::portable::BoxFuture;

const CONNECTIONS: usize = 8;
/// How long Redis may be away before a call fails.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same when nobody waits for it any more.
const LAST_WORDS: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);
const CONNECT: Duration = Duration::from_secs(5);

type Answer = Result<Value, StoreError>;

struct Call {
    script: &'static Script,
    given: Given,
    /// The place of the value that is true where this may have been done already.
    unsure: Option<usize>,
    made: Instant,
    reply: oneshot::Sender<Answer>,
}

/// Clones are the same connections, which are closed with the last of them.
#[derive(Clone)]
pub(super) struct Connections {
    inner: Arc<Inner>,
}

struct Inner {
    lines: Vec<Sender<Call>>,
    /// Goes when the leases need not be renewed any more.
    renewing: Option<Sender<()>>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

pub(super) struct Shared {
    client: Client,
    /// For sentences: no user and no password.
    place: String,
    closing: AtomicBool,
    leases: Mutex<Vec<Arc<Lease>>>,
}

impl Shared {
    pub(super) fn leases(&self) -> MutexGuard<'_, Vec<Arc<Lease>>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn named(&self, error: StoreError) -> StoreError {
        match error.kind {
            StoreErrorKind::Conflict | StoreErrorKind::Lost => error,
            _ => StoreError { message: format!("{}: {}", self.place, error.message), ..error },
        }
    }
}

impl Connections {
    /// Connects, and looks whether sessions may be kept there.
    pub(super) fn open(
        client: Client,
        place: String,
        check: impl FnOnce(&mut Connection) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared { client, place, closing: false.into(), leases: Mutex::default() });
        let first = shared.client.get_connection_with_timeout(CONNECT).map_err(|error| failed(&error));
        let mut first = first.map_err(|error| shared.named(error))?;
        check(&mut first).map_err(|error| shared.named(error))?;
        let mut inner = Inner { lines: Vec::new(), renewing: None, shared, threads: Vec::new() };
        let mut spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
            let thread = spawned.map_err(|error| {
                StoreError::new(StoreErrorKind::Failed, format!("no thread for Redis: {error}"))
            })?;
            inner.threads.push(thread);
            Ok::<(), StoreError>(())
        };
        for _ in 0..CONNECTIONS {
            let (line, calls) = channel();
            let served = Line { shared: Arc::clone(&inner.shared), connection: None };
            spawn("glove-redis", Box::new(move || served.serve(&calls)))?;
            inner.lines.push(line);
        }
        let (renewing, over) = channel();
        let renews = Line { shared: Arc::clone(&inner.shared), connection: Some(first) };
        spawn("glove-redis-lease", Box::new(move || renews.renew_always(&over)))?;
        inner.renewing = Some(renewing);
        Ok(Connections { inner: Arc::new(inner) })
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    pub(super) fn place(&self) -> &str {
        &self.inner.shared.place
    }

    /// `session` is empty for what belongs to none. `unsure`: see [`Call`].
    pub(super) fn call(
        &self,
        session: &str,
        script: &'static Script,
        given: Given,
        unsure: Option<usize>,
    ) -> BoxFuture<'static, Answer> {
        let (reply, answer) = oneshot::channel();
        let call = Call { script, given, unsure, made: Instant::now(), reply };
        let sent = self.line(session).is_some_and(|line| line.send(call).is_ok());
        Box::pin(async move {
            match sent {
                true => answer.await.unwrap_or_else(|_| Err(gone())),
                false => Err(gone()),
            }
        })
    }

    fn line(&self, session: &str) -> Option<&Sender<Call>> {
        let lines = &self.inner.lines;
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        lines.get(usize::try_from(hasher.finish() % lines.len().max(1) as u64).unwrap_or_default())
    }
}

fn gone() -> StoreError {
    StoreError::new(StoreErrorKind::Failed, "the thread of Redis has ended; open it again")
}

struct Line {
    shared: Arc<Shared>,
    connection: Option<Connection>,
}

impl Line {
    fn serve(mut self, calls: &Receiver<Call>) {
        while let Ok(mut call) = calls.recv() {
            let answer = self.done(&mut call).map_err(|error| self.shared.named(error));
            // Whoever has stopped waiting needs no answer.
            let _ = call.reply.send(answer);
        }
    }

    /// Goes on trying while Redis is away. Behind others that have waited for it, not as long again.
    fn done(&mut self, call: &mut Call) -> Answer {
        let patience = if self.shared.closing.load(Ordering::Relaxed) { LAST_WORDS } else { PATIENCE };
        let until = (call.made + patience).max(Instant::now() + LAST_WORDS);
        loop {
            let failure = match self.once(call.script, &call.given, until) {
                Ok(value) => return Ok(value),
                Err(error) if may_pass(&error) => error,
                Err(error) => return Err(failed(&error)),
            };
            self.connection = None;
            if let Some(value) = call.unsure.and_then(|place| call.given.0.get_mut(place)) {
                *value = b"1".to_vec();
            }
            if Instant::now() + PAUSE >= until {
                return Err(failed(&failure));
            }
            thread::sleep(PAUSE);
        }
    }

    fn once(&mut self, script: &Script, given: &Given, until: Instant) -> RedisResult<Value> {
        let left = until.saturating_duration_since(Instant::now()).max(PAUSE);
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => {
                let made = self.shared.client.get_connection_with_timeout(left.min(CONNECT))?;
                self.connection.insert(made)
            }
        };
        connection.set_read_timeout(Some(left))?;
        connection.set_write_timeout(Some(left))?;
        let mut invocation = script.prepare_invoke();
        for value in &given.0 {
            invocation.arg(value.as_slice());
        }
        invocation.invoke(connection)
    }

    fn renew_always(mut self, over: &Receiver<()>) {
        while over.recv_timeout(lease::RENEWED) == Err(RecvTimeoutError::Timeout) {
            self.renew();
        }
    }

    /// A lease that cannot be renewed runs out.
    fn renew(&mut self) {
        let leases = self.shared.leases().clone();
        if leases.is_empty() {
            return;
        }
        let at = lease::times();
        let mut given = Given::default().number(lease::held_millis());
        for lease in &leases {
            given = given.text(lease.session.as_str()).text(lease.holder.as_str());
        }
        let renewed = self.once(&SCRIPTS.renew, &given, Instant::now() + lease::HELD);
        let renewed: Vec<String> = match renewed.map(read) {
            Ok(Ok(renewed)) => renewed,
            _ => {
                self.connection = None;
                return;
            }
        };
        let renewed: std::collections::HashSet<String> = renewed.into_iter().collect();
        for lease in &leases {
            match renewed.contains(&lease.holder) {
                true => lease.given(at),
                false => lease.lose(),
            }
        }
        self.shared.leases().retain(|lease| !lease.is_lost());
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        self.lines.clear();
        self.renewing = None;
        for thread in self.threads.drain(..) {
            // On the thread itself, when a call held the last one.
            if thread.thread().id() != thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}
