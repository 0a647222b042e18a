//! JSON kept as the text it came as: key order, big numbers and spacing survive.

use std::borrow::Cow;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::codec::{Fault, Read};
use crate::json_read::{Broken, Reader, unescape};
use crate::json_write as write;
use crate::scan::find2;

/// Deeper JSON than this is refused wherever a value is read (it is also serde_json's own limit).
pub const MAX_DEPTH: usize = 127;

/// A JSON value as text, cheap to clone.
#[derive(Clone)]
pub struct Json(Arc<str>);

/// Why a text is no JSON that the runtime accepts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error("not JSON: {0}")]
    Syntax(String),
    #[error("JSON nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
}

impl Json {
    /// Checks the text and keeps it.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        check(text, MAX_DEPTH)?;
        Ok(Json(text.trim().into()))
    }

    /// A value out of a text that was checked.
    pub(crate) fn checked(text: &str) -> Result<Self, JsonError> {
        if is_deeper_than(text.as_bytes(), MAX_DEPTH) {
            return Err(JsonError::TooDeep);
        }
        Ok(Json(text.into()))
    }

    /// What this crate itself wrote as JSON.
    pub(crate) fn written(text: impl Into<Arc<str>>) -> Self {
        Json(text.into())
    }

    /// The JSON of any serialisable value; a value that cannot be JSON (a map with odd keys) is an error.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        let text = serde_json::to_string(value).map_err(|e| JsonError::Syntax(e.to_string()))?;
        Json::checked(&text)
    }

    pub fn null() -> Self {
        Json::written("null")
    }

    pub fn string(text: &str) -> Self {
        let mut out = String::with_capacity(text.len() + 2);
        write::string(&mut out, text);
        Json::written(out)
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// The text inside, when this is a JSON string.
    pub fn to_text(&self) -> Option<String> {
        Reader::new(self.as_str()).string().ok().flatten().map(Cow::into_owned)
    }

    pub fn read<T: DeserializeOwned>(&self) -> Result<T, JsonError> {
        serde_json::from_str(self.as_str()).map_err(|e| JsonError::Syntax(e.to_string()))
    }

    /// The value as one of this crate's own types.
    pub(crate) fn decode<T: Read>(&self) -> Result<T, Box<Fault>> {
        crate::codec::from_checked(self.as_str())
    }

    /// The same value with sorted keys and no spaces, so that equal values have equal texts. Numbers stay as they
    /// were written.
    pub fn canonical(&self) -> String {
        let mut out = String::with_capacity(self.as_str().len());
        match canonical(&mut Reader::new(self.as_str()), &mut out) {
            Ok(()) => out,
            Err(Broken) => self.as_str().to_owned(),
        }
    }
}

/// Goes no deeper than the value does, and that is at most `MAX_DEPTH`.
fn canonical(from: &mut Reader<'_>, out: &mut String) -> Result<(), Broken> {
    match from.peek()? {
        b'{' => {
            from.step_in();
            let mut fields = BinaryHeap::new();
            while let Some(key) = from.key()? {
                fields.push((unescape(key), fields.len(), from.raw()?));
            }
            let fields = fields.into_sorted_vec();
            let last = fields.iter().enumerate().filter(|(at, (key, ..))| {
                // Of a key that is there twice the last one counts.
                fields.get(at + 1).is_none_or(|(next, ..)| next != key)
            });
            let mut object = write::Object::new(out);
            for (_, (key, _, value)) in last {
                canonical(&mut Reader::new(value), object.key(key))?;
            }
            object.end();
        }
        b'[' => {
            from.step_in();
            out.push('[');
            let mut comma = false;
            while from.item()? {
                if std::mem::replace(&mut comma, true) {
                    out.push(',');
                }
                canonical(from, out)?;
            }
            out.push(']');
        }
        b'"' => write::string(out, &from.string()?.unwrap_or_default()),
        _ => out.push_str(from.raw()?),
    }
    Ok(())
}

