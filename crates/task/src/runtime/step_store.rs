//! The run of a step, kept in its folder: one line for each write, in `progress/steps/<id>/session.ndjson`. Only who has the
//! lease of the workspace writes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::ready;

use crate::TaskError;
use crate::layout::WorkspacePath;
use crate::runtime::workspace::{Workspace, read_text};
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Write, from_text, to_text};
use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Durability, Loaded, PermissionStatus, StoreAdapter};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::journal::Record;

pub(super) struct StepStore {
    files: Arc<dyn Workspace>,
    path: WorkspacePath,
    permissions: Arc<Mutex<HashMap<String, bool>>>,
}

/// One write.
#[derive(Default, Read, Write)]
struct Line {
    #[json(skip_if_default)]
    messages: Vec<Arc<Message>>,
    #[json(skip_if_default)]
    records: Vec<Record>,
    checkpoint: Option<String>,
    permission: Option<String>,
    granted: Option<bool>,
}

impl StepStore {
    pub(super) fn new(files: Arc<dyn Workspace>, path: WorkspacePath) -> Self {
        StepStore { files, path, permissions: Arc::default() }
    }

    /// What comes before the request of the step, where nothing is there yet.
    pub(super) async fn seed(&self, messages: Vec<Message>) -> Result<(), TaskError> {
        if self.files.read(&self.path).await?.is_some_and(|content| content.contains(&b'\n')) {
            return Ok(());
        }
        let messages = messages.into_iter().map(Arc::new).collect();
        let line = line(&Line { messages, ..Line::default() });
        self.files.write(&self.path, line).await
    }

    fn add(&self, entry: &Line) -> BoxFuture<'static, Result<(), StoreError>> {
        let adding = self.files.append(&self.path, line(entry));
        Box::pin(async move { adding.await.map_err(failed) })
    }
}

fn line(entry: &Line) -> Vec<u8> {
    let mut line = to_text(entry);
    line.push('\n');
    line.into_bytes()
}

fn failed(error: TaskError) -> StoreError {
    StoreError::new(StoreErrorKind::Failed, error.message)
}

fn lock(permissions: &Mutex<HashMap<String, bool>>) -> MutexGuard<'_, HashMap<String, bool>> {
    permissions.lock().unwrap_or_else(PoisonError::into_inner)
}

fn permission_key(tool: &str, input: Option<&Json>) -> String {
    format!("{tool}::{}", input.map_or_else(|| "null".to_owned(), Json::canonical))
}

async fn load(
    files: Arc<dyn Workspace>,
    path: WorkspacePath,
    permissions: Arc<Mutex<HashMap<String, bool>>>,
) -> Result<Loaded, StoreError> {
    let text = read_text(&*files, &path).await.map_err(failed)?.unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    let lines = text.get(..whole).unwrap_or_default();
    if lines.len() < text.len() {
        // The process died while it wrote this line, so the write was not acknowledged. Start the next record on a new line.
        files.write(&path, lines.as_bytes().to_vec()).await.map_err(failed)?;
    }
    let mut loaded = Loaded::default();
    for (at, line) in lines.lines().enumerate() {
        let entry = from_text::<Line>(line).map_err(|fault| {
            let message = format!("line {} of {path} cannot be read: {fault}", at + 1);
            StoreError::new(StoreErrorKind::Corrupt, message)
        })?;
        loaded.messages.extend(entry.messages);
        loaded.records.extend(entry.records);
        if entry.checkpoint.is_some() {
            loaded.checkpoint = entry.checkpoint;
            loaded.records.clear();
        }
        if let (Some(key), Some(granted)) = (entry.permission, entry.granted) {
            lock(&permissions).insert(key, granted);
        }
    }
    Ok(loaded)
}

impl StoreAdapter for StepStore {
    fn identifier(&self) -> String {
        self.path.as_str().to_owned()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        Box::pin(load(Arc::clone(&self.files), self.path.clone(), Arc::clone(&self.permissions)))
    }

    fn append(&self, step: Unsaved<'_>, _: Durability) -> BoxFuture<'static, Result<(), StoreError>> {
        self.add(&Line {
            messages: step.messages.to_vec(),
            records: step.records.to_vec(),
            checkpoint: step.checkpoint,
            ..Line::default()
        })
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        let granted = lock(&self.permissions).get(&permission_key(tool, input)).copied();
        Box::pin(ready(Ok(granted.into())))
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let key = permission_key(tool, input);
        lock(&self.permissions).insert(key.clone(), granted);
        self.add(&Line { permission: Some(key), granted: Some(granted), ..Line::default() })
    }
}
