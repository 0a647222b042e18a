//! A list of calls, run as a session runs those of a model.

use std::sync::{Mutex, PoisonError};

use futures_util::future::ready;

use crate::display::Slot;
use crate::error::{Error, ModelError, ToolDefinitionError};
use crate::message::{Message, ToolCall, ToolResult};
use crate::portable::BoxFuture;
use crate::ports::{AbortSignal, DeltaSink, ModelAdapter, ModelRequest, Tool, Tools};
use crate::run::input::Reply;
use crate::run::settings::Limits;
use crate::runtime::Glove;

/// Runs calls in their order, each with exactly one result: arguments are checked, people are asked, and what fails or is stopped is a result
/// too.
///
/// ```
/// use glove_wasm::components::Executor;
/// use glove_wasm::message::ToolCall;
/// use glove_wasm::ports::Tool;
/// use serde_json::json;
///
/// #[derive(serde::Deserialize)]
/// struct Double { n: i64 }
///
/// # futures_executor::block_on(async {
/// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
/// let double = Tool::new("double", "Doubles", schema, async |input: Double, _| input.n * 2);
/// let mut executor = Executor::new();
/// executor.register_tool(double)?;
/// executor.add_call(ToolCall::new("double", json!({ "n": 21 }).into()));
/// executor.add_call(ToolCall::new("halve", json!({ "n": 21 }).into()));
///
/// let results = executor.execute().await?;
/// assert_eq!(results[0].result.data.as_str(), "42");
/// assert_eq!(results[1].result.outcome.as_deref(), Some("unknown_tool"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Executor {
    tools: Tools,
    calls: Vec<ToolCall>,
}

impl Executor {
    pub fn new() -> Self {
        Executor::default()
    }

    /// Fails for a name that is empty or there already, and for an invalid schema.
    pub fn register_tool(&mut self, tool: Tool) -> Result<(), ToolDefinitionError> {
        self.tools.register(tool)
    }

    pub fn add_call(&mut self, call: ToolCall) {
        self.calls.push(call);
    }

    /// The results, in the order of the calls; fails with [`Error::Aborted`] where the list was stopped before it began. What asks a person is turned down, since nobody is there.
    pub async fn execute(&mut self) -> Result<Vec<ToolResult>, Error> {
        self.execute_with(|agent| {
            let display = agent.display().clone();
            agent.display().subscribe(move |stack: &[Slot]| {
                for slot in stack.iter().filter(|slot| slot.waits) {
                    display.reject(&slot.id, None);
                }
            })
        })
        .await
    }

    /// The same; whoever answers people's questions or hears of what happens is attached before anything runs.
    pub async fn execute_with<T>(
        &mut self,
        attach: impl FnOnce(&Glove) -> T,
    ) -> Result<Vec<ToolResult>, Error> {
        let calls = std::mem::take(&mut self.calls);
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        // Limits are for models; this is a program's own list.
        let count = calls.len();
        let limits = Limits { calls_per_turn: count, result_bytes: usize::MAX, ..Limits::default() };
        let model = Calling(Mutex::new(Some(calls)));
        let agent =
            Glove::builder(model).tool_host(self.tools.clone()).tasks(false).limits(limits).build()?;
        let attached = attach(&agent);
        let ended = agent.process_request("Run the calls.").await;
        drop(attached);
        let results: Vec<ToolResult> =
            agent.messages().iter().flat_map(|message| message.results()).cloned().collect();
        match ended {
            // What has run has run: each call of a run that was stopped has a result too.
            Ok(_) | Err(Error::Aborted) if results.len() == count => Ok(results),
            // It was stopped before it began.
            Ok(_) => Err(Error::Aborted),
            Err(error) => Err(error),
        }
    }
}

/// A model that has these calls, and nothing to say of their results.
struct Calling(Mutex<Option<Vec<ToolCall>>>);

impl ModelAdapter for Calling {
    fn name(&self) -> String {
        "calls".to_owned()
    }

    fn prompt(
        &self,
        _: ModelRequest<'_>,
        _: DeltaSink,
        _: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let message = match calls {
            Some(calls) => Message { tool_calls: Some(calls), ..Message::agent("") },
            None => Message::agent("Done."),
        };
        Box::pin(ready(Ok(Reply { messages: vec![message], ..Reply::default() })))
    }
}
