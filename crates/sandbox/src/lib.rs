//! Tools whose work is code that runs in a sandbox: QuickJS, an engine of its own for each call, in a process of its own if there is a
//! program for that, otherwise on a thread.

mod call;
mod child;
mod engine;
mod fetch;
mod frame;
mod grants;
mod job;
mod process;
mod thread;
mod tool;
mod watch;

pub use child::sandbox_main;
pub use grants::{MountRight, Sandbox};
