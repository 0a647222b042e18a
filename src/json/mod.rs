//! JSON: how values of the runtime are written and read. The text itself, and the loops over it, are the crate in `crates/json/`.

#[doc(hidden)]
pub mod codec;
#[cfg(test)]
mod tests;
mod through_codec;

pub use glove_wasm_json::{Json, JsonError, MAX_DEPTH, partial};
#[doc(hidden)]
pub use glove_wasm_json::{check, checked, deserialize_text, reader, scan, serialize_text, writer, written};
