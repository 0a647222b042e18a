//! What JavaScript sees of the runtime: one subject per file, on the wasm target only.

pub mod about;
