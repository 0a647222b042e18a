//! The search for one of two bytes, eight at a time: what all the parsers here spend their time on.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Where the first `a` or `b` is. Plain arithmetic on words, because a browser has no vectors to count on.
#[inline]
pub(crate) fn find2(a: u8, b: u8, bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let hit = (zeros(word ^ (ONES * u64::from(a))) | zeros(word ^ (ONES * u64::from(b)))) & HIGHS;
        if hit != 0 {
            return Some(at * 8 + hit.trailing_zeros() as usize / 8);
        }
    }
    let found = rest.iter().position(|byte| *byte == a || *byte == b)?;
    Some(words.len() * 8 + found)
}

/// Marks the bytes that are zero; above the first of them there may be false marks.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word
}

/// Where a word begins in a text. For short texts and words: the standard library's search weighs more than it saves.
pub(crate) fn word_at(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len().max(1)).position(|part| part == word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{find2, word_at};

    #[test]
    fn a_word_is_found_where_it_first_begins() {
        for (text, word) in
            [("abcabc", "ca"), ("é✓é", "✓"), ("aab", "ab"), ("", "a"), ("a", "aa"), ("a", "a")]
        {
            assert_eq!(word_at(text, word), text.find(word), "{text} {word}");
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
                    assert_eq!(find2(b'"', b'\\', &text), Some(at), "{len} {at} {other}");
                    if other > at {
                        text[other] = b'\\';
                        assert_eq!(find2(b'"', b'\\', &text), Some(at));
                        assert_eq!(find2(b'\\', b'"', &text), Some(at));
                        text[other] = b'#';
                        assert_eq!(find2(b'#', b'"', &text), Some(at));
                    }
                }
            }
            assert_eq!(find2(b'"', b'\\', &vec![b'!'; len]), None);
        }
    }
}
