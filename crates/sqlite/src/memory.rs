//! A memory in a SQLite database, searched by its full text, and by what it means where the application can embed texts.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, ready, select};
use rusqlite::{Connection, OptionalExtension, params};

use glove_wasm::json::Json;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::Clock;
use glove_wasm::system::SystemClock;
use glove_wasm_task::memory::{MemoryEntry, MemoryQuery, MemoryScope};
use glove_wasm_task::runtime::MemoryProvider;
use glove_wasm_task::{TaskError, TaskErrorKind};

use crate::vectors;

/// Longer questions are cut.
const MAX_WORDS: usize = 64;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS memory (
        number INTEGER PRIMARY KEY, scope TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
        tags TEXT NOT NULL, source TEXT NOT NULL, pinned INTEGER NOT NULL, UNIQUE (scope, id));
    CREATE INDEX IF NOT EXISTS memory_pinned ON memory (scope, title) WHERE pinned = 1;
    CREATE VIRTUAL TABLE IF NOT EXISTS memory_words USING fts5 (title, text, tags, tokenize = 'unicode61 remove_diacritics 2');";

/// So many entries with the words of a question are compared with those that mean the like.
const MOST_BY_WORDS: u32 = 1_000;

/// So long a vector is waited for, unless the application says otherwise.
const EMBED_TIME: Duration = Duration::from_secs(10);

type Embed = Arc<dyn Fn(&str) -> BoxFuture<'static, Option<Vec<f32>>> + Send + Sync>;
type Hear = Arc<dyn Fn(&TaskError) + Send + Sync>;

/// Remembers in a file that several processes may share. Clones are the same memory.
#[derive(Clone)]
pub struct SqliteMemory {
    connection: Arc<Mutex<Connection>>,
    embed: Option<Embed>,
    embed_time: Duration,
    slow: Option<Hear>,
}

fn failed(error: &rusqlite::Error) -> TaskError {
    TaskError::new(TaskErrorKind::Memory, format!("the database of the memory failed: {error}"))
}

