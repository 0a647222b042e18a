//! JSON read in place, once, front to back: fields are visited, text is borrowed, nothing is built.
//!
//! It is for the provider mappings, which want five fields of an event and skip the rest. A text that ends too
//! early is always refused; beyond that it forgives (a missing comma, a lone surrogate becomes U+FFFD), because
//! what a provider sends cannot be sent back to be mended.
//!
//! The wasm files are compiled for size, and there the compiler inlines next to nothing. What every token of a stream
//! passes through is inlined by hand, which nearly halves the time that a stream takes.

use std::borrow::Cow;

use crate::check::check;
use crate::scan::{find_quote, find2};
use crate::writer::TENS;

pub use crate::check::Broken;

/// A place in a JSON text.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

type Read<T> = Result<T, Broken>;

/// A string as it is written, for those who do not know yet whether they want it: nothing to drop, and nothing to
/// unescape before then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written<'a> {
    body: &'a str,
    escaped: bool,
}

impl<'a> Written<'a> {
    pub fn text(self) -> Cow<'a, str> {
        if self.escaped { unescape(self.body) } else { Cow::Borrowed(self.body) }
    }

    /// With its escapes.
    pub fn body(self) -> &'a str {
        self.body
    }

    pub fn is_empty(self) -> bool {
        self.body.is_empty()
    }
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Reader { text, at: 0 }
    }

    #[inline(always)]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline(always)]
    fn ahead(&mut self) -> Read<u8> {
        match self.byte() {
            Some(byte) if byte > b' ' => Ok(byte),
            _ => self.peek(),
        }
    }

    /// The first byte of what comes next.
    #[inline(never)]
    pub fn peek(&mut self) -> Read<u8> {
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                _ => return Ok(byte),
            }
        }
        Err(Broken)
    }

    #[inline(always)]
    fn take(&mut self, wanted: u8) -> Read<bool> {
        let found = self.ahead()? == wanted;
        self.at += usize::from(found);
        Ok(found)
    }

    /// Steps into an object; any other value is skipped and gives false.
    #[inline(never)]
    pub fn object(&mut self) -> Read<bool> {
        self.enter(b'{')
    }

    /// Steps into an array; any other value is skipped and gives false.
    #[inline(never)]
    pub fn array(&mut self) -> Read<bool> {
        self.enter(b'[')
    }

    /// Steps into the object or array whose first byte was peeked.
    pub fn step_in(&mut self) {
        self.at += 1;
    }

    fn enter(&mut self, open: u8) -> Read<bool> {
        if self.take(open)? {
            return Ok(true);
        }
        self.skip()?;
        Ok(false)
    }

    /// The next key of the object stepped into, as written; `None` steps out of it.
    #[inline(never)]
    pub fn key(&mut self) -> Read<Option<&'a str>> {
        loop {
            match self.ahead()? {
                b',' => self.at += 1,
                b'"' => break,
                b'}' => {
                    self.at += 1;
                    return Ok(None);
                }
                _ => return Err(Broken),
            }
        }
        let key = self.string_body()?.body;
        if self.take(b':')? { Ok(Some(key)) } else { Err(Broken) }
    }

    /// Whether the array stepped into has one more item; `false` steps out of it.
    #[inline(never)]
    pub fn item(&mut self) -> Read<bool> {
        self.take(b',')?;
        Ok(!self.take(b']')?)
    }

    /// The text of a string; any other value is skipped and gives `None`.
    #[inline(never)]
    pub fn string(&mut self) -> Read<Option<Cow<'a, str>>> {
        if self.ahead()? != b'"' {
            self.skip()?;
            return Ok(None);
        }
        Ok(Some(self.string_body()?.text()))
    }

    /// The text of a string; any other value is skipped and gives an empty text.
    #[inline(never)]
    pub fn text(&mut self) -> Read<Cow<'a, str>> {
        Ok(self.string()?.unwrap_or_default())
    }

    /// The string that is next, for later; any other value is skipped and gives an empty one.
    #[inline(never)]
    pub fn written(&mut self) -> Read<Written<'a>> {
        if self.ahead()? != b'"' {
            self.skip()?;
            return Ok(Written::default());
        }
        self.string_body()
    }

    /// A whole number that is not negative; any other value is skipped and gives `None`.
    #[inline(never)]
    pub fn count(&mut self) -> Read<Option<u64>> {
        let (mut count, mut whole) = (0u64, true);
        for (at, byte) in self.raw()?.bytes().enumerate() {
            let more = match byte {
                b'0'..=b'9' if whole => {
                    count.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte - b'0')))
                }
                // A count may come as `12.0`; what is smaller than one token does not count.
                b'0'..=b'9' => Some(count),
                b'.' if at > 0 => {
                    whole = false;
                    Some(count)
                }
                _ => None,
            };
            let Some(more) = more else { return Ok(None) };
            count = more;
        }
        Ok(Some(count))
    }

    pub fn number(&mut self) -> Read<Option<f64>> {
        Ok(number(self.raw()?))
    }

    /// Any value as it is written.
    pub fn raw(&mut self) -> Read<&'a str> {
        self.ahead()?;
        let start = self.at;
        self.skip()?;
        self.text.get(start..self.at).ok_or(Broken)
    }

    /// Passes one value over, without recursion.
    #[inline(never)]
    pub fn skip(&mut self) -> Read<()> {
        let mut depth = 0usize;
        loop {
            match self.ahead()? {
                b'"' => {
                    self.skip_string()?;
                }
                b'{' | b'[' => {
                    self.at += 1;
                    depth += 1;
                    continue;
                }
                b'}' | b']' => {
                    self.at += 1;
                    depth = depth.checked_sub(1).ok_or(Broken)?;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                b',' | b':' => return Err(Broken),
                _ => self.scalar(),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn scalar(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b',' | b'}' | b']' | b':' | b'"' | b' ' | b'\t' | b'\n' | b'\r' => break,
                _ => self.at += 1,
            }
        }
    }

    /// The string that begins here.
    #[inline(always)]
    fn string_body(&mut self) -> Read<Written<'a>> {
        let start = self.at + 1;
        let escaped = self.skip_string()?;
        let body = self.text.get(start..self.at - 1).ok_or(Broken)?;
        Ok(Written { body, escaped })
    }

    /// Whether there are escapes in it.
    #[inline(never)]
    fn skip_string(&mut self) -> Read<bool> {
        self.at += 1;
        let mut escaped = false;
        loop {
            let rest = self.text.as_bytes().get(self.at..).ok_or(Broken)?;
            let end = find_quote(rest);
            if *rest.get(end).ok_or(Broken)? == b'"' {
                self.at += end + 1;
                return Ok(escaped);
            }
            escaped = true;
            self.at += end + 2;
        }
    }

    /// Nothing but space may be left.
    pub fn end(&mut self) -> Read<()> {
        match self.peek() {
            Ok(_) => Err(Broken),
            Err(Broken) => Ok(()),
        }
    }
}

