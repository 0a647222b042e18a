//! A model that answers from a script and remembers what it was asked.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{ModelError, ModelErrorKind};
use crate::json::Json;
use crate::message::{Message, ToolCall, Usage};
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::ports::{AbortSignal, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use crate::run::input::Reply;
use crate::testing::Gate;

/// One answer of the script.
#[derive(Debug, Clone, Default)]
pub struct Line {
    text: String,
    deltas: Vec<String>,
    calls: Vec<ToolCall>,
    usage: Usage,
    stop_reason: Option<String>,
    fails: Option<ModelError>,
    /// Stands here before the first piece, and here after the last.
    before: Option<Gate>,
    after: Option<Gate>,
}

impl Line {
    pub fn text(text: impl Into<String>) -> Self {
        Line { text: text.into(), ..Line::default() }
    }

    /// The text comes in these pieces.
    pub fn deltas<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let deltas: Vec<String> = pieces.into_iter().map(str::to_owned).collect();
        Line { text: deltas.concat(), deltas, ..Line::default() }
    }

    pub fn call(tool: &str, id: &str, arguments: impl Into<Json>) -> Self {
        Line::default().and_call(tool, id, arguments)
    }

    pub fn and_call(mut self, tool: &str, id: &str, arguments: impl Into<Json>) -> Self {
        let id = (!id.is_empty()).then(|| id.to_owned());
        self.calls.push(ToolCall { id, ..ToolCall::new(tool, arguments.into()) });
        self
    }

    /// A call with exactly this text as its arguments.
    pub fn and_raw_call(mut self, tool: &str, id: &str, arguments: &str) -> Self {
        self.calls.push(ToolCall::from_model(tool, Some(id.to_owned()), arguments));
        self
    }

    pub fn tokens(mut self, tokens_in: u64, tokens_out: u64) -> Self {
        self.usage = Usage { tokens_in, tokens_out, ..self.usage };
        self
    }

    pub fn cost(mut self, cost: f64) -> Self {
        self.usage.cost = Some(cost);
        self
    }

    /// Why the model stopped, in a provider's word.
    pub fn stopped(mut self, reason: &str) -> Self {
        self.stop_reason = Some(reason.to_owned());
        self
    }

    pub fn failure(kind: ModelErrorKind, message: &str) -> Self {
        Line::failed_with(ModelError::new(kind, message))
    }

    pub fn failed_with(error: ModelError) -> Self {
        Line { fails: Some(error), ..Line::default() }
    }

    /// Shows these pieces, and then the stream breaks.
    pub fn cut<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let failure = ModelError::new(ModelErrorKind::Cut, "the stream ended early");
        Line { fails: Some(failure), ..Line::deltas(pieces) }
    }

    /// Waits at the gate before it shows anything.
    pub fn after_gate(mut self, gate: &Gate) -> Self {
        self.before = Some(gate.clone());
        self
    }

    /// Waits at the gate when all is shown, before the answer is finished.
    pub fn then_gate(mut self, gate: &Gate) -> Self {
        self.after = Some(gate.clone());
        self
    }
}

/// What a model was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub purpose: Purpose,
    pub system_prompt: String,
    pub messages: Vec<Message>,
    pub tools: Vec<String>,
}

impl Seen {
    /// The texts of the messages, in order.
    pub fn texts(&self) -> Vec<&str> {
        self.messages.iter().map(|message| message.text.as_str()).collect()
    }
}

/// Clones are the same model. When the script is at its end, it answers with an error that says so.
#[derive(Clone)]
pub struct ScriptedModel {
    name: String,
    script: Arc<Mutex<Script>>,
}

struct Script {
    lines: VecDeque<Line>,
    rule: Option<Arc<dyn Rule>>,
    seen: Vec<Seen>,
}

/// A closure `Fn(usize, &Seen) -> Line` is one.
trait Rule: MaybeSend + MaybeSync {
    fn answer(&self, number: usize, seen: &Seen) -> Line;
}

impl<F: Fn(usize, &Seen) -> Line + MaybeSend + MaybeSync> Rule for F {
    fn answer(&self, number: usize, seen: &Seen) -> Line {
        self(number, seen)
    }
}

impl ScriptedModel {
    pub fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        ScriptedModel::made(lines.into_iter().collect(), None)
    }

    /// Answers with what the function says, given the number of the call (from 0) and what was asked.
    pub fn by(rule: impl Fn(usize, &Seen) -> Line + MaybeSend + MaybeSync + 'static) -> Self {
        ScriptedModel::made(VecDeque::new(), Some(Arc::new(rule)))
    }

    fn made(lines: VecDeque<Line>, rule: Option<Arc<dyn Rule>>) -> Self {
        ScriptedModel {
            name: "scripted".to_owned(),
            script: Arc::new(Mutex::new(Script { lines, rule, seen: Vec::new() })),
        }
    }

    /// Adds to the script.
    pub fn push(&self, line: Line) {
        self.script().lines.push_back(line);
    }

    /// Everything it was asked, in order.
    pub fn seen(&self) -> Vec<Seen> {
        self.script().seen.clone()
    }

    pub fn calls(&self) -> usize {
        self.script().seen.len()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, seen: &Seen) -> Line {
        let (number, rule) = {
            let mut script = self.script();
            let number = script.seen.len();
            script.seen.push(seen.clone());
            if let Some(line) = script.lines.pop_front() {
                return line;
            }
            (number, script.rule.clone())
        };
        match rule {
            Some(rule) => rule.answer(number, seen),
            None => Line::failure(ModelErrorKind::Config, "the script of this model has no answers left"),
        }
    }
}

impl ModelAdapter for ScriptedModel {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        _: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let line = self.next(&Seen {
            purpose: request.purpose,
            system_prompt: request.system_prompt.to_owned(),
            messages: request.messages.iter().cloned().collect(),
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
        });
        Box::pin(async move {
            if let Some(gate) = &line.before {
                gate.pass().await;
            }
            for piece in &line.deltas {
                deltas.text(piece);
            }
            if let Some(gate) = &line.after {
                gate.pass().await;
            }
            if let Some(error) = line.fails {
                return Err(error);
            }
            let mut message = Message::agent(line.text);
            message.tool_calls = (!line.calls.is_empty()).then_some(line.calls);
            Ok(Reply {
                messages: vec![message],
                usage: line.usage,
                stop_reason: line.stop_reason,
                ..Reply::default()
            })
        })
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedModel({} calls)", self.calls())
    }
}
