//! Tools written in Rust: closures with typed arguments, and the registry that runs them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future;
use serde::de::DeserializeOwned;

use crate::error::ToolDefinitionError;
use crate::json::Json;
use crate::message::ToolResultData;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::ports::function::Function;
use crate::ports::outcome::{IntoOutcome, ToolFailure};
use crate::ports::schema_check::SchemaCheck;
use crate::ports::tools::{CallRef, Checked, ToolContext, ToolHost};
use crate::run::input::{ApprovalVerdict, Issue, PermissionVerdict, ToolOutcome, Validated};
use crate::tool::{ANSWER_TOOL, Gate, OnInterrupted, ToolDefinition, ToolSpec, check_definition};

type Body = Arc<dyn Function<(Json, ToolContext), BoxFuture<'static, ToolOutcome>>>;
type Undo = Arc<dyn Function<(Json, ToolContext), BoxFuture<'static, Result<(), String>>>>;
type Permission = Arc<dyn Function<Json, bool>>;
type Approval = Arc<dyn Function<Json, ApprovalVerdict>>;
type Reading = Arc<dyn Function<Json, Result<Json, String>>>;

/// A tool and how its calls are treated. Clones share the closures.
#[derive(Clone)]
pub struct Tool {
    definition: ToolDefinition,
    spec: ToolSpec,
    body: Body,
    permission: Option<Permission>,
    approval: Option<Approval>,
    undo: Option<Undo>,
    reading: Option<Reading>,
    /// Made when the tool is registered.
    check: Option<Arc<SchemaCheck>>,
}

