//! The store of one session.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension};

use super::failure::{failed, unreadable};
use super::lease::{self, Lease};
use super::rows::{self, MessageRow};
use super::worker::{Work, Worker};
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::json::Json;
use glove_wasm::json::codec::{from_text, to_text};
use glove_wasm::message::{InboxItem, Message, Sender, Task};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Clock, Durability, Loaded, PermissionStatus, StoreAdapter};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::journal::Record;
use glove_wasm::run::salvage::salvage;
use glove_wasm::store::permission_key;
use glove_wasm::system::SystemClock;
use glove_wasm_native::internal::whole;

/// Keeps a session in a [`SqliteDatabase`](super::SqliteDatabase). Clones are the same store. The first write takes the session for this store, until
/// the last clone is dropped: meanwhile other stores, of this process and of others, read the session and are refused to write.
#[derive(Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

struct Inner {
    worker: Worker,
    lease: Lease,
    /// What `load` found that another program has added: the run goes on from the messages.
    restart: Mutex<Option<Stored>>,
}

/// How far a session is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stored {
    messages: usize,
    /// The row of the last of them.
    last: i64,
    seq: u64,
}

impl SqliteStore {
    pub(super) fn new(worker: Worker, session: String) -> Self {
        let lease = Lease::new(session, lease::new_holder());
        SqliteStore { inner: Arc::new(Inner { worker, lease, restart: Mutex::default() }) }
    }

    /// Takes the session for this store before anything is written. Waits until it can be told whether its last holder is still there.
    pub async fn acquire(&self) -> Result<(), StoreError> {
        let attempts = lease::HELD.as_millis() / lease::RENEWED.as_millis() + 1;
        for _ in 0..attempts {
            match self.take().await {
                Err(error) if error.kind == StoreErrorKind::Conflict => {}
                done => return done,
            }
            let pause = u64::try_from(lease::RENEWED.as_millis()).unwrap_or_default();
            SystemClock.sleep(pause).await;
        }
        self.take().await
    }

    /// The same at once, or not at all.
    pub fn take(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        let lease = self.inner.lease.clone();
        self.run(move |work| {
            work.atomically_as(&lease, Durability::Relaxed, |connection| ensure(connection, &lease.session))
        })
    }

