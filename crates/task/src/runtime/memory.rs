//! A workspace in memory. Clones are the same workspace.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::ready;

use crate::TaskError;
use crate::layout::WorkspacePath;
use crate::runtime::workspace::{Entry, Lease, Workspace};
use glove_wasm::portable::BoxFuture;

#[derive(Debug, Clone, Default)]
pub struct MemoryWorkspace {
    files: Arc<Mutex<BTreeMap<WorkspacePath, Vec<u8>>>>,
    /// Held by the one who runs the task.
    lease: Arc<Mutex<Option<Arc<()>>>>,
}

impl MemoryWorkspace {
    pub fn new() -> Self {
        MemoryWorkspace::default()
    }

    /// With this file in it, as a person would put it there.
    pub fn with(self, path: &str, content: impl Into<Vec<u8>>) -> Result<Self, TaskError> {
        self.put(path, content)?;
        Ok(self)
    }

    pub fn put(&self, path: &str, content: impl Into<Vec<u8>>) -> Result<(), TaskError> {
        self.all().insert(WorkspacePath::parse(path)?, content.into());
        Ok(())
    }

    /// False where there was none.
    pub fn remove(&self, path: &str) -> bool {
        WorkspacePath::parse(path).is_ok_and(|path| self.all().remove(&path).is_some())
    }

    /// A file as text.
    pub fn text(&self, path: &str) -> Option<String> {
        let path = WorkspacePath::parse(path).ok()?;
        self.all().get(&path).map(|content| String::from_utf8_lossy(content).into_owned())
    }

    /// All files, by their paths.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        self.all().iter().map(|(path, content)| (path.as_str().to_owned(), content.clone())).collect()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<WorkspacePath, Vec<u8>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspace for MemoryWorkspace {
    fn read(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Option<Vec<u8>>, TaskError>> {
        Box::pin(ready(Ok(self.all().get(path).cloned())))
    }

    fn write(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        self.all().insert(path.clone(), content);
        Box::pin(ready(Ok(())))
    }

    fn swap(
        &self,
        path: &WorkspacePath,
        before: Option<Vec<u8>>,
        content: Vec<u8>,
    ) -> BoxFuture<'static, Result<bool, TaskError>> {
        let mut all = self.all();
        let same = all.get(path) == before.as_ref();
        if same {
            all.insert(path.clone(), content);
        }
        Box::pin(ready(Ok(same)))
    }

    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        self.all().entry(path.clone()).or_default().extend(content);
        Box::pin(ready(Ok(())))
    }

    fn list(&self, folder: &WorkspacePath) -> BoxFuture<'static, Result<Vec<Entry>, TaskError>> {
        let all = self.all();
        let below = all.iter().filter(|(path, _)| path.is_below(folder.as_str()));
        let entries = below.map(|(path, content)| Entry { path: path.clone(), size: content.len() as u64 });
        Box::pin(ready(Ok(entries.collect())))
    }

    fn lease(&self) -> BoxFuture<'static, Result<Lease, TaskError>> {
        let mut held = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = held.as_ref().is_some_and(|holder| Arc::strong_count(holder) > 1);
        if taken {
            return Box::pin(ready(Err(TaskError::in_use())));
        }
        let mark = Arc::new(());
        *held = Some(Arc::clone(&mark));
        Box::pin(ready(Ok(Lease::new(mark))))
    }
}
