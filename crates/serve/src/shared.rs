//! What all parts of the server share.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::heap_trim::HeapTrim;
use super::metrics::Metrics;
use super::peers::Peers;
use super::started_calls::StartedCalls;
use super::tasks::Tasks;
use crate::SessionDatabase;
use glove_wasm::error::ModelError;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{ModelAdapter, Tool};
use glove_wasm_native::AnswerBuffer;

type MakeModel = dyn Fn() -> Result<Arc<dyn ModelAdapter>, ModelError> + Send + Sync;
type MakeTools = dyn Fn(&str) -> Vec<Tool> + Send + Sync;
type Authorize = dyn Fn(Caller) -> BoxFuture<'static, Option<String>> + Send + Sync;
type Log = dyn Fn(&str) + Send + Sync;

/// Who calls, before the body is read.
#[derive(Debug, Clone)]
pub struct Caller {
    pub method: String,
    pub path: String,
    /// Their names in lower case.
    pub headers: Vec<(String, String)>,
    /// That of another server where it passes on what it was asked.
    pub address: SocketAddr,
}

impl Caller {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What the server takes upon itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Of one request; 8 MB unless given.
    pub body_bytes: usize,
    /// At once; 20,000 unless given, which is room for 10,000 that follow and for what they say. Others are answered with 503.
    pub connections: usize,
    /// Open at once; 1,000 unless given. Those that nobody uses make room for others.
    pub sessions: usize,
    /// So long runs go on when the server ends; 10 seconds unless given. What has not ended then goes on when its session is opened again.
    pub grace: Duration,
    /// So long after the model made a call of the endpoint's tools it may begin to run; 30 days unless given.
    pub tool_ticket: Duration,
    /// A client that reads nothing for this long is disconnected; 30 seconds by default. A follower of a session reconnects with
    /// `last-event-id`.
    pub slow_reader: Duration,
    /// So long the answer to a question of a tool waits, where the session was opened since, for the tool to ask that again; 10 seconds
    /// unless given.
    pub asked_again: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        ServerLimits {
            body_bytes: 8 * 1024 * 1024,
            connections: 20_000,
            sessions: 1_000,
            grace: Duration::from_secs(10),
            tool_ticket: Duration::from_secs(30 * 24 * 3600),
            slow_reader: Duration::from_secs(30),
            asked_again: Duration::from_secs(10),
        }
    }
}

pub(super) struct Shared {
    pub model: Box<MakeModel>,
    pub system_prompt: Option<String>,
    pub tools: Box<MakeTools>,
    /// Those of the endpoint, by the name of the caller.
    pub chat_tools: Option<Box<MakeTools>>,
    /// What their calls are signed with.
    pub tool_secret: String,
    pub tells_tool_failures: bool,
    pub started_calls: StartedCalls,
    /// `None` until it serves: then that of its database.
    pub answers: Option<Arc<dyn AnswerBuffer>>,
    pub authorize: Option<Box<Authorize>>,
    pub limits: ServerLimits,
    pub tasks: Option<Arc<Tasks>>,
    pub database: SessionDatabase,
    /// Where other servers reach this one; empty where it has its sessions for itself.
    pub address: String,
    /// What asks other servers.
    pub peers: Peers,
    pub log: Box<Log>,
    pub metrics: Arc<Metrics>,
    pub memory: HeapTrim,
    /// True from the moment on at which the server is told to end.
    pub ending: watch::Sender<bool>,
}
