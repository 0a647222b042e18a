//! The wasm file that speaks to the providers of models.
// A page has one thread: ports are shared by `Arc` for the threads of native programs.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::arc_with_non_send_sync)]
#![deny(clippy::use_debug)]

pub mod record;
pub mod relay;
