//! The tools of one step: those that its phase may have, with the approvals and the time that the task says.

use std::future::ready;
use std::sync::{Arc, Weak};

use crate::ApprovalPolicy;
use crate::runtime::credentials::{CleanDisplay, CleanSteps, CredentialBroker, CredentialRequest};
use crate::runtime::running::{Shared, lock};
use crate::runtime::watch::look;
use glove_wasm::error::ToolDefinitionError;
use glove_wasm::json;
use glove_wasm::message::ToolResultData;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{CallRef, Checked, Tool, ToolContext, ToolHost, Tools};
use glove_wasm::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome};
use glove_wasm::tool::{Gate, ToolDefinition, ToolSpec};

pub(super) struct PhaseTools {
    tools: Arc<Tools>,
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
        Ok(PhaseTools { tools: Arc::new(list), hosted, policy, timeout_ms, task })
    }

    /// What runs the calls of a tool.
    fn host(&self, tool: &str) -> Arc<dyn ToolHost> {
        match &self.hosted {
            Some((host, names)) if names.iter().any(|name| name == tool) => Arc::clone(host),
            _ => Arc::clone(&self.tools) as Arc<dyn ToolHost>,
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
        Box::pin(async move {
            let mut found = asking.await;
            if matches!(found.verdict, ApprovalVerdict::NotNeeded) {
                // Why this call is one that the task knows.
                found.verdict = ApprovalVerdict::Needed { reason: None };
            }
            found
        })
    }

    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        let task = Weak::clone(&self.task);
        let over = |shared: Arc<Shared>| shared.watch.is_over(shared.parts.clock.steady());
        if task.upgrade().is_some_and(over) {
            let result = ToolResultData::error("the time of the task is used up: the tool did not run");
            return Box::pin(ready(ToolOutcome::Returned { result, outputs: Vec::new() }));
        }
        let broker = task.upgrade().and_then(|shared| shared.parts.broker.clone());
        let working = match broker {
            None => self.host(call.tool_name).run(call, context),
            Some(broker) => self.run_with(&*broker, call, context),
        };
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

impl PhaseTools {
    /// Asks for the credentials of the call first; what it says afterwards is told without them.
    fn run_with(
        &self,
        broker: &dyn CredentialBroker,
        call: CallRef<'_>,
        context: ToolContext,
    ) -> BoxFuture<'static, ToolOutcome> {
        let host = self.host(call.tool_name);
        let task = Weak::clone(&self.task);
        let task_id = task.upgrade().map(|shared| lock(&shared.task).state().task_id.clone());
        let asking = broker.credentials(CredentialRequest {
            tool: call.tool_name.to_owned(),
            task_id: task_id.unwrap_or_default(),
            call_id: call.call_id.to_owned(),
        });
        let (call_id, tool_name, input) =
            (call.call_id.to_owned(), call.tool_name.to_owned(), call.input.clone());
        let (validated, judged) = (call.validated.cloned(), call.judged.cloned());
        let key = call.idempotency_key.to_owned();
        let attempt = call.attempt;
        Box::pin(async move {
            let refused = |message: String| {
                let mut result = ToolResultData::error(message);
                result.data = json::written("{\"code\":\"TASK_CREDENTIALS_FAILED\"}".to_owned());
                ToolOutcome::Returned { result, outputs: Vec::new() }
            };
            let Ok(credentials) = asking.await else {
                // What went wrong there may say what nobody is to read.
                return refused("there are no credentials for this call, so the tool did not run".to_owned());
            };
            let Some(secrets) = task.upgrade().map(|shared| Arc::clone(&shared.secrets)) else {
                return ToolOutcome::TimedOut;
            };
            if let Err(why) = secrets.keep(&credentials) {
                return refused(why);
            }
            let context = context.with_credentials(credentials).through(
                |steps| Arc::new(CleanSteps { steps, secrets: Arc::clone(&secrets) }),
                |port| Arc::new(CleanDisplay { port, secrets: Arc::clone(&secrets) }),
            );
            let call = CallRef {
                call_id: &call_id,
                tool_name: &tool_name,
                input: &input,
                validated: validated.as_ref(),
                judged: judged.as_ref(),
                attempt,
                idempotency_key: &key,
            };
            let outcome = host.run(call, context).await;
            secrets.outcome(outcome)
        })
    }
}
