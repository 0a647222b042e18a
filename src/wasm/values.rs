//! Text in, text out: how values and errors cross. An error crosses as JSON `{code, message, …}`.

use wasm_bindgen::JsValue;

use crate::display::DisplayError;
use crate::error::{Error, ModelError};
use crate::json::codec::{Fault, Read, from_text, object};

pub(super) fn thrown(error: &Error) -> JsValue {
    let model = match error {
        Error::Model(error) => Some(error),
        _ => None,
    };
    throw(error.code(), &error.to_string(), model)
}

pub(super) fn display_thrown(error: &DisplayError) -> JsValue {
    throw(error.code(), &error.to_string(), None)
}

pub(super) fn protocol(message: &str) -> JsValue {
    throw("OUT_OF_PROTOCOL", message, None)
}

fn throw(code: &str, message: &str, model: Option<&ModelError>) -> JsValue {
    let mut out = String::new();
    match &model {
        Some(model) => object(&mut out, &[("code", &code), ("message", &message), ("model", model)]),
        None => object(&mut out, &[("code", &code), ("message", &message)]),
    }
    JsValue::from_str(&out)
}

pub(super) fn read<T: Read>(text: &str, what: &str) -> Result<T, JsValue> {
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
pub(super) fn reason(error: &JsValue) -> String {
    let message = || {
        let message = js_sys::Reflect::get(error, &JsValue::from_str("message")).ok()?;
        message.as_string()
    };
    error.as_string().or_else(message).unwrap_or_else(|| "an unknown error".to_owned())
}
