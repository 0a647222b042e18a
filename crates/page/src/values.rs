//! How values and errors cross: values as JSON, an error as an object `{code, message, model?}`.

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use glove_wasm::display::DisplayError;
use glove_wasm::error::Error;
use glove_wasm::json::codec::{Fault, Read, from_text, to_text};
use glove_wasm::wire::outcome::CoreError;

pub fn thrown(error: &Error) -> JsValue {
    throw(&error.into())
}

pub fn display_thrown(error: &DisplayError) -> JsValue {
    throw(&CoreError { code: error.code(), message: error.to_string(), model: None })
}

pub fn protocol(message: &str) -> JsValue {
    throw(&CoreError { code: "OUT_OF_PROTOCOL", message: message.to_owned(), model: None })
}

pub fn throw(error: &CoreError<'_>) -> JsValue {
    js_sys::JSON::parse(&to_text(error)).unwrap_or_default()
}

pub fn read<T: Read>(text: &str, what: &str) -> Result<T, JsValue> {
    from_text(text).map_err(|fault| misread(what, &fault))
}

fn misread(what: &str, fault: &Fault) -> JsValue {
    let mut message = "the core cannot read ".to_owned();
    message.push_str(what);
    message.push_str(": ");
    message.push_str(&fault.to_string());
    protocol(&message)
}

/// What a promise of the page was rejected with, as a sentence.
pub fn reason(error: &JsValue) -> String {
    let message = || property(error, "message");
    error.as_string().or_else(message).unwrap_or_else(|| "an unknown error".to_owned())
}

/// What the page says of an error to the core, as JSON in a property of it.
pub fn detail<T: Read>(error: &JsValue, name: &str) -> Option<T> {
    from_text(&property(error, name)?).ok()
}

fn property(error: &JsValue, name: &str) -> Option<String> {
    js_sys::Reflect::get(error, &JsValue::from_str(name)).ok()?.as_string()
}

/// What the page answers, or what it threw instead of a promise.
pub async fn settled(promise: Result<Promise, JsValue>) -> Result<JsValue, JsValue> {
    JsFuture::from(promise?).await
}
