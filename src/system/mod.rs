//! Time and randomness of the operating system, by the standard library alone. No part of a page: that has its own.

mod clock;
mod ids;

pub use clock::SystemClock;
pub use ids::RandomIds;

use std::sync::Arc;

use crate::ports::ModelAdapter;
use crate::runtime::{Glove, GloveBuilder};

impl Glove {
    /// An agent with the system's clock and randomness.
    pub fn builder(model: impl ModelAdapter + 'static) -> GloveBuilder {
        GloveBuilder::new(Arc::new(model), Arc::new(SystemClock), Arc::new(RandomIds))
    }
}
