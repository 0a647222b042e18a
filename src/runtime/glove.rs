//! The agent that applications build from a model, tools and a store.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ToolDefinitionError};
use crate::event::Question;
use crate::message::Message;
use crate::ports::{Clock, IdSource, ModelAdapter, StoreAdapter, Subscriber, Tool, ToolHost, Tools};
use crate::prices::Prices;
use crate::run::settings::{Budgets, Compaction, Limits, Settings};
use crate::runtime::display::DisplayManager;
use crate::runtime::listeners::Subscription;
use crate::runtime::plugins::{Plugin, Plugins};
use crate::runtime::response::{Prompt, Response};
use crate::runtime::session::{Parts, ResponseFuture, Session};
use crate::store::MemoryStore;

/// An agent. Clones are the same agent.
///
/// ```
/// use glove_wasm::display::Slot;
/// use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
/// use glove_wasm::json::Json;
/// use glove_wasm::runtime::Glove;
/// use glove_wasm::store::MemoryStore;
/// use glove_wasm::testing::{Line, ScriptedModel};
/// use serde_json::json;
///
/// #[derive(serde::Deserialize)]
/// struct Greet {
///     name: String,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = ScriptedModel::new([Line::call("greet", "c1", json!({ "name": "Don" })), Line::text("Done.")]);
/// let schema = json!({
///     "type": "object",
///     "properties": { "name": { "type": "string" } },
///     "required": ["name"]
/// });
/// let greet = Tool::new("greet", "Greet someone by name", schema, async |input: Greet, tool: ToolContext| {
///     let question = json!({ "message": "Greeting style:", "options": ["formal", "casual"] });
///     let style: String = tool.display.push_and_wait("select", &question).await?;
///     let greeting = if style == "formal" { "Good day" } else { "Hey" };
///     Ok::<_, ToolFailure>(format!("{greeting}, {}!", input.name))
/// });
///
/// let agent = Glove::builder(model)
///     .system_prompt("You are a helpful assistant.")
///     .store(MemoryStore::new("my-agent"))
///     .fold(greet)
///     .build()?;
///
/// // Whatever draws the display stack answers through it.
/// let display = agent.display().clone();
/// agent.display().subscribe(move |stack: &[Slot]| {
///     if let Some(question) = stack.last().filter(|slot| slot.waits) {
///         let _ = display.resolve(&question.id, Json::string("formal"));
///     }
/// });
///
/// # futures_executor::block_on(async {
/// let response = agent.process_request("greet Don").await?;
/// # assert_eq!(response.text(), "Done.");
/// # let results = agent.messages()[2].results().to_vec();
/// # assert_eq!(results[0].result.data, Json::string("Good day, Don!"));
/// # Ok(())
/// # })
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Glove {
    session: Session,
    plugins: Option<Plugins>,
}

/// Builds an agent.
pub struct GloveBuilder {
    model: Arc<dyn ModelAdapter>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    store: Option<Arc<dyn StoreAdapter>>,
    system_prompt: String,
    tools: Tools,
    tool_host: Option<Arc<dyn ToolHost>>,
    plugins: Vec<Plugin>,
    refused: Option<ToolDefinitionError>,
    settings: Settings,
    prices: Prices,
    subscribers: Vec<Arc<dyn Subscriber>>,
}

