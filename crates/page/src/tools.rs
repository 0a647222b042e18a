//! Tools of the page.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};

use crate::bindings::PageBindings;
use crate::environment::PageSignal;
use crate::store::done;
use crate::values::{reason, settled};
use glove_wasm::error::StoreError;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, from_text, to_text};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{CallRef, Checked, ToolContext, ToolHost};
use glove_wasm::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome, Validated};
use glove_wasm::tool::{ToolDefinition, ToolSpec};
use glove_wasm::wire::options::PageTool;

#[derive(Read)]
struct PermissionCheck {
    verdict: PermissionVerdict,
    validated: Option<Validated>,
    judged: Option<Json>,
}

#[derive(Read)]
struct ApprovalCheck {
    verdict: ApprovalVerdict,
    validated: Option<Validated>,
    judged: Option<Json>,
}

#[derive(Debug)]
pub struct PageTools {
    host: PageBindings,
    tools: Vec<PageTool>,
    /// What the application says of a task list.
    tasks: Option<bool>,
}

impl PageTools {
    pub fn new(host: PageBindings, tools: Vec<PageTool>, tasks: Option<bool>) -> Self {
        PageTools { host, tools, tasks }
    }
}

impl ToolHost for PageTools {
    fn definitions(&self) -> Vec<ToolDefinition> {
        let mut definitions = Vec::new();
        for PageTool { described, spec } in &self.tools {
            definitions.push(ToolDefinition {
                name: spec.name.clone(),
                description: described.description.clone(),
                schema: described.schema.clone(),
            });
        }
        definitions
    }

    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = Vec::new();
        for tool in &self.tools {
            specs.push(tool.spec.clone());
        }
        specs
    }

    fn wants_tasks(&self) -> bool {
        self.tasks.unwrap_or(!self.tools.is_empty())
    }

    fn prepare(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        let preparing = self.host.prepare().ok().filter(|preparing| !preparing.is_undefined())?;
        Some(done(Ok(preparing.unchecked_into())))
    }

    fn permission(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        let known = known(&call);
        let promise =
            self.host.permission_of(call.call_id, call.tool_name, call.input.as_str(), known.as_deref());
        Box::pin(async move {
            match checked::<PermissionCheck>(promise).await {
                Ok(PermissionCheck { verdict, validated, judged }) => Checked { verdict, validated, judged },
                Err(why) => PermissionVerdict::Failed(why).into(),
            }
        })
    }

    fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        let known = known(&call);
        let promise = self.host.approval(call.call_id, call.tool_name, call.input.as_str(), known.as_deref());
        Box::pin(async move {
            match checked::<ApprovalCheck>(promise).await {
                Ok(ApprovalCheck { verdict, validated, judged }) => Checked { verdict, validated, judged },
                Err(why) => ApprovalVerdict::Failed(why).into(),
            }
        })
    }

    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        let signal = PageSignal::default();
        let known = known(&call);
        let running = self.host.run(
            call.call_id,
            call.tool_name,
            call.input.as_str(),
            known.as_deref(),
            &signal.signal(),
            call.idempotency_key,
            call.judged.map(Json::as_str),
        );
        Box::pin(async move {
            let promise = match running {
                Ok(promise) => promise,
                Err(error) => return ToolOutcome::Threw(reason(&error)),
            };
            match signal.until(promise, context.abort).await {
                Ok(answer) => answer
                    .as_string()
                    .and_then(|text| from_text(&text).ok())
                    .unwrap_or_else(|| ToolOutcome::Threw("the tool returned no result".to_owned())),
                Err(error) => ToolOutcome::Threw(reason(&error)),
            }
        })
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        let signal = PageSignal::default();
        let known = known(&call);
        let undoing = self.host.undo(
            call.call_id,
            call.tool_name,
            call.input.as_str(),
            known.as_deref(),
            &signal.signal(),
        );
        Box::pin(async move {
            let undone = async { signal.until(undoing?, context.abort).await };
            undone.await.map(drop).map_err(|error| reason(&error))
        })
    }
}

fn known(call: &CallRef<'_>) -> Option<String> {
    call.validated.map(|validated| to_text(validated))
}

/// What a check of the page gave.
async fn checked<T: Read>(promise: Result<Promise, JsValue>) -> Result<T, String> {
    let answer = settled(promise).await.map_err(|error| reason(&error))?;
    let read = answer.as_string().and_then(|text| from_text(&text).ok());
    read.ok_or_else(|| "the check returned no answer".to_owned())
}
