//! What the server is made of, and its life.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;

use super::answers::Answers;
use super::connections;
use super::peers::Peers;
use super::sessions::Sessions;
use super::shared::{Caller, ServerLimits, Shared};
use super::started_calls::StartedCalls;
use super::takeover;
use super::tasks::{ServedTasks, Tasks};
use crate::SessionDatabase;
use glove_wasm::error::ModelError;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{IdSource, ModelAdapter, Tool};
use glove_wasm::system::RandomIds;
use glove_wasm_native::AnswerBuffer;

/// Whoever has something that is signed can try secrets until one fits: a shorter one would be found.
pub const SHORTEST_SECRET: usize = 32;

/// A server over HTTP: `POST /api/chat` is the endpoint that pages ask a model through, and below `/api/sessions` are sessions that
/// live here.
pub struct Server {
    shared: Shared,
    has_tool_secret: bool,
}

impl Server {
    /// `model` makes one for each session and each call of the endpoint: what a model remembers of a conversation is nothing for another.
    pub fn new(
        database: impl Into<SessionDatabase>,
        model: impl Fn() -> Result<Arc<dyn ModelAdapter>, ModelError> + Send + Sync + 'static,
    ) -> Self {
        let shared = Shared {
            model: Box::new(model),
            system_prompt: None,
            tools: Box::new(|_| Vec::new()),
            chat_tools: None,
            tool_secret: RandomIds.fresh() + &RandomIds.fresh(),
            tells_tool_failures: false,
            started_calls: StartedCalls::default(),
            answers: None,
            authorize: None,
            limits: ServerLimits::default(),
            tasks: None,
            database: database.into(),
            address: String::new(),
            peers: Peers::default(),
            log: Box::new(|_| {}),
            metrics: Arc::default(),
            memory: Default::default(),
            ending: watch::Sender::new(false),
        };
        Server { shared, has_tool_secret: false }
    }

    /// The instructions of all sessions. Takes the place of what a client of the endpoint sends.
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.shared.system_prompt = Some(prompt.into());
        self
    }

    /// The tools of a session, by its id.
    pub fn tools(mut self, tools: impl Fn(&str) -> Vec<Tool> + Send + Sync + 'static) -> Self {
        self.shared.tools = Box::new(tools);
        self
    }

    /// The tools of the endpoint for pages, by the name of the caller (empty without [`authorize`](Self::authorize)): pages add them
    /// to their own with `serverTools("/api/chat")`, and they run here. They ask nobody while they run; what needs a person is asked in the page,
    /// before. A caller can answer that without a person, so a tool has to check itself what its caller may do.
    pub fn chat_tools(mut self, tools: impl Fn(&str) -> Vec<Tool> + Send + Sync + 'static) -> Self {
        self.shared.chat_tools = Some(Box::new(tools));
        self
    }

    /// What calls of the endpoint's tools and stream tokens of tasks are signed with: a random text of at least [`SHORTEST_SECRET`] characters,
    /// the same on all servers of an application; `serve` fails with a shorter one. A random one of this process unless given: then calls that
    /// wait for a person do not outlive the server.
    pub fn tool_secret(mut self, secret: impl Into<String>) -> Self {
        self.shared.tool_secret = secret.into();
        self.has_tool_secret = true;
        self
    }

    /// Tells clients in a tool's own words why it failed. Otherwise those go to the log alone.
    pub fn tell_tool_failures(mut self) -> Self {
        self.shared.tells_tool_failures = true;
        self
    }

    /// Where answers of the endpoint are kept for clients that lost their connection, instead of in the server's database, or in
    /// memory where that is SQLite.
    pub fn answers(mut self, buffer: impl AnswerBuffer + 'static) -> Self {
        self.shared.answers = Some(Arc::new(buffer));
        self
    }

    /// Works on tasks, too: below `/agent/tasks`.
    pub fn tasks(mut self, tasks: ServedTasks) -> Self {
        self.shared.tasks = Some(Arc::new(Tasks::new(tasks)));
        self
    }

    /// Says who calls; `None` is refused with 401. Each has sessions of their own. Without this, everybody who reaches the server may use
    /// it, and browsers only under the name of this machine.
    pub fn authorize(
        mut self,
        authorize: impl Fn(Caller) -> BoxFuture<'static, Option<String>> + Send + Sync + 'static,
    ) -> Self {
        self.shared.authorize = Some(Box::new(authorize));
        self
    }

    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.shared.limits = limits;
        self
    }

    /// Where other servers with the same database reach this one, as `http://host:port`. Needed where it listens at all addresses of its
    /// machine; otherwise the one at which it listens is taken.
    pub fn address(mut self, url: impl Into<String>) -> Self {
        self.shared.address = url.into();
        self
    }

    /// Told in a sentence what went wrong, with what clients are not told.
    pub fn log(mut self, log: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.shared.log = Box::new(log);
        self
    }

    /// Serves until `shutdown` is done: then takes no further connections, ends the event streams, waits for runs as long as it may, and
    /// lets the sessions go. Has to be called in a runtime of tokio.
    pub async fn serve(
        mut self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        self.check_secret()?;
        self.say_where(&listener)?;
        self.say_whose_tickets();
        let buffer = self.shared.answers.take().unwrap_or_else(|| self.shared.database.answers());
        let shared = Arc::new(self.shared);
        let sessions = Arc::new(Sessions::new(Arc::clone(&shared), Answers::new(buffer)));
        let taking_over =
            shared.database.is_shared().then(|| tokio::spawn(takeover::watch(Arc::clone(&sessions))));
        let served = connections::accept(&sessions, &listener, shutdown).await;
        drop(listener);
        if let Some(taking_over) = taking_over {
            taking_over.abort();
        }
        shared.ending.send_replace(true);
        let tasks = async {
            if let Some(tasks) = &shared.tasks {
                tasks.close(shared.limits.grace).await;
            }
        };
        futures_util::future::join(sessions.close(shared.limits.grace), tasks).await;
        let until = tokio::time::Instant::now() + shared.limits.grace;
        while shared.metrics.connections.load(Ordering::Relaxed) > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        served
    }

    fn check_secret(&self) -> io::Result<()> {
        let letters = self.shared.tool_secret.chars().count();
        if letters >= SHORTEST_SECRET {
            return Ok(());
        }
        let message = format!(
            "`Server::tool_secret` has {letters} characters and needs at least {SHORTEST_SECRET}: whoever has a ticket or a stream token can guess a short one; generate a random one"
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }

    /// Where a client's next request may reach another server, a secret of this process makes tickets that fail there.
    fn say_whose_tickets(&self) {
        let shared = &self.shared;
        if shared.database.is_shared() && shared.chat_tools.is_some() && !self.has_tool_secret {
            (shared.log)(
                "calls of the endpoint's tools are signed with a secret of this process alone, so other servers of the database refuse them (TOOL_CALL_UNKNOWN); give all servers the same: `GLOVE_TOOL_SECRET`, or `Server::tool_secret`",
            );
        }
    }

    /// To the other servers that have the same sessions.
    fn say_where(&mut self, listener: &TcpListener) -> io::Result<()> {
        let shared = &mut self.shared;
        if !shared.database.is_shared() {
            return Ok(());
        }
        if shared.address.is_empty() {
            let address = listener.local_addr()?;
            if address.ip().is_unspecified() {
                let message = "the server listens at all addresses; say which one other servers reach it at";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            shared.address = format!("http://{address}");
        }
        shared.database = shared.database.clone().at_address(&shared.address);
        Ok(())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("limits", &self.shared.limits).finish_non_exhaustive()
    }
}
