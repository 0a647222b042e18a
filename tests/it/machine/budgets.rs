//! Budgets and undo: what a request may use, and what can be taken back.

use std::sync::Arc;

use crate::support::machine::*;
use glove_wasm::event::{QuestionKind, Rule};
use glove_wasm::message::{Message, Usage};
use glove_wasm::run::effect::{Effect, Outcome};
use glove_wasm::run::input::{Input, Reply, ToolOutcome};
use glove_wasm::run::settings::{Budgets, Limits, Settings};
use glove_wasm::run::{OutOfProtocol, PhaseName, Run};
use glove_wasm::tool::ToolSpec;

// ---- budgets -------------------------------------------------------------------------------------------------------

/// A model that calls a tool in each answer; a round takes 10 + 5 tokens, one cent, one tool call and 200 ms.
fn work_until_stopped(world: &mut World) -> usize {
    for round in 0..50 {
        if !matches!(world.run.phase(), PhaseName::Model | PhaseName::Tools) {
            return round;
        }
        let usage = Usage { cost: Some(0.01), ..used(10, 5) };
        world.at += 100;
        world.model_answers(Reply { usage, ..calls_tools(&[("t", "", &format!("[{}]", world.at))]) });
        world.at += 100;
        if let Some(Effect::RunTool { call_id, .. }) = world.in_flight.first().cloned() {
            world.tool_returns(&call_id, "1");
        }
    }
    panic!("no budget stopped it");
}

fn each_budget() -> Vec<(Rule, Budgets, usize)> {
    let none = Budgets::default();
    vec![
        (Rule::Turns, Budgets { turns: Some(4), ..none.clone() }, 4),
        // The fourth call is not run, so its answer is the fourth round.
        (Rule::ToolCalls, Budgets { tool_calls: Some(3), ..none.clone() }, 4),
        // 45 tokens after three rounds: the third tool may not begin any more.
        (Rule::Tokens, Budgets { tokens: Some(45), ..none.clone() }, 3),
        (Rule::Cost, Budgets { cost: Some(0.04), ..none.clone() }, 4),
        (Rule::WallClock, Budgets { wall_clock_ms: Some(600), ..none }, 3),
    ]
}

#[test]
fn each_budget_pauses_the_run_in_time_and_resuming_goes_on_with_as_much_again() {
    for (rule, budgets, rounds) in each_budget() {
        let mut world = World::new(Settings { tools: vec![tool("t")], budgets, ..Settings::default() });
        world.ask("r", "q");
        assert_eq!(work_until_stopped(&mut world), rounds, "{rule:?}");
        let (_, Outcome::Paused { rule: told, .. }) = world.last_finish() else { panic!("{rule:?}") };
        assert_eq!((*told, world.run.phase()), (rule, PhaseName::Paused));
        // Hours later, in another process.
        let mut later = world.restart();
        later.at += 10_000_000;
        later.step(Input::Recovered);
        assert_eq!(later.in_flight, []);
        later.step(Input::Resumed);
        if let Some(Effect::RunTool { call_id, .. }) = later.in_flight.first().cloned() {
            later.tool_returns(&call_id, "1");
        }
        assert!(work_until_stopped(&mut later) >= rounds - 1, "{rule:?}");
        assert_eq!(later.run.phase(), PhaseName::Paused);
    }
}

#[test]
fn a_person_who_is_asked_can_let_each_budget_go_on_or_stop() {
    for (rule, budgets, rounds) in each_budget() {
        let budgets = Budgets { ask: true, ..budgets };
        let mut world = World::new(Settings { tools: vec![tool("t")], budgets, ..Settings::default() });
        world.ask("r", "q");
        assert_eq!(work_until_stopped(&mut world), rounds, "{rule:?}");
        assert_eq!((world.finishes.len(), world.question_kind()), (0, Some(QuestionKind::Budget)));
        world.at += 10_000_000;
        world.allow();
        if let Some(Effect::RunTool { call_id, .. }) = world.in_flight.first().cloned() {
            world.tool_returns(&call_id, "1");
        }
        assert!(work_until_stopped(&mut world) >= rounds - 1, "{rule:?}");
        world.deny();
        assert_eq!(world.last_outcome(), "paused");
        world.step(Input::Resumed);
        assert!(matches!(world.run.phase(), PhaseName::Model | PhaseName::Tools), "{rule:?}");
        world.abort();
        assert_eq!((world.last_outcome(), world.in_flight.len()), ("aborted", 0));
    }
}

