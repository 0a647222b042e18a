//! What a tool did before its process died: which calls go on by themselves, what is given back to their tools, and
//! what a person is asked about.

use crate::support::machine::*;
use glove_wasm::display::Slot;
use glove_wasm::event::QuestionKind;
use glove_wasm::message::ToolStatus;
use glove_wasm::run::effect::Effect;
use glove_wasm::run::input::{Answer, Input};
use glove_wasm::run::log::{ReplayCursor, SlotAnswer, SlotReplay, StepReplay, StepResult};
use glove_wasm::run::settings::Settings;
use glove_wasm::run::{OutOfProtocol, PhaseName};
use glove_wasm::tool::{OnInterrupted, ToolSpec};

/// A call of `tool` that is running.
fn running(tool: ToolSpec) -> World {
    let name = tool.name.clone();
    let mut world = World::with_tools([tool]);
    world.ask("r", "go");
    world.model_calls(&[(&name, "c", "{}")]);
    world
}

fn question(id: &str) -> Slot {
    slot(id, "form", &format!(r#"{{"ask":"{id}"}}"#), true)
}

fn card(id: &str) -> Slot {
    slot(id, "card", &format!(r#"{{"of":"{id}"}}"#), false)
}

fn value(text: &str) -> SlotAnswer {
    SlotAnswer::Value(json(text))
}

fn pushed(at: usize, slot: Slot, deterministic: bool) -> Input {
    Input::SlotPushed { call_id: "c".to_owned(), at, slot, deterministic }
}

fn step_begun(name: &str, deterministic: bool) -> Input {
    Input::StepBegun { call_id: "c".to_owned(), key: format!("1 {name}"), deterministic }
}

fn step_done(name: &str) -> Input {
    let result = StepResult::Returned(json("7"));
    Input::StepDone { call_id: "c".to_owned(), key: format!("1 {name}"), result }
}

fn settled(id: &str, text: &str) -> Input {
    Input::SlotSettled { slot: id.to_owned(), answer: value(text) }
}

/// What becomes of the call after its process died: `goes on` by itself, or a person is asked.
fn after_death(tool: ToolSpec, deeds: Vec<Input>) -> &'static str {
    let mut world = running(tool);
    for deed in deeds {
        world.step(deed);
    }
    let mut later = world.restart();
    assert_eq!(later.run, world.run);
    later.step(Input::Recovered);
    match later.question_kind() {
        Some(kind) => {
            assert_eq!((kind, later.began.len()), (QuestionKind::Interrupted, 0));
            "asks"
        }
        None if later.began.len() == 1 => "goes on",
        None => "failed",
    }
}

#[test]
fn a_call_goes_on_by_itself_only_when_all_that_it_did_was_questions_and_steps() {
    let table: Vec<(&str, Vec<Input>, &str)> = vec![
        ("it may have done anything", vec![], "asks"),
        ("it waits for its first answer", vec![pushed(0, question("a"), true)], "goes on"),
        ("something lay before its question", vec![pushed(0, question("a"), false)], "asks"),
        (
            "it waits for its second answer",
            vec![pushed(0, question("a"), true), settled("a", "1"), pushed(1, question("b"), true)],
            "goes on",
        ),
        (
            "something lay between its questions",
            vec![pushed(0, question("a"), true), settled("a", "1"), pushed(1, question("b"), false)],
            "asks",
        ),
        ("it was told the last answer", vec![pushed(0, question("a"), true), settled("a", "1")], "asks"),
        (
            "it has shown something first",
            vec![pushed(0, card("a"), true), pushed(1, question("b"), true)],
            "goes on",
        ),
        ("it has only shown something", vec![pushed(0, card("a"), true)], "asks"),
        (
            "it has shown something later",
            vec![pushed(0, card("a"), false), pushed(1, question("b"), true)],
            "asks",
        ),
        (
            "a step was done before",
            vec![step_begun("pay", true), step_done("pay"), pushed(0, question("a"), true)],
            "goes on",
        ),
        ("a step is being done", vec![step_begun("pay", true)], "asks"),
        ("a step was done", vec![step_begun("pay", true), step_done("pay")], "asks"),
        (
            "something lay before its step",
            vec![step_begun("pay", false), step_done("pay"), pushed(0, question("a"), true)],
            "asks",
        ),
        (
            "a step is being done beside a question",
            vec![pushed(0, question("a"), true), step_begun("pay", true)],
            "asks",
        ),
        (
            "it waits for two answers",
            vec![pushed(0, question("a"), true), pushed(1, question("b"), true)],
            "goes on",
        ),
        (
            "it has one of two answers, and who knows what it does with it",
            vec![pushed(0, question("a"), true), pushed(1, question("b"), true), settled("a", "1")],
            "asks",
        ),
        (
            "it was told twice, and did something between",
            vec![
                pushed(0, question("a"), true),
                pushed(1, question("b"), true),
                settled("a", "1"),
                settled("b", "1"),
                pushed(2, question("d"), true),
            ],
            "asks",
        ),
        (
            "it works while it waits",
            vec![pushed(0, question("a"), true), Input::UntrackedWork { call_id: "c".to_owned() }],
            "asks",
        ),
        (
            "it has taken its question away",
            vec![pushed(0, question("a"), true), Input::SlotsRemoved { slots: vec!["a".to_owned()] }],
            "asks",
        ),
    ];
    for (name, deeds, then) in table {
        assert_eq!(after_death(tool("t"), deeds.clone()), then, "{name}");
        assert_eq!(after_death(idempotent("t"), deeds.clone()), "goes on", "{name}");
        let fails = ToolSpec { on_interrupted: Some(OnInterrupted::Fail), ..tool("t") };
        let then = if then == "asks" { "failed" } else { then };
        assert_eq!(after_death(fails, deeds), then, "{name}");
    }
}

/// What a tool sees that is entered again.
fn replay(world: &World) -> ReplayCursor {
    ReplayCursor::new(world.run.log("c").unwrap().clone())
}

fn shows(replay: &mut ReplayCursor, slot: &Slot) -> SlotReplay {
    replay.shows(&slot.renderer, &slot.input, slot.waits)
}

#[test]
fn a_tool_is_given_the_answers_and_the_steps_that_it_had_and_asks_on_with_the_same_slot() {
    let mut world = running(tool("t"));
    world.pushes("c", 0, question("a"));
    world.settles("a", value("1"));
    world.step(step_begun("pay", true));
    world.step(step_done("pay"));
    world.pushes("c", 1, card("k"));
    world.pushes("c", 2, question("b"));
    for _ in 0..2 {
        world = world.restart();
        world.step(Input::Recovered);
        let mut replay = replay(&world);
        let SlotReplay::Known { at: 0, logged } = shows(&mut replay, &question("a")) else { panic!() };
        assert_eq!(logged.answer.unwrap().into_result(), Ok(json("1")));
        assert_eq!(replay.step("pay"), StepReplay::Done(StepResult::Returned(json("7"))));
        assert!(matches!(shows(&mut replay, &card("k")), SlotReplay::Known { at: 1, .. }));
        let SlotReplay::Known { at: 2, logged } = shows(&mut replay, &question("b")) else { panic!() };
        assert_eq!((logged.slot.id.as_str(), logged.answer), ("b", None));
        replay.resumed();
        assert_eq!(replay.step("pay"), StepReplay::Begins("2 pay".to_owned()), "a second one of that name");
        assert_eq!(shows(&mut replay, &question("x")), SlotReplay::Anew { at: 3, gone: vec![] });
        // Until it has asked again nobody knows what it does.
        assert_eq!(after(&world), "asks");
        world.pushes("c", 2, logged.slot);
        assert_eq!((world.run.phase(), after(&world)), (PhaseName::Waiting, "goes on"));
    }
    world.settles("b", value("2"));
    world.tool_returns("c", "\"done\"");
    assert_eq!(world.record().last().unwrap(), "results: c=done");
    let left: Vec<String> = world.run.slots_left().into_iter().map(|slot| slot.id).collect();
    assert_eq!(left, ["a", "k", "b"]);
}

fn after(world: &World) -> &'static str {
    let mut later = world.restart();
    later.step(Input::Recovered);
    if later.run.questions().next().is_some() { "asks" } else { "goes on" }
}

#[test]
fn a_tool_that_asks_something_else_is_asked_about_and_then_entered_from_its_start() {
    let mut world = running(tool("t"));
    world.step(step_begun("pay", true));
    world.step(step_done("pay"));
    world.pushes("c", 0, question("a"));
    let mut world = world.restart();
    world.step(Input::Recovered);
    let mut first = replay(&world);
    let others = [
        slot("a", "other", r#"{"ask":"a"}"#, true),
        slot("a", "form", r#"{"ask":"b"}"#, true),
        slot("a", "form", r#"{"ask":"a"}"#, false),
    ];
    for other in &others {
        assert_eq!(shows(&mut first, other), SlotReplay::Astray);
    }
    let same = slot("a", "form", r#"{ "ask" : "a" }"#, true);
    assert!(matches!(shows(&mut first, &same), SlotReplay::Known { .. }), "spaces are no difference");
    world.step(Input::ReplayDiverged { call_id: "c".to_owned() });
    assert_eq!(world.in_flight.iter().filter(|effect| matches!(effect, Effect::RunTool { .. })).count(), 0);
    let refused = world.run.step(0, settled("a", "1")).unwrap_err();
    assert_eq!(refused, OutOfProtocol::NoSuchSlot("a".to_owned()));
    let reason = world.run.questions().next().unwrap().reason.clone().unwrap();
    assert!(reason.contains("did not ask what it had asked before"), "{reason}");

    world.allow();
    assert_eq!(world.began, ["t", "t"]);
    let mut second = replay(&world);
    assert_eq!(second.step("pay"), StepReplay::Done(StepResult::Returned(json("7"))), "a step is done once");
    assert_eq!(shows(&mut second, &others[0]), SlotReplay::Anew { at: 0, gone: vec![] });
}

#[test]
fn a_tool_that_comes_to_a_new_step_before_it_was_answered_what_it_had_asked_is_asked_about() {
    let mut world = running(tool("t"));
    world.step(step_begun("hold", true));
    world.step(step_done("hold"));
    world.pushes("c", 0, question("a"));
    let mut world = world.restart();
    world.step(Input::Recovered);
    // Without the question, beside it, and after an answer that it has not waited for.
    assert_eq!(replay(&world).step("pay"), StepReplay::Astray);
    let mut beside = replay(&world);
    assert!(matches!(shows(&mut beside, &question("a")), SlotReplay::Known { .. }));
    assert_eq!(beside.step("pay"), StepReplay::Astray);
    let mut early = replay(&world);
    early.resumed();
    assert_eq!(early.step("pay"), StepReplay::Astray);
    assert!(matches!(early.step("hold"), StepReplay::Done(_)));
    assert!(matches!(shows(&mut early, &question("a")), SlotReplay::Known { .. }));
    assert_eq!(early.step("pay"), StepReplay::Begins("2 pay".to_owned()));
    // One that runs again because somebody said so may do as it likes.
    world.step(Input::ReplayDiverged { call_id: "c".to_owned() });
    world.allow();
    assert_eq!(replay(&world).step("pay"), StepReplay::Begins("1 pay".to_owned()));
}

#[test]
fn a_tool_that_may_run_again_is_given_its_answers_as_far_as_it_asks_the_same() {
    let mut world = running(idempotent("t"));
    world.pushes("c", 0, question("a"));
    world.settles("a", value("1"));
    world.step(pushed(1, question("b"), false));
    let mut world = world.restart();
    world.step(Input::Recovered);
    let mut replay = replay(&world);
    assert!(matches!(shows(&mut replay, &question("a")), SlotReplay::Known { .. }));
    assert_eq!(shows(&mut replay, &question("z")), SlotReplay::Anew { at: 1, gone: vec![question("b")] });
    world.pushes("c", 1, question("z"));
    let open: Vec<&str> = world.run.log("c").unwrap().open().map(|slot| slot.id.as_str()).collect();
    assert_eq!(open, ["z"]);
}

#[test]
fn a_step_that_was_cut_off_is_done_again_when_the_person_says_so() {
    let mut world = running(tool("t"));
    world.step(step_begun("reserve", true));
    world.step(step_done("reserve"));
    world.step(step_begun("pay", true));
    let mut world = world.restart();
    world.step(Input::Recovered);
    world.allow();
    let mut replay = replay(&world);
    assert!(matches!(replay.step("reserve"), StepReplay::Done(_)));
    assert_eq!(replay.step("pay"), StepReplay::Begins("1 pay".to_owned()));
    // Turned down, the outcome stays unknown.
    let mut world = running(tool("t"));
    world.step(step_begun("pay", true));
    let mut world = world.restart();
    world.step(Input::Recovered);
    world.answer(Answer::Deny { remember: false, reason: None });
    assert!(world.results()[0].1.contains("it is not known whether it took effect"));
}

#[test]
fn a_run_of_its_own_asks_again_and_keeps_its_steps() {
    let mut world = running(ToolSpec { retries: 1, ..idempotent("t") });
    world.step(step_begun("pay", true));
    world.step(step_done("pay"));
    world.pushes("c", 0, question("a"));
    world.settles("a", value("1"));
    world.tool_throws("c", "busy");
    world.timer_fires();
    let mut replay = replay(&world);
    assert!(matches!(replay.step("pay"), StepReplay::Done(_)));
    assert_eq!(shows(&mut replay, &question("a")), SlotReplay::Anew { at: 0, gone: vec![] });
}

#[test]
fn the_answer_is_written_before_the_tool_is_told() {
    let mut world = running(tool("t"));
    world.pushes("c", 0, question("a"));
    let effects = world.run.step(1, settled("a", "1")).unwrap();
    let resumed = Effect::ResumeTool { call_id: "c".to_owned(), key: "a".to_owned() };
    assert_eq!(effects, [Effect::Persist { strict: true }, resumed]);
    let begun = world.run.step(1, step_begun("pay", true)).unwrap();
    assert_eq!(begun[0], Effect::Persist { strict: true });
}

#[test]
fn a_form_makes_the_run_wait_and_its_time_is_not_working_time() {
    let mut world = World::with_tools([parallel("t"), parallel("u")]);
    world.ask("r", "go");
    world.model_calls(&[("t", "c", "{}"), ("u", "d", "{}")]);
    world.pushes("c", 0, question("a"));
    assert_eq!(world.run.phase(), PhaseName::Tools, "the other one works");
    world.tool_returns("d", "1");
    assert_eq!(world.run.phase(), PhaseName::Waiting);
    world.settles("a", value("1"));
    assert_eq!(world.run.phase(), PhaseName::Tools);
}

#[test]
fn what_a_call_left_on_the_display_stays_with_its_result_until_it_is_taken_away() {
    let mut world = running(tool("t"));
    for (at, id) in ["a", "b", "d"].into_iter().enumerate() {
        world.pushes("c", at, card(id));
    }
    world.step(Input::SlotsRemoved { slots: vec!["b".to_owned()] });
    world.pushes("c", 3, question("q"));
    world.tool_returns("c", "1");
    let left = |world: &World| -> Vec<String> {
        let restored = world.restart();
        restored.run.slots_left().into_iter().map(|slot| slot.id).collect()
    };
    assert_eq!(left(&world), ["a", "d"], "nobody waits for an answer to `q` any more");
    let message = world.run.messages().iter().find(|message| message.tool_results.is_some()).unwrap();
    assert_eq!(message.results()[0].slots.len(), 2);
    world.step(Input::SlotsRemoved { slots: vec!["a".to_owned()] });
    assert_eq!(left(&world), ["d"]);
    // However many are taken away, the checkpoint stays small.
    let others = (0..200).map(|n| format!("other {n}")).collect();
    world.step(Input::SlotsRemoved { slots: others });
    assert!(world.run.checkpoint().len() < 2_000, "{}", world.run.checkpoint());
}

#[test]
fn what_a_stopped_call_has_shown_goes_with_it() {
    let mut world = running(tool("t"));
    world.pushes("c", 0, card("a"));
    world.pushes("c", 1, question("b"));
    world.abort();
    assert_eq!(world.results()[0].0, ToolStatus::Aborted);
    assert!(world.restart().run.slots_left().is_empty());
}

#[test]
fn what_a_call_has_shown_goes_when_it_was_cut_off_and_is_not_run_again() {
    let mut world = running(tool("t"));
    world.pushes("c", 0, card("a"));
    for end in [World::deny, World::abort] {
        let mut later = world.restart();
        later.step(Input::Recovered);
        assert_eq!(later.run.slots_left().len(), 1, "it is there while a person decides");
        end(&mut later);
        assert!(later.run.slots_left().is_empty());
        let cancelled = |effect: &Effect| matches!(effect, Effect::CancelTool { call_id } if call_id == "c");
        assert!(later.effects.iter().flatten().any(cancelled));
    }
}

#[test]
fn the_key_of_a_call_is_the_same_however_often_it_is_run() {
    let world = running(idempotent("t"));
    let key = |world: &World| world.run.call("c").unwrap().idempotency_key();
    assert_eq!(key(&world), "r.c");
    let mut later = world.restart();
    later.step(Input::Recovered);
    assert_eq!(key(&later), "r.c");
    later.tool_returns("c", "1");
    later.model_calls(&[("t", "", "{}")]);
    let made = later.runs.last().unwrap().clone();
    assert_eq!(later.run.call(&made).unwrap().idempotency_key(), made);
}

#[test]
fn a_tool_that_has_not_asked_what_it_was_entered_for_is_behind() {
    let mut world = running(tool("t"));
    world.pushes("c", 0, question("a"));
    let mut world = world.restart();
    world.step(Input::Recovered);
    let mut strict = replay(&world);
    assert!(strict.is_behind());
    assert!(matches!(shows(&mut strict, &question("a")), SlotReplay::Known { .. }));
    assert!(!strict.is_behind());
    world.step(Input::ReplayDiverged { call_id: "c".to_owned() });
    world.allow();
    assert!(!replay(&world).is_behind(), "it runs because somebody said so");
}

#[test]
fn an_answer_can_be_kept_for_what_may_be_asked_again() {
    let mut world = running(tool("t"));
    world.step(pushed(0, question("a"), false));
    assert_eq!(world.run.may_ask_again("a"), Some("c"));
    assert_eq!(world.run.may_ask_again("b"), None);
    let mut world = world.restart();
    world.step(Input::Recovered);
    assert_eq!(world.question_kind(), Some(QuestionKind::Interrupted));
    assert_eq!(world.run.may_ask_again("a"), Some("c"));
    world.answer(Answer::Deny { remember: false, reason: None });
    assert_eq!(world.run.may_ask_again("a"), None);
}

#[test]
fn a_call_whose_tool_is_not_there_any_more_waits_for_a_person() {
    let mut world = running(tool("t"));
    world.pushes("c", 0, question("a"));
    let mut world = world.restart();
    let settings = Box::new(Settings { tools: vec![], ..world.run.settings().clone() });
    world.step(Input::Configured { settings, before_recovered: false });
    world.step(Input::Recovered);
    assert_eq!(world.question_kind(), Some(QuestionKind::Interrupted));
    world.answer(Answer::Deny { remember: false, reason: None });
    assert!(world.run.questions().next().is_none());
}

#[test]
fn a_call_that_had_not_begun_does_not_begin_before_those_that_were_cut_off_are_known() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "go");
    world.model_calls(&[("t", "a", "{}"), ("t", "b", "{}")]);
    let mut world = world.restart();
    let settings = Box::new(Settings { tools: vec![parallel("t")], ..world.run.settings().clone() });
    world.step(Input::Configured { settings, before_recovered: true });
    let begun = |world: &World| {
        let ids = world.in_flight.iter().filter_map(|effect| match effect {
            Effect::RunTool { call_id, .. } => Some(call_id.clone()),
            _ => None,
        });
        ids.collect::<Vec<_>>()
    };
    assert_eq!(begun(&world), [""; 0]);
    world.step(Input::Recovered);
    assert_eq!(world.run.questions().count(), 1, "only the call that ran is asked about");
    assert_eq!(world.question_kind(), Some(QuestionKind::Interrupted));
    world.deny();
    assert_eq!(begun(&world), ["b"]);
}
