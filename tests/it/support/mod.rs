//! What several tests need.

#[cfg(target_os = "linux")]
pub mod disk;
pub mod golden;
pub mod machine;
pub mod requests;
pub mod runtime;
pub mod script;
pub mod server;
pub mod streams;
pub mod strict;
pub mod task_examples;
pub mod transport;
pub mod wait;
pub mod work_time;
