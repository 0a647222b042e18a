//! Arguments of Rust tools are checked by their JSON Schema before anything runs. `schema_check.rs` compares the check with that of pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::wait::block_on;
use glove_wasm::ports::{Tool, ToolContext, Tools};
use glove_wasm::runtime::Glove;
use glove_wasm::testing::{Line, ScriptedModel};
use serde_json::{Value, json};

/// What comes of a call with these arguments: how often the tool ran, how many questions are open, and what the model is told.
fn called(input: &Value, gate: impl FnOnce(Tool) -> Tool) -> (usize, usize, String) {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": { "n": { "type": "integer", "minimum": 10 }, "to": { "type": "string", "format": "email" } },
        "required": ["n"],
    });
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ran);
    let tool = Tool::new("take", "Takes a number", schema, move |_: Value, _: ToolContext| {
        counted.fetch_add(1, Ordering::Relaxed);
        std::future::ready("taken")
    });
    let model = ScriptedModel::new([Line::call("take", "c1", input.clone()), Line::text("done")]);
    let agent = Glove::builder(model).fold(gate(tool)).build().unwrap();
    let asked = agent.session().request(glove_wasm::runtime::Prompt::new("Hi").leave_when_waiting(true));
    let _ = block_on(asked).unwrap();
    let messages = agent.messages();
    let results = messages.iter().find_map(|message| message.tool_results.as_ref());
    let told = results.map(|results| {
        let result = &results[0].result;
        format!("{} {}", result.message.clone().unwrap_or_default(), result.data.as_str())
    });
    (ran.load(Ordering::Relaxed), agent.questions().len(), told.unwrap_or_default())
}

#[test]
fn a_call_whose_arguments_do_not_fit_the_schema_does_not_run_and_the_model_is_told_the_place() {
    let table = [
        (json!({ "n": 3 }), r#"{"n":{"errors":["3 is less than 10."]}}"#),
        (json!({}), r#"{"errors":["Instance does not have required property \"n\"."]}"#),
        (
            json!({ "n": 10, "to": "nobody" }),
            r#"{"to":{"errors":["String does not match format \"email\"."]}}"#,
        ),
    ];
    for (input, words) in table {
        let (ran, _, told) = called(&input, |tool| tool);
        assert_eq!(ran, 0, "{input}");
        assert!(told.replace('\\', "").contains(&words.replace('\\', "")), "{input}: {told}");
    }
    assert_eq!(called(&json!({ "n": 10, "to": "a@b.example" }), |tool| tool).0, 1);
}

#[test]
fn nobody_is_asked_about_arguments_that_do_not_fit() {
    let wrong = json!({ "n": "10" });
    for gate in [Tool::requires_permission, |tool: Tool| tool.requires_approval("Sure?")] {
        let (ran, questions, told) = called(&wrong, gate);
        assert_eq!((ran, questions), (0, 0));
        assert!(told.contains("Expected"), "{told}");
        assert_eq!(called(&json!({ "n": 10 }), gate).1, 1);
    }
    let rule =
        |tool: Tool| tool.approval_if(|_: &Value| panic!("a rule must not see arguments that do not fit"));
    assert_eq!(called(&wrong, rule).0, 0);
}

#[test]
fn a_tool_whose_schema_cannot_be_checked_is_refused_when_it_is_registered() {
    for part in [
        json!({ "$ref": "#/$defs/gone" }),
        json!({ "$ref": "https://example.com/a.json" }),
        json!({ "type": "text" }),
    ] {
        let schema = json!({ "type": "object", "properties": { "a": part } });
        let tool = Tool::new("take", "", schema, async |_: Value, _: ToolContext| "ran");
        let refused = Tools::new().register(tool).unwrap_err();
        assert_eq!(refused.code(), "TOOL_SCHEMA_INVALID", "{part}");
        assert!(refused.to_string().contains("`take`"), "{refused}");
    }
}

#[test]
fn what_serde_cannot_read_is_told_to_the_model_beside_a_schema_that_says_nothing_of_it() {
    #[derive(serde::Deserialize)]
    struct Few {
        n: u8,
    }
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let model = ScriptedModel::new([
        Line::call("take", "c1", json!({ "n": 300 })),
        Line::call("take", "c2", json!({ "n": 30 })),
        Line::text("done"),
    ]);
    let tool = Tool::new("take", "", schema, async |few: Few, _: ToolContext| u32::from(few.n));
    let agent = Glove::builder(model).fold(tool).build().unwrap();
    block_on(agent.process_request("Hi")).unwrap();
    let results = agent.messages().into_iter().filter_map(|message| message.tool_results);
    let told = Vec::from_iter(results.flatten().map(|result| result.result.data.as_str().to_owned()));
    assert!(told[0].contains("300") && told[0].contains("u8"), "{told:?}");
    assert_eq!(told[1], "30");
}
