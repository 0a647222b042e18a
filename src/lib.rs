//! One agent runtime for browser, Node, edge and native programs.
// Ports are shared by `Arc` for the threads of native programs; a page has one thread.
#![cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]
// In the wasm file `{:?}` ends in a trap (tools/bindgen): panics alone may print so, which nobody reads there.
#![cfg_attr(not(test), deny(clippy::use_debug))]

pub mod answer;
pub mod attachments;
#[cfg(not(target_arch = "wasm32"))]
pub mod components;
pub mod display;
pub mod endpoint;
pub mod error;
pub mod event;
pub mod http;
#[doc(hidden)]
pub mod ids;
pub mod json;
pub mod message;
pub mod portable;
pub mod ports;
pub mod prices;
pub mod providers;
mod result_parts;
pub mod run;
pub mod runtime;
pub mod sse;
pub mod store;
#[cfg(not(target_arch = "wasm32"))]
pub mod system;
pub mod task_tool;
pub mod testing;
pub mod text_tools;
pub mod tool;
pub mod visible_text;
/// What crosses between the core and a page, or a client of a server. It changes with the package, and is no interface for others.
#[doc(hidden)]
pub mod wire;

#[cfg(feature = "derive")]
pub use glove_wasm_macros::tool;
/// What types of arguments derive, for [`ports::Tool::of`].
#[cfg(feature = "derive")]
pub use schemars;

/// What `#[tool]` expands to names.
#[cfg(feature = "derive")]
#[doc(hidden)]
pub use serde as __serde;
