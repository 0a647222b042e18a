//! The database as the source of a task's history.

use std::sync::Arc;

use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm_native::internal::record_for_task;
use glove_wasm_task::TaskError;
use glove_wasm_task::runtime::SessionSource;

use crate::SqliteDatabase;

impl SessionSource for SqliteDatabase {
    fn record(&self, session: String) -> BoxFuture<'static, Result<Vec<Arc<Message>>, TaskError>> {
        let database = self.clone();
        Box::pin(async move { record_for_task(&session, database.export(&session).await) })
    }
}
