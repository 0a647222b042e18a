//! Connections to the database. Calls of one session go through one of them, one after another, in the order in which they are made.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use futures_channel::oneshot;
use futures_util::future::join_all;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, timeout, timeout_at};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::call::{Call, Value, number, texts};
use super::failure::{failed, may_pass, slow};
use super::schema;
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm_native::internal::{CONNECTIONS, HELD, PAUSE, Pool, RENEWED, held_millis, times};

/// Clones are the same connections, which are closed with the last of them.
#[derive(Clone)]
pub(super) struct Connections {
    inner: Arc<Inner>,
}

struct Inner {
    /// The first renews leases, and is asked nothing.
    lines: Vec<UnboundedSender<Call>>,
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

struct Shared {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    pool: Arc<Pool>,
}

impl Shared {
    async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        match &self.tls {
            None => {
                let (client, connection) = self.config.connect(NoTls).await?;
                tokio::spawn(connection);
                Ok(client)
            }
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await?;
                tokio::spawn(connection);
                Ok(client)
            }
        }
    }
}

/// Certificates are always checked, by those that the system trusts.
fn tls() -> Result<MakeRustlsConnect, StoreError> {
    use rustls_platform_verifier::BuilderVerifierExt;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|versions| versions.with_platform_verifier())
        .map_err(|error| StoreError::new(StoreErrorKind::Unavailable, format!("no TLS: {error}")))?;
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

impl Connections {
    /// Connects, and brings the database up to date.
    pub(super) fn open(config: Config, place: String) -> Result<Self, StoreError> {
        let tls = (config.get_ssl_mode() == SslMode::Require).then(tls).transpose()?;
        let shared = Arc::new(Shared { config, tls, pool: Arc::new(Pool::new(place)) });
        let unusable = |error: std::io::Error| {
            StoreError::new(StoreErrorKind::Failed, format!("no thread for the database: {error}"))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(unusable)?;
        let (lines, calls): (Vec<_>, Vec<_>) = (0..CONNECTIONS).map(|_| unbounded_channel()).unzip();
        let (opened, prepared) = std::sync::mpsc::channel();
        let of_thread = Arc::clone(&shared);
        let work = move || {
            runtime.block_on(async move {
                let ready = timeout_at(of_thread.pool.patience(Instant::now()).into(), async {
                    let client = of_thread.connect().await.map_err(|error| failed(&error))?;
                    schema::prepare(&client).await
                });
                let ready =
                    ready.await.unwrap_or_else(|_| Err(slow())).map_err(|error| of_thread.pool.named(error));
                let is_ready = ready.is_ok();
                let _ = opened.send(ready);
                if is_ready {
                    let lines = calls.into_iter().enumerate().map(|(number, calls)| {
                        let line = Line { shared: Arc::clone(&of_thread), client: None };
                        tokio::spawn(line.serve(calls, number == 0))
                    });
                    join_all(lines.collect::<Vec<_>>()).await;
                }
            });
        };
        let thread =
            thread::Builder::new().name("glove-postgres".to_owned()).spawn(work).map_err(unusable)?;
        let inner = Inner { lines, shared, thread: Some(thread) };
        prepared.recv().unwrap_or_else(|_| Err(inner.shared.pool.connection_lost()))?;
        Ok(Connections { inner: Arc::new(inner) })
    }

    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.inner.shared.pool
    }

    /// `session` is empty for what belongs to none. `unsure`: see [`Call`].
    pub(super) fn call(
        &self,
        session: &str,
        statement: &'static str,
        values: Vec<Value>,
        unsure: Option<usize>,
    ) -> BoxFuture<'static, Result<Vec<Row>, StoreError>> {
        let (reply, answer) = oneshot::channel();
        let lines = self.inner.lines.split_first().map_or(&[][..], |(_, others)| others);
        let sent = self.pool().line(lines, session).is_some_and(|line| {
            line.send(Call { statement, values, unsure, made: Instant::now(), reply }).is_ok()
        });
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
    client: Option<Client>,
}

impl Line {
    async fn serve(mut self, mut calls: UnboundedReceiver<Call>, renews: bool) {
        let mut renewal = Instant::now() + RENEWED;
        loop {
            let next = match renews {
                true => timeout_at(renewal.into(), calls.recv()).await,
                false => Ok(calls.recv().await),
            };
            match next {
                Ok(Some(call)) => self.answer(call).await,
                Ok(None) => return,
                Err(_) => {}
            }
            if renews && Instant::now() >= renewal {
                renewal = Instant::now() + RENEWED;
                self.renew().await;
            }
        }
    }

    async fn answer(&mut self, mut call: Call) {
        let answer = self.done(&mut call).await.map_err(|error| self.shared.pool.named(error));
        // Whoever has stopped waiting needs no answer.
        let _ = call.reply.send(answer);
    }

    /// Goes on trying while the database is away.
    async fn done(&mut self, call: &mut Call) -> Result<Vec<Row>, StoreError> {
        let until = self.shared.pool.patience(call.made);
        loop {
            let failure = match timeout_at(until.into(), self.once(call)).await {
                Ok(Ok(rows)) => return Ok(rows),
                Ok(Err(error)) if may_pass(&error) => error,
                Ok(Err(error)) => return Err(failed(&error)),
                Err(_) => {
                    self.client = None;
                    return Err(slow());
                }
            };
            self.client = None;
            call.may_be_done();
            if Instant::now() + PAUSE >= until {
                return Err(failed(&failure));
            }
            sleep(PAUSE).await;
        }
    }

    async fn once(&mut self, call: &Call) -> Result<Vec<Row>, tokio_postgres::Error> {
        if self.client.as_ref().is_none_or(Client::is_closed) {
            self.client = Some(self.shared.connect().await?);
        }
        let values: Vec<_> = call
            .values
            .iter()
            .map(|(value, kind)| (&**value as &(dyn tokio_postgres::types::ToSql + Sync), kind.clone()))
            .collect();
        match &self.client {
            // Without a name for the statement: a pooler may give the next one another connection.
            Some(client) => client.query_typed(call.statement, &values).await,
            None => Ok(Vec::new()),
        }
    }

    /// A lease that cannot be renewed runs out.
    async fn renew(&mut self) {
        let leases = self.shared.pool.leases.all();
        if leases.is_empty() {
            return;
        }
        let at = times();
        let holders = leases.iter().map(|lease| lease.holder.clone()).collect();
        let (reply, _) = oneshot::channel();
        let call = Call {
            statement:
                "UPDATE glove_sessions SET held_until = clock_timestamp() + $1 * interval '1 millisecond'
                WHERE holder = ANY ($2) RETURNING holder",
            values: vec![number(held_millis()), texts(holders)],
            unsure: None,
            made: Instant::now(),
            reply,
        };
        let renewed = match timeout(HELD, self.once(&call)).await {
            Ok(Ok(rows)) => rows,
            _ => {
                self.client = None;
                return;
            }
        };
        let holders = renewed.iter().filter_map(|row| row.try_get(0).ok()).collect();
        self.shared.pool.leases.renewed(&leases, at, holders);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.pool.close();
        self.lines.clear();
        if let Some(thread) = self.thread.take() {
            // On the thread itself, when a call held the last one.
            if thread.thread().id() != thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}
