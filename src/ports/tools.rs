//! The port to tools.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::attachments::Attachments;
use crate::display::DisplayError;
use crate::error::StoreError;
use crate::json::Json;
use crate::json::codec::to_text;
use crate::message::SideOutput;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync, NativeOnly};
use crate::ports::{AbortSignal, CallDisplay, Credentials, DisplayPort, ToolFailure};
use crate::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome, Validated};
use crate::run::log::StepResult;
use crate::tool::{ToolDefinition, ToolSpec};

/// How much data all outputs of a call may have together, as JSON: more does not belong into a record that is read as a whole.
pub const MOST_OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// Everything that runs the tools of a session.
pub trait ToolHost: MaybeSend + MaybeSync {
    /// The definitions for the model, in a fixed order and without duplicate names.
    fn definitions(&self) -> Vec<ToolDefinition>;

    /// The settings for the machine, one for each definition.
    fn specs(&self) -> Vec<ToolSpec>;

    /// Whether the model gets a task list, where the store keeps one. Beside other tools it does unless something is said; alone
    /// it is no reason to send tools, as some models refuse a request with any.
    fn wants_tasks(&self) -> bool {
        !self.definitions().is_empty()
    }

    /// Before the model is called in a request: the host may change the session's tools, model and system prompt, and the call is
    /// made with what there is then. Nothing where the host prepares nothing; an error pauses the request.
    fn prepare(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        None
    }

    /// Asked for tools with a permission gate, before the store and a person are: `Unset` asks them, `NotNeeded` is heeded for
    /// `Gate::ByInput`.
    fn permission(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>>;

    /// Asked for tools with an approval gate, before a person is.
    fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>>;

    /// Runs a call. When it is cancelled, the context's signal fires and the future is dropped.
    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome>;

    /// Undoes a call; `call.input` is what it ran with.
    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>>;
}

/// One call, borrowed from the run.
#[derive(Debug, Clone, Copy)]
pub struct CallRef<'a> {
    pub call_id: &'a str,
    pub tool_name: &'a str,
    /// The model's own text.
    pub input: &'a Json,
    /// What the tool's schema made of it before, where that is something else or was allowed already.
    pub validated: Option<&'a Validated>,
    /// What its host said of it when a person was asked: see [`Checked::judged`].
    pub judged: Option<&'a Json>,
    /// 1 for the first run.
    pub attempt: u32,
    /// Stays the same each time the call runs and is unique to it: for services that handle each key only once.
    pub idempotency_key: &'a str,
}

/// What is found before a call runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked<V> {
    pub verdict: V,
    /// What the tool's schema has just made of the arguments, where that is something else than the model sent.
    pub validated: Option<Validated>,
    /// What the decision about this call rests on, where that may be something else by the time it runs: it is stored with the
    /// call, stands in its questions, and is given back when it runs.
    pub judged: Option<Json>,
}

impl<V> From<V> for Checked<V> {
    fn from(verdict: V) -> Self {
        Checked { verdict, validated: None, judged: None }
    }
}

/// Keeps what comes of the steps of a call.
pub trait Steps: MaybeSend + MaybeSync {
    /// Asked before a step.
    fn begin(&self, name: &str) -> BoxFuture<'static, Result<Step, DisplayError>>;

    /// Told after it; done when the result is written.
    fn end(&self, key: String, result: StepResult) -> BoxFuture<'static, ()>;
}

/// Where a step stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// It was done before, and this came of it.
    Done(StepResult),
    /// It is to be done now. The key names it.
    Begins(String),
}

/// The context of a running tool. Clones are the same context.
#[derive(Clone)]
pub struct ToolContext {
    pub call_id: String,
    pub tool_name: String,
    /// 1 for the first run, more if the tool is retried after a failure.
    pub attempt: u32,
    /// Stays the same each time this call runs and is unique to it.
    pub idempotency_key: String,
    /// The display stack; slots pushed here belong to this call and go when it is cancelled.
    pub display: CallDisplay,
    pub abort: AbortSignal,
    outputs: Arc<Mutex<Outputs>>,
    steps: Option<Arc<dyn Steps>>,
    credentials: Credentials,
    /// The schema that an answer is to fit.
    answer: Option<NativeOnly<Option<Json>>>,
    /// In an undo: the idempotency key of the call.
    undone_key: Option<NativeOnly<String>>,
    attachments: Option<NativeOnly<Attachments>>,
}

#[derive(Default)]
struct Outputs {
    all: Vec<SideOutput>,
    bytes: usize,
}

impl ToolContext {
    pub fn new(call: CallRef<'_>, display: CallDisplay, abort: AbortSignal) -> Self {
        ToolContext {
            call_id: call.call_id.to_owned(),
            tool_name: call.tool_name.to_owned(),
            attempt: call.attempt,
            idempotency_key: call.idempotency_key.to_owned(),
            display,
            abort,
            outputs: Arc::default(),
            steps: None,
            credentials: Credentials::default(),
            answer: None,
            undone_key: None,
            attachments: None,
        }
    }

    /// The idempotency key of the call that runs or is taken back: a call and its undo have the same. Not in a page, where an undo has
    /// its own.
    pub fn call_key(&self) -> &str {
        match &self.undone_key {
            Some(key) => key.get(),
            None => &self.idempotency_key,
        }
    }

    pub(crate) fn with_answer_schema(mut self, schema: impl FnOnce() -> Option<Json>) -> Self {
        self.answer = NativeOnly::with(schema);
        self
    }

