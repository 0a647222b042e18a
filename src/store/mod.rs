//! Stores that need nothing from the host.

mod memory;

pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub(crate) use memory::permission_key;