#[test]
fn a_budget_of_nothing_or_of_no_number_allows_no_work() {
    for budgets in [
        Budgets { turns: Some(0), ..Budgets::default() },
        Budgets { cost: Some(f64::NAN), ..Budgets::default() },
        Budgets { cost: Some(-1.0), ..Budgets::default() },
    ] {
        let mut world = World::new(Settings { budgets, ..Settings::default() });
        world.ask("r1", "q");
        world.ask("r2", "q");
        assert_eq!((world.model_requests.len(), world.finishes.len()), (0, 2));
        assert_eq!(world.restart().run, world.run);
    }
}

#[test]
fn repeating_a_tool_that_fails_does_not_go_past_the_budget_of_time() {
    let budgets = Budgets { wall_clock_ms: Some(2_000), ..Budgets::default() };
    let spec = ToolSpec { retries: 1_000, ..idempotent("t") };
    let mut world = World::new(Settings { tools: vec![spec], budgets, ..Settings::default() });
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}")]);
    for _ in 0..3 {
        world.tool_throws("c1", "busy");
        world.timer_fires();
    }
    assert_eq!((world.last_outcome(), world.began.len()), ("paused", 3));
    world.step(Input::Resumed);
    assert_eq!((world.began.len(), world.run.call("c1").unwrap().attempt), (4, 4));
}

#[test]
fn the_time_in_which_no_process_ran_is_nobodys_working_time() {
    let budgets = Budgets { wall_clock_ms: Some(1_000), ..Budgets::default() };
    let mut world = World::new(Settings { tools: vec![idempotent("t")], budgets, ..Settings::default() });
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}")]);
    let mut later = world.restart();
    later.at += 1_000_000;
    later.step(Input::Recovered);
    later.at += 10;
    later.tool_returns("c1", "1");
    assert_eq!(later.run.phase(), PhaseName::Model);
    assert_eq!(later.run.messages()[2].results()[0].duration_ms, Some(10));
}

#[test]
fn what_a_stopped_run_may_not_do_any_more_is_not_asked_about() {
    let keeps = ToolSpec { un_abortable: true, ..tool("commit") };
    let budgets = Budgets { tool_calls: Some(1), ask: true, ..Budgets::default() };
    let mut world = World::new(Settings { tools: vec![keeps], budgets, ..Settings::default() });
    world.ask("r", "q");
    world.model_calls(&[("commit", "c1", "{}"), ("commit", "c2", "{}")]);
    world.abort();
    world.tool_returns("c1", "1");
    assert_eq!((world.last_outcome(), world.began.len()), ("aborted", 1));
}

#[test]
fn costs_that_json_cannot_hold_do_not_spoil_the_stored_run() {
    let costs =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, f64::MAX, f64::MAX, 0.1, 0.2, 1.0 / 3.0, 5e-324];
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    for (n, cost) in costs.into_iter().enumerate() {
        let usage = Usage { cost: Some(cost), ..used(1, 1) };
        world.model_answers(Reply { usage, ..calls_tools(&[("t", &format!("c{n}"), &format!("[{n}]"))]) });
        world.tool_returns(&format!("c{n}"), "1");
        assert_eq!(world.restart().run, world.run, "{cost}");
        let only_messages = serde_json::to_string(world.run.messages()).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Arc<Message>>>(&only_messages).unwrap(), world.run.messages());
    }
    assert_eq!(world.run.usage().cost, Some(1_000_000.0));
}

