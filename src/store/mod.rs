//! Stores that need nothing from the host.

mod memory;

pub use memory::MemoryStore;
