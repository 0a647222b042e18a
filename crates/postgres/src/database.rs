//! A database of sessions.

use std::fmt;

use tokio_postgres::config::Host;
use tokio_postgres::{Config, Row};

use super::call::{text, texts};
use super::connection::Connections;
use super::row::{flag, get};
use super::store::PostgresStore;
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm_native::StoredSession;

/// A PostgreSQL database of sessions, which other processes share. Clones are the same connections; they are closed with the last of
/// them and of their stores.
#[derive(Clone)]
pub struct PostgresDatabase {
    pub(super) connections: Connections,
    address: String,
}

impl PostgresDatabase {
    /// Connects to `postgres://user:password@host:port/database`, and makes the tables, whose names begin with `glove_`. With
    /// `?sslmode=require` the connection is by TLS, and the certificate of the server is checked. Waits for the database.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let config = config(url)?;
        let place = place(&config);
        Ok(PostgresDatabase { connections: Connections::open(config, place)?, address: String::new() })
    }

    /// Says where other servers reach the process that holds a session of this database.
    pub fn at_address(self, address: impl Into<String>) -> Self {
        PostgresDatabase { address: address.into(), ..self }
    }

    /// Host and name of the database.
    pub fn place(&self) -> &str {
        &self.connections.pool().place
    }

    /// The store of one session, which need not exist yet. Nothing is written before its first message.
    pub fn store(&self, session: impl Into<String>) -> PostgresStore {
        PostgresStore::new(self.connections.clone(), session.into(), self.address.clone())
    }

    /// The sessions of the database, the one that was written last in front.
    pub fn sessions(&self) -> BoxFuture<'static, Result<Vec<StoredSession>, StoreError>> {
        let query = "SELECT id, name, title, working_dir, messages, created_at, updated_at, phase, asks, deaths FROM glove_sessions
             ORDER BY updated_at DESC, id";
        let reply = self.connections.call("", query, Vec::new(), None);
        Box::pin(async move { reply.await?.iter().map(session).collect() })
    }

    /// One of them.
    pub fn session(&self, id: &str) -> BoxFuture<'static, Result<Option<StoredSession>, StoreError>> {
        let query = "SELECT id, name, title, working_dir, messages, created_at, updated_at, phase, asks, deaths FROM glove_sessions
             WHERE id = $1";
        let reply = self.connections.call(id, query, vec![text(id)], None);
        Box::pin(async move { reply.await?.first().map(session).transpose() })
    }

    /// Whether anything was ever written to the session.
    pub fn contains(&self, id: &str) -> BoxFuture<'static, Result<bool, StoreError>> {
        let query = "SELECT 1 FROM glove_sessions WHERE id = $1";
        let reply = self.connections.call(id, query, vec![text(id)], None);
        Box::pin(async move { Ok(!reply.await?.is_empty()) })
    }

    /// Deletes a session and all that belongs to it. False when there is none. One that another process holds is refused.
    pub fn delete(&self, id: &str) -> BoxFuture<'static, Result<bool, StoreError>> {
        let own = self.connections.pool().leases.holders(id);
        let reply =
            self.connections.call(id, "SELECT glove_delete($1, $2)", vec![text(id), texts(own)], None);
        Box::pin(async move { flag(&reply.await?) })
    }

    /// Sessions that were at work when their holder ended or died, in the last hour. At most 32, others at each call.
    pub fn abandoned(&self) -> BoxFuture<'static, Result<Vec<String>, StoreError>> {
        let query = "SELECT id FROM glove_sessions WHERE phase NOT IN ('idle', 'waiting', 'paused')
             AND held_until BETWEEN clock_timestamp() - interval '1 hour' AND clock_timestamp() ORDER BY random() LIMIT 32";
        let reply = self.connections.call("", query, Vec::new(), None);
        Box::pin(async move { reply.await?.iter().map(|row| get(row, 0)).collect() })
    }

    /// Where the process is that holds the session now; empty if it did not say.
    pub fn holder(&self, id: &str) -> BoxFuture<'static, Result<Option<String>, StoreError>> {
        let query = "SELECT address FROM glove_sessions WHERE id = $1 AND holder IS NOT NULL AND held_until > clock_timestamp()";
        let reply = self.connections.call(id, query, vec![text(id)], None);
        Box::pin(async move { reply.await?.first().map(|row| get(row, 0)).transpose() })
    }
}

fn session(row: &Row) -> Result<StoredSession, StoreError> {
    let number = |place| get::<i64>(row, place).map(|number| u64::try_from(number).unwrap_or_default());
    Ok(StoredSession {
        id: get(row, 0)?,
        name: get(row, 1)?,
        title: get(row, 2)?,
        working_dir: get(row, 3)?,
        messages: number(4)?,
        created_at: number(5)?,
        updated_at: number(6)?,
        phase: get(row, 7)?,
        asks: get(row, 8)?,
        deaths: number(9)?,
    })
}

fn config(url: &str) -> Result<Config, StoreError> {
    // What went wrong may have the password in it.
    let refused = || {
        let message = "this is no address of a PostgreSQL database; it has the form postgres://user:password@host:port/database, \
             with ?sslmode=require for TLS";
        StoreError::new(StoreErrorKind::Unavailable, message)
    };
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(refused());
    }
    // Certificates are checked whenever there is TLS.
    let url =
        url.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require");
    let mut config: Config = url.parse().map_err(|_| refused())?;
    if config.get_hosts().is_empty() {
        config.host("localhost");
    }
    config.connect_timeout(std::time::Duration::from_secs(5));
    config.application_name("glove");
    Ok(config)
}

fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("postgres://{host}:{port}/{}", config.get_dbname().unwrap_or_default())
}

impl fmt::Debug for PostgresDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresDatabase").field("place", &self.place()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_wrong_is_refused_without_its_password() {
        for url in [
            "",
            "mysql://a:secret@b/c",
            "postgres://a:secret@b:port/c",
            "postgres://a:secret@b/c?nothing=secret",
        ] {
            let error = config(url).unwrap_err();
            assert!(!error.message.contains("secret"), "{url}: {error}");
            assert_eq!(error.kind, StoreErrorKind::Unavailable);
        }
        let config = config("postgresql://ada:secret@db.example:6432/chats?sslmode=verify-full").unwrap();
        assert_eq!(place(&config), "postgres://db.example:6432/chats");
    }
}
