//! Which characters can make a text look like another one, and how they are shown where a person decides or reads a name: those that turn
//! its direction, control a terminal, or look like nothing stand as escapes. What scripts and emoji are written with stays. The page has
//! the same rule as a regular expression (`js/src/wire/visible-text.ts`), which is written from these tables.

type Ranges = &'static [(u32, u32)];

/// Shown as an escape, but in the places below. A tab and the end of a line are what they look like.
pub(crate) const HIDDEN: Ranges = &[
    (0x00, 0x08),
    (0x0b, 0x1f),
    (0x7f, 0xa0),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x61c, 0x61c),
    (0x115f, 0x1160),
    (0x1680, 0x1680),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    // A half of a character, which only JavaScript has.
    (0xd800, 0xdfff),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffc),
    (0x1_bca0, 0x1_bca3),
    (0x1_d159, 0x1_d159),
    (0x1_d173, 0x1_d17a),
    (0xe_0000, 0xe_0fff),
];

/// Letters of scripts in which joiners are spelling: Persian, those of India, Khmer, Mongolian.
pub(crate) const JOINING: Ranges = &[
    (0x620, 0x109f),
    (0x1780, 0x17b3),
    (0x17b6, 0x17ff),
    (0x1820, 0x18aa),
    (0x1a20, 0x1aaf),
    (0x1b00, 0x1c4f),
    (0xa840, 0xa8ff),
    (0xa980, 0xa9df),
    (0xfb50, 0xfdff),
    (0xfe70, 0xfefc),
    (0x1_1000, 0x1_1fff),
    (0x1_e900, 0x1_e95f),
];

/// What a joiner makes one picture of.
pub(crate) const EMOJI: Ranges = &[(0x2190, 0x27ff), (0x2900, 0x2bff), (0x1_f000, 0x1_faff)];

/// What may be drawn as a sign or as a picture.
pub(crate) const SIGNS: Ranges = &[
    (0x23, 0x23),
    (0x2a, 0x2a),
    (0x30, 0x39),
    (0xa9, 0xa9),
    (0xae, 0xae),
    (0x203c, 0x2049),
    (0x2100, 0x27ff),
    (0x2900, 0x2bff),
    (0x3030, 0x303d),
    (0x3297, 0x3299),
    (0x1_f000, 0x1_faff),
];

/// Ideographs and what is as wide: they have variants, and a space of their width.
pub(crate) const WIDE: Ranges = &[
    (0x3001, 0x3163),
    (0x3165, 0x9fff),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xff01, 0xff9f),
    (0x2_0000, 0x3_ffff),
];

pub(crate) const MONGOLIAN: Ranges = &[(0x1820, 0x18aa)];

/// Letters and digits of the flag of a part of a country.
pub(crate) const TAGS: Ranges = &[(0xe_0030, 0xe_0039), (0xe_0061, 0xe_007a)];

/// What stands before a space at which no line ends, and after one: numbers and the punctuation of French.
pub(crate) const BEFORE_SPACE: Ranges = &[(0x30, 0x39), (0xab, 0xab)];
pub(crate) const AFTER_SPACE: Ranges = &[
    (0x21, 0x21),
    (0x25, 0x25),
    (0x30, 0x3b),
    (0x3f, 0x3f),
    (0xbb, 0xbb),
    (0x2013, 0x2014),
    (0x20ac, 0x20ac),
];

/// Letters that are written from the right: of Hebrew, Arabic, Syriac, Thaana, N'Ko, and of older scripts.
const FROM_RIGHT: Ranges =
    &[(0x590, 0x8ff), (0xfb1d, 0xfdff), (0xfe70, 0xfefc), (0x1_0800, 0x1_0fff), (0x1_e800, 0x1_efff)];

const FLAG: char = '\u{1f3f4}';
const END_OF_TAGS: char = '\u{e007f}';
const FEWEST_TAGS: usize = 3;
const MAX_TAGS: usize = 6;
/// Of the wide spaces beside a wide character, so many stay.
const MAX_SPACES: usize = 4;