impl SqliteMemory {
    /// The file is made where there is none.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TaskError> {
        let make = || {
            let connection = Connection::open(path)?;
            connection.busy_timeout(Duration::from_secs(2))?;
            connection.execute_batch(TABLES)?;
            connection.execute_batch(vectors::TABLE)?;
            if connection.prepare("SELECT data FROM memory").is_err() {
                // One that was made before entries had data. Of two that open it at once, the second finds it done.
                let added =
                    connection.execute_batch("ALTER TABLE memory ADD COLUMN data TEXT NOT NULL DEFAULT ''");
                connection.prepare("SELECT data FROM memory").map(drop).or(added)?;
            }
            Ok(connection)
        };
        let connection = make().map_err(|error| failed(&error))?;
        let connection = Arc::new(Mutex::new(connection));
        Ok(SqliteMemory { connection, embed: None, embed_time: EMBED_TIME, slow: None })
    }

    /// Finds entries by what they mean too: this gives the vector of a text, all of one length. Where it gives none, the words find the entry. A
    /// question reads the vectors of the newest 2,000 entries of a channel; entries that were put without one have none until they are put again. What takes
    /// longer than 10 s gives none either ([`SqliteMemory::embed_time`]).
    pub fn embed<F>(mut self, embed: impl Fn(&str) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<Vec<f32>>> + Send + 'static,
    {
        self.embed = Some(Arc::new(move |text| Box::pin(embed(text))));
        self
    }

    /// How long a vector is waited for.
    pub fn embed_time(mut self, limit: Duration) -> Self {
        self.embed_time = limit;
        self
    }

    /// Is told of each text whose vector took too long, which the words alone find then.
    pub fn on_slow_embed(mut self, hear: impl Fn(&TaskError) + Send + Sync + 'static) -> Self {
        self.slow = Some(Arc::new(hear));
        self
    }

    fn vector_of(&self, text: &str) -> BoxFuture<'static, Option<Vec<f32>>> {
        let embedding = self.embed.as_ref().map(|embed| embed(text));
        let (limit, slow) = (self.embed_time, self.slow.clone());
        Box::pin(async move {
            let ends = SystemClock.sleep(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
            match select(embedding?, ends).await {
                Either::Left((vector, _)) => vectors::unit(&vector?),
                Either::Right(_) => {
                    let message =
                        format!("`embed` gave no vector in {limit:?}: the words alone are searched");
                    if let Some(slow) = slow {
                        slow(&TaskError::new(TaskErrorKind::Memory, message));
                    }
                    None
                }
            }
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, TaskError> {
        // What a panic would leave is rolled back.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut connection).map_err(|error| failed(&error))
    }
}

/// Each word in quotes, so that none of them is an operator. `None`: there is no word.
fn words_of(text: &str) -> Option<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(MAX_WORDS).map(|word| format!("\"{word}\"")).collect();
    (!words.is_empty()).then(|| words.join(" OR "))
}

fn number_of(connection: &Connection, scope: &str, id: &str) -> rusqlite::Result<Option<i64>> {
    let found = "SELECT number FROM memory WHERE scope = ?1 AND id = ?2";
    connection.query_row(found, params![scope, id], |row| row.get(0)).optional()
}

fn entry_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<MemoryEntry> {
    let tags: String = row.get(3)?;
    Ok(MemoryEntry {
        id: row.get(0)?,
        title: row.get(1)?,
        text: row.get(2)?,
        tags: tags.lines().map(str::to_owned).collect(),
        source: row.get(4)?,
        pinned: row.get(5)?,
        data: Json::parse(&row.get::<_, String>(6)?).unwrap_or_default(),
    })
}

/// The best ones that have all tags; no more rows are read than that takes.
fn first(
    rows: impl Iterator<Item = rusqlite::Result<MemoryEntry>>,
    query: &MemoryQuery,
) -> rusqlite::Result<Vec<MemoryEntry>> {
    let fits = |entry: &MemoryEntry| query.tags.iter().all(|tag| entry.tags.contains(tag));
    rows.filter(|row| row.as_ref().map_or(true, fits)).take(query.top_k).collect()
}

impl MemoryProvider for SqliteMemory {
    fn put(&self, scope: MemoryScope, entry: MemoryEntry) -> BoxFuture<'static, Result<(), TaskError>> {
        let (scope, tags) = (scope.name(), entry.tags.join("\n"));
        let text = match entry.title.as_str() {
            "" => entry.text.clone(),
            title => format!("{title}: {}", entry.text),
        };
        // At once, in the order of the calls, and found by its words meanwhile.
        let written = self.with(|connection| {
            let change = connection.transaction()?;
            if let Some(number) = number_of(&change, &scope, &entry.id)? {
                remove(&change, number)?;
            }
            change.execute(
                "INSERT INTO memory (scope, id, title, text, tags, source, pinned, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![scope, entry.id, entry.title, entry.text, tags, entry.source, entry.pinned, entry.data.as_str()],
            )?;
            let number = change.last_insert_rowid();
            change.execute(
                "INSERT INTO memory_words (rowid, title, text, tags) VALUES (?1, ?2, ?3, ?4)",
                params![number, entry.title, entry.text, tags],
            )?;
            change.commit()?;
            Ok(number)
        });
        let number = match written {
            Ok(number) if self.embed.is_some() => number,
            written => return Box::pin(ready(written.map(drop))),
        };
        let (memory, embedding) = (self.clone(), self.vector_of(&text));
        Box::pin(async move {
            let Some(vector) = embedding.await else { return Ok(()) };
            memory.with(|connection| {
                let change = connection.transaction()?;
                // It may be forgotten by then, and another entry may have its number.
                let stands = change
                    .query_row(
                        "SELECT 1 FROM memory WHERE number = ?1 AND scope = ?2 AND id = ?3 AND title = ?4 AND text = ?5",
                        params![number, scope, entry.id, entry.title, entry.text],
                        |_| Ok(()),
                    )
                    .optional()?;
                if stands.is_some() {
                    vectors::put(&change, number, &vector)?;
                }
                change.commit()
            })
        })
    }

    fn query(
        &self,
        scope: MemoryScope,
        query: MemoryQuery,
    ) -> BoxFuture<'static, Result<Vec<MemoryEntry>, TaskError>> {
        let scope = scope.name();
        let is_asked = !query.pinned && !query.text.trim().is_empty();
        if is_asked && self.embed.is_some() {
            let (memory, embedding) = (self.clone(), self.vector_of(&query.text));
            return Box::pin(async move {
                let asked = embedding.await;
                memory.with(|connection| by_meaning(connection, &scope, &query, asked.as_deref()))
            });
        }
        let found = self.with(|connection| {
            if query.pinned {
                let mut asking = connection.prepare_cached(
                    "SELECT id, title, text, tags, source, pinned, data FROM memory WHERE scope = ?1 AND pinned = 1 \
                     ORDER BY title, id",
                )?;
                return first(asking.query_map(params![scope], entry_of)?, &query);
            }
            let Some(words) = words_of(&query.text) else { return Ok(Vec::new()) };
            let mut asking = connection.prepare_cached(
                "SELECT m.id, m.title, m.text, m.tags, m.source, m.pinned, m.data FROM memory_words \
                 JOIN memory AS m ON m.number = memory_words.rowid \
                 WHERE memory_words MATCH ?1 AND m.scope = ?2 \
                 ORDER BY bm25(memory_words, 3.0, 1.0, 1.0), m.id",
            )?;
            first(asking.query_map(params![words, scope], entry_of)?, &query)
        });
        Box::pin(ready(found))
    }

    fn delete(&self, scope: MemoryScope, id: String) -> BoxFuture<'static, Result<bool, TaskError>> {
        let scope = scope.name();
        let done = self.with(|connection| {
            let change = connection.transaction()?;
            let number = number_of(&change, &scope, &id)?;
            if let Some(number) = number {
                remove(&change, number)?;
            }
            change.commit()?;
            Ok(number.is_some())
        });
        Box::pin(ready(done))
    }
}

