//! What crosses between the core and the page and is no type of the run itself. TypeScript's side is written from these.

pub mod batch;
pub mod effect;
pub mod event;
mod listed;
pub mod options;
pub mod outcome;
pub mod prompt;
mod tool_inputs;
