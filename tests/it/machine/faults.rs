//! A store that refuses to write: nothing is lost, nothing runs on, and each request is told of once.

use crate::support::machine::*;
use crate::support::script::{assert_in_flight_is_outstanding, next, play, settings};
use glove_wasm::run::effect::{Effect, Outcome};
use glove_wasm::run::input::{Input, PermissionVerdict, WhenBusy};
use glove_wasm::run::{OutOfProtocol, PhaseName};

#[test]
fn whichever_write_fails_the_session_goes_on_to_the_same_end() {
    let mut whole = World::new(settings(true));
    let mut steps = 0;
    play(&mut whole, |_| steps += 1);
    for at in 1..=steps {
        let mut world = World::new(settings(true));
        let mut step = 0;
        play(&mut world, |world| {
            step += 1;
            if step == at
                && let Some((answered, input)) = next(world)
            {
                world.in_flight.retain(|effect| Some(effect) != answered.as_ref());
                let finished = world.finishes.len();
                world.store_is_broken = true;
                world.step(input);
                world.store_is_broken = false;
                assert!(world.finishes.len() <= finished + 1, "{at}: told twice");
                if world.run.phase() == PhaseName::Paused {
                    assert_eq!(world.last_finish().1, Outcome::StoreFailed(broken_store()));
                    world.step(Input::Resumed);
                }
                assert_in_flight_is_outstanding(world);
            }
        });
        // What the last write could not take, a later one takes.
        world.perform(vec![Effect::Persist { strict: true }]);
        assert_eq!(world.record(), whole.record(), "{at}");
        assert!(world.store.messages == whole.run.messages(), "{at}");
        assert_eq!(world.restart().run, world.run, "{at}");
    }
}

#[test]
fn a_store_that_failed_is_not_asked_to_write_that_down() {
    let mut world = World::with_tools([]);
    world.ask("r", "q");
    let effects = world.run.step(1, Input::StoreFailed { error: broken_store() }).unwrap();
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Persist { .. })), "{effects:?}");
    let again = world.run.step(1, Input::StoreFailed { error: broken_store() }).unwrap();
    assert_eq!(again, []);
}

#[test]
fn a_model_call_that_is_under_way_when_a_write_fails_is_stopped_and_made_again() {
    let mut world = World::with_tools([]);
    world.ask("r", "q");
    let call = world.model_call();
    world.store_is_broken = true;
    world.step(Input::ModelPartial { call, text: "Once".into(), from: 0 });
    assert_eq!((world.last_outcome(), world.in_flight.len()), ("store_failed", 0));
    let late = Input::ModelFinished { call, reply: says("Once upon") };
    assert_eq!(world.try_step(late), Err(OutOfProtocol::NoSuchModelCall(call)));
    world.store_is_broken = false;
    world.step(Input::Resumed);
    world.model_says("Once upon a time");
    let told: Vec<&str> = world.finishes.iter().map(|(_, outcome)| outcome.name()).collect();
    assert_eq!(told, ["store_failed", "completed"]);
    assert_eq!(world.record(), ["user: q", "agent: Once upon a time"]);
}

#[test]
fn tools_that_are_under_way_when_a_write_fails_end_in_peace_and_nothing_new_begins() {
    let mut world = World::with_tools([parallel("p"), tool("t"), guarded("g")]);
    world.ask("r", "q");
    world.model_calls(&[("p", "c1", "{}"), ("p", "c2", "{}"), ("t", "c3", "{}"), ("g", "c4", "{}")]);
    world.store_is_broken = true;
    world.tool_returns("c1", "1");
    world.store_is_broken = false;
    assert_eq!(world.run.phase(), PhaseName::Paused);
    world.tool_returns("c2", "2");
    assert_eq!((world.began.len(), world.finishes.len(), world.in_flight.len()), (2, 1, 0));
    world.step(Input::Resumed);
    assert_eq!(world.began.len(), 3);
    world.tool_returns("c3", "3");
    world.permission_is("c4", PermissionVerdict::Granted);
    world.tool_returns("c4", "4");
    world.model_says("ok");
    assert_eq!(world.finishes.len(), 2);
}

#[test]
fn taking_actions_back_halts_like_everything_else() {
    let mut world = World::with_tools([undoable("add")]);
    world.ask("r", "q");
    world.model_calls(&[("add", "c1", "{}"), ("add", "c2", "{}")]);
    world.tool_returns("c1", "1");
    world.tool_returns("c2", "1");
    world.model_says("ok");
    world.step(Input::Undo { request: "u".into(), steps: 2 });
    world.store_is_broken = true;
    world.configure(|_| {});
    world.store_is_broken = false;
    assert_eq!((world.last_outcome(), world.finishes.len()), ("store_failed", 2));
    world.undo_ends("c2", None);
    assert_eq!((world.finishes.len(), world.began.len()), (2, 3));
    world.step(Input::Resumed);
    world.undo_ends("c1", None);
    assert_eq!(world.last_finish(), &("u".into(), Outcome::Undone { steps: 2, error: None }));
    assert_eq!(world.began, ["add", "add", "undo add", "undo add"]);
}

