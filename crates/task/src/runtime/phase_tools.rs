//! The tools of one step: those that its phase may have, with the approvals and the time that the task says.

use std::future::ready;
use std::sync::{Arc, Weak};

use crate::ApprovalPolicy;
use crate::runtime::credentials::{CleanDisplay, CleanSteps, CredentialBroker, CredentialRequest};
use crate::runtime::running::{Running, Shared, lock};
use crate::runtime::watch::look;
use glove_wasm::error::ToolDefinitionError;
use glove_wasm::json::{self, Json};
use glove_wasm::message::ToolResultData;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{CallRef, Checked, Tool, ToolContext, ToolHost, Tools};
use glove_wasm::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome, Validated};
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
        let host = self.host(call.tool_name);
        let broker = task.upgrade().and_then(|shared| shared.parts.broker.clone());
        let is_asked = task.upgrade().is_some_and(|shared| Running { shared }.was_asked(call.call_id));
        // Many a tool does its work before its future is polled for the first time.
        let working = match (&broker, is_asked) {
            (None, false) => Ok(host.run(call, context)),
            _ => Err((OwnCall::of(call), context)),
        };
        Box::pin(async move {
            let outcome = match working {
                Ok(working) => working.await,
                Err((call, context)) => {
                    if let Some(shared) = task.upgrade()
                        && let Some(refused) = (Running { shared }).refuses(&call.call_id).await
                    {
                        return refused;
                    }
                    match broker {
                        None => host.run(call.view(), context).await,
                        Some(broker) => run_with(&*broker, &task, &*host, &call, context).await,
                    }
                }
            };
            look(&task).await;
            outcome
        })
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        self.host(call.tool_name).undo(call, context)
    }
}

/// Asks for the credentials of the call first; what it says afterwards is told without them.
async fn run_with(
    broker: &dyn CredentialBroker,
    task: &Weak<Shared>,
    host: &dyn ToolHost,
    call: &OwnCall,
    context: ToolContext,
) -> ToolOutcome {
    let task_id = task.upgrade().map(|shared| lock(&shared.task).state().task_id.clone());
    let asking = broker.credentials(CredentialRequest {
        tool: call.tool_name.clone(),
        task_id: task_id.unwrap_or_default(),
        call_id: call.call_id.clone(),
    });
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
    let outcome = host.run(call.view(), context).await;
    secrets.outcome(outcome)
}

/// A call that runs later than it is told.
struct OwnCall {
    call_id: String,
    tool_name: String,
    input: Json,
    validated: Option<Validated>,
    judged: Option<Json>,
    attempt: u32,
    idempotency_key: String,
}

impl OwnCall {
    fn of(call: CallRef<'_>) -> Self {
        OwnCall {
            call_id: call.call_id.to_owned(),
            tool_name: call.tool_name.to_owned(),
            input: call.input.clone(),
            validated: call.validated.cloned(),
            judged: call.judged.cloned(),
            attempt: call.attempt,
            idempotency_key: call.idempotency_key.to_owned(),
        }
    }

    fn view(&self) -> CallRef<'_> {
        CallRef {
            call_id: &self.call_id,
            tool_name: &self.tool_name,
            input: &self.input,
            validated: self.validated.as_ref(),
            judged: self.judged.as_ref(),
            attempt: self.attempt,
            idempotency_key: &self.idempotency_key,
        }
    }
}