fn remove(change: &Connection, number: i64) -> rusqlite::Result<()> {
    change.execute("DELETE FROM memory_words WHERE rowid = ?1", [number])?;
    vectors::remove(change, number)?;
    change.execute("DELETE FROM memory WHERE number = ?1", [number]).map(drop)
}

/// Those with the words of the question and those that mean the like, as one order.
fn by_meaning(
    connection: &Connection,
    scope: &str,
    query: &MemoryQuery,
    asked: Option<&[f32]>,
) -> rusqlite::Result<Vec<MemoryEntry>> {
    let mut by_words = Vec::new();
    if let Some(words) = words_of(&query.text) {
        let mut asking = connection.prepare_cached(
            "SELECT m.number FROM memory_words JOIN memory AS m ON m.number = memory_words.rowid \
             WHERE memory_words MATCH ?1 AND m.scope = ?2 \
             ORDER BY bm25(memory_words, 3.0, 1.0, 1.0), m.id LIMIT ?3",
        )?;
        let rows = asking.query_map(params![words, scope, MOST_BY_WORDS], |row| row.get(0))?;
        by_words = rows.collect::<rusqlite::Result<Vec<i64>>>()?;
    }
    let by_vectors = match asked {
        Some(asked) => vectors::nearest(connection, scope, asked)?,
        None => Vec::new(),
    };
    let mut asking = connection
        .prepare_cached("SELECT id, title, text, tags, source, pinned, data FROM memory WHERE number = ?1")?;
    let numbers = vectors::fused([&by_words, &by_vectors]);
    // One that another process has removed meanwhile is passed over.
    let found = |number| asking.query_row([number], entry_of).optional().transpose();
    first(numbers.into_iter().filter_map(found), query)
}

impl fmt::Debug for SqliteMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteMemory").field("embeds", &self.embed.is_some()).finish_non_exhaustive()
    }
}
