//! Asking a model once.

use std::fmt;
use std::sync::Arc;

use crate::error::ModelError;
use crate::message::Message;
use crate::ports::{AbortHandle, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use crate::run::Run;
use crate::run::input::Reply;
use crate::tool::ToolDefinition;

/// Asks a model and tells of the pieces as they come. Nothing is stored, and no tool runs.
///
/// ```
/// use glove_wasm::components::PromptMachine;
/// use glove_wasm::message::Message;
/// use glove_wasm::ports::Delta;
/// use glove_wasm::testing::{Line, ScriptedModel};
/// use std::sync::mpsc::channel;
///
/// # futures_executor::block_on(async {
/// let prompt = PromptMachine::new(ScriptedModel::new([Line::deltas(["Good ", "day."])]), "You are polite.");
/// let (pieces, heard) = channel();
/// let reply = prompt
///     .run(&[Message::user("Hello")], &[], move |delta| {
///         if let Delta::Text(text) = delta {
///             let _ = pieces.send(text.to_owned());
///         }
///     })
///     .await?;
/// assert_eq!(reply.messages[0].text, "Good day.");
/// assert_eq!(heard.iter().collect::<Vec<_>>(), ["Good ", "day."]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PromptMachine {
    model: Arc<dyn ModelAdapter>,
    system_prompt: String,
}

impl PromptMachine {
    pub fn new(model: impl ModelAdapter + 'static, system_prompt: impl Into<String>) -> Self {
        PromptMachine { model: Arc::new(model), system_prompt: system_prompt.into() }
    }

    pub async fn run(
        &self,
        messages: &[Message],
        tools: &[ToolDefinition],
        hear: impl Fn(Delta<'_>) + Send + Sync + 'static,
    ) -> Result<Reply, ModelError> {
        let run = Run::reading(messages.iter().cloned().map(Arc::new).collect());
        let request = ModelRequest {
            purpose: Purpose::Turn,
            system_prompt: &self.system_prompt,
            messages: run.model_request(),
            tools,
        };
        self.model.prompt(request, DeltaSink::to(hear), AbortHandle::new().signal()).await
    }
}

impl fmt::Debug for PromptMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PromptMachine({})", self.model.name())
    }
}