#[test]
fn tools_that_ran_beside_a_question_about_a_budget_are_taken_up_again_with_it() {
    let budgets = Budgets { tool_calls: Some(1), ask: true, ..Budgets::default() };
    let both = ToolSpec { parallel: true, ..idempotent("t") };
    let mut world = World::new(Settings { tools: vec![both], budgets, ..Settings::default() });
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}"), ("t", "c2", "{}")]);
    let mut later = world.restart();
    later.step(Input::Recovered);
    assert_eq!(
        (later.question_kind(), later.runs.as_slice()),
        (Some(QuestionKind::Budget), &["c1".to_owned()][..])
    );
    later.allow();
    later.tool_returns("c1", "1");
    later.tool_returns("c2", "2");
    assert_eq!(later.record().last().unwrap(), "results: c1=1 | c2=2");
}

#[test]
fn a_tool_that_was_about_to_run_when_its_request_gave_way_does_not_run() {
    let budgets = Budgets { tool_calls: Some(1), ..Budgets::default() };
    let mut world = World::new(Settings { tools: vec![parallel("t")], budgets, ..Settings::default() });
    world.ask("r1", "q");
    world.ask("r2", "waits");
    world.model_calls(&[("t", "c1", "{}"), ("t", "c2", "{}")]);
    assert_eq!((world.began.len(), world.run.request()), (0, Some("r2")));
    assert_eq!(world.in_flight, [Effect::CallModel { call: world.model_call() }]);
}

#[test]
fn a_tool_that_is_rejected_by_a_person_is_not_repeated_by_a_budget_question() {
    let budgets = Budgets { tool_calls: Some(1), ask: true, ..Budgets::default() };
    let mut world = World::new(Settings { tools: vec![tool("t")], budgets, ..Settings::default() });
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}"), ("t", "c2", "{}")]);
    world.tool_ends("c1", ToolOutcome::Rejected(None));
    world.allow();
    assert_eq!(world.began.len(), 2);
    world.tool_returns("c2", "1");
    assert_eq!(world.model_requests.len(), 2);
}

// ---- undo ----------------------------------------------------------------------------------------------------------

fn after_three_actions(extra: impl IntoIterator<Item = ToolSpec>) -> World {
    let mut world = World::with_tools([undoable("add"), tool("look")].into_iter().chain(extra));
    world.ask("r1", "q");
    for n in 1..=3 {
        world.model_calls(&[("add", &format!("a{n}"), &format!("[{n}]")), ("look", &format!("l{n}"), "{}")]);
        world.tool_returns(&format!("a{n}"), "1");
        world.tool_returns(&format!("l{n}"), &n.to_string());
    }
    world
}

fn stack(world: &World) -> Vec<&str> {
    world.run.undo_stack().iter().map(|entry| entry.call_id.as_str()).collect()
}

#[test]
fn actions_are_taken_back_last_first_and_only_those_that_succeeded_and_can_be() {
    let mut world = after_three_actions([]);
    world.model_calls(&[("add", "a4", "{}")]);
    world.tool_throws("a4", "no");
    world.model_says("done");
    assert_eq!(stack(&world), ["a1", "a2", "a3"]);
    world.step(Input::Undo { request: "u1".into(), steps: 2 });
    world.undo_ends("a3", None);
    world.undo_ends("a2", None);
    assert_eq!(world.last_finish(), &("u1".into(), Outcome::Undone { steps: 2, error: None }));
    world.step(Input::Undo { request: "u2".into(), steps: 5 });
    world.undo_ends("a1", Some("it is gone"));
    assert_eq!(world.last_finish().1, Outcome::Undone { steps: 0, error: Some("it is gone".into()) });
    assert_eq!(stack(&world), ["a1"]);
    assert_eq!(world.restart().run, world.run);
    // The model, which had no part in it, reads of it with the next request; nothing of it is a person's message.
    world.ask("r2", "And now?");
    assert_eq!(
        world.model_requests.last().unwrap().last_chunk::<2>().unwrap(),
        &[
            "user: [Undo by the user: 2 actions were taken back: add([3]), add([2]). What they did holds no more.]",
            "user: And now?"
        ]
    );
    let told = world.run.messages().iter().find(|message| !message.undone.is_empty()).unwrap();
    assert_eq!(
        (told.undone.as_slice(), told.is_from_person()),
        (&["a3".to_owned(), "a2".to_owned()][..], false)
    );
}