impl Tool {
    /// `schema` is the JSON Schema of the arguments. Arguments that serde cannot read as `I` are reported to the
    /// model as invalid, without running the closure.
    ///
    /// ```
    /// use glove_wasm::ports::Tool;
    /// use serde_json::json;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Add { a: i64, b: i64 }
    ///
    /// let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } } });
    /// let tool = Tool::new("add", "Adds two numbers", schema, async |input: Add, _| input.a + input.b).parallel();
    /// # let _ = tool;
    /// ```
    pub fn new<I, F, R>(
        name: impl Into<String>,
        description: impl Into<String>,
        schema: impl Into<Json>,
        body: F,
    ) -> Self
    where
        I: DeserializeOwned + 'static,
        F: Fn(I, ToolContext) -> R + MaybeSend + MaybeSync + 'static,
        R: Future<Output: IntoOutcome> + MaybeSend + 'static,
    {
        let body = move |(input, context): (Json, ToolContext)| -> BoxFuture<'static, ToolOutcome> {
            match input.read::<I>() {
                Ok(input) => {
                    let running = body(input, context.clone());
                    Box::pin(async move { with_outputs(running.await.into_outcome(), &context) })
                }
                Err(error) => Box::pin(future::ready(ToolOutcome::Invalid(vec![issue(&error.to_string())]))),
            }
        };
        Tool::of_json(name.into(), description.into(), schema.into(), body)
    }

    /// A tool that reads its arguments itself.
    pub fn of_json(
        name: String,
        description: String,
        schema: Json,
        body: impl Fn((Json, ToolContext)) -> BoxFuture<'static, ToolOutcome> + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        let definition = ToolDefinition { name, description, schema };
        Tool {
            spec: ToolSpec::new(definition.name.clone()),
            definition,
            body: Arc::new(body),
            permission: None,
            approval: None,
            undo: None,
            reading: None,
            check: None,
        }
    }

    /// Asks the user before the tool first runs; the answer applies to the tool.
    pub fn requires_permission(mut self) -> Self {
        self.spec.permission = Gate::Always;
        self
    }

    /// Asks the user before calls for which this is true, or whose arguments cannot be read as `I`; an answer
    /// applies to the same arguments.
    pub fn permission_if<I: DeserializeOwned>(
        mut self,
        needed: impl Fn(&I) -> bool + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        self.spec.permission = Gate::ByInput;
        self.permission =
            Some(Arc::new(move |input: Json| input.read::<I>().map_or(true, |input| needed(&input))));
        self
    }

    /// Asks the user before each call.
    pub fn requires_approval(mut self, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        self.spec.approval = Gate::Always;
        self.approval =
            Some(Arc::new(move |_: Json| ApprovalVerdict::Needed { reason: Some(reason.clone()) }));
        self
    }

    /// Asks the user before calls for which this returns a reason.
    pub fn approval_if<I: DeserializeOwned>(
        mut self,
        reason: impl Fn(&I) -> Option<String> + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        self.spec.approval = Gate::ByInput;
        self.approval = Some(Arc::new(move |input: Json| match input.read::<I>() {
            Ok(input) => match reason(&input) {
                Some(reason) => ApprovalVerdict::Needed { reason: Some(reason) },
                None => ApprovalVerdict::NotNeeded,
            },
            Err(error) => ApprovalVerdict::Invalid(vec![issue(&error.to_string())]),
        }));
        self
    }

    /// What the arguments mean, from what the model wrote: checked, shown to a person, allowed and run is what this gives. For names that
    /// models are used to from other tools; an error is told to the model as one of the arguments.
    pub fn read_as(
        mut self,
        reading: impl Fn(Json) -> Result<Json, String> + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        self.reading = Some(Arc::new(reading));
        self
    }

    /// Allows it to run at the same time as neighbouring calls that also allow it.
    pub fn parallel(mut self) -> Self {
        self.spec.parallel = true;
        self
    }

    /// Marks the tool as safe to run again: a failed run is retried up to `retries` times, with growing pauses.
    pub fn idempotent(mut self, retries: u32) -> Self {
        self.spec.idempotent = true;
        self.spec.retries = retries;
        self
    }

    /// Runs to completion even if the user stops the run.
    pub fn un_abortable(mut self) -> Self {
        self.spec.un_abortable = true;
        self
    }

    /// Stops a run after this much working time, and tells the model that its outcome is unknown. Waiting for the user does not count.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.spec.timeout_ms = Some(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// What happens to a call that was running when its process died.
    pub fn on_interrupted(mut self, choice: OnInterrupted) -> Self {
        self.spec.on_interrupted = Some(choice);
        self
    }

    /// How to undo a successful run, from its arguments.
    pub fn undo<I, F, R, E>(mut self, undo: F) -> Self
    where
        I: DeserializeOwned + 'static,
        F: Fn(I, ToolContext) -> R + MaybeSend + MaybeSync + 'static,
        R: Future<Output = Result<(), E>> + MaybeSend + 'static,
        E: Into<ToolFailure>,
    {
        self.spec.undo = true;
        self.undo = Some(Arc::new(
            move |(input, context): (Json, ToolContext)| -> BoxFuture<'static, Result<(), String>> {
                match input.read::<I>() {
                    Ok(input) => {
                        let running = undo(input, context);
                        Box::pin(async move { running.await.map_err(|error| error.into().message()) })
                    }
                    Err(error) => Box::pin(future::ready(Err(error.to_string()))),
                }
            },
        ));
        self
    }

    /// Whether its arguments may mean something else than the model wrote.
    #[doc(hidden)]
    pub fn reads(&self) -> bool {
        self.reading.is_some()
    }

    /// Does something around each run: what `begin` gives is handed the run.
    pub fn around<W>(
        mut self,
        begin: impl Fn(&Json, &ToolContext) -> W + MaybeSend + MaybeSync + 'static,
    ) -> Self
    where
        W: FnOnce(BoxFuture<'static, ToolOutcome>) -> BoxFuture<'static, ToolOutcome>,
    {
        let body = self.body;
        self.body = Arc::new(move |(input, context): (Json, ToolContext)| {
            let wrap = begin(&input, &context);
            wrap(body.call((input, context)))
        });
        self
    }

    pub fn name(&self) -> &str {
        &self.definition.name
    }

    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// The arguments of a call as they are meant: where a person was asked, what they were shown.
    fn read(&self, call: CallRef<'_>) -> Result<Json, String> {
        match (call.validated, &self.reading) {
            (Some(validated), _) => Ok(validated.input.clone()),
            (None, Some(reading)) => reading.call(call.input.clone()),
            (None, None) => Ok(call.input.clone()),
        }
    }

    /// The same, checked against the tool's schema. Without the feature `schema-check`, only serde checks them.
    fn meant(&self, call: CallRef<'_>) -> Result<Json, Vec<Issue>> {
        let input = self.read(call).map_err(|why| vec![issue(&why)])?;
        let issues = self.check.as_ref().map(|check| check.issues(&input)).unwrap_or_default();
        if issues.is_empty() { Ok(input) } else { Err(issues) }
    }
}

/// What a tool reads in its arguments, where that is something else than is known.
fn found(call: CallRef<'_>, meant: Option<&Result<Json, Vec<Issue>>>) -> Option<Validated> {
    match meant {
        Some(Ok(input)) if call.validated.is_none() && input != call.input => {
            Some(Validated { input: input.clone(), exact: true })
        }
        _ => None,
    }
}

fn issue(message: &str) -> Issue {
    Issue { path: Vec::new(), message: message.to_owned() }
}

fn with_outputs(outcome: ToolOutcome, context: &ToolContext) -> ToolOutcome {
    match outcome {
        ToolOutcome::Returned { result, mut outputs } => {
            outputs.extend(context.take_outputs());
            ToolOutcome::Returned { result, outputs }
        }
        ToolOutcome::Summing { .. }
        | ToolOutcome::Summed(_)
        | ToolOutcome::Invalid(_)
        | ToolOutcome::Changed
        | ToolOutcome::TimedOut
        | ToolOutcome::Threw(_)
        | ToolOutcome::Rejected(_) => outcome,
    }
}

