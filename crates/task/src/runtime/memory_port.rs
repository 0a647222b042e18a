//! The port to what an agent remembers over its tasks, and the view of it that the agent has.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{Either, select};

use crate::memory::{MemoryBinding, MemoryEntry, MemoryQuery, MemoryScope, ScopeKind};
use crate::{TaskError, TaskErrorKind};
use glove_wasm::portable::{BoxFuture, MaybeSend, MaybeSync};
use glove_wasm::ports::Clock;

const PATIENCE_MS: u64 = 5_000;

/// Where entries are kept, each in the channel of its scope. Whoever writes the same id again replaces the entry.
pub trait MemoryProvider: MaybeSend + MaybeSync {
    fn put(&self, scope: MemoryScope, entry: MemoryEntry) -> BoxFuture<'static, Result<(), TaskError>>;

    /// At most `top_k` entries, the best first; with `pinned`, those that are pinned.
    fn query(
        &self,
        scope: MemoryScope,
        query: MemoryQuery,
    ) -> BoxFuture<'static, Result<Vec<MemoryEntry>, TaskError>>;

    /// False where there was none.
    fn delete(&self, scope: MemoryScope, id: String) -> BoxFuture<'static, Result<bool, TaskError>>;
}

/// A memory and the view that an agent has of it: at first its own channel, and the one of the user whom a task is for. Clones are the same.
#[derive(Clone)]
pub struct AgentMemory {
    pub(super) provider: Arc<dyn MemoryProvider>,
    view: Arc<Mutex<Vec<MemoryBinding>>>,
    patience_ms: u64,
}

impl AgentMemory {
    pub fn new(provider: impl MemoryProvider + 'static) -> Self {
        let view = vec![MemoryBinding::new(ScopeKind::Agent, ""), MemoryBinding::new(ScopeKind::User, "")];
        AgentMemory {
            provider: Arc::new(provider),
            view: Arc::new(Mutex::new(view)),
            patience_ms: PATIENCE_MS,
        }
    }

    /// How long the provider may take for one answer; 5 seconds unless given.
    pub fn patience_ms(mut self, most: u64) -> Self {
        self.patience_ms = most.max(1);
        self
    }

    /// Adds a channel, or replaces its binding. Steps that begin later read it.
    pub fn attach(&self, binding: MemoryBinding) {
        let mut view = self.lock();
        view.retain(|known| known.scope != binding.scope);
        view.push(binding);
    }

    /// False where there was none.
    pub fn detach(&self, scope: &MemoryScope) -> bool {
        let mut view = self.lock();
        let before = view.len();
        view.retain(|known| known.scope != *scope);
        view.len() < before
    }

    /// Only these channels.
    pub fn set_view(&self, bindings: Vec<MemoryBinding>) {
        *self.lock() = bindings;
    }

    /// What the provider answers, if it does so in time.
    pub(super) async fn in_time<T>(
        &self,
        clock: &dyn Clock,
        asking: BoxFuture<'static, Result<T, TaskError>>,
    ) -> Result<T, TaskError> {
        match select(asking, clock.sleep(self.patience_ms)).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => {
                let message = format!("the memory did not answer within {} ms", self.patience_ms);
                Err(TaskError::new(TaskErrorKind::Memory, message))
            }
        }
    }

    pub fn view(&self) -> Vec<MemoryBinding> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<MemoryBinding>> {
        // Nothing panics while it is held.
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for AgentMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentMemory").field("view", &self.view()).finish_non_exhaustive()
    }
}
