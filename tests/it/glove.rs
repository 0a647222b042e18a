//! The program `glove`, for the tests of it.

use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::{ExitCode, abort};
use std::thread::{sleep, spawn};
use std::time::Duration;

#[expect(clippy::panic, reason = "a panic is what is tested")]
fn main() -> ExitCode {
    // A panic ends the release of the program, and not what is built for tests: a home with this folder says that one comes.
    let panics = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("panics"));
    if let Some(panics) = panics.filter(|panics| panics.is_dir()) {
        spawn(move || {
            while !panics.join("now").exists() {
                sleep(Duration::from_millis(20));
            }
            let _ = catch_unwind(|| panic!("planted"));
            abort();
        });
    }
    glove_wasm_cli::main()
}
