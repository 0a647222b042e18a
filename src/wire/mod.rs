//! What crosses between the core and the page and is no type of the run itself. TypeScript's side is written from these.

pub(crate) mod batch;
#[cfg(any(test, feature = "sessions"))]
pub(crate) mod effect;
pub(crate) mod event;
mod listed;
pub(crate) mod options;
pub(crate) mod outcome;
pub(crate) mod prompt;
#[cfg(feature = "task")]
pub(crate) mod task;
pub(crate) mod tool_inputs;
#[cfg(test)]
mod typescript;
