//! Tools that do as the file says.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use glove_wasm::json::Json;
use glove_wasm::message::ToolResultData;
use glove_wasm::ports::{Tool, ToolContext, ToolFailure, Tools};
use glove_wasm::run::input::{Issue, ToolOutcome};
use glove_wasm::testing::Gate;
use serde_json::Value;

use super::scenario::{Deed, GoldenTool, json};

#[derive(Clone, Default)]
pub struct Gates(Arc<Mutex<HashMap<String, Gate>>>);

impl Gates {
    fn gate(&self, name: &str) -> Gate {
        self.0.lock().unwrap().entry(name.to_owned()).or_default().clone()
    }

    pub fn open(&self, name: &str) {
        self.gate(name).open();
    }
}

pub fn tools_of(golden: Vec<GoldenTool>, gates: &Gates) -> Tools {
    let mut tools = Tools::new();
    for tool in golden {
        tools.register(tool_of(tool, gates)).unwrap();
    }
    tools
}

fn tool_of(golden: GoldenTool, gates: &Gates) -> Tool {
    let schema = golden.schema.as_deref().map_or_else(|| Json::parse(r#"{"type":"object"}"#).unwrap(), json);
    let (gates, runs) = (gates.clone(), AtomicUsize::new(0));
    let (needs, does) = (golden.needs, golden.does);
    let body = move |input: Value, context: ToolContext| {
        let missing: Vec<Issue> = needs
            .iter()
            .filter(|need| input.get(need.as_str()).is_none())
            .map(|need| Issue { path: vec![Json::string(need)], message: "is missing".to_owned() })
            .collect();
        let deed = missing.is_empty().then(|| {
            let run = runs.fetch_add(1, Ordering::Relaxed);
            does[run.min(does.len() - 1)].clone()
        });
        let gates = gates.clone();
        async move {
            match deed {
                None => Ok(ToolOutcome::Invalid(missing)),
                Some(deed) => done(deed, &context, &gates).await,
            }
        }
    };
    let mut tool = Tool::new(golden.name.clone(), format!("It does {}.", golden.name), schema, body);
    if golden.permission {
        tool = tool.requires_permission();
    }
    if let Some(reason) = golden.approval {
        // As in JavaScript, where a reason may depend on the arguments.
        tool = tool.approval_if(move |_: &Value| Some(reason.clone()));
    }
    if golden.parallel {
        tool = tool.parallel();
    }
    if let Some(retries) = golden.retries {
        tool = tool.idempotent(retries);
    }
    if golden.un_abortable {
        tool = tool.un_abortable();
    }
    if let Some(choice) = golden.on_interrupted {
        tool = tool.on_interrupted(choice);
    }
    if golden.undo {
        tool = tool.undo(|_: Value, _: ToolContext| async { Ok::<_, ToolFailure>(()) });
    }
    tool
}

async fn done(deed: Deed, context: &ToolContext, gates: &Gates) -> Result<ToolOutcome, ToolFailure> {
    let result = match deed {
        Deed::Returns(value) => ToolResultData::success(json(&value)),
        Deed::Result(value) => serde_json::from_str(value.get()).map_err(ToolFailure::from)?,
        Deed::Throws(message) => return Err(ToolFailure::new(message)),
        Deed::Asks { renderer, input } => {
            ToolResultData::success(context.display.push_and_wait(&renderer, &json(&input)).await?)
        }
        Deed::Waits(gate) => {
            gates.gate(&gate).pass().await;
            ToolResultData::success(Json::string("waited"))
        }
    };
    Ok(ToolOutcome::Returned { result, outputs: Vec::new() })
}
