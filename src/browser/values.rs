//! Text in, text out: how values and errors cross. An error crosses as JSON `{code, message, …}`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::display::DisplayError;
use crate::error::{Error, ModelError};

#[derive(Serialize)]
struct CoreError<'a> {
    code: &'a str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a ModelError>,
}

pub(super) fn thrown(error: &Error) -> JsValue {
    let model = match error {
        Error::Model(error) => Some(error),
        _ => None,
    };
    throw(&CoreError { code: error.code(), message: error.to_string(), model })
}

pub(super) fn display_thrown(error: &DisplayError) -> JsValue {
    throw(&CoreError { code: error.code(), message: error.to_string(), model: None })
}

pub(super) fn protocol(message: impl Into<String>) -> JsValue {
    throw(&CoreError { code: "OUT_OF_PROTOCOL", message: message.into(), model: None })
}

fn throw(error: &CoreError<'_>) -> JsValue {
    JsValue::from_str(&text(error))
}

/// Serialising what this crate defines cannot fail; should it ever, the page sees `null` and not a broken text.
pub(super) fn text<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

pub(super) fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, JsValue> {
    serde_json::from_str(text)
        .map_err(|error| protocol(format!("{what} is not what the core expects: {error}")))
}

/// What a promise of the page was rejected with, as a sentence.
pub(super) fn reason(error: &JsValue) -> String {
    let message = || {
        let message = js_sys::Reflect::get(error, &JsValue::from_str("message")).ok()?;
        message.as_string()
    };
    error.as_string().or_else(message).unwrap_or_else(|| "an unknown error".to_owned())
}