/// A JSON number: exact up to fifteen digits, and near the one meant beyond (costs and seconds need no more).
pub fn number(text: &str) -> Option<f64> {
    check(text, 0).ok()?;
    let text = text.trim();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = match exponent.strip_prefix('+').unwrap_or(exponent).parse::<i32>() {
        Ok(exponent) => exponent,
        Err(_) if exponent.starts_with('-') => -10_000,
        Err(_) => 10_000,
    };
    let (mut whole, mut power, mut in_fraction) = (0u64, exponent, false);
    for byte in mantissa.bytes() {
        match byte {
            b'.' => in_fraction = true,
            b'0'..=b'9' if whole < u64::MAX / 16 => {
                whole = whole * 10 + u64::from(byte - b'0');
                power = power.saturating_sub(i32::from(in_fraction));
            }
            b'0'..=b'9' => power = power.saturating_add(i32::from(!in_fraction)),
            b'-' => {}
            _ => return None,
        }
    }
    let mut number = whole as f64;
    // No number but zero survives more steps than these.
    let mut left = power.clamp(-400, 400);
    while left != 0 && number != 0.0 {
        let step = left.clamp(-22, 22);
        let factor = TENS.get(step.unsigned_abs() as usize).copied().unwrap_or(1.0);
        if step < 0 {
            number /= factor;
        } else {
            number *= factor;
        }
        left -= step;
    }
    number.is_finite().then_some(if mantissa.starts_with('-') { -number } else { number })
}

pub fn unescape(body: &str) -> Cow<'_, str> {
    let mut plain = find2(b'\\', b'\\', body.as_bytes());
    if plain == body.len() {
        return Cow::Borrowed(body);
    }
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((head, tail)) = rest.split_at_checked(plain).filter(|(_, tail)| !tail.is_empty()) {
        out.push_str(head);
        let (c, used) = escape(tail);
        out.push(c);
        rest = tail.get(used..).unwrap_or_default();
        plain = find2(b'\\', b'\\', rest.as_bytes());
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character that an escape stands for, and how many bytes it takes.
fn escape(text: &str) -> (char, usize) {
    let c = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode_escape(text),
        Some(_) => {
            return (
                text.chars().nth(1).unwrap_or('\u{FFFD}'),
                1 + text.chars().nth(1).map_or(0, char::len_utf8),
            );
        }
        None => return ('\u{FFFD}', 1),
    };
    (c, 2)
}

