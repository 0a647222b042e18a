//! How a client names its answer, and what the name is bound to.

use super::super::shared::Caller;
use glove_wasm::endpoint::{Refusal, sha256};

/// Which answer this is, in letters of the client's choosing that nobody guesses.
pub(crate) const NAME: &str = "x-glove-answer";
/// The client needs it no more: it has read it, or does not want it.
pub(crate) const OVER: &str = "x-glove-answer-over";

/// An answer, and to which request it belongs.
#[derive(Debug, Clone)]
pub(crate) struct AnswerKey {
    pub id: String,
    /// What another request of this name has otherwise.
    pub of: String,
}

impl AnswerKey {
    /// Bound to its caller and its body: whoever knows the name alone has nothing.
    pub(crate) fn new(name: &str, owner: &str, body: &str) -> Self {
        let named = serde_json::json!([owner, name]).to_string();
        AnswerKey { id: hashed(&named), of: hashed(body) }
    }
}

fn hashed(text: &str) -> String {
    sha256(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a request calls its answer.
pub(crate) fn name_of(caller: &Caller) -> Result<Option<&str>, Refusal> {
    let Some(name) = caller.header(NAME) else { return Ok(None) };
    let is_name = (16..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    match is_name {
        true => Ok(Some(name)),
        false => Err(invalid(format!("The header {NAME} must have 16 to 128 letters."))),
    }
}

/// The number of the last event that the client has.
pub(crate) fn last_event(caller: &Caller) -> Result<Option<u64>, Refusal> {
    let Some(last) = caller.header("last-event-id") else { return Ok(None) };
    let is_number = (1..=9).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_digit());
    match last.parse() {
        Ok(number) if is_number => Ok(Some(number)),
        _ => Err(invalid("The header last-event-id must be a number.".to_owned())),
    }
}

fn invalid(message: String) -> Refusal {
    Refusal::new(400, "REQUEST_INVALID", message)
}
