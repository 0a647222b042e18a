//! What the core makes of a record that an application holds itself.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use glove_wasm::json::codec::to_text;
use glove_wasm::message::Message;
use glove_wasm::run::Run;
use glove_wasm::run::views::model_message::for_model;
use glove_wasm_page::values::read;

/// These messages as a model may read them. Here as below all that goes in and comes out is JSON.
#[wasm_bindgen(js_name = messagesForModel)]
pub fn messages_for_model(messages: &str) -> Result<String, JsValue> {
    let messages: Vec<Message> = read(messages, "the messages")?;
    let mut told = Vec::new();
    for message in &messages {
        told.push(for_model(message).into_owned());
    }
    Ok(to_text(&told))
}

/// Those of a record that a model reads: the last summary, what it keeps, and what came after.
#[wasm_bindgen(js_name = viewOfRecord)]
pub fn view_of_record(messages: &str) -> Result<String, JsValue> {
    let run = Run::reading(read(messages, "the messages")?);
    let view: Vec<&Message> = run.model_request().iter().collect();
    Ok(to_text(&view))
}

/// The message that takes the place of what a model has summarised; `carry` are the tasks and the inbox. Nothing when the answer is
/// empty.
#[wasm_bindgen(js_name = summaryOf)]
pub fn summary_of(answer: &str, carry: &str) -> Result<Option<String>, JsValue> {
    let answer: Vec<Message> = read(answer, "the summary")?;
    let carry = read(carry, "the tasks and the inbox")?;
    Ok(Run::summary_of(&answer, &carry).map(|message| to_text(&message)))
}
