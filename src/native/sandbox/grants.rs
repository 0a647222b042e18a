//! What sandboxed code may use, and what it reaches beside its input.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::task::{TaskError, TaskErrorKind, WorkspacePath};
use crate::task_runtime::Workspace;

const LEAST_MEMORY: usize = 1 << 20;

/// What sandboxed code may use, and what it reaches beside its input: nothing, unless it is named.
#[derive(Clone)]
pub struct Sandbox {
    pub(super) time: Duration,
    pub(super) memory: usize,
    pub(super) output: usize,
    pub(super) mounts: Vec<Mount>,
    pub(super) files: Option<Arc<dyn Workspace>>,
}

#[derive(Debug, Clone)]
pub(super) struct Mount {
    pub(super) folder: WorkspacePath,
    pub(super) right: MountRight,
}

/// What sandboxed code may do below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountRight {
    Read,
    /// And read.
    Write,
}

impl Default for Sandbox {
    fn default() -> Self {
        Sandbox {
            time: Duration::from_secs(10),
            memory: 64 << 20,
            output: 1_000_000,
            mounts: Vec::new(),
            files: None,
        }
    }
}

impl Sandbox {
    /// Ten seconds, 64 MiB, and no files.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long a call may take, waiting for files too.
    #[must_use]
    pub fn time(mut self, most: Duration) -> Self {
        self.time = most;
        self
    }

    /// In bytes; less than one MiB counts as one.
    #[must_use]
    pub fn memory(mut self, most: usize) -> Self {
        self.memory = most.max(LEAST_MEMORY);
        self
    }

    /// The bytes of the result as JSON.
    #[must_use]
    pub fn output(mut self, most: usize) -> Self {
        self.output = most;
        self
    }

    /// Whose files `mount` grants.
    #[must_use]
    pub fn files(mut self, files: impl Workspace + 'static) -> Self {
        self.files = Some(Arc::new(files));
        self
    }

    /// Grants a folder of the workspace. Code writes below `progress/artifacts` alone: what governs a task is not its own to write.
    pub fn mount(mut self, folder: &str, right: MountRight) -> Result<Self, TaskError> {
        let folder = WorkspacePath::parse(folder)?;
        if right == MountRight::Write && !folder.is_below("progress/artifacts") {
            let message =
                format!("sandboxed code may write below progress/artifacts alone, and not in `{folder}`");
            return Err(TaskError::new(TaskErrorKind::ReadOnly, message));
        }
        self.mounts.push(Mount { folder, right });
        Ok(self)
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("time", &self.time)
            .field("mounts", &self.mounts)
            .finish_non_exhaustive()
    }
}
