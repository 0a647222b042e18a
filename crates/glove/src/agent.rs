//! The agent: a model, a session of the database, and tools for a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_executor::block_on;
use glove_wasm::event::Event;
use glove_wasm::json::Json;
use glove_wasm::ports::{IdSource, ModelAdapter, StoreAdapter, Tool, ToolContext, ToolFailure};
use glove_wasm::runtime::{Glove, GloveBuilder, Prompt, ResponseFuture, Subscription};
use glove_wasm::system::{RandomIds, SystemClock};
use glove_wasm_coding::Workspace;
use glove_wasm_native::Traces;
use glove_wasm_sqlite::{SqliteDatabase, SqliteStore};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use crate::allow_file::{AllowFile, Found, NAME};
use crate::config::data_folder;
use crate::failure::Failure;
use crate::guard::{Guard, Guarded};
use crate::modes::Modes;
use crate::project_notes::Notes;
use crate::project_skills::{Callable, Skills};
use crate::sessions::write;
use crate::terminal_text::in_line;
use crate::undo_folders;

/// A session that is open.
pub(crate) struct OpenAgent {
    pub agent: Glove,
    pub id: String,
    pub folder: PathBuf,
    pub workspace: Workspace,
    pub guard: Guard,
    /// What the project's rules were when it was opened.
    pub rules: Found,
    /// What it reads of the project, a line each.
    reads: Vec<String>,
    /// Its skills that the person calls.
    pub skills: Vec<Callable>,
    store: SqliteStore,
    record: Option<PathBuf>,
    pub traces: Traces,
    _subscription: Subscription,
}

/// Which session, and what is needed for it.
pub(crate) struct Parts<'a> {
    pub database: &'a SqliteDatabase,
    /// `None` for a new one.
    pub session: Option<String>,
    pub folder: &'a Path,
    pub model: Arc<dyn ModelAdapter>,
    pub system_prompt: Option<&'a str>,
    /// What commands find in their environment beside ordinary variables.
    pub variables: &'a [(String, String)],
    pub modes: Modes,
    /// Where its run is written when it is left.
    pub record: Option<PathBuf>,
}

impl OpenAgent {
    pub(crate) fn new(parts: Parts<'_>) -> Result<Self, Failure> {
        let Parts { database, session, folder, model, system_prompt, variables, modes, record } = parts;
        let workspace = Workspace::open(folder)
            .map_err(|error| Failure::new(format!("`{}`: {error}", folder.display())))?;
        give(&workspace, variables);
        let folder = workspace.path().to_owned();
        let id = session.clone().unwrap_or_else(|| RandomIds.fresh());
        let store = database.store(&id);
        if session.is_some() {
            // Before anything is shown: another program may be using it.
            block_on(store.acquire())?;
        }
        let notes = Notes::of(&folder);
        let skills = Skills::of(&folder);
        let system_prompt = system_prompt.map_or_else(|| instructions(&folder), str::to_owned);
        let system_prompt = skills.behind(notes.behind(system_prompt));
        let data = data_folder().ok();
        if let Some(data) = &data {
            workspace.keep_undo_in(undo_folders::of(data, &id));
        }
        let allow_file = AllowFile::new(&folder, data.as_deref());
        let rules = allow_file.load();
        let guard = Guard { workspace: workspace.clone(), modes, allow_file };
        let traces = Traces::new(&id);
        let model = traces.model(model);
        let mut guarded = Guarded::new(guard.clone(), store.clone());
        for tool in tools(&workspace) {
            guarded.register(traces.tool(tool))?;
        }
        let builder = GloveBuilder::new(model, Arc::new(SystemClock), Arc::new(RandomIds));
        let builder = builder.system_prompt(system_prompt).tool_host(guarded);
        let agent = builder.store(store.clone()).build()?;
        // What it was doing goes on when the user can see it.
        agent.session().resume_by_hand();
        block_on(agent.session().opened())?;
        if record.is_some() {
            block_on(agent.session().record())?;
        }
        let told = traces.clone();
        let subscription = agent.session().subscribe(move |_: Option<&str>, event: &Event| told.note(event));
        let reads = notes.told.into_iter().chain(skills.told).collect();
        Ok(OpenAgent {
            agent,
            id,
            folder,
            workspace,
            guard,
            rules,
            reads,
            skills: skills.callable,
            store,
            record,
            traces,
            _subscription: subscription,
        })
    }

    /// What of the project is used, a line each.
    pub(crate) fn about_project(&self) -> Vec<String> {
        let rules = match &self.rules {
            Found::Nothing => None,
            Found::Used(1) => Some(format!("1 rule of {NAME} lets calls run without a question")),
            Found::Used(count) => Some(format!("{count} rules of {NAME} let calls run without a question")),
            Found::Untrusted(_) => {
                Some(format!("{NAME} is not used: `glove chat` in a terminal asks whether you trust it"))
            }
            Found::Unusable(why) => Some(in_line(why)),
        };
        self.reads.iter().map(|line| in_line(line)).chain(rules).collect()
    }

