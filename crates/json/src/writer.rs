//! JSON written straight into a text: request bodies and patches need no tree.

use crate::scan::find_unquotable;

/// The powers of ten that a float holds exactly.
pub const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The text as a JSON string, in quotes.
pub fn string(out: &mut String, text: &str) {
    out.push('"');
    escaped(out, text);
    out.push('"');
}

/// The text as the inside of a JSON string.
pub fn escaped(out: &mut String, text: &str) {
    let mut rest = text;
    loop {
        // What is found is ASCII, so the text can be split in front of it and behind it.
        let (plain, found) = rest.split_at_checked(find_unquotable(rest.as_bytes())).unwrap_or_default();
        out.push_str(plain);
        let Some(byte) = found.as_bytes().first().copied() else { return };
        rest = found.get(1..).unwrap_or_default();
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            byte => {
                out.push_str("\\u00");
                out.push(if byte < 0x10 { '0' } else { '1' });
                out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
            }
        }
    }
}

/// A whole number.
pub fn whole(out: &mut String, mut number: u64) {
    let (mut digits, mut length) = ([0; 20], 0);
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        length += 1;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    let (_, written) = digits.split_at(digits.len() - length);
    out.push_str(str::from_utf8(written).unwrap_or_default());
}

/// A number with a fraction, in as few digits as give the same number again, as far as fifteen digits do. More than
/// 10¹⁵ is that (what is written so are amounts of money), and what is no number is null.
pub fn number(out: &mut String, number: f64) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !number.is_finite() {
        out.push_str("null");
        return;
    }
    if number < 0.0 {
        out.push('-');
    }
    let number = number.abs().min(1e15);
    let (mut digits, mut places) = (0, 0);
    for (more, ten) in TENS.iter().enumerate() {
        let scaled = (number * ten).round();
        if scaled >= EXACT {
            break;
        }
        (digits, places) = (scaled as u64, more);
        if scaled / ten == number {
            break;
        }
    }
    let start = out.len();
    whole(out, digits);
    while out.len() - start <= places {
        out.insert(start, '0');
    }
    if places == 0 {
        out.push_str(".0");
    } else {
        out.insert(out.len() - places, '.');
    }
}

/// An object that is being written; `end` closes it. Its steps are everywhere, so none of them is inlined.
#[derive(Debug)]
pub struct Object<'o> {
    out: &'o mut String,
    empty: bool,
}

impl<'o> Object<'o> {
    #[inline(never)]
    pub fn new(out: &'o mut String) -> Self {
        out.push('{');
        Object { out, empty: true }
    }

    /// Where the value of a further field is to be written.
    #[inline(never)]
    pub fn key(&mut self, key: &str) -> &mut String {
        if !std::mem::take(&mut self.empty) {
            self.out.push(',');
        }
        string(self.out, key);
        self.out.push(':');
        self.out
    }

    #[inline(never)]
    pub fn text(&mut self, key: &str, text: &str) -> &mut Self {
        string(self.key(key), text);
        self
    }

    /// A value that is JSON as it stands: a number, a word, or text written by others.
    #[inline(never)]
    pub fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        self.key(key).push_str(json);
        self
    }

    /// A field of another object, whose name is as it was written there: what is escaped in it stays so, and is not escaped again.
    #[inline(never)]
    pub fn copied(&mut self, name: &str, json: &str) -> &mut Self {
        if !std::mem::take(&mut self.empty) {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
        self.out.push_str(json);
        self
    }

    /// All fields of an object that is written already.
    #[inline(never)]
    pub fn fields(&mut self, object: &str) -> &mut Self {
        let inside = object.strip_prefix('{').and_then(|object| object.strip_suffix('}')).unwrap_or_default();
        if !inside.is_empty() {
            if !std::mem::take(&mut self.empty) {
                self.out.push(',');
            }
            self.out.push_str(inside);
        }
        self
    }

    #[inline(never)]
    pub fn end(self) {
        self.out.push('}');
    }
}

/// Writes the items of an array, each by `write`.
pub fn array<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut String, T)) {
    out.push('[');
    let mut comma = false;
    for item in items {
        if std::mem::replace(&mut comma, true) {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let text = "a\"b\\c\n\r\t\u{1}é🎉\u{2028}";
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        object.fields("{}").text(text, text).fields("{\"n\":5}");
        array(object.key("list"), [1, 2], |out, n| out.push_str(&n.to_string()));
        object.end();
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(value, serde_json::json!({ text: text, "n": 5, "list": [1, 2] }));
    }
}
