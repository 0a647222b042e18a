//! The tools of one step: those that its phase may have, with the approvals and the time that the task says.

use crate::error::ToolDefinitionError;
use crate::portable::BoxFuture;
use crate::ports::{CallRef, Checked, Tool, ToolContext, ToolHost, Tools};
use crate::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome};
use crate::task::ApprovalPolicy;
use crate::tool::{Gate, ToolDefinition, ToolSpec};

pub(super) struct PhaseTools {
    tools: Tools,
    policy: ApprovalPolicy,
    timeout_ms: Option<u64>,
}

impl PhaseTools {
    pub(super) fn new<'a>(
        tools: impl Iterator<Item = &'a Tool>,
        policy: ApprovalPolicy,
        timeout_ms: Option<u64>,
    ) -> Result<Self, ToolDefinitionError> {
        let mut list = Tools::new();
        for tool in tools {
            list.register(tool.clone())?;
        }
        Ok(PhaseTools { tools: list, policy, timeout_ms })
    }
}

impl ToolHost for PhaseTools {
    fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools.definitions()
    }

    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.tools.specs();
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
        self.tools.permission(call)
    }

    fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        let asking = self.tools.approval(call);
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
        self.tools.run(call, context)
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        self.tools.undo(call, context)
    }
}
