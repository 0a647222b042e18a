//! The port to a store: one session's messages, its run, and what is remembered besides.

use std::sync::Arc;

use futures_util::future;

use crate::error::{StoreError, StoreErrorKind};
use crate::json::Json;
use crate::json::codec::Ts;
use crate::message::{InboxItem, Message, Task};
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::run::checkpoint::Unsaved;
use crate::run::journal::Record;

/// Everything that a store has of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    pub messages: Vec<Arc<Message>>,
    /// `None` for a session that was never written, or whose store keeps messages alone.
    pub checkpoint: Option<String>,
    /// The journal; records from before the checkpoint may be missing.
    pub records: Vec<Record>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// May be lost when the machine's power fails, but not when the process ends.
    Relaxed,
    /// Something irrevocable follows: a tool runs, a person has decided.
    Strict,
}

/// What a person decided about a tool; `unset` while nobody was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Ts)]
pub enum PermissionStatus {
    Granted,
    Denied,
    #[default]
    Unset,
}

impl From<Option<bool>> for PermissionStatus {
    fn from(granted: Option<bool>) -> Self {
        match granted {
            Some(true) => PermissionStatus::Granted,
            Some(false) => PermissionStatus::Denied,
            None => PermissionStatus::Unset,
        }
    }
}

/// A store for one session. Two sessions over one store are told apart by `append`, which refuses what does not
/// follow on what is stored. A default body stands for "this store does not keep that".
pub trait StoreAdapter: MaybeSend + MaybeSync {
    fn identifier(&self) -> String;

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>>;

    /// The messages that can be read of a session that `load`, or who took up what it gave, called damaged. Changes nothing.
    fn salvage(&self) -> BoxFuture<'static, Result<Vec<Arc<Message>>, StoreError>> {
        let loading = self.load();
        Box::pin(async move { Ok(loading.await?.messages) })
    }

    /// Writes a step in one transaction: all of it or nothing. A store that holds other messages than
    /// `step.first_message` says answers `StoreErrorKind::Conflict`.
    fn append(&self, step: Unsaved<'_>, durability: Durability)
    -> BoxFuture<'static, Result<(), StoreError>>;

    /// Before something irreversible: fails where it cannot be told whether the session was taken over since the last write.
    /// `None` where nobody can have done that. After it has succeeded it is asked again until it answers `None`, because a long
    /// answer may itself have taken too long.
    fn confirm(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        None
    }

    /// `input` is given where the answer holds for these arguments alone.
    fn permission(
        &self,
        _tool: &str,
        _input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        Box::pin(future::ready(Ok(PermissionStatus::Unset)))
    }

    fn set_permission(
        &self,
        _tool: &str,
        _input: Option<&Json>,
        _granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        Box::pin(future::ready(Ok(())))
    }

    /// Whether the agent gets a task list (`glove_update_tasks`).
    fn keeps_tasks(&self) -> bool {
        false
    }

    fn tasks(&self) -> BoxFuture<'static, Result<Vec<Task>, StoreError>> {
        Box::pin(future::ready(Ok(Vec::new())))
    }

    fn set_tasks(&self, _tasks: Vec<Task>) -> BoxFuture<'static, Result<(), StoreError>> {
        Box::pin(future::ready(Err(StoreError::new(
            StoreErrorKind::Failed,
            "this store does not support tasks",
        ))))
    }

    fn keeps_inbox(&self) -> bool {
        false
    }

    /// The items that are not consumed yet.
    fn inbox(&self) -> BoxFuture<'static, Result<Vec<InboxItem>, StoreError>> {
        Box::pin(future::ready(Ok(Vec::new())))
    }

    fn consume_inbox(&self, _ids: &[String]) -> BoxFuture<'static, Result<(), StoreError>> {
        Box::pin(future::ready(Ok(())))
    }
}
