//! A database of sessions.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::failure::failed;
use super::schema;
use super::sessions;
use super::store::SqliteStore;
use super::worker::{Work, Worker, of_file};
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm_native::StoredSession;

/// How long another program's write is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// A SQLite database of sessions. Clones are the same connection; it is closed with the last of them and of their stores.
#[derive(Clone)]
pub struct SqliteDatabase {
    worker: Worker,
}

impl SqliteDatabase {
    /// Opens the database, or makes it. A database of the original framework is taken as it is, and stays readable for it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = file_path(path.as_ref())?;
        let connection = connect(&path).map_err(|error| of_file(error, &path))?;
        Ok(SqliteDatabase { worker: Worker::start(path, connection)? })
    }

    pub fn path(&self) -> &Path {
        self.worker.path()
    }

    /// The store of one session, which need not exist yet. Nothing is written before its first message.
    pub fn store(&self, session: impl Into<String>) -> SqliteStore {
        SqliteStore::new(self.worker.clone(), session.into())
    }

    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Work) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        self.worker.run(work)
    }

    /// The sessions of the database, the one that was written last in front.
    pub fn sessions(&self) -> BoxFuture<'static, Result<Vec<StoredSession>, StoreError>> {
        self.worker.run(|work| sessions::list(&work.connection))
    }

    /// Whether anything was ever written to the session.
    pub fn contains(&self, session: &str) -> BoxFuture<'static, Result<bool, StoreError>> {
        let session = session.to_owned();
        self.worker
            .run(move |work| sessions::contains(&work.connection, &session).map_err(|error| failed(&error)))
    }

    /// Deletes a session and all that belongs to it. False when there is none. One that another process holds is refused.
    pub fn delete(&self, session: &str) -> BoxFuture<'static, Result<bool, StoreError>> {
        let session = session.to_owned();
        self.worker.run(move |work| sessions::delete(work, &session))
    }

    /// Answers an inbox item from outside its session, as an external program does. False when there is none that waits.
    pub fn resolve_inbox_item(
        &self,
        id: &str,
        response: &str,
    ) -> BoxFuture<'static, Result<bool, StoreError>> {
        let (id, response) = (id.to_owned(), response.to_owned());
        self.worker.run(move |work| sessions::resolve_inbox_item(&work.connection, &id, &response))
    }
}

/// Absolute: SQLite takes some names for databases in memory, and the working folder may change.
fn file_path(path: &Path) -> Result<PathBuf, StoreError> {
    let name = path.as_os_str().as_encoded_bytes();
    if name.is_empty() || name == b":memory:" || name.starts_with(b"file:") {
        let message = format!(
            "`{}` does not name a file, and what is written there would be lost; give the path of a file. For sessions in memory use `MemoryStore`",
            path.display()
        );
        return Err(StoreError::new(StoreErrorKind::Unavailable, message));
    }
    std::path::absolute(path).map_err(|error| {
        let message = format!("the folder of `{}` is not known: {error}", path.display());
        StoreError::new(StoreErrorKind::Unavailable, message)
    })
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(|error| failed(&error))?;
    connection.busy_timeout(BUSY).map_err(|error| failed(&error))?;
    let settings = "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;";
    connection.execute_batch(settings).map_err(|error| failed(&error))?;
    schema::prepare(&mut connection)?;
    Ok(connection)
}

impl fmt::Debug for SqliteDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteDatabase").field("path", &self.path()).finish_non_exhaustive()
    }
}
