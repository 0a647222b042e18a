//! Texts that come as base64.

pub const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn text_of(text: &str) -> Option<String> {
    String::from_utf8(bytes_of(text)?).ok()
}

// Inlined, so that in pages the one above costs what it did alone.
#[inline(always)]
pub fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut count) = (Vec::new(), 0, 0);
    for byte in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | DIGITS.iter().position(|digit| *digit == byte)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}
