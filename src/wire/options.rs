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
pub struct SessionOptions {
    pub session_id: String,
    pub system_prompt: String,
    pub tools: Vec<PageTool>,
    #[json(default)]
    pub compaction: Compaction,
    #[json(default)]
    pub limits: Limits,
    #[json(default)]
    pub budgets: Budgets,
    /// What models cost.
    #[json(default)]
    pub prices: Prices,
    pub model: ModelOptions,
    #[json(default)]
    pub keeps: Keeps,
    #[json(default)]
    pub resume: Resume,
    /// Whether the model gets a task list in any case, or in none; else it gets one beside other tools.
    pub tasks: Option<bool>,
    /// Keeps every input, for `recorded`.
    #[json(default)]
    pub record: bool,
}

/// What may change while a session lives.
#[derive(Debug, Clone, Read)]
#[json(rename_all = "camelCase")]
pub struct Changes {
    pub system_prompt: Option<String>,
    pub tools: Option<Vec<PageTool>>,
    pub compaction: Option<Compaction>,
    pub limits: Option<Limits>,
    pub budgets: Option<Budgets>,
    pub prices: Option<Prices>,
    pub model: Option<ModelOptions>,
}

/// Whether the store of the page (`host.load`, `host.append`, …) keeps these.
#[derive(Debug, Clone, Copy, Default, Read, Ts)]
#[ts(inline, input)]
pub struct Keeps {
    #[json(default)]
    pub tasks: bool,
    #[json(default)]
    pub inbox: bool,
    #[json(default)]
    pub permissions: bool,
}

/// `manual`: a run that was going on when its page died waits for `resume()` (phase `interrupted`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum Resume {
    Auto,
    Manual,
}

/// Where the model is.
#[derive(Debug, Clone, Read, Ts)]
#[ts(input)]
pub enum ModelOptions {
    /// In the page: `host.prompt`.
    Host { name: String },
    /// Behind HTTP: `host.fetch`.
    Http(HttpModelOptions),
}

/// An endpoint.
#[derive(Debug, Clone, Read, Ts)]
#[ts(input)]
pub struct HttpModelOptions {
    pub name: String,
    pub url: String,
    /// Earlier reasoning is sent back; without it none ever leaves.
    #[json(default)]
    pub reasoning: bool,
    #[json(default)]
    pub policy: Policy,
}

/// A tool of the page: what the core needs to know of it, and what a model is told.
#[derive(Debug, Clone)]
pub struct PageTool {
    pub described: Described,
    pub spec: ToolSpec,
}

#[derive(Debug, Clone, Read, Ts)]
#[ts(inline, input)]
pub struct Described {
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Json,
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

#[cfg(feature = "typescript")]
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