    /// Nothing was said in it yet.
    pub(crate) fn is_new(&self) -> bool {
        self.agent.session().with_run(|run| run.messages().is_empty())
    }

    /// Nothing of a session that is left runs on.
    pub(crate) fn leave(&self, runtime: &Runtime) -> Result<(), Failure> {
        runtime.block_on(self.close());
        let Some(path) = &self.record else { return Ok(()) };
        let text = glove_wasm_native::export_run(self.agent.session(), str::to_owned)?;
        write(path, &text)
    }

    /// What was said so far is kept, and its run can be opened again.
    pub(crate) async fn close(&self) {
        let session = self.agent.session();
        session.keep_partial();
        session.close();
        session.drive().await;
        self.traces.end();
    }

    /// What a call was made with.
    pub(crate) fn input_of(&self, call: &str) -> Option<Json> {
        self.agent.session().with_run(|run| run.called(call).map(|call| call.input_args.clone()))
    }

    /// Who says never to a command means it however long it may take.
    pub(crate) fn forbid(&self, tool: &str, input: &Json) -> Result<(), Failure> {
        let Some(bare) = self.guard.bare_command(tool, input) else { return Ok(()) };
        Ok(block_on(self.store.set_permission(tool, Some(&bare), false))?)
    }

    /// A request of the user. With the first one the session is there, and has its folder.
    pub(crate) fn request(&self, prompt: impl Into<Prompt>) -> Result<ResponseFuture, Failure> {
        if self.is_new() {
            block_on(self.store.set_working_dir(&self.folder.to_string_lossy()))?;
        }
        Ok(self.agent.process_request(prompt))
    }
}

/// Gives commands these variables.
pub(crate) fn give(workspace: &Workspace, variables: &[(String, String)]) {
    for (name, value) in variables {
        workspace.set_variable(name, value);
    }
}

pub(crate) fn tools(workspace: &Workspace) -> Vec<Tool> {
    let mut tools = workspace.tools();
    tools.push(ask_user(workspace));
    tools
}

pub(crate) fn instructions(folder: &Path) -> String {
    format!(
        "You are a coding agent in a terminal. You work in the folder `{}`; paths are relative to it. Look before you change \
         something, keep changes small, and run the tests or the program afterwards to see that it works. Ask the user with `ask_user` \
         only if you cannot find out yourself. Answer briefly, in Markdown.",
        folder.display()
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Confirm,
    Input,
    Select,
    Secret,
    Form,
}

#[derive(Deserialize)]
struct Ask {
    kind: Kind,
    message: String,
    #[serde(default)]
    options: Vec<String>,
    default: Option<String>,
    variable: Option<String>,
    #[serde(default)]
    fields: Vec<Value>,
}

fn ask_user(workspace: &Workspace) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "kind": { "enum": ["confirm", "input", "select", "secret", "form"] },
            "message": { "type": "string", "minLength": 1 },
            "options": { "type": "array", "items": { "type": "string" }, "description": "For confirm and select" },
            "default": { "type": "string", "description": "For input and select" },
            "variable": {
                "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
                "description": "For secret: the environment variable that commands read it from. You do not see the secret."
            },
            "fields": {
                "type": "array", "description": "For form", "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "label": { "type": "string" },
                        "options": { "type": "array", "items": { "type": "string" } },
                        "default": { "type": "string" },
                        "required": { "type": "boolean", "default": true }
                    },
                    "required": ["name"]
                }
            }
        },
        "required": ["kind", "message"]
    });
    let workspace = workspace.clone();
    Tool::new(
        "ask_user",
        "Asks the user a question and waits for the answer.",
        schema,
        move |input: Ask, context| {
            let workspace = workspace.clone();
            async move { ask(&input, &context, &workspace).await }
        },
    )
}

async fn ask(input: &Ask, context: &ToolContext, workspace: &Workspace) -> Result<Json, ToolFailure> {
    let mut slot = Map::from_iter([("message".to_owned(), json!(input.message))]);
    if !input.options.is_empty() {
        slot.insert("options".to_owned(), json!(input.options));
    }
    if let Some(default) = &input.default {
        slot.insert("default".to_owned(), json!(default));
    }
    let renderer = match input.kind {
        Kind::Confirm => "confirm",
        Kind::Input => "input",
        Kind::Select if input.options.is_empty() => return Err(ToolFailure::new("`select` needs `options`")),
        Kind::Select => "select",
        Kind::Form if input.fields.is_empty() => return Err(ToolFailure::new("`form` needs `fields`")),
        Kind::Form => {
            slot.insert("fields".to_owned(), json!(input.fields));
            "form"
        }
        Kind::Secret => {
            let Some(variable) = &input.variable else {
                return Err(ToolFailure::new("`secret` needs the `variable` that commands read it from"));
            };
            slot.insert("key_name".to_owned(), json!(variable));
            let secret: String = context.display.push_and_wait("secret", &slot).await?;
            workspace.set_secret(variable, &secret);
            return Ok(Json::string(&format!("The user set it; commands find it in ${variable}.")));
        }
    };
    let answer: Value = context.display.push_and_wait(renderer, &slot).await?;
    Ok(Json::from(answer))
}
