//! What an application says about the tasks of its server.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use glove_wasm_task::runtime::TaskAgent;
use glove_wasm_task::{TaskError, TaskSpec};

type MakeAgent = dyn Fn(&str, &Path) -> Result<TaskAgent, TaskError> + Send + Sync;
type Decide = dyn Fn(TaskSpec, &str) -> Result<TaskSpec, TaskError> + Send + Sync;

/// A day, as long as a person has to decide.
const STREAM_TOKEN_MS: u64 = 24 * 60 * 60 * 1_000;

/// Tasks for [`Server::tasks`](crate::Server::tasks), below a folder: each has one of its own there, in which `glove run` could go
/// on with it.
pub struct ServedTasks {
    pub(super) folder: PathBuf,
    pub(super) agent: Box<MakeAgent>,
    pub(super) task: Box<Decide>,
    pub(super) most_running: usize,
    pub(super) poll: Duration,
    pub(super) stream_token_ms: u64,
}

impl ServedTasks {
    /// `agent` makes the agent for a user, as `authorize` names the user; the name is empty without authorization.
    pub fn new(
        folder: impl Into<PathBuf>,
        agent: impl Fn(&str) -> Result<TaskAgent, TaskError> + Send + Sync + 'static,
    ) -> Self {
        ServedTasks::in_folders(folder, move |user, _| agent(user))
    }

    /// `new` for agents whose tools need to know the folder of their task.
    pub fn in_folders(
        folder: impl Into<PathBuf>,
        agent: impl Fn(&str, &Path) -> Result<TaskAgent, TaskError> + Send + Sync + 'static,
    ) -> Self {
        ServedTasks {
            folder: folder.into(),
            agent: Box::new(agent),
            task: Box::new(|wanted, _| Ok(wanted)),
            most_running: 100,
            poll: Duration::from_millis(500),
            stream_token_ms: STREAM_TOKEN_MS,
        }
    }

    /// What becomes of a task that a client wants, before it starts: other budgets, say. An error refuses it. What a person approves is
    /// never the client's to say, and may be set here.
    pub fn task(
        mut self,
        decide: impl Fn(TaskSpec, &str) -> Result<TaskSpec, TaskError> + Send + Sync + 'static,
    ) -> Self {
        self.task = Box::new(decide);
        self
    }

    /// Tasks that work at once; beyond it a start is refused with 429. 100 unless given. Tasks that wait for a person do not count, and ten
    /// times as many may wait.
    pub fn most_running(mut self, most: usize) -> Self {
        self.most_running = most;
        self
    }

    /// How often files are looked at for what others write; every 500 ms unless given.
    pub fn poll_ms(mut self, every: u64) -> Self {
        self.poll = Duration::from_millis(every.max(1));
        self
    }

    /// How long a `stream_token` opens the events of its task; a day unless given. Streams that it opened end then, too.
    pub fn stream_token_ms(mut self, lasts: u64) -> Self {
        self.stream_token_ms = lasts.max(1);
        self
    }
}

impl fmt::Debug for ServedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedTasks").field("folder", &self.folder).finish_non_exhaustive()
    }
}
