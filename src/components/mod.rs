//! Parts of the loop, each usable alone. They are views: what they do, a session does, or the run that decides in it. The loop itself is
//! [`Glove`](crate::runtime::Glove), which begins a [`Session`](crate::runtime::Session), and when older messages are summarised is its
//! [`Compaction`](crate::run::settings::Compaction).

mod context;
mod executor;
mod prompt_machine;

pub use context::Context;
pub use executor::Executor;
pub use prompt_machine::PromptMachine;
