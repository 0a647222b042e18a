//! Answers in the form of a schema.

use crate::support::runtime::*;
use futures_util::FutureExt;
use glove_wasm::runtime::Prompt;
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{Gate, Line, ScriptedModel};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize, PartialEq)]
struct City {
    name: String,
    people: u32,
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "people": { "type": "integer", "minimum": 1 } },
        "required": ["name", "people"],
    })
}

fn gives(id: &str, input: Value) -> Line {
    Line::call("give_answer", id, input)
}

/// What comes of a question that is answered so, and the record.
fn asked(lines: impl IntoIterator<Item = Line>) -> (Result<City, String>, Vec<String>) {
    let model = ScriptedModel::new(lines);
    let store = MemoryStore::new("s");
    let agent = builder(&model, store.clone()).build().unwrap();
    let response = block_on(agent.process_request(Prompt::new("Which city?").answer(schema()))).unwrap();
    let answer = response.answer().map_err(|error| error.code().to_owned());
    (answer, transcript(&store.messages()))
}

#[test]
fn an_answer_that_fits_ends_the_request_without_another_call_of_the_model() {
    let (answer, record) = asked([gives("c1", json!({ "name": "Oslo", "people": 7 }))]);
    assert_eq!(answer, Ok(City { name: "Oslo".to_owned(), people: 7 }));
    assert_eq!(
        record,
        ["user: Which city?", "agent:  [give_answer c1]", r#"results: c1 {"name":"Oslo","people":7}"#]
    );
}

#[test]
fn what_does_not_fit_is_put_right_once_or_refused() {
    let misfit = || json!({ "name": "Oslo", "people": 0 });
    let (answer, _) = asked([gives("c1", misfit()), gives("c2", json!({ "name": "Oslo", "people": 7 }))]);
    assert_eq!(answer, Ok(City { name: "Oslo".to_owned(), people: 7 }));
    let again = ["c1", "c2"].map(|id| gives(id, misfit()));
    let (answer, record) = asked(again.into_iter().chain([Line::text("Never asked.")]));
    assert_eq!(answer, Err("ANSWER_MISSING".to_owned()));
    assert_eq!(record.iter().filter(|line| line.contains("give_answer c")).count(), 2);
    assert!(record.last().unwrap().starts_with("results: c2"));
}

#[test]
fn words_are_asked_about_once_and_words_again_are_no_answer() {
    let fits = json!({ "name": "Oslo", "people": 7 });
    let (answer, record) = asked([Line::text("Oslo."), gives("c1", fits)]);
    assert_eq!(answer.map(|city| city.people), Ok(7));
    assert_eq!(record[2], "user: Give the answer by calling give_answer.");
    let (answer, _) = asked([Line::text("Oslo."), Line::text("Oslo!")]);
    assert_eq!(answer, Err("ANSWER_MISSING".to_owned()));
}

#[test]
fn the_tool_is_there_for_its_request_alone_and_after_a_restart_and_when_it_is_asked_again() {
    let store = MemoryStore::new("s");
    let fits = |people: u32| json!({ "name": "Oslo", "people": people });
    let model = ScriptedModel::new([gives("c0", fits(1)), Line::text("Sorry.")]);
    let agent = builder(&model, store.clone()).build().unwrap();
    block_on(agent.process_request("Hi")).unwrap();
    assert_eq!(
        agent.messages()[2].results()[0].result.outcome.as_deref(),
        Some("unknown_tool"),
        "nobody wants an answer with a schema"
    );

    // The process ends while the model is asked.
    let gate = Gate::new();
    let silent = ScriptedModel::new([Line::text("never").after_gate(&gate)]);
    let agent = numbered(&silent, store.clone(), "a").build().unwrap();
    let asked = agent.process_request(Prompt::new("Which city?").answer(schema())).now_or_never();
    assert!(asked.is_none() && silent.calls() == 1);
    drop(agent);

    let model = ScriptedModel::new([gives("c1", fits(2)), gives("c2", fits(3)), Line::text("Fine.")]);
    let agent = numbered(&model, store, "b").build().unwrap();
    let response = block_on(agent.resume()).unwrap();
    assert_eq!(response.answer::<City>().unwrap().people, 2);
    let again = block_on(agent.process_request(Prompt::again())).unwrap();
    assert_eq!(again.answer::<City>().unwrap().people, 3);
    block_on(agent.process_request("Thanks")).unwrap();
    let seen = model.seen();
    assert_eq!(seen.iter().map(|call| call.tools.len()).collect::<Vec<_>>(), [1, 1, 0]);
}
