//! Traces of tasks: a run is a span, `invoke_workflow`, and each of its steps an `invoke_agent` below it.

use std::sync::Arc;

use opentelemetry::trace::{SpanKind, Status, TraceContextExt};
use opentelemetry::{Context, KeyValue};

use super::traces::{Traces, start_span};
use glove_wasm::event::Event;
use glove_wasm::ports::{ModelAdapter, Tool};
use glove_wasm_task::runtime::traced::{RunTraces, StepTraces, TaskTraces};

impl Traces {
    /// For [`TaskAgentBuilder::traces`](glove_wasm_task::runtime::TaskAgentBuilder::traces): tells the provider of traces that the program
    /// has set of each run, its steps, and their calls of models and tools.
    pub fn of_tasks() -> Arc<dyn TaskTraces> {
        Arc::new(Tasks)
    }
}

struct Tasks;

impl TaskTraces for Tasks {
    fn run(&self, task: &str) -> Arc<dyn RunTraces> {
        let about = [
            KeyValue::new("gen_ai.conversation.id", task.to_owned()),
            KeyValue::new("gen_ai.workflow.name", "task"),
        ];
        let span = start_span(&Context::current(), "invoke_workflow", "task", SpanKind::Internal, about);
        Arc::new(Run { task: task.to_owned(), span })
    }
}

struct Run {
    task: String,
    span: Context,
}

impl RunTraces for Run {
    fn step(&self, step: &str) -> Arc<dyn StepTraces> {
        Arc::new(Traces::of_step(&self.task, step, self.span.clone()))
    }

    fn failed(&self, code: &str) {
        self.span.span().set_attribute(KeyValue::new("error.type", code.to_owned()));
        self.span.span().set_status(Status::error(""));
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.span.span().end();
    }
}

impl StepTraces for Traces {
    fn model(&self, model: Arc<dyn ModelAdapter>) -> Arc<dyn ModelAdapter> {
        self.model(model)
    }

    fn tool(&self, tool: Tool) -> Tool {
        self.tool(tool)
    }

    fn note(&self, event: &Event) {
        self.note(event);
    }
}
