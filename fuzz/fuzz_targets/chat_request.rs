//! What anybody posts to a chat endpoint.
#![no_main]

#[path = "../checks/chat_request.rs"]
mod chat_request;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| chat_request::check(input));