    /// How many processes in a row ended while they worked on the session.
    pub fn deaths(&self) -> BoxFuture<'static, Result<u64, StoreError>> {
        self.reading(|connection, session| {
            let query = "SELECT deaths FROM glove_runs WHERE session_id = ?1";
            let deaths = connection.prepare_cached(query)?.query_row([session], |row| row.get(0));
            Ok(deaths.optional()?.unwrap_or_default())
        })
    }

    /// They are not counted any more.
    pub fn forgive(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        self.set("UPDATE glove_runs SET deaths = 0 WHERE session_id = ?1 AND ?2 = ''", "")
    }

    /// The name that a person gave the session; empty before.
    pub fn name(&self) -> BoxFuture<'static, Result<String, StoreError>> {
        self.text_of("SELECT name FROM sessions WHERE session_id = ?1")
    }

    pub fn set_name(&self, name: &str) -> BoxFuture<'static, Result<(), StoreError>> {
        self.set("UPDATE sessions SET name = ?2 WHERE session_id = ?1", name)
    }

    pub fn working_dir(&self) -> BoxFuture<'static, Result<String, StoreError>> {
        self.text_of("SELECT working_dir FROM sessions WHERE session_id = ?1")
    }

    pub fn set_working_dir(&self, folder: &str) -> BoxFuture<'static, Result<(), StoreError>> {
        self.set("UPDATE sessions SET working_dir = ?2 WHERE session_id = ?1", folder)
    }

    /// The tokens and the answers of the session, counted since the last reset.
    pub fn counters(&self) -> BoxFuture<'static, Result<(u64, u64), StoreError>> {
        self.reading(|connection, session| {
            let query = "SELECT token_count, turn_count FROM sessions WHERE session_id = ?1";
            let counters =
                connection.prepare_cached(query)?.query_row([session], |row| Ok((row.get(0)?, row.get(1)?)));
            Ok(counters.optional()?.unwrap_or_default())
        })
    }

    pub fn reset_counters(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        self.set("UPDATE sessions SET token_count = 0, turn_count = 0 WHERE session_id = ?1 AND ?2 = ''", "")
    }

    pub fn add_inbox_item(&self, item: InboxItem) -> BoxFuture<'static, Result<(), StoreError>> {
        let session = self.inner.lease.session.clone();
        self.run(move |work| {
            work.atomically(|connection| {
                ensure(connection, &session)?;
                rows::add_inbox_item(connection, &session, &item).map_err(|error| failed(&error))
            })
        })
    }

    /// Forgets what was said about a tool, also for certain arguments, so that it is asked again.
    pub fn forget_permissions(&self, tool: &str) -> BoxFuture<'static, Result<(), StoreError>> {
        self.set("DELETE FROM permissions WHERE session_id = ?1 AND tool_name = ?2", tool)
    }

    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Work) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        self.inner.worker.run(work)
    }

    fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, &str) -> rusqlite::Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let session = self.inner.lease.session.clone();
        self.run(move |work| read(&work.connection, &session).map_err(|error| failed(&error)))
    }

    fn text_of(&self, query: &'static str) -> BoxFuture<'static, Result<String, StoreError>> {
        self.reading(move |connection, session| {
            let text = connection.prepare_cached(query)?.query_row([session], |row| row.get(0));
            Ok(text.optional()?.unwrap_or_default())
        })
    }

    /// `?1` is the session and `?2` the value.
    fn set(&self, update: &'static str, value: &str) -> BoxFuture<'static, Result<(), StoreError>> {
        let (session, value) = (self.inner.lease.session.clone(), value.to_owned());
        self.run(move |work| {
            work.atomically(|connection| {
                ensure(connection, &session)?;
                connection.execute(update, (&session, &value)).map_err(|error| failed(&error))?;
                Ok(())
            })
        })
    }
}

fn ensure(connection: &Connection, session: &str) -> Result<(), StoreError> {
    for insert in [
        "INSERT OR IGNORE INTO sessions (session_id) VALUES (?1)",
        "INSERT OR IGNORE INTO glove_runs (session_id) VALUES (?1)",
    ] {
        let mut statement = connection.prepare_cached(insert).map_err(|error| failed(&error))?;
        statement.execute([session]).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// As far as this crate wrote it.
fn stored(connection: &Connection, session: &str) -> rusqlite::Result<Stored> {
    let query = "SELECT messages, last_message, seq FROM glove_runs WHERE session_id = ?1";
    let found = connection.prepare_cached(query)?.query_row([session], |row| {
        Ok(Stored { messages: row.get(0)?, last: row.get(1)?, seq: row.get(2)? })
    });
    Ok(found.optional()?.unwrap_or(Stored { messages: 0, last: 0, seq: 0 }))
}

/// The row of the last message of a session, whoever wrote it.
fn last_message(connection: &Connection, session: &str) -> rusqlite::Result<i64> {
    let query = "SELECT id FROM messages WHERE session_id = ?1 ORDER BY id DESC LIMIT 1";
    Ok(connection.prepare_cached(query)?.query_row([session], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// What of a step is written.
struct Step {
    first_message: usize,
    messages: Vec<MessageRow>,
    records: Vec<(u64, String)>,
    checkpoint: Option<String>,
    seq: u64,
    phase: &'static str,
    asks: bool,
    answers: u64,
    tokens: u64,
}

impl Step {
    fn of(step: &Unsaved<'_>) -> Step {
        let answers = step.messages.iter().filter(|message| message.sender == Sender::Agent);
        let usage = answers.clone().filter_map(|message| message.usage);
        Step {
            first_message: step.first_message,
            messages: step.messages.iter().map(|message| MessageRow::of(message)).collect(),
            records: step.records.iter().map(|record| (record.seq, to_text(record))).collect(),
            checkpoint: step.checkpoint.clone(),
            seq: step.seq,
            phase: step.phase.as_str(),
            asks: step.asks,
            answers: answers.count() as u64,
            tokens: usage.map(|usage| usage.tokens_in + usage.tokens_out).sum(),
        }
    }

    fn write(
        &self,
        connection: &Connection,
        session: &str,
        restart: Option<Stored>,
    ) -> Result<(), StoreError> {
        ensure(connection, session)?;
        let failed = |error: rusqlite::Error| failed(&error);
        let mut before = stored(connection, session).map_err(failed)?;
        let last = last_message(connection, session).map_err(failed)?;
        if last != before.last {
            // Another program has written messages. Whoever has read them goes on from them, with a new run.
            match restart.filter(|read| read.last == last) {
                Some(read) => before = Stored { seq: 0, ..read },
                None => return Err(conflict(session)),
            }
            connection
                .execute("DELETE FROM glove_records WHERE session_id = ?1", [session])
                .map_err(failed)?;
        }
        let first = self.records.first().map(|(seq, _)| *seq);
        let follows = before.messages == self.first_message
            && before.seq + self.records.len() as u64 == self.seq
            && first.is_none_or(|first| first == before.seq + 1);
        if !follows {
            return Err(conflict(session));
        }
        let written = self.write_rows(connection, session).map_err(failed)?;
        self.write_run(connection, session, written.unwrap_or(last)).map_err(failed)
    }

    fn write_rows(&self, connection: &Connection, session: &str) -> rusqlite::Result<Option<i64>> {
        let mut last = None;
        for message in &self.messages {
            last = Some(message.insert(connection, session)?);
        }
        if self.checkpoint.is_some() {
            connection
                .prepare_cached("DELETE FROM glove_records WHERE session_id = ?1")?
                .execute([session])?;
        } else {
            let insert = "INSERT INTO glove_records (session_id, seq, record) VALUES (?1, ?2, ?3)";
            let mut statement = connection.prepare_cached(insert)?;
            for (seq, record) in &self.records {
                statement.execute((session, seq, record))?;
            }
        }
        Ok(last)
    }

    fn write_run(&self, connection: &Connection, session: &str, last: i64) -> rusqlite::Result<()> {
        let messages = self.first_message + self.messages.len();
        let update = "UPDATE glove_runs SET messages = ?2, last_message = ?3, seq = ?4, checkpoint = COALESCE(?5, checkpoint),
             phase = ?6, asks = ?7, updated_at = ?8 WHERE session_id = ?1";
        connection.prepare_cached(update)?.execute((
            session,
            messages,
            last,
            self.seq,
            &self.checkpoint,
            self.phase,
            self.asks,
            lease::now(),
        ))?;
        let count = "UPDATE sessions SET token_count = token_count + ?2, turn_count = turn_count + ?3 WHERE session_id = ?1";
        connection.prepare_cached(count)?.execute((session, self.tokens, self.answers))?;
        Ok(())
    }
}

fn conflict(session: &str) -> StoreError {
    let message = format!(
        "another program has written to the session `{session}`; nothing was written. Reopen it to continue"
    );
    StoreError::new(StoreErrorKind::Conflict, message)
}

impl Inner {
    fn restart(&self) -> MutexGuard<'_, Option<Stored>> {
        // Nothing here panics while it holds the lock, so what is inside is whole.
        self.restart.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In one transaction for reading: messages, records and checkpoint belong together.
    fn load(&self, work: &mut Work) -> Result<Loaded, StoreError> {
        let session = &self.lease.session;
        let transaction = work.connection.transaction().map_err(|error| failed(&error))?;
        let failed = |error: rusqlite::Error| failed(&error);
        let messages = rows::messages(&transaction, session)?;
        let own = stored(&transaction, session).map_err(failed)?;
        let last = last_message(&transaction, session).map_err(failed)?;
        let is_foreign = last != own.last;
        *self.restart() = is_foreign.then_some(Stored { messages: messages.len(), last, seq: own.seq });
        if is_foreign {
            return Ok(Loaded { messages, ..Loaded::default() });
        }
        let query = "SELECT checkpoint FROM glove_runs WHERE session_id = ?1";
        let checkpoint =
            transaction.query_row(query, [session], |row| row.get(0)).optional().map_err(failed)?.flatten();
        let loaded = Loaded { messages, checkpoint, records: records(&transaction, session)? };
        whole(&loaded, own.messages, own.seq)?;
        Ok(loaded)
    }
}

fn records(connection: &Connection, session: &str) -> Result<Vec<Record>, StoreError> {
    let query = "SELECT seq, record FROM glove_records WHERE session_id = ?1 ORDER BY seq";
    let mut statement = connection.prepare_cached(query).map_err(|error| failed(&error))?;
    let rows = statement
        .query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(|error| failed(&error))?;
    rows.map(|row| {
        let (seq, text): (u64, String) = row.map_err(|error| failed(&error))?;
        from_text(&text).map_err(|fault| unreadable(&format!("record {seq}"), &fault))
    })
    .collect()
}

impl StoreAdapter for SqliteStore {
    fn identifier(&self) -> String {
        self.inner.lease.session.clone()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        // Not kept by the job: the last store may not be dropped on the thread of the database.
        let inner = Arc::downgrade(&self.inner);
        let loading = self.run(move |work| match inner.upgrade() {
            Some(inner) => inner.load(work),
            None => Ok(Loaded::default()),
        });
        let store = self.clone();
        Box::pin(async move {
            let loaded = loading.await;
            drop(store);
            loaded
        })
    }

    fn salvage(&self) -> BoxFuture<'static, Result<Vec<Arc<Message>>, StoreError>> {
        self.reading(|connection, session| Ok(salvage(&rows::message_texts(connection, session)?).messages))
    }

    fn append(
        &self,
        step: Unsaved<'_>,
        durability: Durability,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let step = Step::of(&step);
        let lease = self.inner.lease.clone();
        let restart = *self.inner.restart();
        self.run(move |work| {
            work.atomically_as(&lease, durability, |connection| {
                step.write(connection, &lease.session, restart)
            })
        })
    }

    /// Another process may have taken the session over while this one slept.
    fn confirm(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        (!self.inner.lease.is_sure()).then(|| self.take())
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        let (tool, key) = (tool.to_owned(), permission_key(tool, input));
        self.reading(move |connection, session| {
            let query =
                "SELECT status FROM permissions WHERE session_id = ?1 AND tool_name = ?2 AND input_hash = ?3";
            let status: Option<String> = connection
                .prepare_cached(query)?
                .query_row((session, &tool, &key), |row| row.get(0))
                .optional()?;
            Ok(match status.as_deref() {
                Some("granted") => PermissionStatus::Granted,
                Some("denied") => PermissionStatus::Denied,
                _ => PermissionStatus::Unset,
            })
        })
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let (tool, key) = (tool.to_owned(), permission_key(tool, input));
        let status = if granted { "granted" } else { "denied" };
        let session = self.inner.lease.session.clone();
        self.run(move |work| {
            work.atomically(|connection| {
                ensure(connection, &session)?;
                let insert = "INSERT OR REPLACE INTO permissions (session_id, tool_name, input_hash, status) VALUES (?1, ?2, ?3, ?4)";
                connection.execute(insert, (&session, &tool, &key, status)).map_err(|error| failed(&error))?;
                Ok(())
            })
        })
    }

    fn keeps_tasks(&self) -> bool {
        true
    }

    fn tasks(&self) -> BoxFuture<'static, Result<Vec<Task>, StoreError>> {
        let session = self.inner.lease.session.clone();
        self.run(move |work| rows::tasks(&work.connection, &session))
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> BoxFuture<'static, Result<(), StoreError>> {
        let session = self.inner.lease.session.clone();
        self.run(move |work| {
            work.atomically(|connection| {
                ensure(connection, &session)?;
                rows::set_tasks(connection, &session, &tasks).map_err(|error| failed(&error))
            })
        })
    }

    fn keeps_inbox(&self) -> bool {
        true
    }

    fn inbox(&self) -> BoxFuture<'static, Result<Vec<InboxItem>, StoreError>> {
        let session = self.inner.lease.session.clone();
        self.run(move |work| rows::inbox(&work.connection, &session))
    }

    fn consume_inbox(&self, ids: &[String]) -> BoxFuture<'static, Result<(), StoreError>> {
        let (session, ids) = (self.inner.lease.session.clone(), ids.to_vec());
        self.run(move |work| {
            work.atomically(|connection| {
                for id in &ids {
                    let update = "UPDATE inbox SET status = 'consumed' WHERE session_id = ?1 AND id = ?2";
                    connection.execute(update, (&session, id)).map_err(|error| failed(&error))?;
                }
                Ok(())
            })
        })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let lease = self.lease.clone();
        // Not waited for: the thread does what was asked of it before it ends.
        drop(self.worker.run(move |work| {
            work.give_back(&lease);
            Ok(())
        }));
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("session", &self.inner.lease.session).finish_non_exhaustive()
    }
}
