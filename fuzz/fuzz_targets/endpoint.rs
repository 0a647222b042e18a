//! The decoder of one format, fed anything.
#![no_main]

mod common;

use glove_wasm::providers::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| common::check(Format::Endpoint, input));
