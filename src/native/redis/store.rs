//! The store of one session.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::redis::{Script, Value};

use super::connection::Connections;
use super::failure::unreadable;
use super::scripts::SCRIPTS;
use super::values::{Given, read};
use crate::error::{StoreError, StoreErrorKind};
use crate::json::Json;
use crate::json::codec::{Fault, from_text, to_text};
use crate::message::{InboxItem, Message, Task};
use crate::native::SystemClock;
use crate::native::lease::{self, Lease};
use crate::native::stored::{title_of, whole};
use crate::portable::BoxFuture;
use crate::ports::{Clock, Durability, Loaded, PermissionStatus, StoreAdapter};
use crate::run::checkpoint::Unsaved;
use crate::run::salvage::salvage;
use crate::store::permission_key;

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
    lease: Arc<Lease>,
    /// Where the process of this store is reached.
    address: String,
    /// A write has failed that may have been done.
    unsure: AtomicBool,
}

/// Where `append.lua` is told whether the step may be there already.
const UNSURE: usize = 5;

impl RedisStore {
    pub(super) fn new(connections: Connections, session: String, address: String) -> Self {
        let lease = Arc::new(Lease::new(session));
        RedisStore { inner: Arc::new(Inner { connections, lease, address, unsure: false.into() }) }
    }

    /// Takes the session for this store before anything is written. Waits until it can be told whether its last holder is still there.
    pub async fn acquire(&self) -> Result<(), StoreError> {
        let pause = 250;
        for _ in 0..(lease::held_millis() / pause + 2) {
            match self.take().await {
                Err(error) if error.kind == StoreErrorKind::Conflict => {}
                done => return done,
            }
            SystemClock.sleep(pause).await;
        }
        self.take().await
    }

    /// Another process has taken the session over.
    pub fn is_lost(&self) -> bool {
        self.inner.lease.is_lost()
    }

    /// The same at once, or not at all.
    pub(crate) fn take(&self) -> Asked<()> {
        self.writing(&SCRIPTS.take, |given| given, None)
    }

    /// See [`HeldStore`](crate::native::session_database::HeldStore).
    #[cfg(feature = "serve")]
    pub(crate) fn deaths(&self) -> Asked<u64> {
        let asked = self.ask(&SCRIPTS.get, |given| given.text("deaths"));
        Box::pin(async move { Ok(read::<Option<u64>>(asked.await?)?.unwrap_or_default()) })
    }

    #[cfg(feature = "serve")]
    pub(crate) fn forgive(&self) -> Asked<()> {
        self.set(&SCRIPTS.set, |given| given.text("deaths").text("0"))
    }

    /// A write of whoever holds the session, or takes it herewith.
    fn writing(
        &self,
        script: &'static Script,
        more: impl FnOnce(Given) -> Given,
        unsure: Option<usize>,
    ) -> Asked<()> {
        let (inner, lease) = (Arc::clone(&self.inner), Arc::clone(&self.inner.lease));
        let given = Given::to(&lease.session)
            .text(lease.holder.as_str())
            .flag(lease.had())
            .text(inner.address.as_str())
            .number(lease::held_millis());
        let at = lease::times();
        let asked = inner.connections.call(&lease.session, script, more(given), unsure);
        Box::pin(async move {
            match asked.await {
                Ok(_) => {
                    inner.unsure.store(false, Ordering::Relaxed);
                    inner.keep(at);
                    Ok(())
                }
                Err(error) => {
                    if error.kind == StoreErrorKind::Conflict && lease.had() {
                        lease.lose();
                    }
                    // Refused is not done; of all else nobody knows.
                    if matches!(error.kind, StoreErrorKind::Unavailable | StoreErrorKind::Failed) {
                        inner.unsure.store(true, Ordering::Relaxed);
                    }
                    Err(error)
                }
            }
        })
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
        let session = &self.inner.lease.session;
        self.inner.connections.call(session, script, more(Given::to(session)), None)
    }

    fn set(&self, script: &'static Script, more: impl FnOnce(Given) -> Given) -> Asked<()> {
        let asked = self.ask(script, more);
        Box::pin(async move { asked.await.map(drop) })
    }
}

impl Inner {
    fn keep(&self, at: [u64; 2]) {
        let is_new = !self.lease.had();
        self.lease.given(at);
        if is_new {
            self.connections.shared().leases().push(Arc::clone(&self.lease));
        }
    }
}

type Stored = Option<(usize, u64, Option<Vec<u8>>, Vec<String>, Vec<String>)>;

fn loaded(stored: Stored) -> Result<Loaded, StoreError> {
    let Some((written, seq, checkpoint, messages, records)) = stored else { return Ok(Loaded::default()) };
    let checkpoint = checkpoint.map(String::from_utf8).transpose();
    let loaded = Loaded {
        messages: values(&messages, "message")?,
        checkpoint: checkpoint.map_err(|_| unreadable("the state of its run"))?,
        records: values(&records, "record")?,
    };
    whole(&loaded, written, seq)?;
    Ok(loaded)
}

fn values<T: crate::json::codec::Read>(texts: &[String], what: &str) -> Result<Vec<T>, StoreError> {
    let read = |(at, text): (usize, &String)| {
        from_text(text).map_err(|fault: Box<Fault>| unreadable(&format!("{what} {at} ({fault})")))
    };
    texts.iter().enumerate().map(read).collect()
}

impl StoreAdapter for RedisStore {
    fn identifier(&self) -> String {
        self.inner.lease.session.clone()
    }

    fn load(&self) -> Asked<Loaded> {
        let asked = self.ask(&SCRIPTS.load, |given| given);
        Box::pin(async move { loaded(read(asked.await?)?) })
    }

    fn salvage(&self) -> Asked<Vec<Message>> {
        let asked = self.ask(&SCRIPTS.messages, |given| given);
        Box::pin(async move { Ok(salvage(&read::<Vec<String>>(asked.await?)?).messages) })
    }

    /// As durable as Redis is set up to be, for every step.
    fn append(&self, step: Unsaved<'_>, _durability: Durability) -> Asked<()> {
        let unsure = self.inner.unsure.load(Ordering::Relaxed);
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
        (!self.inner.lease.is_sure()).then(|| self.take())
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
            let read = |tasks: String| {
                from_text(&tasks).map_err(|fault: Box<Fault>| unreadable(&format!("the task list ({fault})")))
            };
            tasks.map_or_else(|| Ok(Vec::new()), read)
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
        self.connections.shared().leases().retain(|lease| lease.holder != self.lease.holder);
        if self.lease.had() {
            let given = Given::to(&self.lease.session).text(self.lease.holder.as_str());
            // Not waited for: the thread does what was asked of it before it ends.
            drop(self.connections.call(&self.lease.session, &SCRIPTS.give_back, given, None));
        }
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("session", &self.inner.lease.session).finish_non_exhaustive()
    }
}