    /// The files of the conversation: those of its messages, and those that calls returned or added. None where the tool runs outside of one.
    ///
    /// ```
    /// # use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
    /// let sum = Tool::new("sum", "Adds up an attached list of numbers", serde_json::json!({ "type": "object" }),
    ///     async |input: serde_json::Value, context: ToolContext| {
    ///         let files = context.attachments().ok_or_else(|| ToolFailure::new("there are no files here"))?;
    ///         let text = files.read(input["file"].as_str().unwrap_or_default())?.text()?;
    ///         Ok::<_, ToolFailure>(text.lines().filter_map(|line| line.parse::<i64>().ok()).sum::<i64>())
    ///     });
    /// ```
    pub fn attachments(&self) -> Option<&Attachments> {
        self.attachments.as_ref().map(NativeOnly::get)
    }

    pub(crate) fn with_attachments(mut self, attachments: impl FnOnce() -> Attachments) -> Self {
        self.attachments = NativeOnly::with(attachments);
        self
    }

    pub(super) fn answer_schema(&self) -> Option<&Json> {
        self.answer.as_ref()?.get().as_ref()
    }

    pub(crate) fn undoes(mut self, call_key: impl FnOnce() -> String) -> Self {
        self.undone_key = NativeOnly::with(call_key);
        self
    }

    pub fn with_steps(mut self, steps: Arc<dyn Steps>) -> Self {
        self.steps = Some(steps);
        self
    }

    /// What this call may prove itself with: a secret by its name, which the broker of the agent gave for this call alone.
    pub fn credential(&self, name: &str) -> Option<&str> {
        self.credentials.get(name)
    }

    /// All that this call has.
    pub fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    pub fn with_credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// What the call tells its record goes through these.
    pub fn through(
        mut self,
        steps: impl FnOnce(Arc<dyn Steps>) -> Arc<dyn Steps>,
        display: impl FnOnce(Arc<dyn DisplayPort>) -> Arc<dyn DisplayPort>,
    ) -> Self {
        self.steps = self.steps.map(steps);
        self.display = self.display.through(display);
        self
    }

    /// Runs `work` once per call, even if the process dies and the tool runs again: the
    /// result is stored before the tool continues, and returned from there the next time. An interrupted step is handled
    /// like an interrupted tool.
    ///
    /// ```
    /// # use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
    /// # async fn charge(_: &str) -> Result<String, std::io::Error> { Ok("paid".to_owned()) }
    /// let pay = Tool::new("pay", "Pays", serde_json::json!({ "type": "object" }),
    ///     async |_: serde_json::Value, context: ToolContext| {
    ///         let sure: bool = context.display.push_and_wait("confirm", &"Pay 12 euros?").await?;
    ///         if !sure {
    ///             return Ok::<_, ToolFailure>("not paid".to_owned());
    ///         }
    ///         context.step("charge", || charge(&context.idempotency_key)).await
    ///     });
    /// ```
    pub async fn step<T, E, F>(
        &self,
        name: &str,
        work: impl FnOnce() -> F + MaybeSend,
    ) -> Result<T, ToolFailure>
    where
        T: Serialize + DeserializeOwned + MaybeSend,
        E: Into<ToolFailure> + MaybeSend,
        F: Future<Output = Result<T, E>> + MaybeSend,
    {
        let Some(steps) = &self.steps else { return work().await.map_err(Into::into) };
        let key = match steps.begin(name).await? {
            Step::Begins(key) => key,
            Step::Done(StepResult::Returned(value)) => return Ok(value.read()?),
            Step::Done(StepResult::Threw(why)) => return Err(ToolFailure::Failed(why)),
        };
        let done = work().await.map_err(Into::into);
        let (kept, done) = match done.map(|value| (Json::of(&value), value)) {
            Ok((Ok(json), value)) => (StepResult::Returned(json), Ok(value)),
            Ok((Err(error), _)) => failed(error.into()),
            Err(failure) => failed(failure),
        };
        steps.end(key, kept).await;
        done
    }

    /// Adds an output next to the result: a file, a widget, or a type of the application's own. Fails where the call's outputs
    /// would have more than [`MOST_OUTPUT_BYTES`] together. What a call that fails has added is not kept.
    pub fn output(&self, output: SideOutput) -> Result<(), ToolFailure> {
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = outputs.bytes.saturating_add(to_text(&output).len());
        if bytes > MOST_OUTPUT_BYTES {
            return Err(ToolFailure::Failed(format!(
                "An output makes the outputs of its call {bytes} bytes; at most {MOST_OUTPUT_BYTES} are kept in a conversation. Store it elsewhere, and add its address."
            )));
        }
        outputs.bytes = bytes;
        outputs.all.push(output);
        Ok(())
    }

    /// For users only; the model never sees it. `name` says what draws it.
    pub fn widget(&self, name: impl Into<String>, data: Json) -> Result<(), ToolFailure> {
        self.output(SideOutput {
            kind: "widget".to_owned(),
            widget: Some(name.into()),
            data,
            ..SideOutput::default()
        })
    }

    /// The model reads the summary, users get the file.
    pub fn file(&self, summary: impl Into<String>, data: Json) -> Result<(), ToolFailure> {
        self.output(SideOutput {
            kind: "file".to_owned(),
            summary: Some(summary.into()),
            data,
            ..SideOutput::default()
        })
    }

    /// What was added so far; a tool host puts it into the call's outcome.
    pub fn take_outputs(&self) -> Vec<SideOutput> {
        std::mem::take(&mut *self.outputs.lock().unwrap_or_else(PoisonError::into_inner)).all
    }
}

fn failed<T>(failure: ToolFailure) -> (StepResult, Result<T, ToolFailure>) {
    (StepResult::Threw(failure.clone().message()), Err(failure))
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.call_id)
            .field("tool_name", &self.tool_name)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
