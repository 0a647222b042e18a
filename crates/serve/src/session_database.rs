//! A database of sessions, of whichever kind its address names.

use std::sync::Arc;

use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::store::{Transcript, TranscriptError};
use glove_wasm_native::{AnswerBuffer, ImportOptions, MemoryBuffer, StoredSession};
use glove_wasm_postgres::{PostgresDatabase, PostgresStore};
use glove_wasm_redis::{RedisDatabase, RedisStore};
use glove_wasm_sqlite::{SqliteDatabase, SqliteStore};

type StoreFuture<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Where a server keeps its sessions. Clones are the same database.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SessionDatabase {
    /// For one server.
    Sqlite(SqliteDatabase),
    /// For any number of them.
    Postgres(PostgresDatabase),
    /// For any number of them.
    Redis(RedisDatabase),
}

/// A store that one process at a time writes to.
pub(crate) trait LeasedStore: StoreAdapter {
    /// Takes the session, or is refused at once with `Conflict` while somebody else has it.
    fn take(&self) -> StoreFuture<()>;

    /// Another process has taken the session over.
    fn is_lost(&self) -> bool;

    fn set_name(&self, name: &str) -> StoreFuture<()>;

    /// How many processes ended or fell silent in the last minutes while they worked on the session.
    fn deaths(&self) -> StoreFuture<u64>;

    /// They are not counted any more.
    fn forgive(&self) -> StoreFuture<()>;
}

macro_rules! each {
    ($database:expr, $each:ident => $done:expr) => {
        match $database {
            SessionDatabase::Sqlite($each) => $done,
            SessionDatabase::Postgres($each) => $done,
            SessionDatabase::Redis($each) => $done,
        }
    };
}

impl SessionDatabase {
    /// Opens `postgres://…`, `redis://…`, or the file that is named by `sqlite:FILE` or by its path alone.
    pub fn open(address: &str) -> Result<Self, StoreError> {
        let scheme = address.split_once("://").map(|(scheme, _)| scheme);
        match scheme {
            Some("postgres" | "postgresql") => PostgresDatabase::open(address).map(Self::Postgres),
            Some("redis" | "rediss") => RedisDatabase::open(address).map(Self::Redis),
            None | Some("sqlite") => {
                let path = address.strip_prefix("sqlite:").unwrap_or(address);
                SqliteDatabase::open(path.strip_prefix("//").unwrap_or(path)).map(Self::Sqlite)
            }
            // The whole address may have a password in it.
            Some(scheme) => Err(StoreError::new(
                StoreErrorKind::Unavailable,
                format!(
                    "`{scheme}://` names no database that this program can use; it can use `sqlite:FILE`, `postgres://…`, `redis://…`"
                ),
            )),
        }
    }

    /// Whether other servers may have sessions of it.
    pub fn is_shared(&self) -> bool {
        !matches!(self, SessionDatabase::Sqlite(_))
    }

    /// Says where other servers reach the process that holds a session of this database.
    pub(crate) fn at_address(self, address: &str) -> Self {
        match self {
            SessionDatabase::Sqlite(_) => self,
            SessionDatabase::Postgres(database) => SessionDatabase::Postgres(database.at_address(address)),
            SessionDatabase::Redis(database) => SessionDatabase::Redis(database.at_address(address)),
        }
    }

    pub(crate) fn store(&self, session: &str) -> Arc<dyn LeasedStore> {
        each!(self, database => Arc::new(database.store(session)))
    }

    /// The one that was written last in front.
    pub fn sessions(&self) -> StoreFuture<Vec<StoredSession>> {
        each!(self, database => database.sessions())
    }

    /// Whether anything was ever written to the session.
    pub fn contains(&self, session: &str) -> StoreFuture<bool> {
        each!(self, database => database.contains(session))
    }

    /// False when there is none. One that another process holds is refused.
    pub fn delete(&self, session: &str) -> StoreFuture<bool> {
        each!(self, database => database.delete(session))
    }

    /// Where the process is that holds the session now; empty if that is not known.
    pub(crate) fn holder(&self, session: &str) -> StoreFuture<Option<String>> {
        match self {
            SessionDatabase::Sqlite(_) => Box::pin(std::future::ready(Ok(None))),
            SessionDatabase::Postgres(database) => database.holder(session),
            SessionDatabase::Redis(database) => database.holder(session),
        }
    }

    /// Sessions with work that their holder did not finish; not all at once where there are many.
    pub(crate) fn abandoned(&self) -> StoreFuture<Vec<String>> {
        match self {
            SessionDatabase::Sqlite(_) => Box::pin(std::future::ready(Ok(Vec::new()))),
            SessionDatabase::Postgres(database) => database.abandoned(),
            SessionDatabase::Redis(database) => database.abandoned(),
        }
    }

    /// Where answers of the endpoint are kept for clients that lost their connection.
    pub(crate) fn answers(&self) -> Arc<dyn AnswerBuffer> {
        match self {
            SessionDatabase::Sqlite(_) => Arc::new(MemoryBuffer::default()),
            SessionDatabase::Postgres(database) => Arc::new(database.answers()),
            SessionDatabase::Redis(database) => Arc::new(database.answers()),
        }
    }

    pub async fn export(&self, session: &str) -> Result<Transcript, TranscriptError> {
        each!(self, database => database.export(session).await)
    }

    /// A new session of the database, and its id: the transcript's own, or a new one where that is used already.
    pub async fn import(
        &self,
        transcript: Transcript,
        options: ImportOptions,
    ) -> Result<String, TranscriptError> {
        each!(self, database => database.import(transcript, options).await)
    }
}

impl From<SqliteDatabase> for SessionDatabase {
    fn from(database: SqliteDatabase) -> Self {
        SessionDatabase::Sqlite(database)
    }
}

impl From<PostgresDatabase> for SessionDatabase {
    fn from(database: PostgresDatabase) -> Self {
        SessionDatabase::Postgres(database)
    }
}

impl From<RedisDatabase> for SessionDatabase {
    fn from(database: RedisDatabase) -> Self {
        SessionDatabase::Redis(database)
    }
}

macro_rules! held {
    ($($(#[$when:meta])? $store:ty, $is_lost:expr;)+) => {$(
        $(#[$when])?
        impl LeasedStore for $store {
            fn take(&self) -> StoreFuture<()> {
                self.take()
            }

            fn is_lost(&self) -> bool {
                $is_lost(self)
            }

            fn set_name(&self, name: &str) -> StoreFuture<()> {
                self.set_name(name)
            }

            fn deaths(&self) -> StoreFuture<u64> {
                self.deaths()
            }

            fn forgive(&self) -> StoreFuture<()> {
                self.forgive()
            }
        }
    )+};
}

held! {
    // Its writes are refused then, which is soon enough for one server.
    SqliteStore, |_: &SqliteStore| false;
    PostgresStore, PostgresStore::is_lost;
    RedisStore, RedisStore::is_lost;
}
