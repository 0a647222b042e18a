//! JSON: kept as the text it came as, read in place, written straight into a text, and read while it is still being written.
//!
//! A part of `glove-wasm`, and for no other program: what is public here is what that one needs.
#![cfg_attr(not(test), deny(clippy::use_debug))]

mod check;
pub mod codec;
pub mod partial;
pub mod reader;
pub mod scan;
mod value;
pub mod writer;

pub use check::{JsonError, MAX_DEPTH, check};
pub use value::{Json, checked, deserialize_text, serialize_text, written};
