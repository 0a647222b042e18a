//! The decoder of one format, fed anything.
#![no_main]

#[path = "../checks/decoder.rs"]
mod decoder;

use glove_wasm::providers::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| decoder::check(Format::Anthropic, input));
