//! A store in memory. Clones are the same store, so a second session over a clone finds what the first one wrote.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future;

use crate::error::{StoreError, StoreErrorKind};
use crate::json::Json;
use crate::message::{InboxItem, Message, Task};
use crate::portable::BoxFuture;
use crate::ports::{Durability, Loaded, PermissionStatus, StoreAdapter};
use crate::run::checkpoint::Unsaved;

#[derive(Debug, Clone)]
pub struct MemoryStore {
    id: String,
    data: Arc<Mutex<Data>>,
}

#[derive(Debug, Default)]
struct Data {
    run: Loaded,
    /// The number of the last input that was written.
    seq: u64,
    tasks: Vec<Task>,
    inbox: Vec<InboxItem>,
    permissions: HashMap<String, bool>,
}

impl MemoryStore {
    pub fn new(id: impl Into<String>) -> Self {
        MemoryStore { id: id.into(), data: Arc::default() }
    }

    pub fn messages(&self) -> Vec<Message> {
        self.data().run.messages.iter().map(|message| Message::clone(message)).collect()
    }

    pub fn add_inbox_item(&self, item: InboxItem) {
        self.data().inbox.push(item);
    }

    /// Answers an item, as an external program does. False when there is none that waits.
    pub fn resolve_inbox_item(&self, id: &str, response: impl Into<String>, at: impl Into<String>) -> bool {
        let mut data = self.data();
        let found = data.inbox.iter_mut().find(|item| item.id == id && item.status == "pending");
        let Some(item) = found else { return false };
        item.status = "resolved".to_owned();
        item.response = Some(response.into());
        item.resolved_at = Some(at.into());
        true
    }

    /// Forgets what was said about a tool, so that it is asked again.
    pub fn forget_permission(&self, tool: &str, input: Option<&Json>) {
        self.data().permissions.remove(&permission_key(tool, input));
    }

    fn data(&self) -> MutexGuard<'_, Data> {
        // Nothing here panics while it holds the lock, so what is inside is whole.
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, step: &Unsaved<'_>) -> Result<(), StoreError> {
        let mut data = self.data();
        let follows = data.run.messages.len() == step.first_message
            && data.seq + step.records.len() as u64 == step.seq
            && step.records.first().is_none_or(|record| record.seq == data.seq + 1);
        if !follows {
            return Err(StoreError::new(
                StoreErrorKind::Conflict,
                format!("another session has written to `{}`; reopen it to continue", self.id),
            ));
        }
        data.run.messages.extend_from_slice(step.messages);
        if let Some(checkpoint) = &step.checkpoint {
            data.run.checkpoint = Some(checkpoint.clone());
            data.run.records.clear();
        } else {
            data.run.records.extend_from_slice(step.records);
        }
        data.seq = step.seq;
        Ok(())
    }
}

/// The original's key: a tool's name, and its arguments or null.
pub fn permission_key(tool: &str, input: Option<&Json>) -> String {
    format!("{tool}::{}", input.map_or_else(|| "null".to_owned(), Json::canonical))
}

fn ready<T: Send + 'static>(value: T) -> BoxFuture<'static, Result<T, StoreError>> {
    Box::pin(future::ready(Ok(value)))
}

impl StoreAdapter for MemoryStore {
    fn identifier(&self) -> String {
        self.id.clone()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        ready(self.data().run.clone())
    }

    fn append(&self, step: Unsaved<'_>, _: Durability) -> BoxFuture<'static, Result<(), StoreError>> {
        Box::pin(future::ready(self.write(&step)))
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        ready(self.data().permissions.get(&permission_key(tool, input)).copied().into())
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        self.data().permissions.insert(permission_key(tool, input), granted);
        ready(())
    }

    fn keeps_tasks(&self) -> bool {
        true
    }

    fn tasks(&self) -> BoxFuture<'static, Result<Vec<Task>, StoreError>> {
        ready(self.data().tasks.clone())
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> BoxFuture<'static, Result<(), StoreError>> {
        self.data().tasks = tasks;
        ready(())
    }

    fn keeps_inbox(&self) -> bool {
        true
    }

    fn inbox(&self) -> BoxFuture<'static, Result<Vec<InboxItem>, StoreError>> {
        ready(self.data().inbox.iter().filter(|item| item.status != "consumed").cloned().collect())
    }

    fn consume_inbox(&self, ids: &[String]) -> BoxFuture<'static, Result<(), StoreError>> {
        for item in self.data().inbox.iter_mut().filter(|item| ids.contains(&item.id)) {
            item.status = "consumed".to_owned();
        }
        ready(())
    }
}
