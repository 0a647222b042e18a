//! A value of a Rust type that a task gives.

use crate::support::wait::block_on;
use glove_wasm::schemars::JsonSchema;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_task::runtime::TaskOutput;
use glove_wasm_task::{ResultView, TaskSpec};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{asked, builder, kinds, spec, worker, workspace};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[schemars(crate = "glove_wasm::schemars")]
struct Choice {
    city: String,
    price: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    number: u64,
}

#[test]
fn a_task_gives_a_value_of_a_type_and_the_model_mends_one_that_does_not_fit() {
    let choice = TaskOutput::<Choice>::new("Says which city you recommend, and what it costs.");
    let model = ScriptedModel::by(|_, seen| match asked(seen) {
        (request, 0) if request.contains("(s1)") => {
            Line::call("give_output", "c1", json!({ "city": "Leipzig" }))
        }
        (request, 1) if request.contains("(s1)") => {
            Line::call("give_output", "c2", json!({ "city": "Leipzig", "price": 336 }))
        }
        _ => worker(seen),
    });
    let agent = builder(&model).output(&choice).build().unwrap();
    let files = workspace();
    assert_eq!(block_on(choice.read(&files)).unwrap(), None);
    let spec: TaskSpec = spec().ext(json!({ "number": 7 }));
    let result = block_on(agent.do_task(files.clone(), spec, ResultView::Full)).unwrap();
    let value = block_on(choice.read(&files)).unwrap();
    assert_eq!(value, Some(Choice { city: "Leipzig".to_owned(), price: 336 }));
    assert_eq!(result.ext.read::<Order>().unwrap(), Order { number: 7 });
    assert!(result.warnings.is_empty() && !kinds(&files).contains(&"output.missing".to_owned()));
    assert!(result.deliverables.iter().any(|made| made.path == "progress/artifacts/output.json"));
    let calls: Vec<&str> =
        result.steps.iter().flat_map(|step| &step.tool_calls).map(|call| call.status.as_str()).collect();
    assert_eq!(calls.iter().filter(|status| **status == "error").count(), 1, "{calls:?}");
    // Somebody edits it.
    files.put("progress/artifacts/output.json", r#"{"city": 3}"#).unwrap();
    let error = block_on(choice.read(&files)).unwrap_err();
    assert_eq!(error.code(), "TASK_OUTPUT_INVALID");
}

#[test]
fn a_task_that_ends_without_its_value_has_none_and_no_file_of_it() {
    let choice = TaskOutput::<Choice>::new("Says which city you recommend, and what it costs.");
    let agent = builder(&ScriptedModel::by(|_, seen| worker(seen))).output(&choice).build().unwrap();
    let files = workspace();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(block_on(choice.read(&files)).unwrap(), None);
    assert!(result.deliverables.iter().all(|made| !made.path.ends_with("output.json")));
    let told = "the task ended and never gave its value (progress/artifacts/output.json is missing)";
    assert_eq!(result.warnings, [told]);
    let kinds = kinds(&files);
    assert!(kinds.ends_with(&["output.missing".to_owned(), "finish".to_owned()]), "{kinds:?}");
    // Those who ask for the summary hear of it too.
    let summary = block_on(agent.resume(files)).unwrap();
    assert_eq!(block_on(summary.result(ResultView::Summary)).unwrap().warnings, [told]);
}
