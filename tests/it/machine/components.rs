//! Tools that a part of the page brings and takes away, and what the page shows of itself: calls wait for their tool, and go on
//! exactly once when it has come.

use crate::support::machine::*;
use glove_wasm::event::QuestionKind;
use glove_wasm::message::ToolStatus;
use glove_wasm::run::input::{Answer, ApprovalVerdict, Input, ToolOutcome};
use glove_wasm::run::settings::{Budgets, Settings};
use glove_wasm::run::views::timeline::{Timeline, TimelineEntry};
use glove_wasm::run::{OutOfProtocol, PhaseName};
use glove_wasm::tool::{OnInterrupted, ToolSpec};

fn of_a_component(tool: ToolSpec) -> ToolSpec {
    ToolSpec { comes_and_goes: true, ..tool }
}

/// The component of all tools goes, or comes.
fn set_away(world: &mut World, away: bool) {
    world.configure(|settings| settings.tools.iter_mut().for_each(|tool| tool.away = away));
}

/// The model calls `tool`, whose component is not there.
fn called_away(tool: ToolSpec) -> World {
    let name = tool.name.clone();
    let mut world = World::with_tools([of_a_component(tool)]);
    world.ask("r", "go");
    set_away(&mut world, true);
    world.model_calls(&[(&name, "c", "{}")]);
    world
}

/// What a chat shows of the only call: whether it is queued, and whether it waits for its component.
fn shown(world: &World) -> (bool, bool) {
    let mut timeline = Timeline::default();
    timeline.follow(&world.run);
    let entries = timeline.entries(&world.run);
    let Some(TimelineEntry::Tool(tool)) =
        entries.into_iter().find(|entry| matches!(entry, TimelineEntry::Tool(_)))
    else {
        panic!("no call is shown");
    };
    (tool.queued, tool.away)
}

#[test]
fn a_call_whose_component_is_not_there_waits_for_it_and_says_so() {
    let mut world = called_away(tool("fill"));
    assert_eq!((world.began.len(), world.run.phase(), shown(&world)), (0, PhaseName::Tools, (true, true)));
    set_away(&mut world, false);
    assert_eq!((world.began.clone(), shown(&world)), (vec!["fill".to_owned()], (false, false)));
    world.tool_returns("c", "7");
    world.model_says("Done.");
    assert_eq!(world.last_outcome(), "completed");
}

#[test]
fn stop_ends_a_call_that_waits_for_its_component_also_one_that_may_not_be_cut_off() {
    for tool in [tool("fill"), ToolSpec { un_abortable: true, ..tool("fill") }] {
        let mut world = called_away(tool);
        world.abort();
        assert_eq!(world.last_outcome(), "aborted");
        assert_eq!(world.results()[0].0, ToolStatus::Aborted);
        assert_eq!(world.began.len(), 0);
    }
}

#[test]
fn a_call_that_a_person_allows_after_a_reload_waits_for_its_component() {
    let mut world = World::with_tools([of_a_component(approved("pay"))]);
    world.ask("r", "pay");
    world.model_calls(&[("pay", "c", "{}")]);
    world.approval_is("c", ApprovalVerdict::Needed { reason: None });
    let mut later = world.restart();
    set_away_before_recovered(&mut later);
    later.step(Input::Recovered);
    later.allow();
    assert_eq!((later.began.len(), shown(&later)), (0, (true, true)));
    // Others come first.
    later.configure(|settings| settings.tools.push(tool("other")));
    assert_eq!(later.began.len(), 0);
    set_away(&mut later, false);
    assert_eq!(later.began, ["pay"]);
}

fn set_away_before_recovered(world: &mut World) {
    let mut settings = world.run.settings().clone();
    settings.tools.iter_mut().for_each(|tool| tool.away = true);
    world.step(Input::Configured { settings: Box::new(settings), before_recovered: true });
}

#[test]
fn a_check_that_was_cut_off_by_a_reload_is_made_when_the_component_is_there() {
    let mut world = World::with_tools([of_a_component(approved("pay"))]);
    world.ask("r", "pay");
    world.model_calls(&[("pay", "c", "{}")]);
    let mut later = world.restart();
    set_away_before_recovered(&mut later);
    later.step(Input::Recovered);
    assert_eq!((later.in_flight.len(), shown(&later)), (0, (true, true)));
    set_away(&mut later, false);
    assert_eq!(later.in_flight.len(), 1);
}

