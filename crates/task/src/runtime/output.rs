//! What comes of a task as a value of a Rust type: the agent gives it with a tool, and it stands in a file like all that it makes.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::layout::{GIVES_OUTPUT, OUTPUT, WorkspacePath};
use crate::runtime::agent::TaskAgentBuilder;
use crate::runtime::workspace::{Workspace, read_known};
use crate::{TaskError, TaskErrorKind};
use glove_wasm::json::Json;
use glove_wasm::ports::{Tool, ToolContext, ToolFailure, schema_of};

/// A value that a task is to give, of this type. What does not fit the model reads, and gives again.
pub struct TaskOutput<T> {
    description: String,
    of: PhantomData<fn() -> T>,
}

impl<T: JsonSchema + DeserializeOwned + 'static> TaskOutput<T> {
    /// `description` tells the model what the value is.
    pub fn new(description: impl Into<String>) -> Self {
        TaskOutput { description: description.into(), of: PhantomData }
    }

    /// What a task has given so far; nothing where it has given none.
    pub async fn read(&self, files: &dyn Workspace) -> Result<Option<T>, TaskError> {
        let Some(text) = read_known(files, OUTPUT).await? else { return Ok(None) };
        let value = serde_json::from_str(&text);
        value.map(Some).map_err(|error| {
            let message = format!("`{OUTPUT}` does not fit its type: {error}. Somebody may have edited it");
            TaskError::new(TaskErrorKind::Output, message)
        })
    }

    fn tool(description: &str, files: Arc<dyn Workspace>) -> Tool {
        let description =
            format!("{description} Call it when the work is done; calling it again replaces what was given.");
        Tool::new(GIVES_OUTPUT, description, schema_of::<T>(), move |input: Json, _: ToolContext| {
            let files = Arc::clone(&files);
            async move {
                input.read::<T>()?;
                let value: serde_json::Value = input.read()?;
                let text = format!("{value:#}\n");
                files.write(&WorkspacePath::known(OUTPUT), text.into_bytes()).await?;
                Ok::<_, ToolFailure>(OUTPUT)
            }
        })
        .idempotent(0)
    }
}

impl TaskAgentBuilder {
    /// Asks every task for this value, in its acting steps.
    pub fn output<T: JsonSchema + DeserializeOwned + 'static>(self, output: &TaskOutput<T>) -> Self {
        let description = output.description.clone();
        self.tool_of_files(["act"], move |files| TaskOutput::<T>::tool(&description, files))
    }
}

impl<T> fmt::Debug for TaskOutput<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskOutput").field("description", &self.description).finish_non_exhaustive()
    }
}
