//! Sessions of a database as texts, and back.

use super::call::{bytes, flag as given, number, text, texts};
use super::database::PostgresDatabase;
use super::row::flag;
use crate::json::codec::to_text;
use crate::message::Sender;
use crate::native::stored::one_line;
use crate::native::{ImportOptions, RandomIds};
use crate::ports::{IdSource, StoreAdapter};
use crate::run::Run;
use crate::store::{Transcript, TranscriptError};

impl PostgresDatabase {
    /// A session outside of the database. It stays as it is.
    pub async fn export(&self, session: &str) -> Result<Transcript, TranscriptError> {
        let known = self.session(session).await?;
        let known = known.ok_or_else(|| TranscriptError::Unknown(session.to_owned()))?;
        let store = self.store(session);
        let loaded = store.load().await?;
        Ok(Transcript {
            id: known.id,
            title: (!known.name.is_empty()).then_some(known.name),
            created_at: known.created_at,
            updated_at: known.updated_at,
            messages: loaded.messages,
            tasks: store.tasks().await?,
            inbox: store.inbox().await?,
            checkpoint: loaded.checkpoint,
            records: loaded.records,
        })
    }

    /// A new session of the database, and its id: the transcript's own, or a new one where that is used already.
    pub async fn import(
        &self,
        transcript: Transcript,
        options: ImportOptions,
    ) -> Result<String, TranscriptError> {
        let run = match (options.with_run, &transcript.checkpoint) {
            (true, Some(_)) => Some(transcript.run()?),
            _ => None,
        };
        if let Some(id) = options.id {
            return match self.imported(&id, &transcript, run.as_ref()).await? {
                true => Ok(id),
                false => Err(TranscriptError::Exists(id)),
            };
        }
        if self.imported(&transcript.id, &transcript, run.as_ref()).await? {
            return Ok(transcript.id);
        }
        let id = RandomIds.fresh();
        self.imported(&id, &transcript, run.as_ref()).await?;
        Ok(id)
    }

    /// False where there is such a session already.
    async fn imported(
        &self,
        id: &str,
        transcript: &Transcript,
        run: Option<&Run>,
    ) -> Result<bool, TranscriptError> {
        let messages = run.map_or(transcript.messages.as_slice(), Run::messages);
        let said = messages.iter().find(|message| {
            message.sender == Sender::User
                && message.tool_results.is_none()
                && !message.text.trim().is_empty()
        });
        // What the records add to the checkpoint is in the run already.
        let state = run.map(|run| (run.unsaved(), run.checkpoint()));
        let (seq, phase, asks) = state
            .as_ref()
            .map_or((0, "idle", false), |(unsaved, _)| (unsaved.seq, unsaved.phase.as_str(), unsaved.asks));
        let plain = |text: &str| text.replace('\0', "");
        let values = vec![
            text(id),
            text(plain(transcript.title.as_deref().unwrap_or_default())),
            text(plain(&said.map(|message| one_line(&message.text)).unwrap_or_default())),
            number(transcript.created_at),
            number(transcript.updated_at),
            texts(messages.iter().map(|message| to_text(message)).collect()),
            number(seq),
            bytes(state.as_ref().map(|(_, checkpoint)| checkpoint.clone().into_bytes())),
            text(phase),
            given(asks),
            text(to_text(&transcript.tasks)),
            texts(transcript.inbox.iter().map(|item| item.id.clone()).collect()),
            texts(transcript.inbox.iter().map(|item| to_text(item)).collect()),
        ];
        let import = "SELECT glove_import($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
        Ok(flag(&self.connections.call(id, import, values, None).await?)?)
    }
}
