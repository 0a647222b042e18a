//! Calls of single tools: each is a request of a session, which no model is asked about. One session serves the calls that come one after
//! the other.

use std::sync::{Arc, Mutex, PoisonError};

use glove_wasm::error::ModelError;
use glove_wasm::json::Json;
use glove_wasm::message::{Message, ToolCall};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortSignal, DeltaSink, IdSource, ModelAdapter, ModelRequest};
use glove_wasm::run::input::Reply;
use glove_wasm::runtime::Prompt;
use glove_wasm::system::RandomIds;
use serde_json::Value;

use crate::terminal_text::call_line;

/// What answers in the place of a model: with the call that a client makes, and then with nothing more. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Caller(Arc<Mutex<Option<ToolCall>>>);

impl Caller {
    /// The prompt that makes this call.
    pub(super) fn prompt(&self, tool: &str, input: &Value) -> Prompt {
        let call = ToolCall { id: Some(RandomIds.fresh()), ..ToolCall::new(tool, Json::from(input.clone())) };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
        Prompt::trigger(format!("A client of MCP runs a tool: {}", call_line(tool, input)))
    }
}

impl ModelAdapter for Caller {
    fn name(&self) -> String {
        "mcp client".to_owned()
    }

    fn prompt(
        &self,
        _: ModelRequest<'_>,
        _: DeltaSink,
        _: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let call = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let message = match call {
            Some(call) => Message { tool_calls: Some(vec![call]), ..Message::agent("") },
            None => Message::agent("The client has the result."),
        };
        Box::pin(async move { Ok(Reply { messages: vec![message], ..Reply::default() }) })
    }
}