/// The text with escapes for what could make it look like another one: `\u202E`, `\u{E0041}`, `\r`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = Before::default();
    // How many of the characters to come belong to a flag.
    let mut flag = 0_usize;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if c == FLAG {
            flag = flag_tags(rest);
        }
        if !is_in(HIDDEN, c) {
            out.push(c);
        } else if flag > 0 && is_in(&[(0xe_0020, 0xe_007f)], c) {
            flag -= 1;
            out.push(c);
        } else if stays(c, rest, &before) {
            out.push(c);
        } else {
            escape(c, &mut out);
        }
        before.add(c);
    }
    out
}

/// What stands before a character.
#[derive(Default)]
struct Before {
    last: Option<char>,
    before_last: Option<char>,
    /// How many wide spaces, and what stands before them.
    spaces: usize,
    before_spaces: Option<char>,
}

impl Before {
    fn add(&mut self, c: char) {
        self.before_last = self.last;
        self.last = Some(c);
        if c == '\u{3000}' {
            self.spaces += 1;
        } else {
            self.spaces = 0;
            self.before_spaces = Some(c);
        }
    }
}

/// The same in one line, as a name stands in a sentence.
pub fn visible_name(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

/// What is shown so, between marks that keep its direction from what stands beside it in a line: in a terminal what `<bdi>` is in a page.
/// Only where it has letters that are written from the right: terminals without directions drop the marks, but for Windows Terminal of
/// before May 2025, which draws them (microsoft/terminal#16574).
pub fn isolated(shown: &str) -> String {
    match shown.chars().any(|c| is_in(FROM_RIGHT, c)) {
        true => format!("\u{2068}{shown}\u{2069}"),
        false => shown.to_owned(),
    }
}

fn is_in(ranges: &[(u32, u32)], c: char) -> bool {
    let code = u32::from(c);
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&code))
}

/// How many characters after a black flag say whose it is.
fn flag_tags(rest: &str) -> usize {
    let tags = rest.chars().take_while(|c| is_in(TAGS, *c)).count();
    let fits = (FEWEST_TAGS..=MAX_TAGS).contains(&tags) && rest.chars().nth(tags) == Some(END_OF_TAGS);
    if fits { tags + 1 } else { 0 }
}

/// It is written so in its script, or in an emoji.
fn stays(c: char, rest: &str, before: &Before) -> bool {
    let last = before.last;
    let next = rest.chars().next();
    let among = |ranges: Ranges, c: Option<char>| c.is_some_and(|c| is_in(ranges, c));
    match c {
        '\r' => next == Some('\n'),
        '\u{a0}' | '\u{202f}' => among(BEFORE_SPACE, last) || among(AFTER_SPACE, next),
        '\u{180b}'..='\u{180f}' => among(MONGOLIAN, last),
        '\u{200c}' => among(JOINING, last) && among(JOINING, next),
        '\u{200d}' => {
            let sign = if last == Some('\u{fe0f}') { before.before_last } else { last };
            among(JOINING, last) || (among(EMOJI, sign) && among(EMOJI, next))
        }
        '\u{3000}' => {
            let more = rest.chars().take(MAX_SPACES).take_while(|c| *c == '\u{3000}').count();
            (among(WIDE, before.before_spaces) && before.spaces < MAX_SPACES)
                || (more < MAX_SPACES && among(WIDE, rest.chars().nth(more)))
        }
        '\u{fe0e}' | '\u{fe0f}' => among(SIGNS, last) || among(WIDE, last),
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => among(WIDE, last),
        _ => false,
    }
}

fn escape(c: char, out: &mut String) {
    use std::fmt::Write;
    let code = u32::from(c);
    let _ = match c {
        '\r' => write!(out, "\\r"),
        _ if code > 0xffff => write!(out, "\\u{{{code:X}}}"),
        _ => write!(out, "\\u{code:04X}"),
    };
}

