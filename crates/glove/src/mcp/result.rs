//! What came of a call, as an answer of the protocol.

use glove_wasm::message::{ToolResultData, ToolStatus};
use glove_wasm::run::views::timeline::error_text;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// Of a longer one clients are told that it is missing.
const MOST_LETTERS: usize = 1_000_000;

pub(super) fn failed(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

pub(super) fn too_long(what: &str, text: &str) -> Option<CallToolResult> {
    let letters = text.chars().count();
    let message = format!("{what} has {letters} letters, and {MOST_LETTERS} are the most.");
    (letters > MOST_LETTERS).then(|| failed(message))
}

/// The same as a text for models, and as what programs read.
pub(super) fn structured(value: Value) -> CallToolResult {
    CallToolResult::structured(value)
}

pub(super) fn of_tool(name: &str, result: &ToolResultData) -> CallToolResult {
    let data = || match result.data.is_null() {
        true => String::new(),
        false => result.data.to_text().unwrap_or_else(|| result.data.to_string()),
    };
    let (is_error, text) = match result.status {
        ToolStatus::Success | ToolStatus::Pending => (false, data()),
        ToolStatus::Error | ToolStatus::Aborted => {
            let parts = [error_text(result).unwrap_or_default().to_owned(), data()];
            let told: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            (true, if told.is_empty() { format!("{name} failed.") } else { told.join("\n") })
        }
    };
    if let Some(result) = too_long(&format!("{name} has run, but its result"), &text) {
        return result;
    }
    match is_error {
        true => failed(text),
        false => CallToolResult::success(vec![ContentBlock::text(text)]),
    }
}
