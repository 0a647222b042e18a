//! Connections to Redis, each with a thread. Calls of one session go through one of them, one after another, in the order in which they
//! are made.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ::redis::{Client, Connection, RedisResult, Script, Value};
use futures_channel::oneshot;

use super::failure::{failed, may_pass};
use super::scripts::SCRIPTS;
use super::values::{ScriptArgs, read};
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm_native::internal::{CONNECTIONS, HELD, PAUSE, Pool, RENEWED, held_millis, times};

const CONNECT: Duration = Duration::from_secs(5);

type Answer = Result<Value, StoreError>;

struct Call {
    script: &'static Script,
    args: ScriptArgs,
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

struct Shared {
    client: Client,
    pool: Arc<Pool>,
}

impl Connections {
    /// Connects, and looks whether sessions may be kept there.
    pub(super) fn open(
        client: Client,
        place: String,
        check: impl FnOnce(&mut Connection) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared { client, pool: Arc::new(Pool::new(place)) });
        let first = shared.client.get_connection_with_timeout(CONNECT).map_err(|error| failed(&error));
        let mut first = first.map_err(|error| shared.pool.named(error))?;
        check(&mut first).map_err(|error| shared.pool.named(error))?;
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

    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.inner.shared.pool
    }

    /// `session` is empty for what belongs to none. `unsure`: see [`Call`].
    pub(super) fn call(
        &self,
        session: &str,
        script: &'static Script,
        args: ScriptArgs,
        unsure: Option<usize>,
    ) -> BoxFuture<'static, Answer> {
        let (reply, answer) = oneshot::channel();
        let call = Call { script, args, unsure, made: Instant::now(), reply };
        let sent = self.pool().line(&self.inner.lines, session).is_some_and(|line| line.send(call).is_ok());
        let connection_lost = self.pool().connection_lost();
        Box::pin(async move {
            match sent {
                true => answer.await.unwrap_or(Err(connection_lost)),
                false => Err(connection_lost),
            }
        })
    }
}

struct Line {
    shared: Arc<Shared>,
    connection: Option<Connection>,
}

impl Line {
    fn serve(mut self, calls: &Receiver<Call>) {
        while let Ok(mut call) = calls.recv() {
            let answer = self.done(&mut call).map_err(|error| self.shared.pool.named(error));
            // Whoever has stopped waiting needs no answer.
            let _ = call.reply.send(answer);
        }
    }

    /// Goes on trying while Redis is away.
    fn done(&mut self, call: &mut Call) -> Answer {
        let until = self.shared.pool.patience(call.made);
        loop {
            let failure = match self.once(call.script, &call.args, until) {
                Ok(value) => return Ok(value),
                Err(error) if may_pass(&error) => error,
                Err(error) => return Err(failed(&error)),
            };
            self.connection = None;
            if let Some(value) = call.unsure.and_then(|place| call.args.0.get_mut(place)) {
                *value = b"1".to_vec();
            }
            if Instant::now() + PAUSE >= until {
                return Err(failed(&failure));
            }
            thread::sleep(PAUSE);
        }
    }

    fn once(&mut self, script: &Script, args: &ScriptArgs, until: Instant) -> RedisResult<Value> {
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
        for value in &args.0 {
            invocation.arg(value.as_slice());
        }
        invocation.invoke(connection)
    }

    fn renew_always(mut self, over: &Receiver<()>) {
        while over.recv_timeout(RENEWED) == Err(RecvTimeoutError::Timeout) {
            self.renew();
        }
    }

    /// A lease that cannot be renewed runs out.
    fn renew(&mut self) {
        let leases = self.shared.pool.leases.all();
        if leases.is_empty() {
            return;
        }
        let at = times();
        let mut args = ScriptArgs::default().number(held_millis());
        for lease in &leases {
            args = args.text(lease.session.as_str()).text(lease.holder.as_str());
        }
        let renewed = self.once(&SCRIPTS.renew, &args, Instant::now() + HELD);
        match renewed.map(read) {
            Ok(Ok(holders)) => self.shared.pool.leases.renewed(&leases, at, holders),
            _ => self.connection = None,
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.pool.close();
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
