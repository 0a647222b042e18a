//! What JavaScript sees of the runtime: one subject per file, on the wasm target only.

mod allocator;
pub mod bindings;
#[cfg(feature = "task")]
mod credentials;
#[cfg(feature = "decoders")]
pub mod decoder;
mod environment;
mod event_batch;
mod http;
#[cfg(feature = "task")]
mod memory;
mod model;
#[cfg(feature = "providers")]
pub mod record;
#[cfg(feature = "providers")]
pub mod relay;
// The wasm file of tasks runs sessions too, but inside of steps: it exports none.
#[cfg(all(feature = "sessions", not(feature = "task")))]
pub mod run;
#[cfg(all(feature = "sessions", not(feature = "task")))]
pub mod session;
#[cfg(feature = "task")]
mod sessions;
mod steps;
mod store;
#[cfg(feature = "task")]
pub mod task;
#[cfg(feature = "task")]
mod task_loop;
mod tools;
mod values;
pub mod version;
#[cfg(feature = "task")]
mod workspace;
