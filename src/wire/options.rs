//! What a session is made of.

use crate::http::retry::Policy;
use crate::json::Json;
use crate::json::codec::{Done, Read, Ts, Write};
use crate::json::reader::Reader;
use crate::prices::Prices;
use crate::run::settings::{Budgets, Compaction, Limits};
use crate::tool::ToolSpec;

/// What a session is made of, as JSON text for `new CoreSession(options, host)`.
#[derive(Debug, Clone, Read, Ts)]
#[json(rename_all = "camelCase")]
#[ts(input)]
pub(crate) struct SessionOptions {
    pub(crate) session_id: String,
    pub(crate) system_prompt: String,
    pub(crate) tools: Vec<PageTool>,
    #[json(default)]
    pub(crate) compaction: Compaction,
    #[json(default)]
    pub(crate) limits: Limits,
    #[json(default)]
    pub(crate) budgets: Budgets,
    /// What models cost.
    #[json(default)]
    pub(crate) prices: Prices,
    pub(crate) model: ModelOptions,
    #[json(default)]
    pub(crate) keeps: Keeps,
    #[json(default)]
    pub(crate) resume: Resume,
    /// Whether the model gets a task list in any case, or in none; else it gets one beside other tools.
    pub(crate) tasks: Option<bool>,
    /// Keeps every input, for `recorded`.
    #[json(default)]
    pub(crate) record: bool,
}

/// What may change while a session lives.
#[derive(Debug, Clone, Read)]
#[json(rename_all = "camelCase")]
pub(crate) struct Changes {
    pub(crate) system_prompt: Option<String>,
    pub(crate) tools: Option<Vec<PageTool>>,
    pub(crate) compaction: Option<Compaction>,
    pub(crate) limits: Option<Limits>,
    pub(crate) budgets: Option<Budgets>,
    pub(crate) prices: Option<Prices>,
    pub(crate) model: Option<ModelOptions>,
}

/// Whether the store of the page (`host.load`, `host.append`, …) keeps these.
#[derive(Debug, Clone, Copy, Default, Read, Ts)]
#[ts(inline, input)]
pub(crate) struct Keeps {
    #[json(default)]
    pub(crate) tasks: bool,
    #[json(default)]
    pub(crate) inbox: bool,
    #[json(default)]
    pub(crate) permissions: bool,
}

/// `manual`: a run that was going on when its page died waits for `resume()` (phase `interrupted`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub(crate) enum Resume {
    Auto,
    Manual,
}

/// Where the model is.
#[derive(Debug, Clone, Read, Ts)]
#[ts(input)]
pub(crate) enum ModelOptions {
    /// In the page: `host.prompt`.
    Host { name: String },
    /// Behind HTTP: `host.fetch`.
    Http(HttpModelOptions),
}

/// An endpoint.
#[derive(Debug, Clone, Read, Ts)]
#[ts(input)]
pub(crate) struct HttpModelOptions {
    pub(crate) name: String,
    pub(crate) url: String,
    /// Earlier reasoning is sent back; without it none ever leaves.
    #[json(default)]
    pub(crate) reasoning: bool,
    #[json(default)]
    pub(crate) policy: Policy,
}

/// A tool of the page: what the core needs to know of it, and what a model is told.
#[derive(Debug, Clone)]
pub(crate) struct PageTool {
    pub(crate) described: Described,
    pub(crate) spec: ToolSpec,
}

#[derive(Debug, Clone, Read, Ts)]
#[ts(inline, input)]
pub(crate) struct Described {
    pub(crate) description: String,
    /// JSON Schema of the arguments.
    pub(crate) schema: Json,
}

impl Read for PageTool {
    fn blank() -> Self {
        PageTool { described: Described::blank(), spec: ToolSpec::blank() }
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        // Each passes over what is the other's.
        let mut again = *from;
        self.described.read(&mut again)?;
        self.spec.read(from)
    }
}

#[cfg(test)]
impl crate::json::codec::ts::Ts for PageTool {
    fn ts(_: bool) -> String {
        "PageTool".to_owned()
    }

    fn declaration() -> String {
        let described = Described::fields();
        let mut fields = ToolSpec::fields();
        fields.extend(described);
        let docs = "A tool of the page: what the core needs to know of it, and what a model is told.";
        crate::json::codec::ts::interface(docs, "PageTool", &fields, false, false)
    }
}
