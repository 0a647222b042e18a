//! What holds for any input. The targets of `cargo fuzz` check it for what the fuzzer makes up, and `tests/it/fuzzed.rs` for what it has
//! found and for a few changes of real files.

pub mod chat_request;
pub mod replay;
pub mod session_import;
pub mod task_import;
pub mod transcript;
