//! JSON: kept as the text it came as, read in place, written straight into a text, and read while it is still being written.

mod check;
pub(crate) mod codec;
pub mod partial;
pub(crate) mod reader;
pub(crate) mod scan;
mod value;
pub(crate) mod writer;

pub(crate) use check::check;
pub use check::{JsonError, MAX_DEPTH};
pub use value::Json;
pub(crate) use value::{deserialize_text, serialize_text};
