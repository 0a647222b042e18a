//! Emoji that came in halves: gateways in JavaScript cut text by UTF-16 units, so an escape may end one event and another
//! begin the next.

use std::borrow::Cow;

use crate::json::scan::find2;

/// The first half of a character, as an escape, whose second half is to come.
#[derive(Debug, Default)]
pub(super) struct SplitSurrogates {
    pending: String,
}

/// `\ud83d`.
const ESCAPE: usize = 6;

impl SplitSurrogates {
    /// The other half did not come yet.
    pub(super) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// An event with the half put before what it belongs to, and without the one that its own text ends with.
    pub(super) fn join<'a>(&mut self, data: &'a str) -> Cow<'a, str> {
        let mut data = Cow::Borrowed(data);
        if !self.pending.is_empty()
            && let Some(at) = find(&data, |digit, at| digit >= b'c' && opens(&data, at))
        {
            data.to_mut().insert_str(at, &self.pending);
            self.pending.clear();
        }
        let ends = |at: usize| data.as_bytes().get(at + ESCAPE) == Some(&b'"');
        if let Some(at) = find(&data, |digit, at| matches!(digit, b'8' | b'9' | b'a' | b'b') && ends(at)) {
            self.pending = data.to_mut().drain(at..at + ESCAPE).collect();
        }
        data
    }
}

/// Where the first escape of a half is that is meant: by the digit behind its `d`, and by its place.
fn find(data: &str, is_meant: impl Fn(u8, usize) -> bool) -> Option<usize> {
    let bytes = data.as_bytes();
    let mut at = 0;
    loop {
        at += find2(b'\\', b'\\', bytes.get(at..)?);
        if let Some([b'u', b'd' | b'D', digit]) = bytes.get(at + 1..at + 4)
            && is_meant(digit.to_ascii_lowercase(), at)
        {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether a text begins here.
fn opens(data: &str, at: usize) -> bool {
    let before = data.get(..at).and_then(|before| before.strip_suffix('"'));
    before.is_some_and(|before| before.trim_end().ends_with([':', '[', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_joined_over_events_and_nothing_else_is_touched() {
        let table: &[&[(&str, &str)]] = &[
            &[(r#"{"t":"a\ud83d"}"#, r#"{"t":"a"}"#), (r#"{"t":"\ude00b"}"#, r#"{"t":"\ud83d\ude00b"}"#)],
            &[(r#"{"t":"\uD83D"}"#, r#"{"t":""}"#), (r#"{"t": "\uDE00"}"#, r#"{"t": "\uD83D\uDE00"}"#)],
            // What comes between them goes through.
            &[
                (r#"{"t":"a\ud83d"}"#, r#"{"t":"a"}"#),
                (r#"{"ping":1}"#, r#"{"ping":1}"#),
                (r#"{"t":"\ude00\ud83d"}"#, r#"{"t":"\ud83d\ude00"}"#),
                (r#"{"t":"\ude01"}"#, r#"{"t":"\ud83d\ude01"}"#),
            ],
            &[(r#"{"t":"\ud83d\ude00"}"#, r#"{"t":"\ud83d\ude00"}"#)],
            &[(r#"{"t":"\\ud83d"}"#, r#"{"t":"\\ud83d"}"#), (r#"{"t":"\ude00"}"#, r#"{"t":"\ude00"}"#)],
            &[(r#"{"t":"\ud83d!"}"#, r#"{"t":"\ud83d!"}"#)],
            &[(r#"{"t":"\u00e9"}"#, r#"{"t":"\u00e9"}"#)],
        ];
        for events in table {
            let mut surrogates = SplitSurrogates::default();
            for (data, joined) in *events {
                assert_eq!(surrogates.join(data), *joined, "{data}");
            }
        }
    }
}
