//! What adds context and tools before each call of the model, and chooses who answers it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use crate::json::Json;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::ports::{Function, ModelAdapter, Tool};
use crate::runtime::session::Session;

/// What a plugin gets before a call of the model.
#[derive(Debug, Clone)]
pub struct PluginRound {
    /// What the person wrote, or the reason of a prompt that nobody wrote.
    pub input: Option<String>,
    /// What the plugin keeps.
    pub state: Option<Json>,
    pub session: Session,
}

/// What a plugin adds to one call of the model.
#[derive(Clone, Default)]
pub struct PluginShare {
    pub(super) context: Vec<String>,
    pub(super) tools: Vec<Tool>,
    pub(super) state: Option<Json>,
    pub(super) model: Option<Arc<dyn ModelAdapter>>,
}

impl PluginShare {
    pub fn new() -> Self {
        PluginShare::default()
    }

    /// Adds text behind the system prompt.
    pub fn context(mut self, text: impl Into<String>) -> Self {
        self.context.push(text.into());
        self
    }

    /// Adds a tool. A name that is taken already fails the plugin.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Has this call made by another model. Of several plugins, the last one that asks decides.
    pub fn model(mut self, model: Arc<dyn ModelAdapter>) -> Self {
        self.model = Some(model);
        self
    }

    /// Keeps this with the session, until something else is kept.
    pub fn keep(mut self, state: impl Into<Json>) -> Self {
        self.state = Some(state.into());
        self
    }
}

impl fmt::Debug for PluginShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginShare")
            .field("context", &self.context)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

type Prepare = dyn Function<PluginRound, BoxFuture<'static, Result<PluginShare, String>>>;

/// Adds context and tools before each call of the model. What it adds holds for that call alone.
#[derive(Clone)]
pub struct Plugin {
    pub(super) id: String,
    pub(super) required: bool,
    pub(super) prepare: Arc<Prepare>,
}

impl Plugin {
    /// `id` names what it keeps; two plugins of an agent cannot have the same.
    pub fn new<F, R>(id: impl Into<String>, prepare: F) -> Self
    where
        F: Fn(PluginRound) -> R + MaybeSend + MaybeSync + 'static,
        R: Future<Output = Result<PluginShare, String>> + MaybeSend + 'static,
    {
        let prepare: Arc<Prepare> =
            Arc::new(move |round: PluginRound| -> BoxFuture<'static, _> { Box::pin(prepare(round)) });
        Plugin { id: id.into(), required: false, prepare }
    }

    /// A request pauses when it fails; otherwise it goes on without what the plugin adds.
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").field("id", &self.id).finish_non_exhaustive()
    }
}
