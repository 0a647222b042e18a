//! What the runtime's tests have in common.

use std::borrow::Borrow;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use glove_wasm::event::Event;
use glove_wasm::json::Json;
use glove_wasm::message::{Message, Sender, ToolStatus};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{StoreAdapter, Tool, ToolContext};
use glove_wasm::runtime::{Glove, GloveBuilder};
use glove_wasm::testing::{FakeClock, Gate, ScriptedModel, SequentialIds};
use serde_json::{Value, json};

pub use crate::support::wait::block_on;

pub fn builder(model: &ScriptedModel, store: impl StoreAdapter + 'static) -> GloveBuilder {
    numbered(model, store, "id")
}

/// With ids that begin with `prefix`, as another process has other ids.
pub fn numbered(model: &ScriptedModel, store: impl StoreAdapter + 'static, prefix: &str) -> GloveBuilder {
    let (clock, ids) = (Arc::new(FakeClock::at(1_000)), Arc::new(SequentialIds::new(prefix)));
    GloveBuilder::new(Arc::new(model.clone()), clock, ids).store(store)
}

pub fn no_arguments() -> Value {
    json!({})
}

/// A tool that notes each run and returns its own name.
pub fn noting(name: &'static str, notes: &Notes) -> Tool {
    let notes = notes.clone();
    Tool::new(name, "notes", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
        notes.add(name);
        async move { format!("{name} done") }
    })
}

/// A tool that stands at a gate before it returns.
pub fn gated(name: &'static str, notes: &Notes, gate: &Gate) -> Tool {
    let (notes, gate) = (notes.clone(), gate.clone());
    Tool::new(name, "waits", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
        let (notes, pass) = (notes.clone(), gate.pass());
        async move {
            notes.add(&format!("{name} begins"));
            pass.await;
            notes.add(&format!("{name} ends"));
            format!("{name} done")
        }
    })
}

#[derive(Debug, Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub fn add(&self, note: &str) {
        self.0.lock().unwrap().push(note.to_owned());
    }

    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// The names of all events, and what matters of them.
pub fn listen(agent: &Glove) -> Notes {
    let notes = Notes::default();
    let inner = notes.clone();
    agent.subscribe(move |_: Option<&str>, event: &Event| inner.add(&told(event)));
    notes
}

fn told(event: &Event) -> String {
    match event {
        Event::TextDelta { text } => format!("text_delta {text}"),
        Event::ToolUse { id, name, .. } => format!("tool_use {name} {id}"),
        Event::ToolUseResult(result) => format!("tool_use_result {} {:?}", result.id, result.result.status),
        Event::RequestFinished { outcome, .. } => format!("request_finished {outcome}"),
        Event::QuestionAsked(question) => format!("question_asked {:?}", question.kind),
        Event::QuestionAnswered { allowed, .. } => format!("question_answered {allowed}"),
        Event::Error { code, .. } => format!("error {code}"),
        other => {
            let json = Json::of(other).unwrap().read::<Value>().unwrap();
            json.get("type").and_then(Value::as_str).unwrap().to_owned()
        }
    }
}

/// The record as lines that can be compared as a whole.
pub fn transcript(messages: &[impl Borrow<Message>]) -> Vec<String> {
    messages.iter().map(|message| line(message.borrow())).collect()
}

fn line(message: &Message) -> String {
    if message.tool_results.is_some() {
        let results = message.results().iter().map(|result| {
            let status = match result.result.status {
                ToolStatus::Success => "",
                ToolStatus::Error => "error: ",
                ToolStatus::Aborted => "aborted: ",
                ToolStatus::Pending => "pending: ",
            };
            let said = result.result.message.clone();
            let said = said.unwrap_or_else(|| {
                result.result.data.to_text().unwrap_or_else(|| result.result.data.to_string())
            });
            format!("{} {status}{said}", result.call_id.as_deref().unwrap_or_default())
        });
        return format!("results: {}", results.collect::<Vec<_>>().join(" | "));
    }
    let who = match message.sender {
        Sender::User => "user",
        Sender::Agent => "agent",
    };
    let partial = if message.partial { " (partial)" } else { "" };
    let calls: String =
        message.calls().iter().map(|call| format!(" [{} {}]", call.tool_name, call.id())).collect();
    format!("{who}{partial}: {}{calls}", message.text)
}

/// Something that was asked, which a test can drive a little and leave standing.
pub struct Held<T> {
    future: BoxFuture<'static, T>,
    done: Option<T>,
}

pub fn held<T>(future: BoxFuture<'static, T>) -> Held<T> {
    Held { future, done: None }
}

impl<T: Unpin> Held<T> {
    /// Drives until nothing more can happen by itself, and says whether it still waits.
    pub fn stays_open(&mut self) -> bool {
        for _ in 0..20 {
            if self.done.is_none() {
                self.done = (&mut self.future).now_or_never();
            }
        }
        self.done.is_none()
    }

    /// Drives until `event` happens.
    pub async fn until(&mut self, event: impl Future<Output = ()>) {
        match select(&mut self.future, pin!(event)).await {
            Either::Left(_) => panic!("it ended before what was waited for"),
            Either::Right(_) => {}
        }
    }
}

impl<T: Unpin> Future for Held<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match self.done.take() {
            Some(done) => Poll::Ready(done),
            None => self.future.poll_unpin(context),
        }
    }
}

/// Every call in the record has exactly one result, right behind it.
pub fn assert_calls_are_answered(messages: &[Message]) {
    for (index, message) in messages.iter().enumerate() {
        let calls: Vec<&str> = message.calls().iter().map(|call| call.id()).collect();
        if calls.is_empty() {
            continue;
        }
        let results = messages.get(index + 1).map(Message::results).unwrap_or_default();
        let answered: Vec<&str> = results.iter().map(|result| result.call_id.as_deref().unwrap()).collect();
        assert_eq!(answered, calls);
    }
}
