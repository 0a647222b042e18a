//! An agent for tasks with the clock and the randomness of the operating system, for native programs.

use std::sync::Arc;

use glove_wasm::ports::ModelAdapter;
use glove_wasm::system::{RandomIds, SystemClock};

use crate::runtime::{TaskAgent, TaskAgentBuilder};

impl TaskAgent {
    /// An agent for tasks with the system's clock and randomness.
    pub fn builder(model: impl ModelAdapter + 'static) -> TaskAgentBuilder {
        TaskAgentBuilder::new(Arc::new(model), Arc::new(SystemClock), Arc::new(RandomIds))
    }
}
