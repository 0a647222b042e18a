//! The tables: those of the original framework, which it goes on reading and writing, and what a run needs besides.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::failure::failed;
use glove_wasm::error::{StoreError, StoreErrorKind};

/// Written to `user_version`; a database with a newer one is refused. The original leaves it at 0.
const VERSION: i64 = 1;

/// The original's tables, as a new database of its last version has them.
const ORIGINAL: &str = "
CREATE TABLE IF NOT EXISTS sessions (
  session_id TEXT PRIMARY KEY,
  token_count INTEGER NOT NULL DEFAULT 0,
  turn_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(session_id),
  sender TEXT NOT NULL,
  msg_id TEXT,
  text TEXT NOT NULL,
  tool_results TEXT,
  tool_calls TEXT);
CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id);
CREATE TABLE IF NOT EXISTS tasks (
  id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions(session_id),
  content TEXT NOT NULL,
  active_form TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  PRIMARY KEY (session_id, id));
CREATE TABLE IF NOT EXISTS permissions (
  session_id TEXT NOT NULL REFERENCES sessions(session_id),
  tool_name TEXT NOT NULL,
  input_hash TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'unset',
  PRIMARY KEY (session_id, tool_name, input_hash));
CREATE TABLE IF NOT EXISTS inbox (
  id TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions(session_id),
  tag TEXT NOT NULL,
  request TEXT NOT NULL,
  response TEXT,
  status TEXT NOT NULL DEFAULT 'pending',
  blocking INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  resolved_at TEXT,
  PRIMARY KEY (session_id, id));
CREATE INDEX IF NOT EXISTS idx_inbox_session_status ON inbox(session_id, status);
";

/// Columns that later versions of the original added, and ours: `glove_json` is the whole value, of which the other columns are a part;
/// `deaths` is how many holders in a row ended in the middle of work, the last of them at `died_at`.
const COLUMNS: &[(&str, &str, &str)] = &[
    ("sessions", "name", "TEXT NOT NULL DEFAULT ''"),
    ("sessions", "working_dir", "TEXT NOT NULL DEFAULT ''"),
    ("messages", "content", "TEXT"),
    ("messages", "glove_json", "TEXT"),
    ("tasks", "glove_json", "TEXT"),
    ("inbox", "glove_json", "TEXT"),
    ("glove_runs", "deaths", "INTEGER NOT NULL DEFAULT 0"),
    ("glove_runs", "died_at", "INTEGER NOT NULL DEFAULT 0"),
];

/// A permission of the original from before there were arguments holds for no call.
const PERMISSIONS_BY_INPUT: &str = "
ALTER TABLE permissions RENAME TO permissions_before;
CREATE TABLE permissions (
  session_id TEXT NOT NULL REFERENCES sessions(session_id),
  tool_name TEXT NOT NULL,
  input_hash TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'unset',
  PRIMARY KEY (session_id, tool_name, input_hash));
INSERT INTO permissions (session_id, tool_name, status) SELECT session_id, tool_name, status FROM permissions_before;
DROP TABLE permissions_before;
";

/// `last_message` is the row of the last message that this crate wrote: a later one is of another program.
const OWN: &str = "
CREATE TABLE IF NOT EXISTS glove_runs (
  session_id TEXT PRIMARY KEY REFERENCES sessions(session_id),
  messages INTEGER NOT NULL DEFAULT 0,
  last_message INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL DEFAULT 0,
  checkpoint TEXT,
  phase TEXT NOT NULL DEFAULT 'idle',
  asks INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL DEFAULT 0,
  holder TEXT,
  held_until INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS glove_records (
  session_id TEXT NOT NULL REFERENCES sessions(session_id),
  seq INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (session_id, seq)) WITHOUT ROWID;
";

/// Brings a database up to date, in one transaction: another process sees it before or after.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    let version = version(connection)?;
    if version > VERSION {
        return Err(newer(version));
    }
    if version == VERSION && !lacks_columns(connection)? {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| failed(&error))?;
    migrate(&transaction).map_err(|error| failed(&error))?;
    transaction.commit().map_err(|error| failed(&error))
}

fn newer(version: i64) -> StoreError {
    let message = format!(
        "this database was written by a newer version (format {version}, this one reads up to {VERSION}); update to open it"
    );
    StoreError::new(StoreErrorKind::Newer, message)
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(|error| failed(&error))
}

/// The original has made a table anew that was lost, or an older version of it.
fn lacks_columns(connection: &Connection) -> Result<bool, StoreError> {
    for (table, column, _) in COLUMNS {
        if !has_column(connection, table, column).map_err(|error| failed(&error))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn migrate(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(ORIGINAL)?;
    transaction.execute_batch(OWN)?;
    for (table, column, kind) in COLUMNS {
        if !has_column(transaction, table, column)? {
            transaction.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {column} {kind}"))?;
        }
    }
    if !has_column(transaction, "permissions", "input_hash")? {
        transaction.execute_batch(PERMISSIONS_BY_INPUT)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)
}

fn has_column(connection: &Connection, table: &str, column: &str) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2")?;
    statement.exists((table, column))
}
