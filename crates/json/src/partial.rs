//! JSON that is still being written, as patches for the screen: each byte is looked at once.

use std::fmt::Write;

use serde::Serialize;

use crate::scan::find2;
use crate::writer::escaped;
use crate::{Json, MAX_DEPTH};

/// One change of the value. Applying all patches in order gives the value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Patch {
    /// Where, as a JSON Pointer (RFC 6901): empty for the whole value, `/a/0` for the first item of `a`.
    pub path: String,
    #[serde(flatten)]
    pub op: Op,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// An empty object, array or text begins; the path is `streaming`.
    Start { kind: Kind },
    /// More of the text there.
    Append { text: String },
    /// A number, true, false or null; the path is `complete` at once.
    Set { value: Json },
    /// The object, array or text there is `complete`.
    Complete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Object,
    Array,
    Text,
}

/// How far a value has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Streaming,
    Complete,
    /// What came is no JSON, or too deep; no further patch follows.
    Broken,
}

impl Patch {
    /// What is known of the path after this patch.
    pub fn status(&self) -> Status {
        match self.op {
            Op::Start { .. } | Op::Append { .. } => Status::Streaming,
            Op::Set { .. } | Op::Complete => Status::Complete,
        }
    }
}

/// The incremental parser. Any text may be pushed in any pieces: it never panics, its stack does not grow, and its
/// time is linear. It forgives raw control characters inside strings, which models write.
#[derive(Debug, Default)]
pub struct PartialJson {
    state: ParseState,
    frames: Vec<Frame>,
    /// The pointer to the value that is being read.
    path: String,
    /// The key that was read last, whose value comes.
    key: String,
    /// The number or word that is being read.
    scalar: String,
    escape: Escape,
    /// The first half of a surrogate pair.
    high: Option<u32>,
    /// What has been read, in clean JSON that only lacks its closing marks.
    clean: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ParseState {
    #[default]
    Value,
    /// After `[`: a value or its end.
    FirstItem,
    /// After `{`: a key or its end.
    FirstKey,
    Key,
    InKey,
    Colon,
    InText,
    Scalar,
    AfterValue,
    Done,
    Broken,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Backslash,
    Unicode {
        unit: u32,
        digits: u8,
    },
}

#[derive(Debug)]
struct Frame {
    object: bool,
    /// Values that have begun inside.
    count: usize,
    /// How much of the path is the container's own.
    path: usize,
}

impl PartialJson {
    pub fn new() -> Self {
        PartialJson::default()
    }

    pub fn status(&self) -> Status {
        match self.state {
            ParseState::Done => Status::Complete,
            ParseState::Broken => Status::Broken,
            _ => Status::Streaming,
        }
    }

    /// The value as far as it is known: open texts and containers end where they stand, an unfinished key, number
    /// or word is left out. `None` before anything is known. Costs a copy.
    pub fn value(&self) -> Option<Json> {
        let mut text = self.clean.clone();
        if self.state == ParseState::InText {
            text.push('"');
        }
        if self.state != ParseState::Done {
            text.extend(self.frames.iter().rev().map(|frame| if frame.object { '}' } else { ']' }));
        }
        Json::parse(&text).ok()
    }

    /// Reads on, adding patches to `out`.
    pub fn push(&mut self, delta: &str, out: &mut Vec<Patch>) {
        let mut rest = delta;
        while let Some(&byte) = rest.as_bytes().first() {
            let used = match self.state {
                ParseState::InKey | ParseState::InText => self.string(rest, out),
                ParseState::Broken => return,
                _ => {
                    self.mark(byte, out);
                    1
                }
            };
            // Outside of strings a byte that is no ASCII breaks the value, so a bad boundary is never used.
            rest = rest.get(used..).unwrap_or_default();
        }
    }

    /// The text is over: a number or word at its end is complete.
    pub fn finish(&mut self, out: &mut Vec<Patch>) {
        if self.state == ParseState::Scalar {
            self.end_scalar(out);
        }
    }

    /// One byte outside of strings.
    fn mark(&mut self, byte: u8, out: &mut Vec<Patch>) {
        let space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match (self.state, byte) {
            (ParseState::Scalar, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.') => {
                self.scalar.push(char::from(byte));
            }
            (ParseState::Scalar, _) => {
                self.end_scalar(out);
                if self.state != ParseState::Broken {
                    self.mark(byte, out);
                }
            }
            _ if space => {}
            (ParseState::FirstItem, b']') | (ParseState::FirstKey, b'}') => self.close(out),
            (ParseState::Value | ParseState::FirstItem, b'{') => self.open(Kind::Object, out),
            (ParseState::Value | ParseState::FirstItem, b'[') => self.open(Kind::Array, out),
            (ParseState::Value | ParseState::FirstItem, b'"') => self.open(Kind::Text, out),
            (ParseState::Value | ParseState::FirstItem, b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.state = ParseState::Scalar;
                self.scalar.clear();
                self.scalar.push(char::from(byte));
            }
            (ParseState::FirstKey | ParseState::Key, b'"') => {
                self.key.clear();
                self.state = ParseState::InKey;
            }
            (ParseState::Colon, b':') => self.state = ParseState::Value,
            (ParseState::AfterValue, b',') => {
                let in_object = self.frames.last().is_some_and(|frame| frame.object);
                self.state = if in_object { ParseState::Key } else { ParseState::Value };
            }
            (ParseState::AfterValue, b'}' | b']') => {
                let fits = self.frames.last().is_some_and(|frame| frame.object == (byte == b'}'));
                if fits { self.close(out) } else { self.state = ParseState::Broken }
            }
            _ => self.state = ParseState::Broken,
        }
    }

