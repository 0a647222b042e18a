//! The tools of one step: those that its phase may have, with the approvals and the time that the task says.

use std::sync::{Arc, Weak};

use crate::error::ToolDefinitionError;
use crate::portable::BoxFuture;
use crate::ports::{CallRef, Checked, Tool, ToolContext, ToolHost, Tools};
use crate::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome};
use crate::task::ApprovalPolicy;
use crate::task_runtime::running::Shared;
use crate::task_runtime::watch::look;
use crate::tool::{Gate, ToolDefinition, ToolSpec};

pub(super) struct PhaseTools {
    tools: Tools,
    /// Those of a host, and the names of those that this step has.
    hosted: Option<(Arc<dyn ToolHost>, Vec<String>)>,
    policy: ApprovalPolicy,
    timeout_ms: Option<u64>,
    task: Weak<Shared>,
}

impl PhaseTools {
    pub(super) fn new<'a>(
        tools: impl Iterator<Item = &'a Tool>,
        hosted: Option<(Arc<dyn ToolHost>, Vec<String>)>,
        policy: ApprovalPolicy,
        timeout_ms: Option<u64>,
        task: Weak<Shared>,
    ) -> Result<Self, ToolDefinitionError> {
        let mut list = Tools::new();
        for tool in tools {
            list.register(tool.clone())?;
        }
        Ok(PhaseTools { tools: list, hosted, policy, timeout_ms, task })
    }

    /// What runs the calls of a tool.
    fn host(&self, tool: &str) -> &dyn ToolHost {
        match &self.hosted {
            Some((host, names)) if names.iter().any(|name| name == tool) => &**host,
            _ => &self.tools,
        }
    }
}

impl ToolHost for PhaseTools {
    fn definitions(&self) -> Vec<ToolDefinition> {
        let mut all = self.tools.definitions();
        if let Some((host, names)) = &self.hosted {
            all.extend(host.definitions().into_iter().filter(|tool| names.contains(&tool.name)));
        }
        all
    }

    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.tools.specs();
        if let Some((host, names)) = &self.hosted {
            specs.extend(host.specs().into_iter().filter(|tool| names.contains(&tool.name)));
        }
        for spec in &mut specs {
            if self.policy.requires_tool(&spec.name) {
                spec.approval = Gate::Always;
            }
            let own = spec.timeout_ms.filter(|limit| *limit > 0);
            spec.timeout_ms = [own, self.timeout_ms].into_iter().flatten().min();
        }
        specs
    }

    fn wants_tasks(&self) -> bool {
        false
    }

    fn permission(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        self.host(call.tool_name).permission(call)
    }

    fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        let asking = self.host(call.tool_name).approval(call);
        if !self.policy.requires_tool(call.tool_name) {
            return asking;
        }
        let reason = format!("each call of `{}` is approved in this task", call.tool_name);
        Box::pin(async move {
            let mut found = asking.await;
            if matches!(found.verdict, ApprovalVerdict::NotNeeded | ApprovalVerdict::Needed { reason: None })
            {
                found.verdict = ApprovalVerdict::Needed { reason: Some(reason) };
            }
            found
        })
    }

    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        let working = self.host(call.tool_name).run(call, context);
        let task = Weak::clone(&self.task);
        Box::pin(async move {
            let outcome = working.await;
            look(&task).await;
            outcome
        })
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        self.host(call.tool_name).undo(call, context)
    }
}
