//! A database of sessions.

use std::fmt;

use ::redis::{Client, Connection, ConnectionAddr, IntoConnectionInfo};

use super::connection::Connections;
use super::failure::{failed, unusable};
use super::scripts::SCRIPTS;
use super::store::RedisStore;
use super::values::{ScriptArgs, read};
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm_native::StoredSession;

/// A newer form is refused.
const VERSION: u64 = 1;
/// The part of an address that allows a Redis which forgets.
const FORGETS: &str = "appendonly=no";

/// A Redis with sessions, which other processes share. Clones are the same connections; they are closed with the last of them and of
/// their stores.
#[derive(Clone)]
pub struct RedisDatabase {
    pub(super) connections: Connections,
    address: String,
}

type Row = (String, String, u64, u64, u64, String, String, Option<u64>, String);

impl RedisDatabase {
    /// Connects to `redis://user:password@host:port/number`, or by TLS with `rediss://`. Keys begin with `glove:`. Refuses a Redis that
    /// writes no log of what is stored (`appendonly yes`), unless the address ends with `?appendonly=no`, and one that removes keys when its
    /// memory is full.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let (address, forgets) = match url.split_once('?') {
            Some((address, FORGETS)) => (address, true),
            _ => (url, false),
        };
        // What went wrong may have the password in it.
        let wrong = || {
            unusable(
                "this is no address of a Redis; it has the form redis://user:password@host:port, or rediss:// for TLS",
            )
        };
        if !address.starts_with("redis://") && !address.starts_with("rediss://") {
            return Err(wrong());
        }
        // There is one that every TLS of this program uses; without it the library would choose, and could not.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let info = address.into_connection_info().map_err(|_| wrong())?;
        let place = match info.addr() {
            ConnectionAddr::Tcp(host, port) => format!("redis://{host}:{port}"),
            ConnectionAddr::TcpTls { host, port, .. } => format!("rediss://{host}:{port}"),
            _ => "redis".to_owned(),
        };
        let client = Client::open(info).map_err(|_| wrong())?;
        let connections = Connections::open(client, place, |connection| keeps(connection, forgets))?;
        Ok(RedisDatabase { connections, address: String::new() })
    }

    /// Says where other servers reach the process that holds a session of this database.
    pub fn at_address(self, address: impl Into<String>) -> Self {
        RedisDatabase { address: address.into(), ..self }
    }

    /// Its host and port.
    pub fn place(&self) -> &str {
        &self.connections.pool().place
    }

    /// The store of one session, which need not exist yet. Nothing is written before its first message.
    pub fn store(&self, session: impl Into<String>) -> RedisStore {
        RedisStore::new(self.connections.clone(), session.into(), self.address.clone())
    }

    /// All sessions, the one that was written last in front.
    pub fn sessions(&self) -> BoxFuture<'static, Result<Vec<StoredSession>, StoreError>> {
        self.listed("")
    }

    /// One of them.
    pub fn session(&self, id: &str) -> BoxFuture<'static, Result<Option<StoredSession>, StoreError>> {
        let listed = self.listed(id);
        Box::pin(async move { Ok(listed.await?.pop()) })
    }

    fn listed(&self, id: &str) -> BoxFuture<'static, Result<Vec<StoredSession>, StoreError>> {
        let reply = self.connections.call(id, &SCRIPTS.sessions, ScriptArgs::to(id), None);
        Box::pin(async move {
            let mut sessions: Vec<_> = read::<Vec<Row>>(reply.await?)?.into_iter().map(session).collect();
            sessions.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.id.cmp(&b.id)));
            Ok(sessions)
        })
    }

    /// Whether anything was ever written to the session.
    pub fn contains(&self, id: &str) -> BoxFuture<'static, Result<bool, StoreError>> {
        let reply = self.connections.call(id, &SCRIPTS.contains, ScriptArgs::to(id), None);
        Box::pin(async move { read(reply.await?) })
    }

    /// Deletes a session and all that belongs to it. False when there is none. One that another process holds is refused.
    pub fn delete(&self, id: &str) -> BoxFuture<'static, Result<bool, StoreError>> {
        let args = ScriptArgs::to(id).texts(self.connections.pool().leases.holders(id));
        let reply = self.connections.call(id, &SCRIPTS.delete, args, None);
        Box::pin(async move { read(reply.await?) })
    }

    /// Where the process is that holds the session now; empty if it did not say.
    pub fn holder(&self, id: &str) -> BoxFuture<'static, Result<Option<String>, StoreError>> {
        let reply = self.connections.call(id, &SCRIPTS.holder, ScriptArgs::to(id), None);
        Box::pin(async move { read(reply.await?) })
    }

    /// Sessions that were at work when their holder ended or died, in the last hour. At most 32, others at each call.
    pub fn abandoned(&self) -> BoxFuture<'static, Result<Vec<String>, StoreError>> {
        let reply = self.connections.call("", &SCRIPTS.abandoned, ScriptArgs::to(""), None);
        Box::pin(async move { read(reply.await?) })
    }
}

fn session((name, title, messages, created_at, updated_at, phase, asks, deaths, id): Row) -> StoredSession {
    let working_dir = String::new();
    let (asks, deaths) = (asks == "1", deaths.unwrap_or_default());
    StoredSession { id, name, title, working_dir, messages, created_at, updated_at, phase, asks, deaths }
}

/// Whether what is written here stays. What is forgotten after a tool has run would make it run again.
fn keeps(connection: &mut Connection, forgets: bool) -> Result<(), StoreError> {
    let about: String = ::redis::cmd("INFO").query(connection).map_err(|error| failed(&error))?;
    let value = |name: &str| {
        let found = about.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        found.unwrap_or_default().trim()
    };
    if value("cluster_enabled") == "1" {
        return Err(unusable(
            "this is a cluster of Redis, which cannot keep sessions; give the address of a single one",
        ));
    }
    if value("maxmemory_policy").starts_with("allkeys") {
        let what = "this Redis removes what it likes when its memory is full, also sessions; set `maxmemory-policy noeviction`";
        return Err(unusable(what));
    }
    if value("aof_enabled") == "0" && !forgets {
        let what = format!(
            "this Redis does not write what it stores to disk, so a restart loses sessions; set `appendonly yes`, or end the address with `?{FORGETS}` if you can afford that"
        );
        return Err(unusable(&what));
    }
    let found = ::redis::cmd("GET").arg("glove:version").query::<Option<u64>>(connection);
    match found.map_err(|error| failed(&error))? {
        None => {
            let mut set = ::redis::cmd("SETNX");
            set.arg("glove:version").arg(VERSION).exec(connection).map_err(|error| failed(&error))
        }
        Some(found) if found > VERSION => {
            let message = format!(
                "this database was written by a newer version (format {found}, this one reads up to {VERSION}); update to open it"
            );
            Err(StoreError::new(StoreErrorKind::Newer, message))
        }
        _ => Ok(()),
    }
}

impl fmt::Debug for RedisDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisDatabase").field("place", &self.place()).finish_non_exhaustive()
    }
}
