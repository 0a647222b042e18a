//! Any text, in any pieces, gives the same value, and a text that is JSON is read as that JSON.
#![no_main]

use glove_wasm::json::{Json, MAX_DEPTH};
use glove_wasm::json::partial::{PartialJson, Status};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fn read(pieces: &[&str]) -> PartialJson {
    let (mut parser, mut patches) = (PartialJson::new(), Vec::new());
    for piece in pieces {
        parser.push(piece, &mut patches);
        if let Some(value) = parser.value() {
            // Numbers beyond f64 are JSON that serde_json's tree does not hold.
            let _ = value.read::<Value>();
        }
    }
    parser.finish(&mut patches);
    assert!(patches.len() <= 2 + 3 * pieces.concat().len());
    parser
}

fuzz_target!(|text: &str| {
    let whole = read(&[text]);
    let chars: Vec<String> = text.chars().take(400).map(String::from).collect();
    if chars.len() == text.chars().count() {
        let by_char = read(&chars.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((by_char.value(), by_char.status()), (whole.value(), whole.status()));
    }
    if let Ok(json) = Json::parse(text)
        && let Ok(value) = json.read::<Value>()
    {
        assert_eq!(whole.status(), Status::Complete, "depth up to {MAX_DEPTH} is read");
        let found = whole.value().and_then(|found| found.read::<Value>().ok());
        assert_eq!(found, Some(value));
    }
});
