//! Answers of the endpoint, for clients that lost their connection.

use super::connection::Connections;
use super::database::RedisDatabase;
use super::scripts::SCRIPTS;
use super::values::{ScriptArgs, read};
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
        let args = ScriptArgs::to(id).text(RandomIds.fresh()).flag(false).texts(events);
        let reply = self.0.call(id, &SCRIPTS.add_answer, args, Some(2));
        Box::pin(async move { read(reply.await?) })
    }

    fn read(&self, id: &str, from: u64) -> Kept<Vec<String>> {
        let reply = self.0.call(id, &SCRIPTS.read_answer, ScriptArgs::to(id).number(from), None);
        Box::pin(async move {
            let stored: Vec<String> = read(reply.await?)?;
            // Each has the call that wrote it in front.
            Ok(stored.iter().map(|event| event.split_once(' ').unwrap_or_default().1.to_owned()).collect())
        })
    }

    fn delete(&self, id: &str) -> Kept<()> {
        let reply = self.0.call(id, &SCRIPTS.delete_answer, ScriptArgs::to(id), None);
        Box::pin(async move { reply.await.map(drop) })
    }
}
