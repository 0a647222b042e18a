//! The store of one session.

use std::fmt;
use std::sync::Arc;

use ::redis::{Script, Value};

use super::connection::Connections;
use super::scripts::SCRIPTS;
use super::values::{ScriptArgs, read};
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

type StoreFuture<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Keeps a session in a [`RedisDatabase`](super::RedisDatabase). Clones are the same store. The first write takes the session for this
/// store, until the last clone is dropped: meanwhile other stores, of this process and of others, read the session and are refused to
/// write.
#[derive(Clone)]
pub struct RedisStore {
    inner: Arc<Inner>,
}

struct Inner {
    connections: Connections,
    leased: LeasedSession,
}

/// Where `append.lua` is told whether the step may be there already.
const UNSURE: usize = 5;

impl RedisStore {
    pub(super) fn new(connections: Connections, session: String, address: String) -> Self {
        let leased = LeasedSession::new(session, address, connections.pool());
        RedisStore { inner: Arc::new(Inner { connections, leased }) }
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
    pub fn take(&self) -> StoreFuture<()> {
        self.writing(&SCRIPTS.take, |args| args, None)
    }

    /// See `glove_wasm_serve::session_database::LeasedStore`.
    pub fn deaths(&self) -> StoreFuture<u64> {
        let reply = self.ask(&SCRIPTS.get, |args| args.text("deaths"));
        Box::pin(async move { Ok(read::<Option<u64>>(reply.await?)?.unwrap_or_default()) })
    }

    pub fn forgive(&self) -> StoreFuture<()> {
        self.set(&SCRIPTS.set, |args| args.text("deaths").text("0"))
    }

    /// A write of whoever holds the session, or takes it herewith.
    fn writing(
        &self,
        script: &'static Script,
        more: impl FnOnce(ScriptArgs) -> ScriptArgs,
        unsure: Option<usize>,
    ) -> StoreFuture<()> {
        let inner = Arc::clone(&self.inner);
        let LeasedSession { lease, address, .. } = &inner.leased;
        let args = ScriptArgs::to(&lease.session)
            .text(lease.holder.as_str())
            .flag(lease.had())
            .text(address.as_str())
            .number(held_millis());
        let at = times();
        let reply = inner.connections.call(&lease.session, script, more(args), unsure);
        Box::pin(async move { inner.leased.wrote(at, reply.await) })
    }

    pub fn name(&self) -> StoreFuture<String> {
        let reply = self.ask(&SCRIPTS.get, |args| args.text("name"));
        Box::pin(async move { Ok(read::<Option<String>>(reply.await?)?.unwrap_or_default()) })
    }

    /// The name that a person gives the session.
    pub fn set_name(&self, name: &str) -> StoreFuture<()> {
        self.set(&SCRIPTS.set, |args| args.text("name").text(name))
    }

    pub fn add_inbox_item(&self, item: &InboxItem) -> StoreFuture<()> {
        self.set(&SCRIPTS.add_inbox_item, |args| args.text(item.id.as_str()).text(to_text(item)))
    }

    fn ask(
        &self,
        script: &'static Script,
        more: impl FnOnce(ScriptArgs) -> ScriptArgs,
    ) -> StoreFuture<Value> {
        let session = &self.inner.leased.lease.session;
        self.inner.connections.call(session, script, more(ScriptArgs::to(session)), None)
    }

    fn set(&self, script: &'static Script, more: impl FnOnce(ScriptArgs) -> ScriptArgs) -> StoreFuture<()> {
        let reply = self.ask(script, more);
        Box::pin(async move { reply.await.map(drop) })
    }
}

impl StoreAdapter for RedisStore {
    fn identifier(&self) -> String {
        self.inner.leased.lease.session.clone()
    }

    fn load(&self) -> StoreFuture<Loaded> {
        let reply = self.ask(&SCRIPTS.load, |args| args);
        Box::pin(async move {
            let stored: Option<Stored> = read(reply.await?)?;
            loaded(stored)
        })
    }

    fn salvage(&self) -> StoreFuture<Vec<Arc<Message>>> {
        let reply = self.ask(&SCRIPTS.messages, |args| args);
        Box::pin(async move { Ok(salvage(&read::<Vec<String>>(reply.await?)?).messages) })
    }

    /// As durable as Redis is set up to be, for every step.
    fn append(&self, step: Unsaved<'_>, _durability: Durability) -> StoreFuture<()> {
        let unsure = self.inner.leased.is_unsure();
        let append = |args: ScriptArgs| {
            args.flag(unsure)
                .number(step.first_message as u64)
                .text(title_of(step.messages))
                .number(step.seq)
                .text(step.phase.as_str())
                .flag(step.asks)
                .flag(step.checkpoint.is_some())
                .text(step.checkpoint.clone().unwrap_or_default())
                .number(step.messages.len() as u64)
                .texts(step.messages.iter().map(|message| to_text(message)))
                .texts(step.records.iter().map(|record| to_text(record)))
        };
        self.writing(&SCRIPTS.append, append, Some(UNSURE))
    }

    /// Another process may have taken the session over while this one slept.
    fn confirm(&self) -> Option<StoreFuture<()>> {
        (!self.inner.leased.lease.is_sure()).then(|| self.take())
    }

    fn permission(&self, tool: &str, input: Option<&Json>) -> StoreFuture<PermissionStatus> {
        let reply = self.ask(&SCRIPTS.permission, |args| args.text(permission_key(tool, input)));
        Box::pin(async move { Ok(read::<Option<bool>>(reply.await?)?.into()) })
    }

    fn set_permission(&self, tool: &str, input: Option<&Json>, granted: bool) -> StoreFuture<()> {
        self.set(&SCRIPTS.set_permission, |args| args.text(permission_key(tool, input)).flag(granted))
    }

    fn keeps_tasks(&self) -> bool {
        true
    }

    fn tasks(&self) -> StoreFuture<Vec<Task>> {
        let reply = self.ask(&SCRIPTS.get, |args| args.text("tasks"));
        Box::pin(async move {
            let tasks: Option<String> = read(reply.await?)?;
            tasks.map_or_else(|| Ok(Vec::new()), |tasks| value(&tasks, "the task list"))
        })
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> StoreFuture<()> {
        self.set(&SCRIPTS.set, |args| args.text("tasks").text(to_text(&tasks)))
    }

    fn keeps_inbox(&self) -> bool {
        true
    }

    fn inbox(&self) -> StoreFuture<Vec<InboxItem>> {
        let reply = self.ask(&SCRIPTS.inbox, |args| args);
        Box::pin(async move { values(&read::<Vec<String>>(reply.await?)?, "inbox item") })
    }

    fn consume_inbox(&self, ids: &[String]) -> StoreFuture<()> {
        self.set(&SCRIPTS.consume_inbox, |args| args.texts(ids.iter().map(String::as_str)))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.leased.leave() {
            let lease = &self.leased.lease;
            let args = ScriptArgs::to(&lease.session).text(lease.holder.as_str());
            // Not waited for: the thread does what was asked of it before it ends.
            drop(self.connections.call(&lease.session, &SCRIPTS.give_back, args, None));
        }
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("session", &self.inner.leased.lease.session)
            .finish_non_exhaustive()
    }
}
