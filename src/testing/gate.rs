//! A gate: something waits at it until a test lets it through.

use std::sync::Arc;

use crate::ports::{AbortHandle, AbortSignal};

/// Closed at first, then open for good. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    reached: Arc<AbortHandle>,
    opened: Arc<AbortHandle>,
    open: AbortSignal,
}

impl Default for Gate {
    fn default() -> Self {
        Gate::new()
    }
}

impl Gate {
    pub fn new() -> Self {
        let opened = AbortHandle::new();
        let open = opened.signal();
        Gate { reached: Arc::default(), opened: Arc::new(opened), open }
    }

    pub fn open(&self) {
        self.opened.abort();
    }

    /// Waits until the gate is open.
    pub fn pass(&self) -> impl Future<Output = ()> + use<> {
        let (reached, open) = (Arc::clone(&self.reached), self.open.aborted());
        async move {
            reached.abort();
            open.await;
        }
    }

    /// Ends when something stands at the gate.
    pub fn reached(&self) -> impl Future<Output = ()> + use<> {
        self.reached.signal().aborted()
    }

    pub fn was_reached(&self) -> bool {
        self.reached.signal().is_aborted()
    }
}