/// A set of Rust tools.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    list: Vec<Tool>,
    tasks: Option<bool>,
}

impl Tools {
    pub fn new() -> Self {
        Tools::default()
    }

    /// Adds a tool after the others. Fails for an empty or duplicate name and for an invalid schema.
    pub fn register(&mut self, tool: Tool) -> Result<(), ToolDefinitionError> {
        check_definition(&tool.definition, self.list.iter().map(Tool::name))?;
        let tool = {
            let ToolDefinition { name, schema, .. } = &tool.definition;
            let check = SchemaCheck::of(schema)
                .map_err(|why| ToolDefinitionError::BadSchema { tool: name.clone(), why })?;
            Tool { check: Some(Arc::new(check)), ..tool }
        };
        self.list.push(tool);
        Ok(())
    }

    /// Whether the model always or never gets a task list; by default, it gets one together with other tools.
    pub fn want_tasks(&mut self, wanted: bool) {
        self.tasks = Some(wanted);
    }

    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.list.iter().find(|tool| tool.name() == name)
    }

    /// The arguments of a call as its tool gets them, or what is wrong with them. No rule of the tool is asked.
    pub fn arguments(&self, call: CallRef<'_>) -> Result<Json, Vec<Issue>> {
        self.get(call.tool_name).map_or_else(|| Ok(call.input.clone()), |tool| tool.meant(call))
    }
}

impl ToolHost for Tools {
    fn definitions(&self) -> Vec<ToolDefinition> {
        self.list.iter().map(|tool| tool.definition.clone()).collect()
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.list.iter().map(|tool| tool.spec.clone()).collect()
    }

    fn wants_tasks(&self) -> bool {
        self.tasks.unwrap_or(!self.list.is_empty())
    }

    fn permission(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        let tool = self.get(call.tool_name);
        // Fail closed: without a rule that says no, a person is asked.
        let rule = tool.and_then(|tool| tool.permission.as_ref());
        let meant = tool.map(|tool| tool.meant(call));
        let validated = found(call, meant.as_ref());
        let verdict = match (meant, rule) {
            (Some(Err(issues)), _) => PermissionVerdict::Invalid(issues),
            (Some(Ok(input)), Some(needed)) if !needed.call(input.clone()) => PermissionVerdict::NotNeeded,
            _ => PermissionVerdict::Unset,
        };
        Box::pin(future::ready(Checked { validated, ..verdict.into() }))
    }

    fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        let tool = self.get(call.tool_name);
        let rule = tool.and_then(|tool| tool.approval.as_ref());
        let meant = tool.map(|tool| tool.meant(call));
        let validated = found(call, meant.as_ref());
        let verdict = match (meant, rule) {
            (Some(Err(issues)), _) => ApprovalVerdict::Invalid(issues),
            (Some(Ok(input)), Some(rule)) => rule.call(input),
            _ => ApprovalVerdict::Needed { reason: None },
        };
        Box::pin(future::ready(Checked { validated, ..verdict.into() }))
    }

    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        let Some(tool) = self.get(call.tool_name) else {
            if call.tool_name == ANSWER_TOOL {
                return Box::pin(future::ready(taken(call.input, &context)));
            }
            return Box::pin(future::ready(ToolOutcome::Threw(not_here(call.tool_name))));
        };
        match tool.meant(call) {
            Ok(input) => tool.body.call((input, context)),
            Err(issues) => Box::pin(future::ready(ToolOutcome::Invalid(issues))),
        }
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        let tool = self.get(call.tool_name);
        let Some((tool, undo)) = tool.and_then(|tool| tool.undo.as_ref().map(|undo| (tool, undo))) else {
            return Box::pin(future::ready(Err(not_here(call.tool_name))));
        };
        match tool.read(call) {
            Err(why) => Box::pin(future::ready(Err(why))),
            Ok(input) => undo.call((input, context)),
        }
    }
}

/// The answer of a request that wants one with a schema. Without the feature `schema-check`, only who reads it finds out what is wrong.
fn taken(answer: &Json, context: &ToolContext) -> ToolOutcome {
    if let Some(schema) = context.answer_schema() {
        let issues =
            SchemaCheck::of(schema).map_or_else(|error| vec![issue(&error)], |check| check.issues(answer));
        if !issues.is_empty() {
            return ToolOutcome::Invalid(issues);
        }
    }
    let summary = Some("Taken.".to_owned());
    let result = ToolResultData { data: answer.clone(), summary, ..ToolResultData::default() };
    ToolOutcome::Returned { result, outputs: Vec::new() }
}

fn not_here(tool: &str) -> String {
    format!("the tool {tool} is no longer registered")
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("definition", &self.definition)
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}