impl GloveBuilder {
    /// For hosts that bring their own clock and randomness; native programs use `Glove::builder`.
    pub fn new(model: Arc<dyn ModelAdapter>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        GloveBuilder {
            model,
            clock,
            ids,
            store: None,
            system_prompt: String::new(),
            tools: Tools::new(),
            tool_host: None,
            plugins: Vec::new(),
            refused: None,
            settings: Settings::default(),
            prices: Prices::default(),
            subscribers: Vec::new(),
        }
    }

    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = prompt.into();
        self
    }

    /// Where the conversation is stored; default in memory.
    pub fn store(mut self, store: impl StoreAdapter + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Adds a tool. `build` fails if the tool is invalid.
    pub fn fold(mut self, tool: Tool) -> Self {
        if let Err(error) = self.tools.register(tool) {
            self.refused.get_or_insert(error);
        }
        self
    }

    /// Whoever runs the calls, in the place of the tools that were folded: with rules of its own about which of them may run.
    pub fn tool_host(mut self, host: impl ToolHost + 'static) -> Self {
        self.tool_host = Some(Arc::new(host));
        self
    }

    /// Adds context and tools before each call of the model.
    pub fn plugin(mut self, plugin: Plugin) -> Self {
        self.plugins.push(plugin);
        self
    }

    /// Whether the model gets a task list: `true` even without other tools, `false` never.
    pub fn tasks(mut self, wanted: bool) -> Self {
        self.tools.want_tasks(wanted);
        self
    }

    pub fn subscriber(mut self, subscriber: impl Subscriber + 'static) -> Self {
        self.subscribers.push(Arc::new(subscriber));
        self
    }

    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.ids = Arc::new(ids);
        self
    }

    pub fn compaction(mut self, compaction: Compaction) -> Self {
        self.settings.compaction = compaction;
        self
    }

    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    pub fn budgets(mut self, budgets: Budgets) -> Self {
        self.settings.budgets = budgets;
        self
    }

    /// What models cost, by their names, for the `cost` of usages and budgets.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    pub fn build(self) -> Result<Glove, Error> {
        if let Some(refused) = self.refused {
            return Err(Error::Tool(refused));
        }
        let store =
            self.store.unwrap_or_else(|| Arc::new(MemoryStore::new(format!("glove_{}", self.ids.fresh()))));
        let tools = self.tool_host.unwrap_or_else(|| Arc::new(self.tools));
        let plugins = match self.plugins.is_empty() {
            true => None,
            false => Some(Plugins::new(self.plugins, Arc::clone(&tools))?),
        };
        let session = Session::new(Parts {
            model: self.model,
            system_prompt: self.system_prompt,
            store,
            tools: plugins.as_ref().map_or(tools, |plugins| plugins.host(Tools::new())),
            clock: self.clock,
            ids: self.ids,
            settings: self.settings,
        })?;
        if let Some(plugins) = &plugins {
            plugins.prepare_for(&session);
        }
        session.set_prices(self.prices);
        for subscriber in self.subscribers {
            session.join(subscriber);
        }
        Ok(Glove { session, plugins })
    }
}

impl Glove {
    /// Sends a message and returns the agent's answer.
    pub fn process_request(&self, prompt: impl Into<Prompt>) -> ResponseFuture {
        self.session.request(prompt)
    }

    /// Undoes the last `steps` actions and returns how many were undone.
    pub async fn undo(&self, steps: u32) -> Result<Response, Error> {
        self.session.undo(steps).await
    }

    /// Allows a pending call and continues; `id` is that of the question or the call.
    pub async fn approve(&self, id: &str) -> Result<Response, Error> {
        self.session.approve(id).await
    }

    /// Rejects a pending call and continues.
    pub async fn reject(&self, id: &str, reason: Option<String>) -> Result<Response, Error> {
        self.session.reject(id, reason).await
    }

    /// Continues an unfinished run: after a pause, a failure, or the end of another process.
    pub async fn resume(&self) -> Result<Response, Error> {
        self.session.resume().await
    }

    /// Stops the current request.
    pub fn abort(&self) {
        self.session.abort();
    }

    pub fn set_model(&self, model: impl ModelAdapter + 'static) {
        self.session.set_model(Arc::new(model));
    }

    pub fn set_system_prompt(&self, prompt: &str) {
        self.session.set_system_prompt(prompt);
    }

    /// Replaces all tools, or none if one is invalid.
    pub fn replace_tools(&self, tools: Tools) -> Result<(), Error> {
        let tools: Arc<dyn ToolHost> = Arc::new(tools);
        match &self.plugins {
            None => self.session.replace_tools(tools),
            Some(plugins) => plugins.replace_tools(&self.session, tools),
        }
    }

    pub fn subscribe(&self, subscriber: impl Subscriber + 'static) -> Subscription {
        self.session.subscribe(subscriber)
    }

    pub fn display(&self) -> &DisplayManager {
        self.session.display()
    }

    pub fn messages(&self) -> Vec<Message> {
        self.session.messages()
    }

    pub fn questions(&self) -> Vec<Question> {
        self.session.questions()
    }

    /// The session of this agent, for everything else.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

impl fmt::Debug for GloveBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GloveBuilder")
            .field("tools", &self.tools)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