/// Whether a text is one JSON value, nested no deeper than this. It takes what the grammar allows and nothing more,
/// without recursion.
pub(crate) fn check(text: &str, deepest: usize) -> Result<(), JsonError> {
    let mut checker = Checker { bytes: text.as_bytes(), at: 0 };
    match checker.value(deepest) {
        Ok(true) => Ok(()),
        Ok(false) => Err(JsonError::TooDeep),
        Err(Broken) => {
            let why = if checker.at >= text.len() { "it ends too early" } else { "unexpected text at byte " };
            let mut why = why.to_owned();
            if checker.at < text.len() {
                write::whole(&mut why, checker.at as u64);
            }
            Err(JsonError::Syntax(why))
        }
    }
}

struct Checker<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Checker<'_> {
    /// One value and nothing after it; false when it goes too deep.
    fn value(&mut self, deepest: usize) -> Result<bool, Broken> {
        // The ends that are waited for.
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.next_token() {
                Some(byte @ (b'{' | b'[')) => {
                    if open.len() >= deepest {
                        return Ok(false);
                    }
                    self.at += 1;
                    // `{` and `[` have their ends two further on.
                    let end = byte + 2;
                    if self.next_token() == Some(end) {
                        self.at += 1;
                    } else {
                        open.push(end);
                        if byte == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b't') => self.word(b"true")?,
                Some(b'f') => self.word(b"false")?,
                Some(b'n') => self.word(b"null")?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                _ => return Err(Broken),
            }
            loop {
                let next = self.next_token();
                let Some(end) = open.last() else {
                    return if next.is_none() { Ok(true) } else { Err(Broken) };
                };
                match next {
                    Some(b',') => {
                        self.at += 1;
                        if *end == b'}' {
                            self.key()?;
                        }
                        break;
                    }
                    next if next == Some(*end) => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return Err(Broken),
                }
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next_token(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Broken> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(Broken);
        }
        self.at += word.len();
        Ok(())
    }

    fn key(&mut self) -> Result<(), Broken> {
        if self.next_token() != Some(b'"') {
            return Err(Broken);
        }
        self.string()?;
        if self.next_token() != Some(b':') {
            return Err(Broken);
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Broken> {
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let end = find2(b'"', b'\\', rest);
            if let Some(control) = rest.iter().take(end).position(|byte| *byte < 0x20) {
                self.at += control;
                return Err(Broken);
            }
            self.at += end + 1;
            if rest.get(end) == Some(&b'"') {
                return Ok(());
            }
            match self.byte() {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
                Some(b'u') => {
                    let digits = self.bytes.get(self.at + 1..self.at + 5).ok_or(Broken)?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return Err(Broken);
                    }
                    self.at += 5;
                }
                _ => return Err(Broken),
            }
        }
    }

    fn number(&mut self) -> Result<(), Broken> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Broken> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Broken) }
    }
}

/// Nesting is judged on the text, so that no parser recurses into a hostile one.
fn is_deeper_than(text: &[u8], limit: usize) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for &byte in text {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Default for Json {
    fn default() -> Self {
        Json::null()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Text that is JSON, for serde.
pub(crate) fn serialize_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(text).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// The text of the value that comes next.
pub(crate) fn deserialize_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Box<RawValue>, D::Error> {
    Box::<RawValue>::deserialize(deserializer)
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_text(self.as_str(), serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::checked(deserialize_text(deserializer)?.get()).map_err(serde::de::Error::custom)
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Json::of(&value).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_own_text_is_kept() {
        let text = r#"{"b": 1e400, "a":12345678901234567890123 }"#;
        assert_eq!(Json::parse(text).unwrap().as_str(), text);
    }

    #[test]
    fn a_hundred_thousand_levels_are_refused_without_recursion() {
        let deep = "[".repeat(100_000);
        assert_eq!(Json::parse(&deep), Err(JsonError::TooDeep));
        assert_eq!(Json::parse(r#"{"a":"[[[["}"#).map(|j| j.to_string()), Ok(r#"{"a":"[[[["}"#.to_owned()));
    }

    #[test]
    fn canonical_text_ignores_key_order_and_space() {
        let (a, b) =
            (Json::parse(r#"{ "x":1, "a":[2] }"#).unwrap(), Json::parse(r#"{"a":[2],"x":1}"#).unwrap());
        assert_eq!(a.canonical(), b.canonical());
    }
}
