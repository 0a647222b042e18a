//! Stores that need nothing from the host.

mod memory;
mod transcript;

pub use memory::MemoryStore;
pub use memory::permission_key;
pub use transcript::{Transcript, TranscriptError};
