//! Sessions of a database as texts, and back.

use super::database::RedisDatabase;
use super::scripts::SCRIPTS;
use super::values::{ScriptArgs, read};
use glove_wasm::error::StoreError;
use glove_wasm::portable::BoxFuture;
use glove_wasm::store::{Transcript, TranscriptError};
use glove_wasm_native::ImportOptions;
use glove_wasm_native::internal::exported;
use glove_wasm_native::internal::{NewSession, imported};

impl RedisDatabase {
    /// A session outside of the database. It stays as it is.
    pub async fn export(&self, session: &str) -> Result<Transcript, TranscriptError> {
        exported(self.session(session).await?, self.store(session)).await
    }

    /// A new session of the database, and its id: the transcript's own, or a new one where that is used already.
    pub async fn import(
        &self,
        transcript: Transcript,
        options: ImportOptions,
    ) -> Result<String, TranscriptError> {
        imported(transcript, options, |id, session| self.insert(id, session)).await
    }

    fn insert(&self, id: &str, session: &NewSession) -> BoxFuture<'static, Result<bool, StoreError>> {
        let args = ScriptArgs::to(id)
            .text(session.name.as_str())
            .text(session.title.as_str())
            .number(session.created_at)
            .number(session.updated_at)
            .number(session.seq)
            .text(session.phase)
            .flag(session.asks)
            .text(session.tasks.as_str())
            .flag(session.checkpoint.is_some())
            .text(session.checkpoint.as_deref().unwrap_or_default())
            .number(session.messages.len() as u64)
            .texts(session.messages.iter().map(String::as_str))
            .texts(session.inbox.iter().flat_map(|(id, item)| [id.as_str(), item.as_str()]));
        let reply = self.connections.call(id, &SCRIPTS.import, args, None);
        Box::pin(async move { read(reply.await?) })
    }
}
