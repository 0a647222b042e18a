//! Stores that need nothing from the host.

mod memory;
mod transcript;

pub use memory::MemoryStore;
#[cfg(any(feature = "postgres", feature = "redis", feature = "sqlite"))]
pub(crate) use memory::permission_key;
pub use transcript::{Transcript, TranscriptError};
