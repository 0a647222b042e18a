//! One agent runtime for browser, Node, edge and native programs.

#[cfg(target_arch = "wasm32")]
pub mod browser;

pub mod error;
pub mod event;
pub mod json;
pub mod message;
pub mod portable;
pub mod run;
pub mod tool;
pub mod transport;
