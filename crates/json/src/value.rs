//! JSON kept as the text it came as: key order, big numbers and spacing survive.

use std::borrow::Cow;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::check::{Broken, JsonError, MAX_DEPTH, check, is_deeper_than};
use crate::reader::{Reader, unescape, whole_letters};
use crate::writer as write;

/// A JSON value as text, cheap to clone.
#[derive(Clone)]
pub struct Json(Arc<str>);

/// What was written as JSON. Nothing is checked.
pub fn written(text: impl Into<Arc<str>>) -> Json {
    Json(text.into())
}

/// A value out of a text that was checked, but for its depth.
pub fn checked(text: &str) -> Result<Json, JsonError> {
    if is_deeper_than(text.as_bytes(), MAX_DEPTH) {
        return Err(JsonError::TooDeep);
    }
    Ok(written(whole_letters(text)))
}

impl Json {
    /// Checks the text and keeps it.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        check(text, MAX_DEPTH)?;
        Ok(written(whole_letters(text.trim())))
    }

    /// The JSON of any serialisable value; a value that cannot be JSON (a map with odd keys) is an error.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        let text = serde_json::to_string(value).map_err(|e| JsonError::Syntax(e.to_string()))?;
        checked(&text)
    }

    pub fn null() -> Self {
        written("null")
    }

    pub fn string(text: &str) -> Self {
        let mut out = String::with_capacity(text.len() + 2);
        write::string(&mut out, text);
        written(out)
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
pub fn serialize_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(text).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

/// The text of the value that comes next.
pub fn deserialize_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
    Box::<RawValue>::deserialize(deserializer)
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_text(self.as_str(), serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        checked(deserialize_text(deserializer)?.get()).map_err(serde::de::Error::custom)
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
