//! Tools that are written as functions and types.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::support::wait::block_on;
use glove_wasm::ports::{Tool, ToolContext, ToolFailure, Tools, schema_of};
use glove_wasm::runtime::Glove;
use glove_wasm::schemars::JsonSchema;
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{Line, ScriptedModel, Seen};
use glove_wasm::tool;
use serde_json::{Value, json};

/// Units of temperature.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "glove_wasm::schemars")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// Tells the weather
/// of a city.
#[tool]
async fn weather(
    /// Its name.
    city: String,
    #[serde(default)] mut days: u32,
    unit: Option<Unit>,
    context: ToolContext,
) -> Result<String, ToolFailure> {
    days += 1;
    if city == "Atlantis" {
        return Err(ToolFailure::new("no such city"));
    }
    let unit = match unit {
        Some(Unit::Fahrenheit) => "F",
        Some(Unit::Celsius) | None => "C",
    };
    Ok(format!("{city} {days} {unit} {}", context.call_id))
}

/// Counts.
#[tool(name = "count")]
fn plainly() -> i64 {
    7
}

fn schema_of_tool(tool: &Tool) -> Value {
    serde_json::from_str(tool.definition().schema.as_str()).unwrap()
}

/// What the model reads of the results of these calls.
fn results(tools: Vec<Tool>, calls: &[(&str, Value)]) -> Vec<(String, Value)> {
    let lines: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, input))| Line::call(name, &format!("c{at}"), input.clone()))
        .chain([Line::text("Done.")])
        .collect();
    let model = ScriptedModel::new(lines);
    let mut builder = Glove::builder(model.clone()).store(MemoryStore::new("s"));
    for tool in tools {
        builder = builder.fold(tool);
    }
    block_on(builder.build().unwrap().process_request("Go")).unwrap();
    let seen: Seen = model.seen().pop().unwrap();
    let all = seen.messages.iter().flat_map(|message| message.results().to_vec());
    all.map(|result| {
        let text = serde_json::to_value(&result.result).unwrap();
        (text["status"].as_str().unwrap().to_owned(), text)
    })
    .collect()
}

#[test]
fn a_function_is_a_tool_with_its_documentation_and_its_arguments() {
    let tool = weather();
    assert_eq!(
        (tool.name(), tool.definition().description.as_str()),
        ("weather", "Tells the weather\nof a city.")
    );
    let schema = schema_of_tool(&tool);
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["city"]));
    assert_eq!(schema["properties"]["city"], json!({ "description": "Its name.", "type": "string" }));
    assert_eq!(schema["properties"]["days"], json!({ "default": 0, "minimum": 0, "type": "integer" }));
    assert_eq!(schema["properties"].as_object().unwrap().len(), 3, "the context is no argument: {schema}");
    assert!(!schema.to_string().contains("$"), "{schema}");
    assert_eq!(plainly().name(), "count");
}

#[test]
fn the_function_runs_with_its_arguments_and_the_context_of_the_call() {
    let calls = [
        ("weather", json!({ "city": "Rome", "days": 2, "unit": "fahrenheit" })),
        ("weather", json!({ "city": "Oslo" })),
        ("count", json!({})),
    ];
    let data: Vec<_> = results(vec![weather(), plainly()], &calls)
        .into_iter()
        .map(|(_, result)| result["data"].clone())
        .collect();
    assert_eq!(data, [json!("Rome 3 F c0"), json!("Oslo 1 C c1"), json!(7)]);
}

#[test]
fn what_does_not_fit_and_what_fails_is_told_to_the_model() {
    let calls = [
        ("weather", json!({ "city": "Atlantis" })),
        ("weather", json!({ "days": 1 })),
        ("weather", json!({ "city": "Rome", "unit": "kelvin" })),
        ("weather", json!({ "city": "Rome", "days": -1 })),
    ];
    let told = results(vec![weather()], &calls);
    assert!(told.iter().all(|(status, _)| status == "error"), "{told:?}");
    for ((_, result), part) in told.iter().zip(["no such city", "city", "unit", "days"]) {
        assert!(result.to_string().contains(part), "{result}");
    }
}

/// Keeps a note.
#[derive(serde::Deserialize, JsonSchema)]
#[schemars(crate = "glove_wasm::schemars")]
struct KeepNote2Day {
    /// What it says.
    text: String,
}

#[test]
fn a_type_is_a_tool_with_what_a_closure_has_of_its_surroundings() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notes);
    let keep = Tool::of(move |input: KeepNote2Day, _: ToolContext| {
        kept.lock().unwrap().push(input.text);
        std::future::ready("kept")
    });
    assert_eq!((keep.name(), keep.definition().description.as_str()), ("keep_note2_day", "Keeps a note."));
    assert_eq!(schema_of_tool(&keep)["properties"]["text"]["description"], "What it says.");
    assert_eq!(results(vec![keep], &[("keep_note2_day", json!({ "text": "milk" }))])[0].0, "success");
    assert_eq!(*notes.lock().unwrap(), ["milk"]);
}

/// A folder.
#[derive(serde::Deserialize, JsonSchema)]
#[schemars(crate = "glove_wasm::schemars")]
struct Folder {
    name: String,
    sizes: BTreeMap<String, f64>,
    inner: Vec<Folder>,
}

#[test]
fn a_type_that_contains_itself_has_a_schema_that_holds() {
    let count = Tool::described("count", "Counts folders.", async |folder: Folder, _: ToolContext| {
        assert!(folder.sizes.is_empty() && !folder.name.is_empty());
        folder.inner.len()
    });
    let mut registered = Tools::new();
    registered.register(count.clone()).unwrap();
    let inner = |name: Value| json!({ "name": name, "sizes": {}, "inner": [] });
    let calls = [
        ("count", json!({ "name": "a", "sizes": {}, "inner": [inner(json!("b"))] })),
        ("count", json!({ "name": "a", "sizes": {}, "inner": [inner(json!(1))] })),
    ];
    let told = results(vec![count], &calls);
    assert_eq!((told[0].1["data"].clone(), told[1].0.as_str()), (json!(1), "error"));
}

#[test]
fn widths_of_numbers_are_left_out_and_formats_stay() {
    #[derive(serde::Deserialize, JsonSchema)]
    #[schemars(crate = "glove_wasm::schemars")]
    #[allow(dead_code)]
    struct All {
        a: u64,
        b: Option<i8>,
        c: f32,
        d: Vec<usize>,
        e: char,
        #[schemars(extend("format" = "date"))]
        f: String,
    }
    let schema = schema_of::<All>();
    let formats: Vec<_> =
        ["a", "b", "c", "e", "f"].map(|field| schema["properties"][field]["format"].clone()).into();
    assert_eq!(formats, [json!(null), json!(null), json!(null), json!(null), json!("date")], "{schema}");
    assert_eq!(schema["properties"]["d"]["items"], json!({ "type": "integer", "minimum": 0 }));
}