#[test]
fn a_call_that_was_cut_off_goes_on_once_when_its_component_is_there_however_often_the_page_is_reloaded_before()
 {
    let questions = |world: &mut World| world.pushes("c", 0, slot("q", "form", "{}", true));
    let nothing = |_: &mut World| {};
    type Prepare = fn(&mut World);
    let table: [(ToolSpec, Prepare); 2] = [(idempotent("fill"), nothing), (tool("fill"), questions)];
    for (tool, deeds) in table {
        let mut world = World::with_tools([of_a_component(tool)]);
        world.ask("r", "go");
        world.model_calls(&[("fill", "c", "{}")]);
        deeds(&mut world);
        for _ in 0..3 {
            world = world.restart();
            set_away_before_recovered(&mut world);
            world.step(Input::Recovered);
            assert_eq!((world.began.len(), world.run.phase()), (0, PhaseName::Tools));
            assert_eq!((shown(&world), world.question_kind()), ((false, true), None));
        }
        set_away(&mut world, false);
        assert_eq!(world.began, ["fill"]);
        // It is taken away and comes back while it runs: it runs once.
        set_away(&mut world, true);
        set_away(&mut world, false);
        assert_eq!((world.began.len(), shown(&world)), (1, (false, false)));
        world.tool_returns("c", "7");
        world.model_says("Done.");
        assert_eq!(world.last_outcome(), "completed");
    }
}

#[test]
fn a_call_that_was_cut_off_and_waits_for_its_component_ends_with_stop_and_says_that_its_outcome_is_unknown() {
    for un_abortable in [false, true] {
        let mut world = World::with_tools([of_a_component(ToolSpec { un_abortable, ..idempotent("fill") })]);
        world.ask("r", "go");
        world.model_calls(&[("fill", "c", "{}")]);
        let mut later = world.restart();
        set_away_before_recovered(&mut later);
        later.step(Input::Recovered);
        later.abort();
        assert_eq!(later.last_outcome(), "aborted");
        let (status, told) = later.results()[0].clone();
        assert_eq!(status, ToolStatus::Aborted);
        assert!(told.contains("not known whether it took effect"), "{told}");
    }
}

#[test]
fn what_a_person_has_to_decide_is_asked_before_the_component_is_there() {
    let mut world = World::with_tools([of_a_component(tool("pay"))]);
    world.ask("r", "pay");
    world.model_calls(&[("pay", "c", "{}")]);
    let mut later = world.restart();
    set_away_before_recovered(&mut later);
    later.step(Input::Recovered);
    assert_eq!(later.question_kind(), Some(QuestionKind::Interrupted));
    later.answer(Answer::Allow { remember: false });
    assert_eq!((later.began.len(), shown(&later)), (0, (true, true)));
    set_away(&mut later, false);
    assert_eq!(later.began, ["pay"]);
    // One that says so fails at once.
    let mut world = World::with_tools([of_a_component(ToolSpec {
        on_interrupted: Some(OnInterrupted::Fail),
        ..tool("pay")
    })]);
    world.ask("r", "pay");
    world.model_calls(&[("pay", "c", "{}")]);
    let mut later = world.restart();
    set_away_before_recovered(&mut later);
    later.step(Input::Recovered);
    assert_eq!(later.results()[0].0, ToolStatus::Error);
}

#[test]
fn the_time_in_which_a_component_is_waited_for_is_no_working_time() {
    let budgets = Budgets { wall_clock_ms: Some(1_000), ..Budgets::default() };
    let mut world =
        World::new(Settings { tools: vec![of_a_component(tool("fill"))], budgets, ..Settings::default() });
    world.ask("r", "go");
    set_away(&mut world, true);
    world.model_calls(&[("fill", "c", "{}")]);
    world.at += 60_000;
    set_away(&mut world, false);
    assert_eq!(world.began, ["fill"]);
}

#[test]
fn a_pause_holds_a_call_whose_component_comes_and_it_goes_on_with_the_run() {
    let mut world = World::with_tools([of_a_component(idempotent("fill"))]);
    world.ask("r", "go");
    world.model_calls(&[("fill", "c", "{}")]);
    let mut later = world.restart();
    set_away_before_recovered(&mut later);
    later.step(Input::Recovered);
    later.step(Input::StoreFailed { error: broken_store() });
    set_away(&mut later, false);
    assert_eq!((later.began.len(), later.run.phase()), (0, PhaseName::Paused));
    later.step(Input::Resumed);
    assert_eq!(later.began, ["fill"]);
}

fn context(text: &str) -> Input {
    Input::ContextSet { text: text.to_owned() }
}

fn request(world: &World) -> Vec<String> {
    lines(world.run.model_request())
}

