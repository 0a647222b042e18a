//! The tools of a session: those of its host, and those that the framework adds.

use std::sync::Arc;

use crate::error::{StoreError, ToolDefinitionError};
use crate::json::{self, Json};
use crate::portable::BoxFuture;
use crate::ports::{CallRef, Checked, IdSource, StoreAdapter, ToolContext, ToolHost};
use crate::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome};
use crate::run::{PhaseName, Run};
use crate::task_tool::{TASK_TOOL, TaskTool};
use crate::tool::{ANSWER_TOOL, ToolDefinition, ToolSpec, UNDO_TOOL, check_definition, find};

#[derive(Clone)]
pub(crate) struct SessionTools {
    host: Arc<dyn ToolHost>,
    /// Where it is wanted, the store keeps tasks, and the host has no such tool of its own.
    tasks: Option<Arc<TaskTool>>,
    definitions: Arc<Vec<ToolDefinition>>,
    specs: Vec<ToolSpec>,
}

impl SessionTools {
    pub(crate) fn new(
        host: Arc<dyn ToolHost>,
        store: &Arc<dyn StoreAdapter>,
        ids: &Arc<dyn IdSource>,
    ) -> Result<Self, ToolDefinitionError> {
        let (mut host_tools, mut definitions, mut specs, mut tasks) =
            (host.definitions(), Vec::new(), Vec::new(), None);
        if store.keeps_tasks() && host.wants_tasks() && !host_tools.iter().any(|tool| tool.name == TASK_TOOL)
        {
            let tool = TaskTool { store: Arc::clone(store), ids: Arc::clone(ids) };
            (definitions, specs) = (tool.definitions(), tool.specs());
            tasks = Some(Arc::new(tool));
        }
        definitions.append(&mut host_tools);
        specs.append(&mut host.specs());
        if specs.iter().any(|tool| tool.undo) {
            definitions.push(undo_definition());
        }
        for (at, definition) in definitions.iter().enumerate() {
            let before = definitions.get(..at).unwrap_or_default();
            check_definition(definition, before.iter().map(|other| other.name.as_str()))?;
        }
        Ok(SessionTools { host, tasks, definitions: Arc::new(definitions), specs })
    }

    /// In the order in which the model is told of them.
    pub(crate) fn definitions(&self) -> &[ToolDefinition] {
        &self.definitions
    }

    /// Without the undo tool, which the machine itself adds and runs.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        self.specs.clone()
    }

    fn host_of(&self, tool: &str) -> &dyn ToolHost {
        match &self.tasks {
            Some(tasks) if tool == TASK_TOOL => tasks.as_ref(),
            _ => self.host.as_ref(),
        }
    }

    pub(crate) fn prepare(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        self.host.prepare()
    }

    pub(crate) fn permission(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        self.host_of(call.tool_name).permission(call)
    }

    pub(crate) fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        self.host_of(call.tool_name).approval(call)
    }

    pub(crate) fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self.host_of(call.tool_name).run(call, context)
    }

    /// The same and the tool by which an answer with this schema is given.
    pub(crate) fn with_answer(&self, schema: &Json) -> Vec<ToolDefinition> {
        let mut definitions = self.definitions.as_ref().clone();
        definitions.push(ToolDefinition {
            name: ANSWER_TOOL.to_owned(),
            description: "Gives the answer. Call it once, with the whole of it.".to_owned(),
            schema: schema.clone(),
        });
        definitions
    }

    pub(crate) fn undo(
        &self,
        call: CallRef<'_>,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<(), String>> {
        self.host_of(call.tool_name).undo(call, context)
    }
}

/// Tools that are not there stay for the calls of them that there are, or that may be on their way. Those of the host are where `added`.
pub(crate) fn keep_for_calls(run: &Run, added: bool, tools: &mut Vec<ToolSpec>) {
    let comes = run.phase() != PhaseName::Idle;
    for tool in &run.settings().tools {
        let stays = (tool.comes_and_goes && comes) || (tool.added && added);
        if stays && find(tools, &tool.name).is_none() {
            tools.push(ToolSpec { away: tool.comes_and_goes, ..tool.clone() });
        }
    }
}

fn undo_definition() -> ToolDefinition {
    ToolDefinition {
        name: UNDO_TOOL.to_owned(),
        description:
            "Takes the last action back, or the last few. Use it when the user asks to undo something."
                .to_owned(),
        schema: json::written(concat!(
            r#"{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"#,
            r#""description":"How many actions; 1 if left out"}}}"#
        )),
    }
}
