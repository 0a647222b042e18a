//! Sessions of a database as texts, and back.

use rusqlite::Connection;

use super::database::SqliteDatabase;
use super::failure::failed;
use super::rows::{self, MessageRow};
use super::sessions::contains;
use glove_wasm::error::StoreError;
use glove_wasm::ports::IdSource;
use glove_wasm::run::Run;
use glove_wasm::store::{Transcript, TranscriptError};
use glove_wasm::system::RandomIds;
use glove_wasm_native::ImportOptions;
use glove_wasm_native::internal::{exported, imported_run};

impl SqliteDatabase {
    /// A session outside of the database. It stays as it is.
    pub async fn export(&self, session: &str) -> Result<Transcript, TranscriptError> {
        let known = self.sessions().await?.into_iter().find(|known| known.id == session);
        exported(known, self.store(session)).await
    }

    /// A new session of the database, and its id: the transcript's own, or a new one where that is used already.
    pub async fn import(
        &self,
        transcript: Transcript,
        options: ImportOptions,
    ) -> Result<String, TranscriptError> {
        let run = imported_run(&transcript, &options)?;
        let imported = Imported { id: options.id, transcript, run };
        self.run(move |work| work.atomically(|connection| imported.write(connection))).await?
    }
}

struct Imported {
    id: Option<String>,
    transcript: Transcript,
    run: Option<Run>,
}

impl Imported {
    fn write(&self, connection: &Connection) -> Result<Result<String, TranscriptError>, StoreError> {
        let Imported { id, transcript, .. } = self;
        let is_taken = contains(connection, id.as_ref().unwrap_or(&transcript.id));
        let id = match (id, is_taken.map_err(|error| failed(&error))?) {
            (Some(id), true) => return Ok(Err(TranscriptError::Exists(id.clone()))),
            (Some(id), false) => id.clone(),
            (None, true) => RandomIds.fresh(),
            (None, false) => transcript.id.clone(),
        };
        self.write_rows(connection, &id).map_err(|error| failed(&error))?;
        Ok(Ok(id))
    }

    fn write_rows(&self, connection: &Connection, id: &str) -> rusqlite::Result<()> {
        let Imported { transcript, run, .. } = self;
        let usage = run.as_ref().map(|run| *run.usage()).unwrap_or_default();
        let turns = run.as_ref().map(Run::turns).unwrap_or_default();
        connection.execute(
            "INSERT INTO sessions (session_id, name, token_count, turn_count, created_at)
             VALUES (?1, ?2, ?3, ?4, datetime(?5 / 1000, 'unixepoch'))",
            (
                id,
                &transcript.title.as_deref().unwrap_or_default(),
                usage.tokens_in + usage.tokens_out,
                turns,
                transcript.created_at,
            ),
        )?;
        let messages = run.as_ref().map_or(transcript.messages.as_slice(), Run::messages);
        let mut last = 0;
        for message in messages {
            last = MessageRow::of(message).insert(connection, id)?;
        }
        // What the records add to the checkpoint is in the run already.
        let state = run.as_ref().map(|run| (run.unsaved(), run.checkpoint()));
        let (seq, phase, asks) = state
            .as_ref()
            .map_or((0, "idle", false), |(unsaved, _)| (unsaved.seq, unsaved.phase.as_str(), unsaved.asks));
        connection.execute(
            "INSERT INTO glove_runs (session_id, messages, last_message, seq, checkpoint, phase, asks, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (id, messages.len(), last, seq, state.as_ref().map(|(_, checkpoint)| checkpoint), phase, asks, transcript.updated_at),
        )?;
        rows::set_tasks(connection, id, &transcript.tasks)?;
        transcript.inbox.iter().try_for_each(|item| rows::add_inbox_item(connection, id, item))
    }
}
