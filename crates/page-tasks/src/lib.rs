//! The wasm file of tasks. It runs sessions too, but inside of steps.
// A page has one thread: ports are shared by `Arc` for the threads of native programs.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::arc_with_non_send_sync)]
#![deny(clippy::use_debug)]

// The derives name it so.
use glove_wasm::json;

mod credentials;
mod memory;
mod sessions;
pub mod task;
mod task_loop;
mod workspace;

use wasm_bindgen::JsValue;

pub(crate) fn task_thrown(error: &glove_wasm_task::TaskError) -> JsValue {
    glove_wasm_page::values::throw(&glove_wasm::wire::outcome::CoreError {
        code: error.code(),
        message: error.message.clone(),
        model: None,
    })
}
