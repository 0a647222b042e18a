//! One agent runtime for browser, Node, edge and native programs.
// Ports are shared by `Arc` for the threads of native programs; a page has one thread.
#![cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]
// In the wasm file `{:?}` ends in a trap (tools/bindgen): panics alone may print so, which nobody reads there.
#![cfg_attr(not(test), deny(clippy::use_debug))]
// A wasm file with a part of the features leaves out what the other part uses.
#![cfg_attr(not(all(feature = "sessions", feature = "providers")), allow(dead_code))]

#[cfg(all(feature = "native", target_arch = "wasm32"))]
compile_error!(
    "the feature `native` is for native programs: a page has `fetch`, leave the feature out for wasm"
);

pub mod answer;
pub mod display;
pub mod endpoint;
pub mod error;
pub mod event;
pub mod http;
mod ids;
pub mod json;
pub mod message;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
pub mod portable;
pub mod ports;
pub mod prices;
pub mod providers;
mod result_for_model;
pub mod run;
pub mod runtime;
pub mod sse;
pub mod store;
#[cfg(feature = "task")]
pub mod task;
#[cfg(feature = "task")]
pub mod task_runtime;
pub mod task_tool;
pub mod testing;
pub mod text_tools;
pub mod tool;
pub mod visible_text;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
// Natively the server uses a part of it, and the test that writes the types of TypeScript all.
#[cfg(any(test, feature = "serve", target_arch = "wasm32"))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
mod wire;

#[cfg(feature = "derive")]
pub use glove_wasm_macros::tool;
/// What types of arguments derive, for [`ports::Tool::of`].
#[cfg(feature = "derive")]
pub use schemars;

/// What `#[tool]` expands to names.
#[cfg(feature = "derive")]
#[doc(hidden)]
pub use serde as __serde;
