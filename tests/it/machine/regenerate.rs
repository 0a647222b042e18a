//! Another answer in the place of the last one, and messages that steer the request that runs.

use crate::support::machine::*;
use glove_wasm::run::OutOfProtocol;
use glove_wasm::run::effect::Outcome;
use glove_wasm::run::input::{Input, Request, ToolOutcome, WhenBusy};
use glove_wasm::run::log::SlotAnswer;
use glove_wasm::run::views::timeline::{Timeline, TimelineEntry};

fn again(id: &str) -> Input {
    Input::Request(Box::new(Request { regenerate: true, ..request(id, "", WhenBusy::Queue) }))
}

/// What a chat shows, followed step by step and read in one go.
fn shown(world: &World, followed: &mut Timeline) -> Vec<String> {
    followed.follow(&world.run);
    let mut whole = Timeline::default();
    whole.follow(&world.run);
    assert_eq!(followed.entries(&world.run), whole.entries(&world.run));
    let entry = |entry: &TimelineEntry<'_>| match entry {
        TimelineEntry::User { text, .. }
        | TimelineEntry::AgentText { text, .. }
        | TimelineEntry::Compaction { text, .. } => (*text).to_owned(),
        TimelineEntry::Tool(tool) => format!("{} {}", tool.name, tool.id),
    };
    whole.entries(&world.run).iter().map(entry).collect()
}

#[test]
fn another_answer_takes_the_place_of_the_last_in_a_chat_and_for_the_model() {
    let (mut world, mut timeline) = (World::with_tools([]), Timeline::default());
    world.ask("r1", "one");
    world.model_says("1");
    world.ask("r2", "two");
    world.model_says("2");
    shown(&world, &mut timeline);
    for (id, answer) in [("r3", "zwei"), ("r4", "deux")] {
        world.step(again(id));
        assert_eq!(shown(&world, &mut timeline), ["one", "1", "two"]);
        assert_eq!(world.model_requests.last().unwrap()[..], ["user: one", "agent: 1", "user: two"]);
        world.model_says(answer);
        assert_eq!(shown(&world, &mut timeline), ["one", "1", "two", answer]);
        assert_eq!(world.last_outcome(), "completed");
    }
    world = world.restart();
    assert_eq!(shown(&world, &mut Timeline::default()), ["one", "1", "two", "deux"]);
    world.ask("r5", "three");
    assert_eq!(world.model_requests.last().unwrap()[2..], ["user: two", "agent: deux", "user: three"]);
    assert!(world.record().contains(&"agent: 2".to_owned()), "the record keeps what was replaced");
}

#[test]
fn what_a_tool_did_is_taken_back_first_where_it_can_be() {
    let mut world = World::with_tools([undoable("add")]);
    world.ask("r1", "Add it");
    world.model_calls(&[("add", "c1", "{}")]);
    world.tool_returns("c1", "1");
    world.model_calls(&[("add", "c2", "{}")]);
    world.tool_returns("c2", "2");
    world.model_says("Added twice.");
    world.step(again("r2"));
    // A process that dies meanwhile loses nothing of it.
    let mut world = world.restart();
    world.perform(world.run.outstanding());
    world.undo_ends("c2", None);
    world.undo_ends("c1", None);
    assert_eq!(world.began, ["undo add", "undo add"]);
    assert_eq!(world.model_requests.last().unwrap()[..], ["user: Add it"]);
    world.model_says("Shall I?");
    assert_eq!(shown(&world, &mut Timeline::default()), ["Add it", "Shall I?"]);
    assert!(world.run.undo_stack().is_empty());
}

#[test]
fn what_cannot_be_taken_back_stays_with_its_result_and_does_not_run_again() {
    let mut world = World::with_tools([tool("pay"), undoable("add"), idempotent("look")]);
    world.ask("r1", "Pay");
    world.model_calls(&[("pay", "c1", "{}")]);
    world.tool_returns("c1", "\"paid\"");
    world.model_calls(&[("look", "c2", "{}"), ("nothing", "c3", "{}")]);
    world.tool_returns("c2", "true");
    world.model_calls(&[("add", "c4", "{}")]);
    world.tool_returns("c4", "4");
    world.model_says("Paid and added.");
    world.step(again("r2"));
    world.undo_ends("c4", None);
    assert_eq!(
        world.model_requests.last().unwrap()[..],
        ["user: Pay", "agent: [pay({})#c1]", "results: c1=paid"]
    );
    world.model_says("Paid.");
    assert_eq!(shown(&world, &mut Timeline::default()), ["Pay", "pay c1", "Paid."]);
    assert_eq!(world.began, ["pay", "look", "add", "undo add"]);
}

