//! The port to tools.

use std::sync::{Arc, Mutex, PoisonError};

use crate::host::{AbortSignal, CallDisplay};
use crate::json::Json;
use crate::message::SideOutput;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::run::input::{ApprovalVerdict, ToolOutcome};
use crate::tool::{ToolDefinition, ToolSpec};

/// Everything that runs the tools of a session.
pub trait ToolHost: MaybeSend + MaybeSync {
    /// What the model is told, in a fixed order and without a name twice.
    fn definitions(&self) -> Vec<ToolDefinition>;

    /// What the machine is told, one for each definition.
    fn specs(&self) -> Vec<ToolSpec>;

    /// Asked for tools with `Gate::ByInput`: may this call run without a permission? An error stops the call.
    fn permission_needed(&self, call: Call<'_>) -> BoxFuture<'static, Result<bool, String>>;

    /// Asked for tools with an approval gate, before a person is.
    fn approval(&self, call: Call<'_>) -> BoxFuture<'static, ApprovalVerdict>;

    /// Runs a call. When it is cancelled, the context's signal fires and the future is dropped.
    fn run(&self, call: Call<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome>;

    /// Takes a call back; `call.input` is what it was run with.
    fn undo(&self, call: Call<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>>;
}

/// One call, borrowed from the run.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub call_id: &'a str,
    pub tool_name: &'a str,
    /// The model's own text.
    pub input: &'a Json,
    /// 1 for the first run.
    pub attempt: u32,
}

/// What a running tool can use. Clones are the same context.
#[derive(Debug, Clone)]
pub struct ToolContext {
    pub call_id: String,
    pub tool_name: String,
    /// 1 for the first run, more when the tool is repeated after a failure.
    pub attempt: u32,
    /// The display stack; slots pushed here belong to this call and go when it is cancelled.
    pub display: CallDisplay,
    pub abort: AbortSignal,
    outputs: Arc<Mutex<Vec<SideOutput>>>,
}

impl ToolContext {
    pub fn new(call: Call<'_>, display: CallDisplay, abort: AbortSignal) -> Self {
        ToolContext {
            call_id: call.call_id.to_owned(),
            tool_name: call.tool_name.to_owned(),
            attempt: call.attempt,
            display,
            abort,
            outputs: Arc::default(),
        }
    }

    /// Adds an output beside the result: a file, a widget, or a type of the application's own.
    pub fn output(&self, output: SideOutput) {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner).push(output);
    }

    /// For people only; the model never sees it.
    pub fn widget(&self, data: Json) {
        self.output(SideOutput { kind: "widget".to_owned(), data, ..SideOutput::default() });
    }

    /// The model is told the summary, people get the file.
    pub fn file(&self, summary: impl Into<String>, data: Json) {
        self.output(SideOutput {
            kind: "file".to_owned(),
            summary: Some(summary.into()),
            data,
            ..SideOutput::default()
        });
    }

    /// What was added so far; a tool host puts it into the call's outcome.
    pub fn take_outputs(&self) -> Vec<SideOutput> {
        std::mem::take(&mut *self.outputs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
