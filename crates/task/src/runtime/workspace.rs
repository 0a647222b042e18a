//! The port to the files of a task.

use std::any::Any;
use std::fmt;

use crate::TaskError;
use crate::layout::WorkspacePath;
use glove_wasm::portable::{BoxFuture, MaybeSend, MaybeSync};

/// Where a task's files are. What is read is whole at every instant: a file is the old one or the new one, and only of one that is
/// added to may the last line be half there after a process died.
pub trait Workspace: MaybeSend + MaybeSync {
    /// `None` where there is no file.
    fn read(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Option<Vec<u8>>, TaskError>>;

    /// Writes a file as a whole, with the folders that it needs.
    fn write(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>>;

    /// Writes a file as a whole where there still is what was read there (`None`: no file). False, and nothing is written, where there is
    /// something else by now: of several that do this at once, one has true.
    fn swap(
        &self,
        path: &WorkspacePath,
        before: Option<Vec<u8>>,
        content: Vec<u8>,
    ) -> BoxFuture<'static, Result<bool, TaskError>>;

    /// Adds to the end of a file, which is made where there is none.
    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>>;

    /// The files below a folder, in the order of their paths; none where there is no folder.
    fn list(&self, folder: &WorkspacePath) -> BoxFuture<'static, Result<Vec<Entry>, TaskError>>;

    /// The right to run the task. Fails with `TASK_IN_USE` while somebody else has it; whoever dies loses it.
    fn lease(&self) -> BoxFuture<'static, Result<Lease, TaskError>>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: WorkspacePath,
    pub size: u64,
}

/// Given back when it is dropped.
pub struct Lease(#[allow(dead_code)] Box<dyn LeaseGuard>);

/// Anything that gives the lease back when it is dropped.
trait LeaseGuard: Any + MaybeSend + MaybeSync {}

impl<T: Any + MaybeSend + MaybeSync> LeaseGuard for T {}

impl Lease {
    pub fn new(held: impl Any + MaybeSend + MaybeSync) -> Self {
        Lease(Box::new(held))
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lease")
    }
}

/// A file as text.
pub(crate) async fn read_text(
    files: &dyn Workspace,
    path: &WorkspacePath,
) -> Result<Option<String>, TaskError> {
    let content = files.read(path).await?;
    Ok(content.map(|content| String::from_utf8_lossy(&content).into_owned()))
}

pub(crate) async fn read_known(files: &dyn Workspace, path: &str) -> Result<Option<String>, TaskError> {
    read_text(files, &WorkspacePath::known(path)).await
}
