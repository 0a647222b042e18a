//! The wasm file that every page loads: sessions, and the protocol of an endpoint.
// A page has one thread: ports are shared by `Arc` for the threads of native programs.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::arc_with_non_send_sync)]
#![deny(clippy::use_debug)]

mod event_batch;
pub mod run;
pub mod session;