#[test]
fn where_an_action_cannot_be_taken_back_the_answer_stays() {
    let mut world = World::with_tools([undoable("add")]);
    world.ask("r1", "Add it");
    world.model_calls(&[("add", "c1", "{}")]);
    world.tool_returns("c1", "1");
    world.model_says("Added.");
    world.step(again("r2"));
    world.undo_ends("c1", Some("it is sold"));
    let failed = Outcome::Undone { steps: 0, error: Some("it is sold".to_owned()) };
    assert_eq!(world.last_finish(), &("r2".to_owned(), failed));
    assert_eq!(shown(&world, &mut Timeline::default()), ["Add it", "add c1", "Added."]);
    assert_eq!(world.run.undo_stack().len(), 1);
}

#[test]
fn that_an_earlier_action_was_taken_back_is_not_forgotten_with_the_answer() {
    let mut world = World::with_tools([undoable("add")]);
    world.ask("r1", "Add it");
    world.model_calls(&[("add", "c1", "{}")]);
    world.tool_returns("c1", "1");
    world.model_says("Added.");
    world.ask("r2", "Thanks");
    world.model_says("You are welcome.");
    world.step(Input::Undo { request: "u1".to_owned(), steps: 1 });
    world.undo_ends("c1", None);
    world.step(again("r3"));
    let sent = world.model_requests.last().unwrap();
    assert!(!sent.contains(&"agent: You are welcome.".to_owned()));
    assert!(sent.last().unwrap().starts_with("user: [Undo by the user"), "{sent:?}");
    world.model_says("It is gone again.");
    world.step(again("r4"));
    let sent = world.model_requests.last().unwrap();
    assert!(sent.last().unwrap().starts_with("user: [Undo by the user"), "{sent:?}");
}

#[test]
fn what_a_replaced_call_has_shown_leaves_the_display() {
    let mut world = World::with_tools([idempotent("look")]);
    world.ask("r1", "Look");
    world.model_calls(&[("look", "c1", "{}")]);
    world.pushes("c1", 0, slot("s1", "card", "1", true));
    world.settles("s1", SlotAnswer::Value(json("1")));
    world.tool_returns("c1", "1");
    world.model_says("There.");
    assert_eq!(world.restart().run.slots_left().len(), 1);
    world.step(again("r2"));
    let gone = glove_wasm::run::effect::Effect::CancelTool { call_id: "c1".to_owned() };
    assert!(world.effects.last().unwrap().contains(&gone));
    assert!(world.restart().run.slots_left().is_empty());
}

#[test]
fn an_answer_that_was_stopped_or_failed_is_given_again_and_nothing_is_not() {
    let mut world = World::with_tools([]);
    assert_eq!(world.try_step(again("r0")), Err(OutOfProtocol::NothingToAnswer));
    world.ask("r1", "one");
    world.model_fails("half an ans");
    world.step(again("r2"));
    assert_eq!(shown(&world, &mut Timeline::default()), ["one"]);
    world.abort();
    world.step(again("r3"));
    world.model_says("whole");
    assert_eq!(shown(&world, &mut Timeline::default()), ["one", "whole"]);
}

#[test]
fn a_summary_stands_before_what_can_be_replaced() {
    let mut world = World::with_tools([]);
    world.ask("r1", "one");
    world.model_says("1");
    world.configure(|settings| settings.compaction.every_turns = Some(1));
    world.ask("r2", "two");
    world.model_says("summary of one");
    world.model_says("2");
    world.configure(|settings| settings.compaction.every_turns = None);
    world.step(again("r3"));
    let sent = world.model_requests.last().unwrap();
    assert!(sent[0].contains("summary of one"), "{sent:?}");
    assert_eq!(sent[1..], ["user: two"]);
}

#[test]
fn a_message_that_steers_is_read_before_the_next_model_call_and_both_requests_end_with_the_answer() {
    let mut world = World::with_tools([tool("dig")]);
    world.ask("r1", "Dig");
    world.model_calls(&[("dig", "c1", "{}")]);
    world.request("q1", "Then rest", WhenBusy::Queue);
    world.request("s1", "Deeper", WhenBusy::Steer);
    world.request("s2", "And wider", WhenBusy::Steer);
    let waiting: Vec<_> = world.run.queued().map(|request| request.id.as_str()).collect();
    assert_eq!(waiting, ["s1", "s2", "q1"]);
    world.tool_returns("c1", "1");
    assert_eq!(
        world.model_requests.last().unwrap()[2..],
        ["results: c1=1", "user: Deeper", "user: And wider"]
    );
    assert!(world.run.serves("r1") && world.run.serves("s1") && world.run.request() == Some("s2"));
    let mut world = world.restart();
    world.perform(world.run.outstanding());
    world.model_says("Dug.");
    let ended: Vec<_> = world.finishes.iter().map(|(id, outcome)| (id.as_str(), outcome.name())).collect();
    assert_eq!(ended, [("r1", "completed"), ("s1", "completed"), ("s2", "completed")]);
    assert_eq!(world.run.request(), Some("q1"));
}

