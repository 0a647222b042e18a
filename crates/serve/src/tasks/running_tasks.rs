//! The tasks that this process works on, each once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::sleep;

use super::options::ServedTasks;
use glove_wasm::endpoint::Refusal;
use glove_wasm_native::TaskFolder;
use glove_wasm_task::layout::STOP;
use glove_wasm_task::runtime::{self, RunOptions, TaskHandle, Workspace};
use glove_wasm_task::{TaskError, TaskResult, TaskStatus, WorkspacePath};

/// As many times more tasks may wait for people as may work.
const WAITING: usize = 10;

pub(crate) struct Tasks {
    pub(super) served: ServedTasks,
    live: Mutex<HashMap<String, Arc<Live>>>,
}

/// A task that is worked on, or about to be opened.
#[derive(Default)]
pub(super) struct Live {
    handle: OnceLock<TaskHandle>,
    /// Grows with each event.
    changes: watch::Sender<u64>,
    work: OnceLock<AbortHandle>,
    /// Why it was stopped.
    stopped: OnceLock<String>,
}

/// Makes room when its work has ended, however it did.
struct Place {
    tasks: Arc<Tasks>,
    name: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.tasks.live().remove(&self.name);
    }
}

impl Tasks {
    pub(crate) fn new(served: ServedTasks) -> Self {
        Tasks { served, live: Mutex::default() }
    }

    fn live(&self) -> MutexGuard<'_, HashMap<String, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<Live>> {
        self.live().get(name).cloned()
    }

    pub(super) fn handle(&self, name: &str) -> Option<TaskHandle> {
        self.get(name)?.handle.get().cloned()
    }

    /// Opens a task and runs it, and lets go of it when that has ended. Comes back once it is open, with its handle and its work.
    pub(super) async fn run(
        self: &Arc<Self>,
        name: &str,
        open: impl Future<Output = Result<TaskHandle, Refusal>>,
        options: RunOptions,
        ended: impl FnOnce(&Result<TaskResult, TaskError>) + Send + 'static,
    ) -> Result<(TaskHandle, JoinHandle<Result<TaskResult, TaskError>>), Refusal> {
        let live = self.admit(name)?;
        let place = Place { tasks: Arc::clone(self), name: name.to_owned() };
        let handle = open.await?;
        let changes = live.changes.clone();
        handle.subscribe_events(move |_| changes.send_modify(|count| *count += 1));
        let _ = live.handle.set(handle.clone());
        let running = handle.clone();
        let work = tokio::spawn(async move {
            let result = running.run(options).await;
            ended(&result);
            // In this order: once the task is reported idle, its place is free.
            drop(running);
            drop(place);
            result
        });
        let _ = live.work.set(work.abort_handle());
        Ok((handle, work))
    }

    fn admit(&self, name: &str) -> Result<Arc<Live>, Refusal> {
        let mut all = self.live();
        if all.contains_key(name) {
            let message = "This task is running; wait for its end, or stop it.";
            return Err(Refusal::new(409, "TASK_BUSY", message));
        }
        let most = self.served.most_running;
        let working = all.values().filter(|live| !live.waits()).count();
        if working >= most || all.len() >= most.saturating_mul(WAITING) {
            let message = "The server works on as many tasks as it may. Try again later.";
            return Err(Refusal { retryable: true, ..Refusal::new(429, "TASK_LIMIT", message) });
        }
        Ok(Arc::clone(all.entry(name.to_owned()).or_default()))
    }

    /// Who goes on does not want the stop of before: the one that stood there then, and none that came since.
    pub(super) async fn forget_stop(
        &self,
        name: &str,
        folder: &TaskFolder,
        before: Option<Vec<u8>>,
    ) -> Result<(), TaskError> {
        let path = WorkspacePath::known(STOP);
        if before.is_some() && folder.read(&path).await? == before {
            folder.remove(&path).await?;
        }
        let since = self.get(name).and_then(|live| live.stopped.get().cloned());
        match since {
            Some(reason) => runtime::stop(folder, &reason).await,
            None => Ok(()),
        }
    }

    /// When the server ends: what works may come to its end for a while. What has not goes on in another process, with `resume`.
    pub(crate) async fn close(&self, grace: Duration) {
        let until = Instant::now() + grace;
        while Instant::now() < until && self.live().values().any(|live| !live.waits()) {
            sleep(Duration::from_millis(20)).await;
        }
        let left: Vec<_> = self.live().values().cloned().collect();
        for work in left.iter().filter_map(|live| live.work.get()) {
            work.abort();
        }
        drop(left);
        while Instant::now() < until && !self.live().is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Live {
    /// Said before the STOP file is written: a `resume` that is under way keeps that, or writes it again.
    pub(super) fn stop(&self, reason: &str) {
        let _ = self.stopped.set(reason.to_owned());
    }

    fn waits(&self) -> bool {
        self.handle.get().is_some_and(|handle| handle.status() == TaskStatus::Waiting)
    }

    /// Woken with each event.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// Ended when a client whose request waits for a task has left.
pub(super) struct Leaving(pub(super) Option<TaskHandle>);

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            task.stop_because("the client left");
        }
    }
}
