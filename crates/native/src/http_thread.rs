//! The thread on which requests of native programs run, so that any executor can wait for them.

use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// Clones are the same thread. With the last one it ends, without waiting for what still runs.
#[derive(Clone)]
pub(super) struct HttpThread(Arc<Owned>);

struct Owned(Option<Runtime>);

impl HttpThread {
    pub(super) fn start() -> std::io::Result<Self> {
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("glove-http").enable_all().build()?;
        Ok(HttpThread(Arc::new(Owned(Some(runtime)))))
    }

    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> Running {
        let task = self.0.0.as_ref().map(|runtime| runtime.spawn(work).abort_handle());
        Running { task, _thread: self.clone() }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// When it is dropped, the work ends and its connection is closed.
pub(super) struct Running {
    task: Option<AbortHandle>,
    _thread: HttpThread,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
