//! What the wasm files of pages have in common: how the core reaches the page that it runs in. It exports nothing but the version: an export
//! stands in every wasm file that links it.
// A page has one thread: ports are shared by `Arc` for the threads of native programs.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::arc_with_non_send_sync)]
#![deny(clippy::use_debug)]

// The derives name it so.
use glove_wasm::json;

mod allocator;
pub mod bindings;
pub mod environment;
pub mod formats;
pub mod http;
pub mod model;
pub mod steps;
pub mod store;
pub mod tools;
pub mod values;
pub mod version;
