//! A provider's decoder without a session or a request around it: what its benchmark measures. No page loads this.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use glove_wasm::answer::{Delta, Outcome};
use glove_wasm::providers::Decoder;
use glove_wasm_page::formats::format_of;
use glove_wasm_page::values::protocol;

/// Reads one stream.
#[wasm_bindgen]
#[derive(Debug)]
pub struct CoreDecoder {
    decoder: Decoder,
}

#[wasm_bindgen]
impl CoreDecoder {
    /// `format` as in a `RelayOptions`.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str) -> Result<CoreDecoder, JsValue> {
        let format = format_of(format).map_err(|_| protocol("this format is unknown"))?;
        Ok(CoreDecoder { decoder: Decoder::new(format, Vec::new()) })
    }

    /// The text that a chunk added.
    pub fn push(&mut self, chunk: &[u8]) -> String {
        let mut added = String::new();
        for delta in self.decoder.push(chunk) {
            if let Delta::Text { text } = delta {
                added.push_str(&text);
            }
        }
        added
    }

    /// The text of the whole answer; nothing when the stream was cut.
    pub fn finish(self) -> Option<String> {
        match self.decoder.finish() {
            Outcome::Answered(turn) => Some(turn.message.text),
            Outcome::Failed(_) => None,
        }
    }
}
