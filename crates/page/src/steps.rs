//! What a running call of a page's tool keeps: its steps, its checked arguments, and what it returned. Each is called once in a wasm
//! file, and costs less inside of its caller.

use std::sync::Arc;

use js_sys::Promise;
use wasm_bindgen::JsValue;

use crate::environment::promise;
use crate::values::{display_thrown, read};
use glove_wasm::json::codec::to_text;
use glove_wasm::run::log::StepResult;
use glove_wasm::runtime::ToolRun;
use glove_wasm::wire::outcome::CoreStep;

#[inline(always)]
pub fn begin(tool_run: &ToolRun, name: &str, deterministic: bool) -> Promise {
    let step = tool_run.begin_step(name, deterministic);
    promise(Box::pin(async move {
        let step = step.await.map_err(|error| display_thrown(&error))?;
        Ok(JsValue::from_str(&to_text(&CoreStep::from(step))))
    }))
}

#[inline(always)]
pub fn end(tool_run: Option<Arc<ToolRun>>, key: String, result: &str) -> Result<Promise, JsValue> {
    let result: StepResult = read(result, "the result of a step")?;
    Ok(promise(Box::pin(async move {
        if let Some(tool_run) = tool_run {
            tool_run.end_step(key, result).await;
        }
        Ok(JsValue::UNDEFINED)
    })))
}

#[inline(always)]
pub fn validated(tool_run: Option<Arc<ToolRun>>, validated: &str) -> Result<(), JsValue> {
    let validated = read(validated, "the arguments of a call")?;
    if let Some(tool_run) = tool_run {
        tool_run.validated(validated);
    }
    Ok(())
}

#[inline(always)]
pub fn returned(tool_run: Option<Arc<ToolRun>>, outcome: &str) -> Result<(), JsValue> {
    let outcome = read(outcome, "what a tool has returned")?;
    if let Some(tool_run) = tool_run {
        tool_run.returned(outcome);
    }
    Ok(())
}
