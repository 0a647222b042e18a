//! Sessions of a database as texts, and back.

use super::call::{bytes, flag as given, number, text, texts};
use super::database::PostgresDatabase;
use super::row::flag;
use glove_wasm::error::StoreError;
use glove_wasm::portable::BoxFuture;
use glove_wasm::store::{Transcript, TranscriptError};
use glove_wasm_native::ImportOptions;
use glove_wasm_native::internal::exported;
use glove_wasm_native::internal::{NewSession, imported};

impl PostgresDatabase {
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
        let (ids, items) = session.inbox.iter().cloned().unzip();
        let values = vec![
            text(id),
            text(session.name.as_str()),
            text(session.title.as_str()),
            number(session.created_at),
            number(session.updated_at),
            texts(session.messages.clone()),
            number(session.seq),
            bytes(session.checkpoint.clone().map(String::into_bytes)),
            text(session.phase),
            given(session.asks),
            text(session.tasks.as_str()),
            texts(ids),
            texts(items),
        ];
        let import = "SELECT glove_import($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
        let reply = self.connections.call(id, import, values, None);
        Box::pin(async move { flag(&reply.await?) })
    }
}
