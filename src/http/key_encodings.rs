//! The forms in which a key may come back from a server that was sent another one.

use crate::providers::base64::DIGITS;

/// As addresses hold it.
pub fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            push_hex(&mut out, byte);
        }
    }
    out
}

pub fn hex(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        push_hex(&mut out, byte);
    }
    out
}

fn push_hex(out: &mut String, byte: u8) {
    for digit in [byte >> 4, byte & 15] {
        out.push(char::from(if digit < 10 { b'0' + digit } else { b'A' + digit - 10 }));
    }
}

/// The same with small letters in its hexadecimal digits: `all` of it, or two behind each `%`.
pub(super) fn small_digits(text: &str, all: bool) -> String {
    let mut out = String::new();
    let mut left = if all { text.len() } else { 0 };
    for c in text.chars() {
        out.push(if left > 0 { c.to_ascii_lowercase() } else { c });
        left = if c == '%' { 2 } else { left.saturating_sub(1) };
    }
    out
}

/// What an address means by this.
pub(super) fn from_percent(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        rest = tail;
        let code = tail.get(..2).filter(|_| *byte == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(meant) => {
                out.push(meant);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => out.push(*byte),
        }
    }
    String::from_utf8(out).ok()
}

/// Base64 in the alphabet for addresses.
pub(super) fn for_addresses(base64: &str) -> String {
    let mut out = String::new();
    for digit in base64.chars() {
        out.push(match digit {
            '+' => '-',
            '/' => '_',
            digit => digit,
        });
    }
    out
}

/// Without the signs that fill it up, which may be left out.
pub fn base64(text: &str) -> String {
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let mut bits = 0usize;
        for at in 0..3 {
            bits = bits << 8 | usize::from(three.get(at).copied().unwrap_or_default());
        }
        for at in 0..=three.len() {
            let digit = DIGITS.get(bits >> (18 - 6 * at) & 63).copied().unwrap_or_default();
            out.push(char::from(digit));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::base64::text_of;

    #[test]
    fn what_is_written_in_a_form_is_read_back() {
        for (text, of_address, of_base64) in [
            ("", "", ""),
            ("a", "a", "YQ"),
            ("ab", "ab", "YWI"),
            ("me:x", "me%3Ax", "bWU6eA"),
            ("é/ ?", "%C3%A9%2F%20%3F", "w6kvID8"),
        ] {
            assert_eq!((percent(text).as_str(), base64(text).as_str()), (of_address, of_base64));
            assert_eq!(from_percent(of_address).as_deref(), Some(text));
            assert_eq!(text_of(of_base64).as_deref(), Some(text));
        }
        assert_eq!((hex("é/ ?").as_str(), small_digits("C3A92F", true).as_str()), ("C3A92F203F", "c3a92f"));
        assert_eq!(small_digits("Me%3AX%C3%A9%", false), "Me%3aX%c3%a9%");
        assert_eq!(from_percent("%c3%A9%2x%").as_deref(), Some("é%2x%"));
        for broken in ["%ff", "%é"] {
            assert_eq!(from_percent(broken).as_deref(), (broken != "%ff").then_some(broken));
        }
        assert_eq!(text_of("bWU6eA==").as_deref(), Some("me:x"));
        assert_eq!((text_of("a b"), text_of("/w==")), (None, None));
    }
}