#[test]
fn what_the_page_tells_is_read_last_and_is_no_part_of_the_record() {
    let mut world = World::with_tools([tool("fill")]);
    assert_eq!(world.try_step(context("The cart")), Err(OutOfProtocol::NothingRunning));
    world.ask("r", "What is in the cart?");
    world.step(context("The cart: tea"));
    assert_eq!(request(&world), ["user: What is in the cart?", "user: The cart: tea"]);
    world.model_calls(&[("fill", "c", "{}")]);
    world.tool_returns("c", "7");
    // The newest one alone, behind what was said since.
    world.step(context("The cart: nothing"));
    assert_eq!(
        request(&world),
        ["user: What is in the cart?", "agent: [fill({})#c]", "results: c=7", "user: The cart: nothing"]
    );
    world.step(context(""));
    assert_eq!(request(&world).len(), 3);
    world.step(context("The cart: nothing"));
    world.model_says("Nothing.");
    assert!(!world.record().iter().any(|line| line.contains("The cart")));
    // The next request begins without it.
    world.ask("s", "And now?");
    assert_eq!((request(&world).pop().as_deref(), world.run.context()), (Some("user: And now?"), ""));
}

#[test]
fn a_model_that_is_asked_again_after_a_reload_is_told_what_it_was_told_before() {
    let mut world = World::with_tools([]);
    world.ask("r", "What is in the cart?");
    world.step(context("The cart: tea"));
    let mut later = world.restart();
    later.step(Input::Recovered);
    assert_eq!(later.model_requests.last(), Some(&request(&world)));
    assert_eq!(request(&later).last().map(String::as_str), Some("user: The cart: tea"));
}

#[test]
fn a_run_that_is_taken_up_by_hand_begins_nothing_before_whatever_else_happens() {
    let mut world = called_away(idempotent("fill"));
    let mut later = world.restart();
    let mut settings = later.run.settings().clone();
    settings.tools.iter_mut().for_each(|tool| tool.away = false);
    later.step(Input::Configured { settings: Box::new(settings), before_recovered: true });
    later.step(Input::PluginsChanged { states: json("{}") });
    assert_eq!((later.began.len(), later.in_flight.len()), (0, 0));
    // Also in the process after that.
    later = later.restart();
    later.step(Input::PluginsChanged { states: json("{}") });
    assert_eq!(later.began.len(), 0);
    later.step(Input::Recovered);
    assert_eq!((later.began.clone(), later.question_kind()), (vec!["fill".to_owned()], None));
    // What stops it does not hold what comes then.
    world.abort();
    world.ask("s", "And now?");
    assert_eq!(world.run.phase(), PhaseName::Model);
}

#[test]
fn a_call_whose_tool_is_another_one_now_is_judged_anew_and_runs_unasked_no_more() {
    // Its own tool had nothing to ask.
    let mut world = called_away(tool("pay"));
    set_away(&mut world, false);
    assert_eq!(world.began.len(), 1);
    world.configure(|settings| settings.tools = vec![of_a_component(approved("Pay"))]);
    world.step(Input::ToolFinished { call_id: "c".to_owned(), outcome: ToolOutcome::Changed });
    world.approval_is("c", ApprovalVerdict::Needed { reason: None });
    assert_eq!((world.began.len(), world.question_kind()), (1, Some(QuestionKind::Approval)));
    world.allow();
    assert_eq!(world.began.len(), 2);
}

#[test]
fn what_a_decision_rests_on_is_in_its_question_and_comes_back_with_the_call_also_after_a_reload() {
    let judged = |text: &str| Input::Judged { call_id: "c".to_owned(), judged: json(text) };
    let mut world = called_away(approved("pay"));
    // Nobody looks at it yet.
    assert!(matches!(world.try_step(judged("{}")), Err(OutOfProtocol::NoSuchCall(_))));
    set_away(&mut world, false);
    world.step(judged("{\"confirm\":\"Pay?\"}"));
    world.approval_is("c", ApprovalVerdict::Needed { reason: None });
    let rests_on = |world: &World| {
        let of_question = world.run.questions().next().and_then(|question| question.judged.clone());
        let of_call = world.run.call("c").and_then(|call| call.judged);
        let text = |json: glove_wasm::json::Json| json.as_str().to_owned();
        (of_question.map(text), of_call.map(text))
    };
    let pay = Some("{\"confirm\":\"Pay?\"}".to_owned());
    assert_eq!(rests_on(&world), (pay.clone(), pay.clone()));
    let mut later = world.restart();
    later.step(Input::Recovered);
    assert_eq!(rests_on(&later), (pay.clone(), pay.clone()));
    later.allow();
    assert_eq!(rests_on(&later), (None, pay));
    // It says something else now: what was decided is gone, and so is what it rested on.
    later.step(Input::ToolFinished { call_id: "c".to_owned(), outcome: ToolOutcome::Changed });
    assert_eq!(rests_on(&later), (None, None));
    later.approval_is("c", ApprovalVerdict::Needed { reason: None });
    assert_eq!((rests_on(&later), later.question_kind()), ((None, None), Some(QuestionKind::Approval)));
}
