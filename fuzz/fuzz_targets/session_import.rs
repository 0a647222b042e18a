//! An exported session, imported into SQLite.
#![no_main]

#[path = "../checks/session_import.rs"]
mod session_import;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| session_import::check(input));
