//! Traces by OpenTelemetry, in the words of its conventions for generative AI (version 1.41.0, in development): what a request, a call of a model
//! and a run of a tool took. Nothing of what is said is in them, unless the environment asks for it (`trace_content`). They go to the provider of traces that the program has set; without one they cost
//! next to nothing.

use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use opentelemetry::propagation::{Extractor, Injector};
use opentelemetry::trace::{SpanBuilder, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue, global};

use super::trace_content::Content;
use glove_wasm::error::ModelError;
use glove_wasm::event::Event;
use glove_wasm::json::Json;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortSignal, DeltaSink, ModelAdapter, ModelRequest, Tool, ToolContext};
use glove_wasm::providers::table::provider_at;
use glove_wasm::run::input::{Reply, ToolOutcome};

const SCOPE: &str = "glove-wasm";

type Running = BoxFuture<'static, ToolOutcome>;

/// The traces of one conversation. Clones are the same.
#[derive(Clone, Default)]
pub struct Traces(Arc<Conversation>);

#[derive(Default)]
struct Conversation {
    /// `None` for calls that belong to no session of this process.
    id: Option<String>,
    /// What a step of a task is called.
    step: Option<String>,
    /// What the next request belongs to.
    caller: Mutex<Context>,
    /// The request under way.
    request: Mutex<Option<Context>>,
}

impl Traces {
    /// Of a session: what it does for a request is told below one span, `invoke_agent`.
    pub fn new(session: impl Into<String>) -> Self {
        Traces(Arc::new(Conversation { id: Some(session.into()), ..Conversation::default() }))
    }

    /// Of a step of a task, below the span of its run.
    pub(super) fn of_step(task: &str, step: &str, run: Context) -> Self {
        let (id, step) = (Some(task.to_owned()), Some(step.to_owned()));
        Traces(Arc::new(Conversation { id, step, caller: Mutex::new(run), ..Conversation::default() }))
    }

    /// Of calls alone, below the span of the caller.
    pub fn of_caller(caller: &[(String, String)]) -> Self {
        let traces = Traces::default();
        traces.called_by(caller);
        traces
    }

    /// The next request belongs to the span that these headers name (`traceparent`), if they name one.
    pub fn called_by(&self, headers: &[(String, String)]) {
        let context = global::get_text_map_propagator(|known| {
            known.extract_with_context(&Context::new(), &Headers(headers))
        });
        *locked(&self.0.caller) = context;
    }

    /// A model whose calls are told.
    pub fn model(&self, model: Arc<dyn ModelAdapter>) -> Arc<dyn ModelAdapter> {
        Arc::new(TracedModel { model, traces: self.clone() })
    }

    /// A tool whose runs are told.
    pub fn tool(&self, tool: Tool) -> Tool {
        let traces = self.clone();
        tool.around(move |input, context| traces.run(input, context))
    }

    /// Told of the events of the session: with the end of a request, its span ends.
    pub fn note(&self, event: &Event) {
        if let Event::RequestFinished { outcome, .. } = event
            && let Some(request) = locked(&self.0.request).take()
        {
            if *outcome == "failed" {
                request.span().set_attribute(KeyValue::new("error.type", "_OTHER"));
                request.span().set_status(Status::error(""));
            }
            request.span().end();
        }
    }

    /// Ends the span when the session is closed. If the request continues in another process, it has a new span there.
    pub fn end(&self) {
        if let Some(request) = locked(&self.0.request).take() {
            request.span().end();
        }
    }

    /// What a call of a model or a tool belongs to.
    fn above(&self) -> Context {
        let Some(id) = &self.0.id else { return locked(&self.0.caller).clone() };
        let mut request = locked(&self.0.request);
        let known = request.get_or_insert_with(|| {
            let mut about = vec![KeyValue::new("gen_ai.conversation.id", id.clone())];
            let name = self.0.step.clone().unwrap_or_default();
            if !name.is_empty() {
                about.push(KeyValue::new("gen_ai.agent.name", name.clone()));
            }
            let caller = std::mem::take(&mut *locked(&self.0.caller));
            start_span(&caller, "invoke_agent", &name, SpanKind::Internal, about)
        });
        known.clone()
    }

