//! Which calls of the model run without a question, and which do not run at all: by the mode, and by the rules of the project.

use futures_util::future;
use glove_wasm::json::Json;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{
    CallRef, Checked, PermissionStatus, StoreAdapter, Tool, ToolContext, ToolHost, Tools,
};
use glove_wasm::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome};
use glove_wasm::tool::{Gate, ToolDefinition, ToolSpec};
use glove_wasm_coding::Workspace;
use glove_wasm_sqlite::SqliteStore;
use serde_json::Value;

use crate::allow_file::AllowFile;
use crate::modes::{Mode, Modes};
use crate::rules::{Asked, BASH, Rule, is_in_project};
use crate::terminal_text::PLAN;

/// What changes nothing, and so runs in each mode. Whatever else there is does not.
const READS: [&str; 4] = ["read_file", "list_dir", "search", "ask_user"];

/// Whether a tool changes nothing.
pub(crate) fn reads(tool: &str) -> bool {
    READS.contains(&tool)
}

const EDITS: [&str; 2] = ["write_file", "edit_file"];

/// The tools of a session, for as long as a person is there.
pub(crate) struct Guarded {
    tools: Tools,
    guard: Guard,
    store: SqliteStore,
}

/// What decides. Clones are the same.
#[derive(Clone)]
pub(crate) struct Guard {
    pub workspace: Workspace,
    pub modes: Modes,
    pub allow_file: AllowFile,
}

impl Guard {
    /// A rule that would let calls like this one run.
    pub(crate) fn rule_for(&self, tool: &str, input: &Json) -> Option<Rule> {
        let writes = self.workspace.written_file(tool, input);
        let read = self.workspace.own_names(tool, input)?.read::<Value>().ok()?;
        // A file that is not written is of no folder, and all of the tool would be too much.
        if writes.is_none() && EDITS.contains(&tool) {
            return None;
        }
        Rule::for_call(&Asked { tool, input: &read, writes: writes.as_deref() })
    }

    fn allows(&self, tool: &str, input: &Json) -> bool {
        let writes = self.workspace.written_file(tool, input);
        if writes.is_some() && self.modes.now() == Mode::AcceptEdits {
            return true;
        }
        let meant = self.workspace.own_names(tool, input);
        let Some(Ok(input)) = meant.map(|input| input.read::<Value>()) else { return false };
        self.allow_file.allows(&Asked { tool, input: &input, writes: writes.as_deref() })
    }

    /// A command without what makes it no other one: how long it may take, and a name for the folder where it runs anyway.
    pub(crate) fn bare_command(&self, tool: &str, input: &Json) -> Option<Json> {
        let meant = self.workspace.own_names(tool, input).filter(|_| tool == BASH)?;
        let Ok(Value::Object(mut fields)) = meant.read::<Value>() else { return None };
        fields.remove("seconds");
        if is_in_project(&fields) {
            fields.remove("folder");
        }
        Some(Json::from(Value::Object(fields)))
    }

    fn refuses(&self, tool: &str) -> bool {
        self.modes.now() == Mode::Plan && !reads(tool)
    }
}

impl Guarded {
    pub(crate) fn new(guard: Guard, store: SqliteStore) -> Self {
        Guarded { tools: Tools::new(), guard, store }
    }

    pub(crate) fn register(&mut self, tool: Tool) -> Result<(), glove_wasm::error::Error> {
        self.tools.register(tool).map_err(glove_wasm::error::Error::Tool)
    }

    fn is_by_input(&self, tool: &str) -> bool {
        self.tools.specs().iter().any(|spec| spec.name == tool && spec.permission == Gate::ByInput)
    }
}

impl ToolHost for Guarded {
    fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools.definitions()
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.tools.specs()
    }

    fn wants_tasks(&self) -> bool {
        self.tools.wants_tasks()
    }

    fn permission(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        if self.guard.refuses(call.tool_name) {
            return Box::pin(future::ready(PermissionVerdict::Failed(PLAN.to_owned()).into()));
        }
        let check = self.tools.permission(call);
        let is_allowed = self.guard.allows(call.tool_name, call.input);
        let bare = self.guard.bare_command(call.tool_name, call.input);
        if !is_allowed && bare.is_none() {
            return check;
        }
        let (store, tool) = (self.store.clone(), call.tool_name.to_owned());
        let (is_by_input, written) = (self.is_by_input(&tool), call.input.clone());
        let known = call.validated.map(|validated| validated.input.clone());
        Box::pin(async move {
            let checked = check.await;
            let meant = checked.validated.as_ref().map(|validated| validated.input.clone()).or(known);
            let input = is_by_input.then(|| meant.unwrap_or(written));
            // Where the person has said never, no mode and no rule says otherwise.
            let exactly = store.permission(&tool, input.as_ref()).await;
            if (&checked.verdict, &exactly) != (&PermissionVerdict::Unset, &Ok(PermissionStatus::Unset)) {
                return checked;
            }
            let in_other_words = match &bare {
                Some(bare) => store.permission(&tool, Some(bare)).await,
                None => Ok(PermissionStatus::Unset),
            };
            match in_other_words {
                Ok(PermissionStatus::Denied) => Checked { verdict: PermissionVerdict::Denied, ..checked },
                Ok(_) if is_allowed => Checked { verdict: PermissionVerdict::Granted, ..checked },
                _ => checked,
            }
        })
    }

    fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        self.tools.approval(call)
    }

    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        // Also what was allowed before the mode was switched.
        if self.guard.refuses(call.tool_name) {
            return Box::pin(future::ready(ToolOutcome::Threw(PLAN.to_owned())));
        }
        self.tools.run(call, context)
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        if self.guard.refuses(call.tool_name) {
            let why = "in plan mode nothing is changed; shift-tab leaves it";
            return Box::pin(future::ready(Err(why.to_owned())));
        }
        self.tools.undo(call, context)
    }
}