#[test]
fn nothing_is_taken_back_while_a_request_runs_and_nothing_of_no_steps() {
    let mut world = after_three_actions([]);
    let undo = |steps| Input::Undo { request: "u1".into(), steps };
    assert_eq!(world.try_step(undo(1)), Err(OutOfProtocol::Busy));
    world.model_says("done");
    world.step(undo(0));
    assert_eq!(world.last_finish().1, Outcome::Undone { steps: 0, error: None });
    assert_eq!(stack(&world).len(), 3);
}

#[test]
fn the_model_can_take_actions_back_with_a_tool_that_is_there_when_any_tool_can_be_undone() {
    let mut world = after_three_actions([]);
    world.model_calls(&[("undo_last_action", "u1", r#"{"steps":2}"#), ("look", "l4", "{}")]);
    world.undo_ends("a3", None);
    assert_eq!(world.began.last().unwrap(), "undo add");
    world.undo_ends("a2", None);
    world.tool_returns("l4", "4");
    assert_eq!(
        world.record().last().unwrap(),
        "results: u1=2 actions were taken back: add([3]), add([2]). | l4=4"
    );
    world.model_calls(&[("undo_last_action", "u2", "")]);
    world.undo_ends("a1", Some("locked"));
    assert_eq!(
        world.record().last().unwrap(),
        "results: u2=Error: 0 actions were taken back; the next one could not be: locked"
    );
    for (undo_steps, tools) in [(0, 1), (1, 2)] {
        let limits = Limits { undo_steps, ..Limits::default() };
        let settings = Settings { tools: vec![undoable("add")], limits, ..Settings::default() };
        assert_eq!(Run::new(settings, Vec::new()).settings().tools.len(), tools);
    }
    let mut none = World::with_tools([tool("look")]);
    none.ask("r", "q");
    none.model_calls(&[("undo_last_action", "u1", "")]);
    assert!(none.results()[0].1.starts_with("Error: No tool called undo_last_action exists."));
}

#[test]
fn odd_arguments_take_nothing_back() {
    for args in [r#"{"steps":-1}"#, r#"{"steps":0}"#, r#"{"steps":"all"}"#, r#"{"steps":1.5}"#, "7", "null"] {
        let mut world = after_three_actions([]);
        world.model_calls(&[("undo_last_action", "u1", args)]);
        assert_eq!(stack(&world).len(), 3, "{args}");
        assert!(world.results()[0].1.starts_with("Error: TOOL_INPUT_INVALID\n"), "{args}");
    }
}

#[test]
fn no_more_actions_are_kept_than_the_limit() {
    let limits = Limits { undo_steps: 2, ..Limits::default() };
    let mut world = after_three_actions([]);
    world.model_says("done");
    world.configure(|settings| settings.limits = limits);
    world.ask("r2", "q");
    world.model_calls(&[("add", "a4", "{}")]);
    world.tool_returns("a4", "1");
    assert_eq!(stack(&world), ["a3", "a4"]);
}

#[test]
fn taking_back_is_stopped_like_any_work_and_what_is_unknown_stays_on_the_stack() {
    let mut world = after_three_actions([]);
    world.model_says("done");
    world.step(Input::Undo { request: "u1".into(), steps: 3 });
    world.undo_ends("a3", None);
    let mut later = world.restart();
    later.step(Input::Recovered);
    let (_, Outcome::Undone { steps: 1, error: Some(_) }) = later.last_finish() else { panic!() };
    world.abort();
    assert_eq!(
        (world.last_outcome(), world.in_flight.len(), stack(&world)),
        ("aborted", 0, vec!["a1", "a2"])
    );
    assert_eq!(world.run.messages().last().unwrap().undone, ["a3"]);
    assert_eq!(stack(&later), ["a1", "a2"]);
}