#[test]
fn a_message_that_steers_an_answer_without_calls_is_the_next_request() {
    let mut world = World::with_tools([]);
    world.request("s0", "one", WhenBusy::Steer);
    world.ask("q1", "three");
    world.request("s1", "two", WhenBusy::Steer);
    world.model_says("1");
    assert_eq!(world.last_finish().0, "s0");
    assert_eq!(world.model_requests.last().unwrap()[..], ["user: one", "agent: 1", "user: two"]);
}

#[test]
fn steering_turns_a_request_that_was_told_to_wrap_up() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r1", "one");
    for round in 0..3 {
        world.model_calls(&[("t", &format!("c{round}"), "{}")]);
        if round == 2 {
            world.request("s1", "Try the other way", WhenBusy::Steer);
        }
        world.tool_ends(&format!("c{round}"), ToolOutcome::Threw("no".to_owned()));
    }
    world.model_calls(&[("t", "c9", "{}")]);
    assert_eq!(world.began.len(), 4, "its tools run again");
}

#[test]
fn steering_can_be_given_up_while_it_waits() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r1", "one");
    world.model_calls(&[("t", "c1", "{}")]);
    world.request("s1", "two", WhenBusy::Steer);
    world.step(Input::QueuedCancelled { request: "s1".to_owned() });
    assert_eq!(world.last_finish(), &("s1".to_owned(), Outcome::Aborted));
    world.tool_returns("c1", "1");
    world.model_says("1");
    assert_eq!(world.finishes.len(), 2);
}

fn moved(request: &str, before: Option<&str>) -> Input {
    Input::QueuedMoved { request: request.to_owned(), before: before.map(str::to_owned) }
}

#[test]
fn a_message_that_waits_can_be_read_by_the_request_that_runs() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r1", "one");
    world.model_calls(&[("t", "c1", "{}")]);
    world.ask("q1", "two");
    world.ask("q2", "three");
    world.step(moved("q2", None));
    world.tool_returns("c1", "1");
    assert_eq!(world.model_requests.last().unwrap().last().unwrap(), "user: three");
    world.model_says("1 and 3");
    let mut ended: Vec<_> = world.finishes.iter().map(|(id, _)| id.as_str()).collect();
    ended.sort_unstable();
    assert_eq!(ended, ["q2", "r1"]);
    assert_eq!(world.model_requests.last().unwrap().last().unwrap(), "user: two");
}

#[test]
fn messages_that_wait_can_be_moved_behind_what_steers() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r1", "one");
    world.model_calls(&[("t", "c1", "{}")]);
    for id in ["a", "b", "c", "d"] {
        world.ask(id, id);
    }
    let ids = |world: &World| world.run.queued().map(|request| request.id.clone()).collect::<String>();
    world.step(moved("d", Some("b")));
    assert_eq!(ids(&world), "adbc");
    world.step(moved("c", None));
    assert_eq!(ids(&world), "cadb");
    world.step(moved("b", Some("c")));
    assert_eq!(ids(&world), "cbad", "what steers stays in front");
    world.step(moved("c", Some("d")));
    assert_eq!(ids(&world), "bacd", "it waits again like the others");
    world.step(moved("a", Some("a")));
    assert_eq!(ids(&world), "bacd");
    world.tool_returns("c1", "1");
    assert!(!world.model_requests.last().unwrap().iter().any(|line| line == "user: c"));
}

#[test]
fn what_does_not_wait_is_not_moved() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r1", "one");
    world.ask("a", "a");
    for (request, before) in [("r1", None), ("none", Some("a")), ("a", Some("r1"))] {
        assert!(matches!(world.try_step(moved(request, before)), Err(OutOfProtocol::NotQueued(_))));
    }
}

#[test]
fn an_answer_that_the_limit_of_tokens_ends_says_so() {
    for (reason, at_limit) in
        [("length", true), ("max_tokens", true), ("MAX_TOKENS", true), ("end_turn", false)]
    {
        let mut world = World::with_tools([tool("t")]);
        world.ask("r1", "one");
        let mut reply = says("half");
        reply.stop_reason = Some(reason.to_owned());
        world.model_answers(reply);
        assert_eq!(world.run.messages().last().unwrap().at_limit, at_limit, "{reason}");
    }
}