/// The rule as a regular expression of JavaScript: what it matches is an escape, unless it is of the first group.
#[doc(hidden)]
pub fn pattern() -> String {
    let class = |ranges: Ranges| {
        let code = |code: u32| match code {
            0..=0xff => format!("\\x{code:02x}"),
            0x100..=0xffff => format!("\\u{code:04x}"),
            _ => format!("\\u{{{code:x}}}"),
        };
        let range = |(from, to): &(u32, u32)| match from == to {
            true => code(*from),
            false => format!("{}-{}", code(*from), code(*to)),
        };
        ranges.iter().map(range).collect::<String>()
    };
    let (joining, emoji, signs, wide) = (class(JOINING), class(EMOJI), class(SIGNS), class(WIDE));
    let kept = [
        r"\r(?=\n)".to_owned(),
        format!(r"\u{{1f3f4}}[{}]{{{FEWEST_TAGS},{MAX_TAGS}}}\u{{e007f}}", class(TAGS)),
        format!(r"[{}][\xa0\u202f]|[\xa0\u202f](?=[{}])", class(BEFORE_SPACE), class(AFTER_SPACE)),
        format!(r"[{}][\u180b-\u180f]", class(MONGOLIAN)),
        format!(r"[{joining}](?:\u200d|\u200c(?=[{joining}]))"),
        format!(r"[{emoji}]\ufe0f?\u200d(?=[{emoji}])"),
        format!(r"[{signs}][\ufe0e\ufe0f]"),
        format!(
            r"[{wide}](?:[\ufe00-\ufe0f\u{{e0100}}-\u{{e01ef}}]|\u3000{{1,{MAX_SPACES}}})|\u3000{{1,{MAX_SPACES}}}(?=[{wide}])"
        ),
    ];
    format!("/({})|[{}]/gu", kept.join("|"), class(HIDDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page is tested with the same file.
    #[test]
    fn what_misleads_is_an_escape_and_what_scripts_are_written_with_stays() {
        let cases = include_str!("../tests/fixtures/visible-text.json");
        let cases: Vec<(String, String, String)> = serde_json::from_str(cases).unwrap();
        for (about, text, shown) in cases {
            assert_eq!(visible(&text), shown, "{about}");
        }
    }

    #[test]
    fn what_is_written_from_the_right_turns_nothing_beside_it() {
        for plain in ["", "deploy", "r\u{e9}sum\u{e9} \u{65e5}\u{672c}", "1 + 2"] {
            assert_eq!(isolated(plain), plain);
        }
        for turning in
            ["\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "file \u{641}\u{627}\u{631}\u{633}\u{6cc}.txt", "\u{7c1}"]
        {
            assert_eq!(isolated(turning), format!("\u{2068}{turning}\u{2069}"));
        }
        // What a text brings along itself is an escape, so it cannot end the marks.
        let hostile = isolated(&visible("\u{5d0}\u{2069}\u{202e}x"));
        assert_eq!(hostile, "\u{2068}\u{5d0}\\u2069\\u202Ex\u{2069}");
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(visible_name("a\nb\tc\r\nd\re"), "a\\nb\\tc\\r\\nd\\re");
    }

    #[test]
    fn what_stands_beside_a_hidden_character_is_none_itself() {
        for ranges in [JOINING, EMOJI, SIGNS, WIDE, MONGOLIAN, BEFORE_SPACE, AFTER_SPACE] {
            let hidden = ranges.iter().flat_map(|(from, to)| *from..=*to).filter_map(char::from_u32);
            assert_eq!(hidden.filter(|c| is_in(HIDDEN, *c)).collect::<String>(), "");
        }
    }

    #[test]
    fn what_is_shown_once_is_shown_the_same_again() {
        let text: String = (0..0x3100).chain(0xfe00..0x1_0000).filter_map(char::from_u32).collect();
        assert_eq!(visible(&visible(&text)), visible(&text));
    }
}
