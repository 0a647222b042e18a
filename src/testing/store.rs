//! A store in memory that fails, waits, or counts, as a test asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future;

use crate::error::{StoreError, StoreErrorKind};
use crate::json::Json;
use crate::message::{InboxItem, Task};
use crate::portable::BoxFuture;
use crate::ports::{Durability, Loaded, PermissionStatus, StoreAdapter};
use crate::run::checkpoint::Unsaved;
use crate::store::MemoryStore;
use crate::testing::Gate;

/// Clones are the same store.
#[derive(Debug, Clone)]
pub struct FailingStore {
    inner: MemoryStore,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    /// Counted over all operations, from 1.
    fails_at: Option<usize>,
    waits_at: Option<(usize, Gate)>,
    operations: Vec<Operation>,
}

/// What a store was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Load,
    /// How much came in one write, checkpoints in bytes.
    Append {
        messages: usize,
        records: usize,
        checkpoint: usize,
    },
    Other,
}

impl FailingStore {
    pub fn over(inner: MemoryStore) -> Self {
        FailingStore { inner, plan: Arc::default() }
    }

    /// Only the `n`-th operation from the start fails (counted from 1).
    pub fn fail_at(&self, n: usize) {
        self.plan().fails_at = Some(n);
    }

    /// The `n`-th operation waits at the gate before it is done.
    pub fn wait_at(&self, n: usize, gate: &Gate) {
        self.plan().waits_at = Some((n, gate.clone()));
    }

    pub fn operations(&self) -> Vec<Operation> {
        self.plan().operations.clone()
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an operation and does it, unless it is the one to fail. As with any real store, a write that waits is
    /// given what it writes at the call.
    fn run<T: Send + 'static>(
        &self,
        operation: Operation,
        work: impl FnOnce() -> BoxFuture<'static, Result<T, StoreError>>,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let (fails, gate) = {
            let mut plan = self.plan();
            plan.operations.push(operation);
            let n = plan.operations.len();
            let gate = plan.waits_at.clone().filter(|(at, _)| *at == n).map(|(_, gate)| gate);
            (plan.fails_at == Some(n), gate)
        };
        if fails {
            let error = StoreError::new(StoreErrorKind::Unavailable, "the store is not there");
            return Box::pin(future::ready(Err(error)));
        }
        let done = work();
        Box::pin(async move {
            if let Some(gate) = gate {
                gate.pass().await;
            }
            done.await
        })
    }
}

impl StoreAdapter for FailingStore {
    fn identifier(&self) -> String {
        self.inner.identifier()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        self.run(Operation::Load, || self.inner.load())
    }

    fn append(
        &self,
        step: Unsaved<'_>,
        durability: Durability,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let operation = Operation::Append {
            messages: step.messages.len(),
            records: step.records.len(),
            checkpoint: step.checkpoint.as_ref().map_or(0, String::len),
        };
        self.run(operation, || self.inner.append(step, durability))
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        self.run(Operation::Other, || self.inner.permission(tool, input))
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        self.run(Operation::Other, || self.inner.set_permission(tool, input, granted))
    }

    fn keeps_tasks(&self) -> bool {
        true
    }

    fn tasks(&self) -> BoxFuture<'static, Result<Vec<Task>, StoreError>> {
        self.run(Operation::Other, || self.inner.tasks())
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> BoxFuture<'static, Result<(), StoreError>> {
        self.run(Operation::Other, || self.inner.set_tasks(tasks))
    }

    fn keeps_inbox(&self) -> bool {
        true
    }

    fn inbox(&self) -> BoxFuture<'static, Result<Vec<InboxItem>, StoreError>> {
        self.run(Operation::Other, || self.inner.inbox())
    }

    fn consume_inbox(&self, ids: &[String]) -> BoxFuture<'static, Result<(), StoreError>> {
        self.run(Operation::Other, || self.inner.consume_inbox(ids))
    }
}
