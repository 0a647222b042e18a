//! The forms that cross to JavaScript and back.

mod core_says;
mod run_inputs;
