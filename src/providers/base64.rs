//! Texts that come as base64.

pub(crate) const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn text_of(text: &str) -> Option<String> {
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
    String::from_utf8(out).ok()
}
