//! JSON kept as the text it came as: key order, big numbers and spacing survive.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Deeper JSON than this is refused wherever a value is read (it is also serde_json's own limit).
pub const MAX_DEPTH: usize = 127;

/// A JSON value as text, cheap to clone.
#[derive(Clone)]
pub struct Json(Arc<RawValue>);

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
        if is_deeper_than(text.as_bytes(), MAX_DEPTH) {
            return Err(JsonError::TooDeep);
        }
        let raw =
            serde_json::from_str::<Box<RawValue>>(text).map_err(|e| JsonError::Syntax(e.to_string()))?;
        Ok(Json(raw.into()))
    }

    /// The JSON of any serialisable value; a value that cannot be JSON (a map with odd keys) is an error.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        let raw = serde_json::value::to_raw_value(value).map_err(|e| JsonError::Syntax(e.to_string()))?;
        if is_deeper_than(raw.get().as_bytes(), MAX_DEPTH) {
            return Err(JsonError::TooDeep);
        }
        Ok(Json(raw.into()))
    }

    pub fn null() -> Self {
        Json(RawValue::NULL.to_owned().into())
    }

    pub fn string(text: &str) -> Self {
        Json::of(text).unwrap_or_else(|_| Json::null())
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// The text inside, when this is a JSON string.
    pub fn to_text(&self) -> Option<String> {
        self.as_str().starts_with('"').then(|| serde_json::from_str(self.as_str()).ok()).flatten()
    }

    pub fn read<T: DeserializeOwned>(&self) -> Result<T, JsonError> {
        serde_json::from_str(self.as_str()).map_err(|e| JsonError::Syntax(e.to_string()))
    }

    /// The same value with sorted keys and no spaces, so that equal values have equal texts.
    pub fn canonical(&self) -> String {
        match self.read::<Value>() {
            Ok(value) => value.to_string(),
            Err(_) => self.as_str().to_owned(),
        }
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

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if is_deeper_than(raw.get().as_bytes(), MAX_DEPTH) {
            return Err(serde::de::Error::custom(JsonError::TooDeep));
        }
        Ok(Json(raw.into()))
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
