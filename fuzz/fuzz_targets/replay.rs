//! A recorded run, played.
#![no_main]

#[path = "../checks/replay.rs"]
mod replay;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| replay::check(input));
