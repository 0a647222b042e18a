//! The store of one session.

use std::fmt;
use std::sync::Arc;

use ::redis::{Script, Value};

use super::connection::Connections;
use super::scripts::SCRIPTS;
use super::values::{Given, read};
use glove_wasm::error::StoreError;
use glove_wasm::json::Json;
use glove_wasm::json::codec::to_text;
use glove_wasm::message::{InboxItem, Message, Task};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Durability, Loaded, PermissionStatus, StoreAdapter};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::salvage::salvage;
use glove_wasm::store::permission_key;
use glove_wasm_native::internal::{HeldSession, Stored, held_millis, loaded, times, title_of, value, values};

type Asked<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Keeps a session in a [`RedisDatabase`](super::RedisDatabase). Clones are the same store. The first write takes the session for this
/// store, until the last clone is dropped: meanwhile other stores, of this process and of others, read the session and are refused to
/// write.
#[derive(Clone)]
pub struct RedisStore {
    inner: Arc<Inner>,
}

struct Inner {
    connections: Connections,
    held: HeldSession,
}

/// Where `append.lua` is told whether the step may be there already.
const UNSURE: usize = 5;

impl RedisStore {
    pub(super) fn new(connections: Connections, session: String, address: String) -> Self {
        let held = HeldSession::new(session, address, connections.pool());
        RedisStore { inner: Arc::new(Inner { connections, held }) }
    }

    /// Takes the session for this store before anything is written. Waits until it can be told whether its last holder is still there.
    pub async fn acquire(&self) -> Result<(), StoreError> {
        HeldSession::acquire(|| self.take()).await
    }

    /// Another process has taken the session over.
    pub fn is_lost(&self) -> bool {
        self.inner.held.lease.is_lost()
    }

    /// The same at once, or not at all.
    pub fn take(&self) -> Asked<()> {
        self.writing(&SCRIPTS.take, |given| given, None)
    }

    /// See `glove_wasm_serve::session_database::HeldStore`.
    pub fn deaths(&self) -> Asked<u64> {
        let asked = self.ask(&SCRIPTS.get, |given| given.text("deaths"));
        Box::pin(async move { Ok(read::<Option<u64>>(asked.await?)?.unwrap_or_default()) })
    }

    pub fn forgive(&self) -> Asked<()> {
        self.set(&SCRIPTS.set, |given| given.text("deaths").text("0"))
    }

    /// A write of whoever holds the session, or takes it herewith.
    fn writing(
        &self,
        script: &'static Script,
        more: impl FnOnce(Given) -> Given,
        unsure: Option<usize>,
    ) -> Asked<()> {
        let inner = Arc::clone(&self.inner);
        let HeldSession { lease, address, .. } = &inner.held;
        let given = Given::to(&lease.session)
            .text(lease.holder.as_str())
            .flag(lease.had())
            .text(address.as_str())
            .number(held_millis());
        let at = times();
        let asked = inner.connections.call(&lease.session, script, more(given), unsure);
        Box::pin(async move { inner.held.wrote(at, asked.await) })
    }

    pub fn name(&self) -> Asked<String> {
        let asked = self.ask(&SCRIPTS.get, |given| given.text("name"));
        Box::pin(async move { Ok(read::<Option<String>>(asked.await?)?.unwrap_or_default()) })
    }

    /// The name that a person gives the session.
    pub fn set_name(&self, name: &str) -> Asked<()> {
        self.set(&SCRIPTS.set, |given| given.text("name").text(name))
    }

    pub fn add_inbox_item(&self, item: &InboxItem) -> Asked<()> {
        self.set(&SCRIPTS.add_inbox_item, |given| given.text(item.id.as_str()).text(to_text(item)))
    }

    fn ask(&self, script: &'static Script, more: impl FnOnce(Given) -> Given) -> Asked<Value> {
        let session = &self.inner.held.lease.session;
        self.inner.connections.call(session, script, more(Given::to(session)), None)
    }

    fn set(&self, script: &'static Script, more: impl FnOnce(Given) -> Given) -> Asked<()> {
        let asked = self.ask(script, more);
        Box::pin(async move { asked.await.map(drop) })
    }
}

impl StoreAdapter for RedisStore {
    fn identifier(&self) -> String {
        self.inner.held.lease.session.clone()
    }

    fn load(&self) -> Asked<Loaded> {
        let asked = self.ask(&SCRIPTS.load, |given| given);
        Box::pin(async move {
            let stored: Option<Stored> = read(asked.await?)?;
            loaded(stored)
        })
    }

    fn salvage(&self) -> Asked<Vec<Arc<Message>>> {
        let asked = self.ask(&SCRIPTS.messages, |given| given);
        Box::pin(async move { Ok(salvage(&read::<Vec<String>>(asked.await?)?).messages) })
    }

    /// As durable as Redis is set up to be, for every step.
    fn append(&self, step: Unsaved<'_>, _durability: Durability) -> Asked<()> {
        let unsure = self.inner.held.is_unsure();
        let append = |given: Given| {
            given
                .flag(unsure)
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
    fn confirm(&self) -> Option<Asked<()>> {
        (!self.inner.held.lease.is_sure()).then(|| self.take())
    }

    fn permission(&self, tool: &str, input: Option<&Json>) -> Asked<PermissionStatus> {
        let asked = self.ask(&SCRIPTS.permission, |given| given.text(permission_key(tool, input)));
        Box::pin(async move { Ok(read::<Option<bool>>(asked.await?)?.into()) })
    }

    fn set_permission(&self, tool: &str, input: Option<&Json>, granted: bool) -> Asked<()> {
        self.set(&SCRIPTS.set_permission, |given| given.text(permission_key(tool, input)).flag(granted))
    }

    fn keeps_tasks(&self) -> bool {
        true
    }

    fn tasks(&self) -> Asked<Vec<Task>> {
        let asked = self.ask(&SCRIPTS.get, |given| given.text("tasks"));
        Box::pin(async move {
            let tasks: Option<String> = read(asked.await?)?;
            tasks.map_or_else(|| Ok(Vec::new()), |tasks| value(&tasks, "the task list"))
        })
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> Asked<()> {
        self.set(&SCRIPTS.set, |given| given.text("tasks").text(to_text(&tasks)))
    }

    fn keeps_inbox(&self) -> bool {
        true
    }

    fn inbox(&self) -> Asked<Vec<InboxItem>> {
        let asked = self.ask(&SCRIPTS.inbox, |given| given);
        Box::pin(async move { values(&read::<Vec<String>>(asked.await?)?, "inbox item") })
    }

    fn consume_inbox(&self, ids: &[String]) -> Asked<()> {
        self.set(&SCRIPTS.consume_inbox, |given| given.texts(ids.iter().map(String::as_str)))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.held.leave() {
            let lease = &self.held.lease;
            let given = Given::to(&lease.session).text(lease.holder.as_str());
            // Not waited for: the thread does what was asked of it before it ends.
            drop(self.connections.call(&lease.session, &SCRIPTS.give_back, given, None));
        }
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("session", &self.inner.held.lease.session).finish_non_exhaustive()
    }
}
