//! Models behind HTTP: the port to it, limits and retries, and the adapter that speaks every provider's format.

pub mod retry;
