//! What a client says to the agent, in a conversation that goes on with the next message.

use glove_wasm::error::Error;
use glove_wasm::runtime::Response;
use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::result::{failed, structured, too_long};
use crate::terminal_text::in_line;

pub(super) const NO_CONVERSATION: &str =
    "There is no such conversation. Leave `conversation` out to begin one.";
pub(super) const IN_USE: &str =
    "This conversation is being answered, or waits for a person. Nothing was said in it.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    pub message: String,
    pub conversation: Option<String>,
}

/// A sentence where it is none.
pub(super) fn said(input: &Map<String, Value>) -> Result<Said, String> {
    let said: Said = serde_json::from_value(Value::Object(input.clone()))
        .map_err(|error| format!("The arguments do not fit: {error}."))?;
    match said.message.trim().is_empty() {
        true => Err("`message` must be a text.".to_owned()),
        false => Ok(said),
    }
}

/// Something of it was left undone: another one decides how it goes on.
pub(super) fn unfinished(id: &str) -> String {
    format!(
        "This conversation was left before its end. Nothing was said in it. `glove resume {id}` in a terminal goes on with it, and \
         asks what was unclear."
    )
}

pub(super) fn ended(
    ended: Result<Response, Error>,
    conversation: &str,
    not_allowed: &[String],
) -> CallToolResult {
    let goes_on = format!("The conversation is `{conversation}`.");
    match ended {
        Ok(response @ (Response::Completed(_) | Response::Paused { .. })) => {
            let answer = response.text();
            if let Some(result) = too_long("The answer of the agent", &answer) {
                return result;
            }
            let mut value = json!({ "answer": answer, "conversation": conversation });
            if let (Some(fields), false) = (value.as_object_mut(), not_allowed.is_empty()) {
                fields.insert("not_allowed".to_owned(), json!(not_allowed));
            }
            structured(value)
        }
        Ok(_) | Err(Error::Aborted) => failed(format!("The answer was stopped before its end. {goes_on}")),
        Err(error) => failed(format!(
            "The agent could not answer: {} ({}). {goes_on}",
            in_line(&error.to_string()),
            error.code()
        )),
    }
}
