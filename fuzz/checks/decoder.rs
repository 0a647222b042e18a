//! What holds for the decoder of every format.

use glove_wasm::providers::{Decoder, Format, read_response};
use glove_wasm::answer::{Delta, Outcome};

fn decode<'a>(format: Format, chunks: impl Iterator<Item = &'a [u8]>) -> (Outcome, String) {
    let mut decoder = Decoder::with_limit(format, Vec::new(), 1 << 14);
    let mut shown = String::new();
    for chunk in chunks {
        for delta in decoder.push(chunk) {
            match delta {
                Delta::Text { text } | Delta::Refusal { text } => shown.push_str(&text),
                Delta::Reasoning { .. }
                | Delta::CallStarted { .. }
                | Delta::CallArgs { .. }
                | Delta::CallEnded { .. }
                | Delta::Notice { .. }
                | Delta::Retry { .. } => {}
            }
        }
    }
    (decoder.finish(), shown)
}

/// No input panics; pieces change nothing; a stream that failed hands no call on.
pub fn check(format: Format, input: &[u8]) {
    let Some((size, bytes)) = input.split_first() else { return };
    let whole = decode(format, std::iter::once(bytes));
    assert_eq!(decode(format, bytes.chunks(usize::from(*size).max(1))), whole);
    if let Outcome::Failed(failure) = &whole.0
        && let Some(partial) = &failure.partial
    {
        assert!(partial.partial && partial.tool_calls.is_none());
    }
    read_response(format, Vec::new(), &String::from_utf8_lossy(bytes));
}
