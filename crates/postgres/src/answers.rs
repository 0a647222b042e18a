//! Answers of the endpoint, for clients that lost their connection.

use super::call::{flag, number, text, texts};
use super::connection::Connections;
use super::database::PostgresDatabase;
use super::row::get;
use glove_wasm::ports::IdSource;
use glove_wasm::system::RandomIds;
use glove_wasm_native::{AnswerBuffer, Kept};

struct PostgresAnswers(Connections);

impl PostgresDatabase {
    /// Where answers of an endpoint under way are kept, so that a client that lost its connection reads on.
    pub fn answers(&self) -> impl AnswerBuffer + use<> {
        PostgresAnswers(self.connections.clone())
    }
}

impl AnswerBuffer for PostgresAnswers {
    fn append(&self, id: &str, events: Vec<String>) -> Kept<u64> {
        let values = vec![text(id), text(RandomIds.fresh()), flag(false), texts(events)];
        let reply = self.0.call(id, "SELECT glove_add_answer($1, $2, $3, $4)", values, Some(2));
        Box::pin(async move {
            let rows = reply.await?;
            let before: i64 = rows.first().map(|row| get(row, 0)).transpose()?.unwrap_or_default();
            Ok(u64::try_from(before).unwrap_or_default())
        })
    }

    fn read(&self, id: &str, from: u64) -> Kept<Vec<String>> {
        let query = "SELECT event FROM glove_answer_events WHERE answer = $1 AND place >= $2 ORDER BY place";
        let reply = self.0.call(id, query, vec![text(id), number(from)], None);
        Box::pin(async move { reply.await?.iter().map(|row| get(row, 0)).collect() })
    }

    fn delete(&self, id: &str) -> Kept<()> {
        let reply = self.0.call(id, "DELETE FROM glove_answers WHERE id = $1", vec![text(id)], None);
        Box::pin(async move { reply.await.map(drop) })
    }
}
