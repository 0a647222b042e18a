//! What JavaScript sees of the runtime: one subject per file, on the wasm target only.

mod allocator;
pub mod bindings;
#[cfg(feature = "decoders")]
pub mod decoder;
mod environment;
mod event_batch;
mod http;
mod model;
#[cfg(feature = "providers")]
pub mod record;
#[cfg(feature = "providers")]
pub mod relay;
#[cfg(feature = "sessions")]
pub mod run;
#[cfg(feature = "sessions")]
pub mod session;
mod store;
mod tools;
mod values;
pub mod version;
