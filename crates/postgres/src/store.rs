//! The store of one session.

use std::fmt;
use std::sync::Arc;

use tokio_postgres::Row;

use super::call::{Value, bytes, flag, number, text, texts};
use super::connection::Connections;
use super::row::get;
use glove_wasm::error::StoreError;
use glove_wasm::json::Json;
use glove_wasm::json::codec::to_text;
use glove_wasm::message::{InboxItem, Message, Task};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Durability, Loaded, PermissionStatus, StoreAdapter};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::salvage::salvage;
use glove_wasm::store::permission_key;
use glove_wasm_native::internal::{
    LeasedSession, Stored, held_millis, loaded, times, title_of, value, values,
};

/// Keeps a session in a [`PostgresDatabase`](super::PostgresDatabase). Clones are the same store. The first write takes the session for
/// this store, until the last clone is dropped: meanwhile other stores, of this process and of others, read the session and are refused
/// to write.
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

struct Inner {
    connections: Connections,
    leased: LeasedSession,
}

/// Where `glove_append` is told whether the step may be there already.
const UNSURE: usize = 5;

impl PostgresStore {
    pub(super) fn new(connections: Connections, session: String, address: String) -> Self {
        let leased = LeasedSession::new(session, address, connections.pool());
        PostgresStore { inner: Arc::new(Inner { connections, leased }) }
    }

    /// Takes the session for this store before anything is written. Waits until it can be told whether its last holder is still there.
    pub async fn acquire(&self) -> Result<(), StoreError> {
        LeasedSession::acquire(|| self.take()).await
    }

    /// Another process has taken the session over.
    pub fn is_lost(&self) -> bool {
        self.inner.leased.lease.is_lost()
    }

    /// The same at once, or not at all.
    pub fn take(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        self.writing("SELECT glove_take($1, $2, $3, $4, $5)", Vec::new(), None)
    }

    /// See `glove_wasm_serve::session_database::LeasedStore`.
    pub fn deaths(&self) -> BoxFuture<'static, Result<u64, StoreError>> {
        let reply = self.ask("SELECT deaths FROM glove_sessions WHERE id = $1", Vec::new());
        Box::pin(async move {
            let deaths: Option<i64> = reply.await?.first().map(|row| get(row, 0)).transpose()?;
            Ok(deaths.and_then(|deaths| u64::try_from(deaths).ok()).unwrap_or_default())
        })
    }

    pub fn forgive(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        let reply = self.ask("UPDATE glove_sessions SET deaths = 0 WHERE id = $1", Vec::new());
        Box::pin(async move { reply.await.map(drop) })
    }

    /// A write of whoever holds the session, or takes it herewith.
    fn writing(
        &self,
        statement: &'static str,
        more: Vec<Value>,
        unsure: Option<usize>,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let inner = Arc::clone(&self.inner);
        let LeasedSession { lease, address, .. } = &inner.leased;
        let mut values = vec![
            text(&lease.session),
            text(&lease.holder),
            flag(lease.had()),
            text(address),
            number(held_millis()),
        ];
        values.extend(more);
        let at = times();
        let reply = inner.connections.call(&lease.session, statement, values, unsure);
        Box::pin(async move { inner.leased.wrote(at, reply.await) })
    }

    pub fn name(&self) -> BoxFuture<'static, Result<String, StoreError>> {
        let reply = self.ask("SELECT name FROM glove_sessions WHERE id = $1", Vec::new());
        Box::pin(
            async move { Ok(reply.await?.first().map(|row| get(row, 0)).transpose()?.unwrap_or_default()) },
        )
    }

    /// The name that a person gives the session.
    pub fn set_name(&self, name: &str) -> BoxFuture<'static, Result<(), StoreError>> {
        self.set(
            "WITH there AS (SELECT glove_ensure($1)) UPDATE glove_sessions SET name = $2 FROM there WHERE id = $1",
            // A text of this database cannot have it.
            vec![text(name.replace('\0', ""))],
        )
    }

    pub fn add_inbox_item(&self, item: &InboxItem) -> BoxFuture<'static, Result<(), StoreError>> {
        let ensured = self.ensure();
        let (store, id, item) = (self.clone(), item.id.clone(), to_text(item));
        Box::pin(async move {
            ensured.await?;
            let insert =
                "INSERT INTO glove_inbox (session, id, item) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            store.set(insert, vec![text(id), text(item)]).await
        })
    }

    fn ensure(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        self.set("SELECT glove_ensure($1)", Vec::new())
    }

    fn ask(
        &self,
        statement: &'static str,
        more: Vec<Value>,
    ) -> BoxFuture<'static, Result<Vec<Row>, StoreError>> {
        let session = &self.inner.leased.lease.session;
        let mut values = vec![text(session)];
        values.extend(more);
        self.inner.connections.call(session, statement, values, None)
    }

    fn set(&self, statement: &'static str, more: Vec<Value>) -> BoxFuture<'static, Result<(), StoreError>> {
        let reply = self.ask(statement, more);
        Box::pin(async move { reply.await.map(drop) })
    }

    fn message_texts(&self) -> BoxFuture<'static, Result<Vec<String>, StoreError>> {
        let reply = self.ask("SELECT message FROM glove_messages WHERE session = $1 ORDER BY at", Vec::new());
        Box::pin(async move { reply.await?.iter().map(|row| get(row, 0)).collect() })
    }
}