#[test]
fn requests_that_waited_when_a_write_failed_keep_their_place() {
    for (when_busy, order) in [
        (WhenBusy::Queue, vec!["r2", "r3"]),
        (WhenBusy::Interrupt, vec!["r3", "r2"]),
        (WhenBusy::Drop, vec!["r2"]),
    ] {
        let mut world = World::with_tools([tool("t")]);
        world.ask("r1", "one");
        world.model_calls(&[("t", "c1", "{}")]);
        world.ask("r2", "two");
        world.store_is_broken = true;
        world.configure(|_| {});
        world.store_is_broken = false;
        assert_eq!(world.run.phase(), PhaseName::Paused);
        world.request("r3", "three", when_busy);
        let mut served = Vec::new();
        while world.run.phase() == PhaseName::Model {
            served.push(world.run.request().unwrap().to_owned());
            world.model_says("ok");
        }
        assert_eq!(served, order);
        // The request that nobody took up again is closed, with all its calls answered.
        assert!(world.record()[2].starts_with("results: c1=Error: Tool execution was aborted"));
    }
}

#[test]
fn a_request_that_failed_stands_in_nobodys_way() {
    let mut world = World::with_tools([]);
    world.ask("r1", "one");
    world.ask("r2", "two");
    world.model_fails("half an ans");
    assert_eq!(world.run.request(), Some("r2"));
    assert_eq!(world.model_requests[1], ["user: one", "agent: half an ans", "user: two"]);
    world.model_fails("");
    assert_eq!(world.run.phase(), PhaseName::Paused);
    world.ask("r3", "three");
    world.model_says("ok");
    let told: Vec<(&str, &str)> =
        world.finishes.iter().map(|(id, outcome)| (id.as_str(), outcome.name())).collect();
    assert_eq!(told, [("r1", "model_failed"), ("r2", "model_failed"), ("r3", "completed")]);
}

#[test]
fn a_request_is_known_by_its_id_whatever_its_message_says() {
    let mut world = World::with_tools([tool("t")]);
    let mut asked = request("r1", "q", WhenBusy::Queue);
    asked.message.prompt_id = Some("other".into());
    (asked.message.partial, asked.message.is_compaction, asked.message.is_compaction_request) =
        (true, true, true);
    world.step(Input::Request(Box::new(asked)));
    assert_eq!(world.model_requests, [["user: q"]]);
    world.model_calls(&[("t", "", "{}")]);
    let Effect::RunTool { call_id, .. } = world.in_flight[0].clone() else { panic!() };
    world.tool_returns(&call_id, "1");
    world.model_says("a");
    for world in [&mut world.restart(), &mut world] {
        let again = Input::Request(Box::new(request("r1", "q", WhenBusy::Queue)));
        assert_eq!(world.try_step(again), Err(OutOfProtocol::RequestId));
        let empty = Input::Request(Box::new(request("", "q", WhenBusy::Queue)));
        assert_eq!(world.try_step(empty), Err(OutOfProtocol::RequestId));
    }
}

#[test]
fn a_trigger_gives_up_no_paused_request_and_a_message_of_a_person_does() {
    let trigger = |world: &mut World, id: &str| {
        let mut reminder = request(id, "due", WhenBusy::Queue);
        reminder.message.framework_context = Some("trigger".to_owned());
        world.step(Input::Request(Box::new(reminder)));
    };
    let paused = || {
        let mut world = World::new(settings(false));
        world.ask("r1", "Hi");
        trigger(&mut world, "early");
        world.model_fails("");
        trigger(&mut world, "late");
        assert_eq!((world.run.phase(), world.run.request()), (PhaseName::Paused, Some("r1")));
        world
    };
    let mut world = paused().restart();
    world.step(Input::Resumed);
    for id in ["r1", "early", "late"] {
        assert_eq!(world.run.request(), Some(id));
        world.model_says("Fine.");
        assert_eq!(world.last_finish().0, id);
    }
    let mut world = paused();
    world.ask("r2", "Something else");
    for id in ["early", "late", "r2"] {
        assert_eq!(world.run.request(), Some(id));
        world.model_says("Fine.");
    }
    assert_eq!(world.run.phase(), PhaseName::Idle);
}
