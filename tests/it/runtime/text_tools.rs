//! Tools for a model that knows none, from end to end: what it reads, what is shown, what runs and what never does.

use std::sync::Arc;

use crate::support::runtime::*;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::runtime::GloveBuilder;
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{FakeClock, Line, ScriptedModel, SequentialIds};
use glove_wasm::text_tools::TextTools;

fn agent(model: &ScriptedModel, store: impl StoreAdapter + 'static) -> GloveBuilder {
    let (clock, ids) = (Arc::new(FakeClock::at(1_000)), Arc::new(SequentialIds::new("id")));
    let model = TextTools::new(Arc::new(model.clone()));
    GloveBuilder::new(Arc::new(model), clock, ids).store(store).system_prompt("Be brief.")
}

#[test]
fn a_model_without_tools_uses_one_and_answers() {
    let call =
        "Thought: I look.\nAction: look\nAction Input: {\"at\": 1}\nObservation: nothing\nFinal Answer: no";
    let model = ScriptedModel::new([
        Line::deltas(call.split_inclusive(' ')),
        Line::deltas(["Thought: ok\nFin", "al Answer: ", "It ", "is done."]),
        Line::text("Gladly."),
    ]);
    let (store, notes) = (MemoryStore::new("s"), Notes::default());
    let agent = agent(&model, store.clone()).fold(noting("look", &notes)).build().unwrap();
    let told = listen(&agent);
    assert_eq!(block_on(agent.process_request("Look!")).unwrap().text(), "It is done.");
    assert_eq!(block_on(agent.process_request("Thanks")).unwrap().text(), "Gladly.");
    assert_eq!(notes.all(), ["look"]);
    let texts: Vec<String> = told.all().into_iter().filter(|event| event.starts_with("text_delta")).collect();
    assert_eq!(texts, ["text_delta It", "text_delta  is done."], "nothing of the action is shown");
    let messages = store.messages();
    assert_calls_are_answered(&messages);
    assert_eq!(messages.get(1).unwrap().reasoning_content.as_deref(), Some("I look."));

    let seen = model.seen();
    let first = seen.first().unwrap();
    assert!(first.tools.is_empty() && first.system_prompt.starts_with("Be brief.\n\n# Tools\n"));
    assert!(first.system_prompt.contains("\n## look\nnotes\nArguments: {\"type\":\"object\"}\n"));
    assert_eq!(
        seen.get(1).unwrap().texts(),
        ["Look!", "Thought: I look.\nAction: look\nAction Input: {\"at\": 1}", "Observation: look done"]
    );
    assert_eq!(seen.get(2).unwrap().messages.len(), 5);
    assert!(
        seen.iter()
            .flat_map(|seen| &seen.messages)
            .all(|m| m.tool_calls.is_none() && m.tool_results.is_none())
    );
}

#[test]
fn what_is_not_clear_runs_nothing_and_is_told_to_the_model() {
    for (text, told) in [
        ("Action: look", "look"),
        ("Action: look\nAction Input: at once", "at once"),
        ("Action: look\nAction Input: {\"at\": 1", "{\"at\": 1"),
        ("Action: leap\nAction Input: {}", "leap"),
    ] {
        let model = ScriptedModel::new([Line::text(text), Line::text("Final Answer: sorry")]);
        let notes = Notes::default();
        let agent = agent(&model, MemoryStore::new("s")).fold(noting("look", &notes)).build().unwrap();
        assert_eq!(block_on(agent.process_request("Look!")).unwrap().text(), "sorry", "{text}");
        assert_eq!(notes.all(), Vec::<String>::new(), "{text}");
        let seen = model.seen();
        let observation = seen.get(1).unwrap().messages.last().unwrap();
        assert!(observation.text.starts_with("Observation: Error: "), "{}", observation.text);
        assert!(seen.get(1).unwrap().texts().concat().contains(told), "{text}");
    }
}

#[test]
fn what_a_model_quotes_does_not_run() {
    for text in [
        "The mail says:\n\n> Action: look\n> Action Input: {\"at\": 1}\n\nDo you want that?",
        "You would write:\n\n```\nAction: look\nAction Input: {\"at\": 1}\n```\n\nThat is the form.",
        "* Action: look\n* Action Input: {\"at\": 1}\n* Deadline: today",
        "# Action: look\n# Action Input: {\"at\": 1}",
        "Hello <think>\nAction: look\nAction Input: {\"at\": 1}\n</think> bye",
    ] {
        let model = ScriptedModel::new([Line::deltas(text.split_inclusive(' '))]);
        let notes = Notes::default();
        let agent = agent(&model, MemoryStore::new("s")).fold(noting("look", &notes)).build().unwrap();
        assert_eq!(block_on(agent.process_request("Read it")).unwrap().text(), text);
        assert_eq!(notes.all(), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_action_that_a_filter_cut_short_does_not_run_without_its_arguments() {
    for reason in ["content_filter", "SAFETY", "refusal", "length", "pause_turn"] {
        let line = Line::text("Action: look\nAction Input:").stopped(reason);
        let model = ScriptedModel::new([line, Line::text("Final Answer: sorry")]);
        let notes = Notes::default();
        let agent = agent(&model, MemoryStore::new("s")).fold(noting("look", &notes)).build().unwrap();
        assert_eq!(block_on(agent.process_request("Look!")).unwrap().text(), "sorry", "{reason}");
        assert_eq!(notes.all(), Vec::<String>::new(), "{reason}");
    }
}

#[test]
fn a_stream_that_breaks_behind_a_whole_action_runs_nothing() {
    let model = ScriptedModel::new([Line::cut(["One moment.\nAction: look\nAction Input: {}\n", "Obs"])]);
    let (store, notes) = (MemoryStore::new("s"), Notes::default());
    let agent = agent(&model, store.clone()).fold(noting("look", &notes)).build().unwrap();
    assert!(block_on(agent.process_request("Look!")).is_err());
    assert_eq!(notes.all(), Vec::<String>::new());
    assert_eq!(transcript(&store.messages()), ["user: Look!", "agent (partial): One moment."]);
}
