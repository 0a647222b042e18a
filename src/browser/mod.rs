//! What JavaScript sees of the runtime: one subject per file, on the wasm target only.

pub mod about;
mod allocator;
#[cfg(feature = "decoders")]
pub mod decoder;
mod feed;
pub mod host;
mod http;
mod inputs;
mod model;
mod page;
#[cfg(feature = "providers")]
pub mod relay;
#[cfg(feature = "sessions")]
pub mod run;
#[cfg(feature = "sessions")]
pub mod session;
mod store;
mod tools;
mod values;
