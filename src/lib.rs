//! One agent runtime for browser, Node, edge and native programs.

pub mod error;
pub mod json;
mod json_read;
mod json_write;
pub mod message;
pub mod partial_json;
pub mod portable;
pub mod providers;
mod scan;
pub mod sse;
pub mod stream;
pub mod tool;
pub mod wire;
