//! Searching and joining texts: fast where all the parsers and writers here spend their time, in the search for bytes,
//! and small where the standard library is not.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Where the first `a` or `b` is, or the length where there is none: a plain number is what wasm returns fastest. Plain
/// arithmetic on words, because a browser has no vectors to count on.
#[inline(never)]
pub fn find2(a: u8, b: u8, bytes: &[u8]) -> usize {
    find(bytes, |word| equals(word, a) | equals(word, b), |byte| byte == a || byte == b)
}

/// Where a JSON string ends or has an escape, or the length.
#[inline(always)]
pub fn find_quote(bytes: &[u8]) -> usize {
    find(bytes, |word| equals(word, b'"') | equals(word, b'\\'), |byte| byte == b'"' || byte == b'\\')
}

/// Where the first line end is, or the length.
#[inline(never)]
pub fn find_line_end(bytes: &[u8]) -> usize {
    find(bytes, |word| equals(word, b'\n') | equals(word, b'\r'), |byte| byte == b'\n' || byte == b'\r')
}

/// Where the first byte is that a JSON string cannot hold as it is.
pub fn find_unquotable(bytes: &[u8]) -> usize {
    let marks =
        |word: u64| equals(word, b'"') | equals(word, b'\\') | (word.wrapping_sub(ONES * 0x20) & !word);
    find(bytes, marks, |byte| byte == b'"' || byte == b'\\' || byte < 0x20)
}

#[inline(always)]
fn find(bytes: &[u8], marks: impl Fn(u64) -> u64, is_it: impl Fn(u8) -> bool) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let hit = marks(u64::from_le_bytes(*word)) & HIGHS;
        if hit != 0 {
            return at * 8 + hit.trailing_zeros() as usize / 8;
        }
    }
    words.len() * 8 + rest.iter().position(|byte| is_it(*byte)).unwrap_or(rest.len())
}

/// Marks the bytes that are this one, as `zeros` does.
#[inline(always)]
fn equals(word: u64, byte: u8) -> u64 {
    zeros(word ^ (ONES * u64::from(byte)))
}

/// Marks the bytes that are zero; above the first of them there may be false marks.
#[inline(always)]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word
}

/// Whether both are the same. What the standard library does in a wasm file goes byte by byte.
pub fn same(one: &[u8], other: &[u8]) -> bool {
    let ((words, rest), (others, other_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    let same = |(word, other): (&[u8; 8], &[u8; 8])| u64::from_le_bytes(*word) == u64::from_le_bytes(*other);
    one.len() == other.len() && words.iter().zip(others).all(same) && rest == other_rest
}

/// The texts as one. The standard library's `join` weighs a kilobyte.
pub fn joined(texts: &[&str], between: &str) -> String {
    let mut all = String::new();
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            all.push_str(between);
        }
        all.push_str(text);
    }
    all
}

/// Where a word begins in a text. For short texts and words: the standard library's search weighs more than it saves.
pub fn word_at(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len().max(1)).position(|part| part == word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{find_unquotable, find2, word_at};

    #[test]
    fn a_word_is_found_where_it_first_begins() {
        for (text, word) in
            [("abcabc", "ca"), ("é✓é", "✓"), ("aab", "ab"), ("", "a"), ("a", "aa"), ("a", "a")]
        {
            assert_eq!(word_at(text, word), text.find(word), "{text} {word}");
        }
    }

    #[test]
    fn every_byte_that_a_json_string_cannot_hold_is_found_at_every_place() {
        for byte in 0..=u8::MAX {
            let unquotable = byte < 0x20 || byte == b'"' || byte == b'\\';
            for at in 0..20 {
                let mut text = vec![b'x'; 20];
                text[at] = byte;
                assert_eq!(find_unquotable(&text), if unquotable { at } else { 20 }, "{byte} {at}");
                text[19] = b'"';
                assert_eq!(find_unquotable(&text), if unquotable { at } else { 19 }, "{byte} {at}");
            }
        }
    }

    #[test]
    fn the_first_of_two_bytes_is_found_at_every_place() {
        for len in 0..40 {
            for at in 0..len {
                for other in 0..len {
                    let mut text = vec![b'x'; len];
                    text[other] = 0xFF;
                    text[at] = b'"';
                    assert_eq!(find2(b'"', b'\\', &text), at, "{len} {at} {other}");
                    if other > at {
                        text[other] = b'\\';
                        assert_eq!(find2(b'"', b'\\', &text), at);
                        assert_eq!(find2(b'\\', b'"', &text), at);
                        text[other] = b'#';
                        assert_eq!(find2(b'#', b'"', &text), at);
                    }
                }
            }
            assert_eq!(find2(b'"', b'\\', &vec![b'!'; len]), len);
        }
    }
}
