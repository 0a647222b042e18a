//! What a native program has by itself: time and randomness from the standard library.

mod clock;
mod ids;

pub use clock::SystemClock;
pub use ids::RandomIds;

use std::sync::Arc;

use crate::host::ModelAdapter;
use crate::runtime::{Glove, GloveBuilder};

impl Glove {
    /// An agent on the system's clock and randomness.
    pub fn builder(model: impl ModelAdapter + 'static) -> GloveBuilder {
        GloveBuilder::new(Arc::new(model), Arc::new(SystemClock), Arc::new(RandomIds))
    }
}
