//! An exported session, read and written.
#![no_main]

#[path = "../checks/transcript.rs"]
mod transcript;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| transcript::check(input));
