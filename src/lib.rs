//! One agent runtime for browser, Node, edge and native programs.

pub mod error;
pub mod json;
pub mod message;
pub mod portable;
pub mod sse;
pub mod tool;