fn unicode_escape(text: &str) -> (char, usize) {
    let Some(unit) = hex(text, 2) else { return ('\u{FFFD}', 2) };
    if let Some(c) = char::from_u32(unit) {
        return (c, 6);
    }
    let low = if text.get(6..8) == Some("\\u") { hex(text, 8) } else { None };
    match low {
        Some(low @ 0xDC00..=0xDFFF) if unit < 0xDC00 => {
            let c = char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
            (c.unwrap_or('\u{FFFD}'), 12)
        }
        _ => ('\u{FFFD}', 6),
    }
}

/// JSON in which each escape is a whole letter: half of a surrogate pair, which providers refuse, becomes U+FFFD.
pub fn whole_letters(json: &str) -> Cow<'_, str> {
    let (mut out, mut kept, mut at) = (String::new(), 0, 0);
    loop {
        at += find2(b'\\', b'\\', json.as_bytes().get(at..).unwrap_or_default());
        let Some(rest) = json.get(at..).filter(|rest| !rest.is_empty()) else { break };
        if rest.as_bytes().get(1) != Some(&b'u') {
            at += 2;
            continue;
        }
        let (c, used) = unicode_escape(rest);
        if c == '\u{FFFD}' {
            out.push_str(json.get(kept..at).unwrap_or_default());
            out.push(c);
            kept = at + used;
        }
        at += used;
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

fn hex(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_visited_in_one_pass() {
        let mut reader =
            Reader::new(r#" {"skip":{"a":[1,"}]",{}]},"n": 12 ,"list":["x",5,"é\n"],"t":true}  "#);
        let (mut n, mut list) = (None, Vec::new());
        assert!(reader.object().unwrap());
        while let Some(key) = reader.key().unwrap() {
            match key {
                "n" => n = reader.count().unwrap(),
                "list" => {
                    assert!(reader.array().unwrap());
                    while reader.item().unwrap() {
                        list.push(reader.string().unwrap().map(Cow::into_owned));
                    }
                }
                _ => reader.skip().unwrap(),
            }
        }
        assert_eq!((n, list), (Some(12), vec![Some("x".to_owned()), None, Some("é\n".to_owned())]));
        assert_eq!(reader.end(), Ok(()));
    }

    #[test]
    fn a_count_is_a_whole_number_that_is_not_negative_in_whatever_way_it_is_written() {
        let table = [
            ("0", Some(0)),
            ("12", Some(12)),
            ("12.0", Some(12)),
            ("0.9", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("-1", None),
            ("1e3", None),
            ("1.5e3", None),
            (".5", None),
            ("null", None),
            ("\"12\"", None),
            ("[12]", None),
        ];
        for (json, count) in table {
            assert_eq!(Reader::new(json).count(), Ok(count), "{json}");
        }
    }

    #[test]
    fn half_a_letter_is_replaced_and_all_else_stays_as_it_was_written() {
        for (written, whole) in [
            (r#"{"a":"\ud83c","\udf89":1}"#, "{\"a\":\"\u{FFFD}\",\"\u{FFFD}\":1}"),
            (r#"["\ud83c\ud83c\udf89","\uD83C\u0041"]"#, "[\"\u{FFFD}\\ud83c\\udf89\",\"\u{FFFD}\\u0041\"]"),
            (r#""\\ud83c \n\"\u00e4\ud83c\udf89""#, r#""\\ud83c \n\"\u00e4\ud83c\udf89""#),
            ("{}", "{}"),
        ] {
            assert_eq!(whole_letters(written), whole);
        }
    }

    #[test]
    fn escapes_are_read_and_broken_ones_replaced() {
        let table = [
            (r#""plain""#, "plain"),
            (r#""a\"b\\c\/d\b\f\n\r\t""#, "a\"b\\c/d\u{8}\u{c}\n\r\t"),
            (r#""\u00e9\ud83c\udf89""#, "é🎉"),
            (r#""\ud83c!""#, "\u{FFFD}!"),
            (r#""\udf89\ud83c\u0041""#, "\u{FFFD}\u{FFFD}A"),
            (r#""\uZZZZ""#, "\u{FFFD}ZZZZ"),
            (r#""\é\東""#, "é東"),
        ];
        for (json, text) in table {
            assert_eq!(Reader::new(json).string().unwrap().as_deref(), Some(text), "{json}");
        }
    }

    #[test]
    fn a_text_that_ends_too_early_is_refused_at_every_length() {
        let text = r#"{"a":[1,{"b":"c\"d"}],"é":"\u00e9","n":null}"#;
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            assert_eq!(Reader::new(&text[..end]).skip(), Err(Broken), "{end}");
        }
        assert_eq!(Reader::new(text).skip(), Ok(()));
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(1_000_000);
        assert_eq!(Reader::new(&deep).skip(), Err(Broken));
    }
}