    fn run(&self, input: &Json, call: &ToolContext) -> impl FnOnce(Running) -> Running + use<> {
        let about = [
            KeyValue::new("gen_ai.tool.name", call.tool_name.clone()),
            KeyValue::new("gen_ai.tool.call.id", call.call_id.clone()),
            KeyValue::new("gen_ai.tool.type", "function"),
        ];
        let context = start_span(&self.above(), "execute_tool", &call.tool_name, SpanKind::Internal, about);
        let content = Content::wanted().filter(|_| context.span().is_recording());
        if let Some(content) = content {
            context.span().set_attribute(content.called(input));
        }
        move |running| {
            let running = within(context.clone(), running);
            Box::pin(async move {
                let outcome = running.await;
                if let Some(told) = content.and_then(|content| content.returned(&outcome)) {
                    context.span().set_attribute(told);
                }
                let why = match &outcome {
                    ToolOutcome::Returned { result, .. }
                        if result.status == glove_wasm::message::ToolStatus::Error =>
                    {
                        Some("TOOL_FAILED")
                    }
                    ToolOutcome::Threw(_) => Some("TOOL_FAILED"),
                    ToolOutcome::Invalid(_) => Some("TOOL_INPUT_INVALID"),
                    ToolOutcome::TimedOut => Some("timeout"),
                    _ => None,
                };
                if let Some(why) = why {
                    context.span().set_attribute(KeyValue::new("error.type", why));
                    context.span().set_status(Status::error(""));
                }
                context.span().end();
                outcome
            })
        }
    }
}

struct TracedModel {
    model: Arc<dyn ModelAdapter>,
    traces: Traces,
}

/// A model behind HTTP says the address that it asks.
fn provider_of(model: &dyn ModelAdapter) -> String {
    let said = model.provider();
    if said.contains("://") { provider_at(said).to_owned() } else { said.to_owned() }
}

impl ModelAdapter for TracedModel {
    fn name(&self) -> String {
        self.model.name()
    }

    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let name = self.model.name();
        let mut about = vec![
            KeyValue::new("gen_ai.request.model", name.clone()),
            KeyValue::new("gen_ai.provider.name", provider_of(&*self.model)),
        ];
        if let Some(id) = &self.traces.0.id {
            about.push(KeyValue::new("gen_ai.conversation.id", id.clone()));
        }
        let context = start_span(&self.traces.above(), "chat", &name, SpanKind::Client, about);
        let content = Content::wanted().filter(|_| context.span().is_recording());
        if let Some(content) = content {
            context.span().set_attributes(content.asked(&request));
        }
        let answering = {
            let _current = context.clone().attach();
            self.model.prompt(request, deltas, abort)
        };
        let answering = within(context.clone(), answering);
        Box::pin(async move {
            let answer = answering.await;
            let span = context.span();
            if let (Some(content), Ok(reply)) = (content, &answer) {
                span.set_attribute(content.answered(reply));
            }
            match &answer {
                Ok(Reply { usage, stop_reason, .. }) => {
                    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
                    span.set_attribute(KeyValue::new("gen_ai.usage.input_tokens", number(usage.tokens_in)));
                    span.set_attribute(KeyValue::new("gen_ai.usage.output_tokens", number(usage.tokens_out)));
                    for (name, count) in [
                        ("gen_ai.usage.cache_read.input_tokens", usage.cache_read),
                        ("gen_ai.usage.cache_creation.input_tokens", usage.cache_creation),
                    ] {
                        if count > 0 {
                            span.set_attribute(KeyValue::new(name, number(count)));
                        }
                    }
                    if let Some(reason) = stop_reason {
                        let reasons = opentelemetry::Array::String(vec![reason.clone().into()]);
                        span.set_attribute(KeyValue::new(
                            "gen_ai.response.finish_reasons",
                            opentelemetry::Value::Array(reasons),
                        ));
                    }
                }
                Err(error) => {
                    span.set_attribute(KeyValue::new("error.type", error.code().to_owned()));
                    span.set_status(Status::error(""));
                }
            }
            span.end();
            answer
        })
    }
}

/// A span below another one. What is dropped ends too.
pub(super) fn start_span(
    above: &Context,
    operation: &'static str,
    of: &str,
    kind: SpanKind,
    about: impl IntoIterator<Item = KeyValue>,
) -> Context {
    let name = if of.is_empty() { operation.to_owned() } else { format!("{operation} {of}") };
    let mut all = vec![KeyValue::new("gen_ai.operation.name", operation)];
    all.extend(about);
    let tracer = global::tracer(SCOPE);
    let builder = SpanBuilder::from_name(name).with_kind(kind).with_attributes(all);
    above.with_span(tracer.build_with_context(builder, above))
}

/// What the future does, it does within the span.
fn within<T: 'static>(context: Context, mut future: BoxFuture<'static, T>) -> BoxFuture<'static, T> {
    Box::pin(poll_fn(move |task| {
        let _current = context.clone().attach();
        future.poll_unpin(task)
    }))
}

/// For a request to another server: the span that it belongs to.
pub(super) fn headers() -> Vec<(String, String)> {
    let mut named = Named(Vec::new());
    global::get_text_map_propagator(|known| known.inject_context(&Context::current(), &mut named));
    named.0
}

struct Headers<'a>(&'a [(String, String)]);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value.as_str())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }
}

struct Named(Vec<(String, String)>);

impl Injector for Named {
    fn set(&mut self, key: &str, value: String) {
        self.0.push((key.to_owned(), value));
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traces").field("session", &self.0.id).finish_non_exhaustive()
    }
}
