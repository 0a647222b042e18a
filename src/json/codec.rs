//! What a type needs to say its JSON form: the traits, and the derives of `crates/macros/`.

pub use crate::through_codec;
pub use glove_wasm_json::codec::*;
pub use glove_wasm_macros::{Read, Ts, Write};