/// One row: the session, its messages and its records as lists. A statement sees the database as it is at one moment.
const LOAD: &str = "SELECT s.messages, s.seq, s.checkpoint,
    ARRAY (SELECT m.message FROM glove_messages m WHERE m.session = s.id ORDER BY m.at),
    ARRAY (SELECT r.record FROM glove_records r WHERE r.session = s.id ORDER BY r.seq)
    FROM glove_sessions s WHERE s.id = $1";

fn stored(row: &Row) -> Result<Stored, StoreError> {
    let written = usize::try_from(get::<i64>(row, 0)?).unwrap_or(usize::MAX);
    let seq = u64::try_from(get::<i64>(row, 1)?).unwrap_or_default();
    Ok((written, seq, get(row, 2)?, get(row, 3)?, get(row, 4)?))
}

impl StoreAdapter for PostgresStore {
    fn identifier(&self) -> String {
        self.inner.leased.lease.session.clone()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        let reply = self.ask(LOAD, Vec::new());
        Box::pin(async move { loaded(reply.await?.first().map(stored).transpose()?) })
    }

    fn salvage(&self) -> BoxFuture<'static, Result<Vec<Arc<Message>>, StoreError>> {
        let texts = self.message_texts();
        Box::pin(async move { Ok(salvage(&texts.await?).messages) })
    }

    fn append(
        &self,
        step: Unsaved<'_>,
        _durability: Durability,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let title = title_of(step.messages);
        let unsure = self.inner.leased.is_unsure();
        let values = vec![
            flag(unsure),
            number(step.first_message as u64),
            texts(step.messages.iter().map(|message| to_text(message)).collect()),
            text(title),
            number(step.seq),
            texts(step.records.iter().map(|record| to_text(record)).collect()),
            bytes(step.checkpoint.map(String::into_bytes)),
            text(step.phase.as_str()),
            flag(step.asks),
        ];
        let append = "SELECT glove_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
        self.writing(append, values, Some(UNSURE))
    }

    /// Another process may have taken the session over while this one slept.
    fn confirm(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        (!self.inner.leased.lease.is_sure()).then(|| self.take())
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        let query = "SELECT granted FROM glove_permissions WHERE session = $1 AND key = sha256($2)";
        let reply = self.ask(query, vec![key(tool, input)]);
        Box::pin(async move {
            let granted: Option<bool> = reply.await?.first().map(|row| get(row, 0)).transpose()?;
            Ok(granted.into())
        })
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let (ensured, store, key) = (self.ensure(), self.clone(), key(tool, input));
        Box::pin(async move {
            ensured.await?;
            let insert = "INSERT INTO glove_permissions (session, key, granted) VALUES ($1, sha256($2), $3)
                 ON CONFLICT (session, key) DO UPDATE SET granted = $3";
            store.set(insert, vec![key, flag(granted)]).await
        })
    }

    fn keeps_tasks(&self) -> bool {
        true
    }

    fn tasks(&self) -> BoxFuture<'static, Result<Vec<Task>, StoreError>> {
        let reply = self.ask("SELECT tasks FROM glove_sessions WHERE id = $1", Vec::new());
        Box::pin(async move {
            let tasks: Option<String> = reply.await?.first().map(|row| get(row, 0)).transpose()?;
            tasks.map_or_else(|| Ok(Vec::new()), |tasks| value(&tasks, "the task list"))
        })
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> BoxFuture<'static, Result<(), StoreError>> {
        let (ensured, store) = (self.ensure(), self.clone());
        Box::pin(async move {
            ensured.await?;
            let update = "UPDATE glove_sessions SET tasks = $2 WHERE id = $1";
            store.set(update, vec![text(to_text(&tasks))]).await
        })
    }

    fn keeps_inbox(&self) -> bool {
        true
    }

    fn inbox(&self) -> BoxFuture<'static, Result<Vec<InboxItem>, StoreError>> {
        let query = "SELECT item FROM glove_inbox WHERE session = $1 AND NOT consumed ORDER BY place";
        let reply = self.ask(query, Vec::new());
        Box::pin(async move {
            let texts: Vec<String> =
                reply.await?.iter().map(|row| get(row, 0)).collect::<Result<_, StoreError>>()?;
            values(&texts, "inbox item")
        })
    }

    fn consume_inbox(&self, ids: &[String]) -> BoxFuture<'static, Result<(), StoreError>> {
        let update = "UPDATE glove_inbox SET consumed = true WHERE session = $1 AND id = ANY ($2)";
        self.set(update, vec![texts(ids.to_vec())])
    }
}

fn key(tool: &str, input: Option<&Json>) -> Value {
    bytes(Some(permission_key(tool, input).into_bytes()))
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.leased.leave() {
            let lease = &self.leased.lease;
            let give_back = "UPDATE glove_sessions SET holder = NULL, held_until = clock_timestamp() WHERE id = $1 AND holder = $2";
            let values = vec![text(&lease.session), text(&lease.holder)];
            // Not waited for: the thread does what was asked of it before it ends.
            drop(self.connections.call(&lease.session, give_back, values, None));
        }
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("session", &self.inner.leased.lease.session)
            .finish_non_exhaustive()
    }
}
