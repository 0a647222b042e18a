//! An exported workspace, imported into a folder.
#![no_main]

#[path = "../checks/task_import.rs"]
mod task_import;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| task_import::check(input));