    /// A value begins: the path and the clean text are led to it.
    fn lead(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        self.path.truncate(frame.path);
        self.path.push('/');
        if frame.count > 0 {
            self.clean.push(',');
        }
        if frame.object {
            for c in self.key.chars() {
                match c {
                    '~' => self.path.push_str("~0"),
                    '/' => self.path.push_str("~1"),
                    c => self.path.push(c),
                }
            }
            self.clean.push('"');
            escaped(&mut self.clean, &self.key);
            self.clean.push_str("\":");
        } else {
            // Writing to a String cannot fail.
            let _ = write!(self.path, "{}", frame.count);
        }
        frame.count += 1;
    }

    fn open(&mut self, kind: Kind, out: &mut Vec<Patch>) {
        if kind != Kind::Text && self.frames.len() >= MAX_DEPTH {
            self.state = ParseState::Broken;
            return;
        }
        self.lead();
        self.patch(Op::Start { kind }, out);
        let (mark, state) = match kind {
            Kind::Object => ('{', ParseState::FirstKey),
            Kind::Array => ('[', ParseState::FirstItem),
            Kind::Text => ('"', ParseState::InText),
        };
        self.clean.push(mark);
        self.state = state;
        if kind != Kind::Text {
            self.frames.push(Frame { object: kind == Kind::Object, count: 0, path: self.path.len() });
        }
    }

    fn close(&mut self, out: &mut Vec<Patch>) {
        let Some(frame) = self.frames.pop() else { return };
        self.clean.push(if frame.object { '}' } else { ']' });
        self.path.truncate(frame.path);
        self.patch(Op::Complete, out);
        self.value_ended();
    }

    fn end_scalar(&mut self, out: &mut Vec<Patch>) {
        let Ok(value) = Json::parse(&self.scalar) else {
            self.state = ParseState::Broken;
            return;
        };
        self.lead();
        self.clean.push_str(&self.scalar);
        self.patch(Op::Set { value }, out);
        self.value_ended();
    }

    /// A step inside a key or text; gives the bytes used.
    fn string(&mut self, rest: &str, out: &mut Vec<Patch>) -> usize {
        match self.escape {
            Escape::None => match find2(b'"', b'\\', rest.as_bytes()) {
                0 if rest.starts_with('"') => {
                    self.end_string(out);
                    1
                }
                0 => {
                    self.escape = Escape::Backslash;
                    1
                }
                end => {
                    let plain = rest.get(..end).unwrap_or_default();
                    self.lone_half(out);
                    self.write(plain, out);
                    plain.len()
                }
            },
            Escape::Backslash => {
                let c = rest.chars().next().unwrap_or_default();
                self.escape = if c == 'u' { Escape::Unicode { unit: 0, digits: 0 } } else { Escape::None };
                let meant = match c {
                    'u' => None,
                    'n' => Some('\n'),
                    't' => Some('\t'),
                    'r' => Some('\r'),
                    'b' => Some('\u{8}'),
                    'f' => Some('\u{c}'),
                    c => Some(c),
                };
                if let Some(meant) = meant {
                    self.lone_half(out);
                    self.write_char(meant, out);
                }
                c.len_utf8()
            }
            Escape::Unicode { unit, digits } => {
                let c = rest.chars().next().unwrap_or_default();
                match (c.to_digit(16), digits) {
                    (None, _) => self.state = ParseState::Broken,
                    (Some(digit), 3) => {
                        self.escape = Escape::None;
                        self.unit(unit << 4 | digit, out);
                    }
                    (Some(digit), _) => {
                        self.escape = Escape::Unicode { unit: unit << 4 | digit, digits: digits + 1 };
                    }
                }
                c.len_utf8()
            }
        }
    }

    fn unit(&mut self, unit: u32, out: &mut Vec<Patch>) {
        match (self.high, unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                self.high = None;
                let c = char::from_u32(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
                self.write_char(c.unwrap_or('\u{FFFD}'), out);
            }
            (_, 0xD800..=0xDBFF) => {
                self.lone_half(out);
                self.high = Some(unit);
            }
            _ => {
                self.lone_half(out);
                self.write_char(char::from_u32(unit).unwrap_or('\u{FFFD}'), out);
            }
        }
    }

    /// Half a surrogate pair that stayed alone is replaced.
    fn lone_half(&mut self, out: &mut Vec<Patch>) {
        if self.high.take().is_some() {
            self.write_char('\u{FFFD}', out);
        }
    }

    fn write_char(&mut self, c: char, out: &mut Vec<Patch>) {
        self.write(c.encode_utf8(&mut [0; 4]), out);
    }

    fn write(&mut self, text: &str, out: &mut Vec<Patch>) {
        if self.state == ParseState::InKey {
            self.key.push_str(text);
            return;
        }
        escaped(&mut self.clean, text);
        match out.last_mut() {
            // Between two texts there is always another patch, so this one is of the same text.
            Some(Patch { op: Op::Append { text: last }, .. }) => last.push_str(text),
            _ => self.patch(Op::Append { text: text.to_owned() }, out),
        }
    }

    fn end_string(&mut self, out: &mut Vec<Patch>) {
        self.lone_half(out);
        if self.state == ParseState::InKey {
            self.state = ParseState::Colon;
            return;
        }
        self.clean.push('"');
        self.patch(Op::Complete, out);
        self.value_ended();
    }

    fn value_ended(&mut self) {
        self.state = if self.frames.is_empty() { ParseState::Done } else { ParseState::AfterValue };
    }

    fn patch(&self, op: Op, out: &mut Vec<Patch>) {
        out.push(Patch { path: self.path.clone(), op });
    }
}

#[cfg(test)]
mod tests;
