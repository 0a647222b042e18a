//! Answers of the endpoint, for clients that lost their connection.

use super::connection::Connections;
use super::database::RedisDatabase;
use super::scripts::SCRIPTS;
use super::values::{Given, read};
use glove_wasm::ports::IdSource;
use glove_wasm::system::RandomIds;
use glove_wasm_native::{AnswerBuffer, Kept};

struct RedisAnswers(Connections);

impl RedisDatabase {
    /// Where answers of an endpoint under way are kept, so that a client that lost its connection reads on.
    pub fn answers(&self) -> impl AnswerBuffer + use<> {
        RedisAnswers(self.connections.clone())
    }
}

impl AnswerBuffer for RedisAnswers {
    fn append(&self, id: &str, events: Vec<String>) -> Kept<u64> {
        let given = Given::to(id).text(RandomIds.fresh()).flag(false).texts(events);
        let asked = self.0.call(id, &SCRIPTS.add_answer, given, Some(2));
        Box::pin(async move { read(asked.await?) })
    }

    fn read(&self, id: &str, from: u64) -> Kept<Vec<String>> {
        let asked = self.0.call(id, &SCRIPTS.read_answer, Given::to(id).number(from), None);
        Box::pin(async move {
            let stored: Vec<String> = read(asked.await?)?;
            // Each has the call that wrote it in front.
            Ok(stored.iter().map(|event| event.split_once(' ').unwrap_or_default().1.to_owned()).collect())
        })
    }

    fn delete(&self, id: &str) -> Kept<()> {
        let asked = self.0.call(id, &SCRIPTS.delete_answer, Given::to(id), None);
        Box::pin(async move { asked.await.map(drop) })
    }
}
