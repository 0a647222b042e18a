//! A server, a store and ids that are the same everywhere, and the log of what they were told.

use std::collections::VecDeque;
use std::future::{pending, ready};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use glove_wasm::error::StoreError;
use glove_wasm::http::{Http, HttpRequest, HttpResponse};
use glove_wasm::json::Json;
use glove_wasm::message::{InboxItem, Task};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Durability, IdSource, Loaded, PermissionStatus, StoreAdapter};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::store::MemoryStore;

use super::scenario::{Answer, compact};
use crate::support::strict::expect_taken_at;

#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    /// In the order of the alphabet.
    pub fn move_to(&self, other: &Log) {
        let mut lines = self.0.lock().unwrap();
        lines.sort();
        other.0.lock().unwrap().append(&mut lines);
    }

    pub fn text(&self) -> String {
        let mut text = self.0.lock().unwrap().join("\n");
        text.push('\n');
        text
    }
}

/// The n-th id is n, in the twenty letters that the core of a page makes of random bytes.
#[derive(Default)]
pub struct CountedIds(AtomicU64);

impl IdSource for CountedIds {
    fn fresh(&self) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let mut rest = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut id = [LETTERS[0]; 20];
        for letter in id.iter_mut().rev() {
            *letter = LETTERS[(rest % 32) as usize];
            rest /= 32;
        }
        String::from_utf8(id.to_vec()).unwrap()
    }
}

pub struct Server {
    log: Log,
    answers: Mutex<VecDeque<Answer>>,
}

impl Server {
    pub fn new(log: Log, answers: Vec<Answer>) -> Self {
        Server { log, answers: Mutex::new(answers.into()) }
    }
}

impl Http for Server {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        expect_taken_at(&request);
        self.log.add(format!("model {}", request.body));
        let answer = self.answers.lock().unwrap().pop_front();
        let streamed = match answer {
            Some(answer) => {
                Streamed { status: answer.status.unwrap_or(200), holds: answer.holds, chunks: chunks(answer) }
            }
            None => Streamed { status: 500, holds: false, chunks: VecDeque::new() },
        };
        Box::pin(ready(Ok(Box::new(streamed) as Box<dyn HttpResponse>)))
    }
}

/// The events of an endpoint.
fn chunks(answer: Answer) -> VecDeque<String> {
    let Answer { text, deltas, calls, tokens, error, cut, holds, .. } = answer;
    let deltas = deltas.unwrap_or_else(|| text.into_iter().collect());
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let mut events: Vec<String> =
        deltas.iter().map(|text| format!(r#"{{"type":"text_delta","text":{}}}"#, quoted(text))).collect();
    let mut called = Vec::new();
    for call in &calls {
        let (name, id, input) = (quoted(&call.name), quoted(&call.id), compact(call.input.get()));
        called.push(format!(r#"{{"tool_name":{name},"input_args":{input},"id":{id}}}"#));
        if !holds {
            events.push(format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{input}}}"#));
        }
    }
    if let Some(error) = error {
        let fields = compact(error.get());
        events.push(format!(r#"{{"type":"error",{}"#, fields.trim_start_matches('{')));
    } else if !cut && !holds {
        let calls = if called.is_empty() {
            String::new()
        } else {
            format!(r#","tool_calls":[{}]"#, called.join(","))
        };
        let (tokens_in, tokens_out) = tokens.unwrap_or((10, 5));
        events.push(format!(
            r#"{{"type":"done","message":{{"sender":"agent","text":{}{calls}}},"tokens_in":{tokens_in},"tokens_out":{tokens_out}}}"#,
            quoted(&deltas.concat()),
        ));
    }
    events.into_iter().map(|event| format!("data: {event}\n\n")).collect()
}

struct Streamed {
    status: u16,
    chunks: VecDeque<String>,
    holds: bool,
}

impl HttpResponse for Streamed {
    fn status(&self) -> u16 {
        self.status
    }

    fn header(&self, name: &str) -> Option<String> {
        (name == "content-type").then(|| "text/event-stream".to_owned())
    }

    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>> {
        match self.chunks.pop_front() {
            Some(chunk) => Box::pin(ready(Ok(Some(chunk.into_bytes())))),
            None if self.holds => Box::pin(pending()),
            None => Box::pin(ready(Ok(None))),
        }
    }
}

/// Writes down what it is told.
pub struct Journal {
    log: Log,
    inner: MemoryStore,
}

impl Journal {
    pub fn new(log: Log, inbox: Vec<InboxItem>) -> Self {
        let inner = MemoryStore::new("s");
        for item in inbox {
            inner.add_inbox_item(item);
        }
        Journal { log, inner }
    }
}

impl StoreAdapter for Journal {
    fn identifier(&self) -> String {
        self.inner.identifier()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        self.inner.load()
    }

    fn append(
        &self,
        step: Unsaved<'_>,
        durability: Durability,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let checkpoint = step.checkpoint.as_ref().map_or_else(String::new, |text| {
            format!(r#","checkpoint":{}"#, serde_json::to_string(text).unwrap())
        });
        self.log.add(format!(
            r#"write {} {{"firstMessage":{},"messages":{},"records":{}{checkpoint},"seq":{}}}"#,
            if durability == Durability::Strict { "strict" } else { "relaxed" },
            step.first_message,
            serde_json::to_string(step.messages).unwrap(),
            serde_json::to_string(step.records).unwrap(),
            step.seq,
        ));
        self.inner.append(step, durability)
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        self.inner.permission(tool, input)
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        self.log.add(format!("permission {tool} {}", if granted { "granted" } else { "denied" }));
        self.inner.set_permission(tool, input, granted)
    }

    fn keeps_tasks(&self) -> bool {
        true
    }

    fn tasks(&self) -> BoxFuture<'static, Result<Vec<Task>, StoreError>> {
        self.inner.tasks()
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> BoxFuture<'static, Result<(), StoreError>> {
        self.log.add(format!("tasks {}", serde_json::to_string(&tasks).unwrap()));
        self.inner.set_tasks(tasks)
    }

    fn keeps_inbox(&self) -> bool {
        true
    }

    fn inbox(&self) -> BoxFuture<'static, Result<Vec<InboxItem>, StoreError>> {
        self.inner.inbox()
    }

    fn consume_inbox(&self, ids: &[String]) -> BoxFuture<'static, Result<(), StoreError>> {
        for id in ids {
            self.log.add(format!("inbox {id} consumed"));
        }
        self.inner.consume_inbox(ids)
    }
}
