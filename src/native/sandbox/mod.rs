//! Tools whose work is code that runs in a sandbox: QuickJS, an engine of its own for each call, on a thread of its own.

mod call;
mod engine;
mod fetch;
mod grants;
mod tool;

pub use grants::{MountRight, Sandbox};
