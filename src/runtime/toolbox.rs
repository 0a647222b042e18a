//! The tools of a session: those of its host, and those that the framework adds.

use std::sync::Arc;

use crate::error::ToolDefinitionError;
use crate::host::{Call, IdSource, StoreAdapter, ToolContext, ToolHost, Tools};
use crate::json::Json;
use crate::portable::BoxFuture;
use crate::run::input::{ApprovalVerdict, ToolOutcome};
use crate::task_tool::{TASK_TOOL, task_tool};
use crate::tool::{ToolDefinition, ToolSpec, UNDO_TOOL, check_definition};

#[derive(Clone)]
pub(crate) struct Toolbox {
    host: Arc<dyn ToolHost>,
    /// Holds the task tool, where the store keeps tasks and the host has no such tool of its own.
    own: Tools,
    definitions: Arc<[ToolDefinition]>,
    specs: Vec<ToolSpec>,
}

impl Toolbox {
    pub(crate) fn new(
        host: Arc<dyn ToolHost>,
        store: &Arc<dyn StoreAdapter>,
        ids: &Arc<dyn IdSource>,
    ) -> Result<Self, ToolDefinitionError> {
        let (definitions, specs) = (host.definitions(), host.specs());
        let mut own = Tools::new();
        if store.keeps_tasks() && !definitions.iter().any(|tool| tool.name == TASK_TOOL) {
            own.register(task_tool(Arc::clone(store), Arc::clone(ids)))?;
        }
        let undo = specs.iter().any(|tool| tool.undo).then(undo_definition);
        let mut all: Vec<ToolDefinition> = Vec::new();
        for definition in own.definitions().into_iter().chain(definitions).chain(undo) {
            check_definition(&definition, all.iter().map(|other| other.name.as_str()))?;
            all.push(definition);
        }
        let specs = own.specs().into_iter().chain(specs).collect();
        Ok(Toolbox { host, own, definitions: all.into(), specs })
    }

    /// In the order in which the model is told of them.
    pub(crate) fn definitions(&self) -> &Arc<[ToolDefinition]> {
        &self.definitions
    }

    /// Without the undo tool, which the machine itself adds and runs.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.specs.clone()
    }

    fn host_of(&self, tool: &str) -> &dyn ToolHost {
        if self.own.get(tool).is_some() { &self.own } else { self.host.as_ref() }
    }

    pub(crate) fn permission_needed(&self, call: Call<'_>) -> BoxFuture<'static, Result<bool, String>> {
        self.host_of(call.tool_name).permission_needed(call)
    }

    pub(crate) fn approval(&self, call: Call<'_>) -> BoxFuture<'static, ApprovalVerdict> {
        self.host_of(call.tool_name).approval(call)
    }

    pub(crate) fn run(&self, call: Call<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self.host_of(call.tool_name).run(call, context)
    }

    pub(crate) fn undo(
        &self,
        call: Call<'_>,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<(), String>> {
        self.host_of(call.tool_name).undo(call, context)
    }
}

fn undo_definition() -> ToolDefinition {
    ToolDefinition {
        name: UNDO_TOOL.to_owned(),
        description:
            "Takes the last action back, or the last few. Use it when the user asks to undo something."
                .to_owned(),
        schema: Json::written(concat!(
            r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"#,
            r#""description":"How many actions; 1 if left out"}}}"#
        )),
    }
}
