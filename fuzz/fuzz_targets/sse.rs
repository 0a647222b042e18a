//! Any bytes, in any pieces, give the same events.
#![no_main]

use glove_wasm::sse::{SseDecoder, SseEvent};
use libfuzzer_sys::fuzz_target;

fn decode<'a>(
    chunks: impl Iterator<Item = &'a [u8]>,
) -> (Vec<(String, String, String, bool)>, Option<u64>, bool) {
    let mut events = Vec::new();
    let mut decoder = SseDecoder::new(1 << 12);
    let mut on = |e: SseEvent<'_>| {
        events.push((e.name.to_owned(), e.data.to_owned(), e.id.to_owned(), e.unterminated));
    };
    let mut fine = true;
    for chunk in chunks {
        fine &= decoder.push(chunk, &mut on).is_ok();
    }
    fine &= decoder.finish(&mut on).is_ok();
    (events, decoder.retry(), fine)
}

fuzz_target!(|input: &[u8]| {
    let Some((size, bytes)) = input.split_first() else { return };
    let whole = decode(std::iter::once(bytes));
    assert_eq!(decode(bytes.chunks(usize::from(*size).max(1))), whole);
    assert_eq!(decode(bytes.chunks(1)), whole);
});
