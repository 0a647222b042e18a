//! What a type needs to say its JSON form: the traits, and the derives of `macros/`.

pub(crate) use super::through_codec::through_codec;
pub(crate) use glove_wasm_json::codec::*;
pub(crate) use glove_wasm_macros::{Read, Ts, Write};
