//! What the original got wrong, each told by how it is right.

use std::sync::Arc;

use crate::support::machine::*;
use glove_wasm::json::Json;
use glove_wasm::message::{Message, Sender, ToolCall, ToolResultData, ToolStatus};
use glove_wasm::run::effect::{Effect, Outcome};
use glove_wasm::run::input::{
    Answer, ApprovalVerdict, Input, PermissionVerdict, Reply, ToolOutcome, WhenBusy,
};
use glove_wasm::run::settings::{Compaction, Limits, Settings};
use glove_wasm::run::{OutOfProtocol, PhaseName, Run};
use glove_wasm::tool::{Gate, ToolSpec};

/// Each answer with calls is followed at once by one result for each of them, in call order.
fn assert_every_call_is_answered(messages: &[Arc<Message>]) {
    for (index, message) in messages.iter().enumerate().filter(|(_, message)| !message.calls().is_empty()) {
        let asked: Vec<&str> = message.calls().iter().map(ToolCall::id).collect();
        let next = messages.get(index + 1).map(|next| next.results()).unwrap_or_default();
        let answered: Vec<&str> = next.iter().filter_map(|result| result.call_id.as_deref()).collect();
        assert_eq!(asked, answered);
    }
}

// ---- permissions and other questions -------------------------------------------------------------------------------

#[test]
fn a_dismissed_permission_never_leaves_a_call_for_the_next_request() {
    let mut world = World::with_tools([guarded("rm"), tool("log")]);
    world.ask("r1", "q");
    world.model_calls(&[("rm", "c1", "{}"), ("log", "c2", "{}")]);
    world.permission_is("c1", PermissionVerdict::Unset);
    world.deny();
    world.tool_returns("c2", "1");
    world.model_says("ok");
    world.ask("r2", "unrelated");
    world.model_says("hi");
    assert_eq!(world.began, ["log"]);
    assert_every_call_is_answered(world.run.messages());
}

#[test]
fn a_check_that_fails_answers_its_call_and_the_tool_does_not_run() {
    let mut world = World::with_tools([guarded("rm"), approved("pay")]);
    world.ask("r", "q");
    world.model_calls(&[("rm", "c1", "{}"), ("pay", "c2", "{}")]);
    world.permission_is("c1", PermissionVerdict::Failed("the store is gone".into()));
    world.approval_is("c2", ApprovalVerdict::Failed("no rule".into()));
    let why = |tool: &str, why: &str| {
        format!("Error: The tool \"{tool}\" was not run, because the check before it failed: {why}")
    };
    let texts: Vec<String> = world.results().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, [why("rm", "the store is gone"), why("pay", "no rule")]);
    assert_eq!(world.began.len(), 0);
}

#[test]
fn a_tool_that_always_needs_a_person_runs_on_no_hosts_word_that_none_is_needed() {
    let mut world = World::with_tools([guarded("rm"), approved("pay")]);
    world.ask("r", "q");
    world.model_calls(&[("rm", "c1", "{}"), ("pay", "c2", "{}")]);
    world.permission_is("c1", PermissionVerdict::NotNeeded);
    assert_eq!((world.began.len(), world.run.phase()), (0, PhaseName::Waiting));
    world.allow();
    world.tool_returns("c1", "1");
    world.approval_is("c2", ApprovalVerdict::NotNeeded);
    assert_eq!((world.began.len(), world.run.phase()), (1, PhaseName::Waiting));
    world.deny();
    assert_eq!(world.began, ["rm"]);
}

#[test]
fn a_gate_by_input_opens_when_the_host_says_that_nobody_need_be_asked() {
    let by_input = ToolSpec { permission: Gate::ByInput, approval: Gate::ByInput, ..tool("t") };
    let mut world = World::with_tools([by_input]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}")]);
    world.permission_is("c1", PermissionVerdict::NotNeeded);
    world.approval_is("c1", ApprovalVerdict::NotNeeded);
    assert_eq!(world.began, ["t"]);
}

#[test]
fn a_rejected_approval_is_a_normal_tool_error_with_the_persons_reason() {
    let mut world = World::with_tools([approved("pay"), tool("log")]);
    world.ask("r", "q");
    world.model_calls(&[("pay", "c1", "{}"), ("log", "c2", "{}")]);
    world.approval_is("c1", ApprovalVerdict::Needed { reason: None });
    assert_eq!(world.began.len(), 0);
    world.answer(Answer::Deny { remember: false, reason: Some("too dear".into()) });
    world.tool_returns("c2", "1");
    assert_eq!(world.results()[0], (ToolStatus::Error, "Error: The user rejected this: too dear".into()));
    assert_eq!(world.began, ["log"]);
}

#[test]
fn arguments_that_fail_the_approval_check_are_never_shown_for_approval() {
    let mut world = World::with_tools([approved("pay")]);
    world.ask("r", "q");
    world.model_calls(&[("pay", "c1", "{}")]);
    world.approval_is("c1", ApprovalVerdict::Invalid(Vec::new()));
    assert!(world.results()[0].1.starts_with("Error: TOOL_INPUT_INVALID\n"));
    assert_eq!(world.run.questions().count(), 0);
}

#[test]
fn a_question_is_answered_once_and_an_unknown_one_never() {
    let mut world = World::with_tools([guarded("rm")]);
    world.ask("r", "q");
    world.model_calls(&[("rm", "c1", "{}")]);
    world.permission_is("c1", PermissionVerdict::Unset);
    let question = world.run.questions().next().unwrap().id.clone();
    let answered = |question: &str| Input::Answered {
        question: question.to_owned(),
        answer: Answer::Allow { remember: false },
    };
    assert_eq!(world.try_step(answered("slot_1")), Err(OutOfProtocol::NoSuchQuestion("slot_1".into())));
    world.step(answered(&question));
    assert_eq!(world.try_step(answered(&question)), Err(OutOfProtocol::NoSuchQuestion(question)));
    assert_eq!(world.began, ["rm"]);
}

#[test]
fn an_answer_can_come_in_another_process_days_later() {
    let mut world = World::with_tools([approved("pay")]);
    world.ask("r", "q");
    world.model_calls(&[("pay", "c1", "{}")]);
    world.approval_is("c1", ApprovalVerdict::Needed { reason: None });
    let mut later = world.restart();
    later.at += 3 * 86_400_000;
    later.step(Input::Recovered);
    assert_eq!(later.in_flight, world.in_flight);
    later.allow();
    later.tool_returns("c1", "1");
    later.model_says("paid");
    assert_eq!(later.record().last().unwrap(), "agent: paid");
}

// ---- stopping ------------------------------------------------------------------------------------------------------

#[test]
fn an_abort_after_tools_ran_stores_what_they_did_before_the_request_ends() {
    let mut world = World::with_tools([tool("a"), tool("b")]);
    world.ask("r", "q");
    world.model_calls(&[("a", "c1", "{}"), ("b", "c2", "{}")]);
    world.tool_returns("c1", "\"done\"");
    world.abort();
    assert_eq!(world.store.messages, world.run.messages());
    assert_eq!(world.results()[0], (ToolStatus::Success, "done".into()));
    assert_every_call_is_answered(&world.store.messages);
    world.ask("r2", "go on");
    world.model_says("ok");
    assert_eq!(world.last_outcome(), "completed");
}

#[test]
fn an_abort_while_a_person_is_asked_ends_at_once_and_withdraws_the_question() {
    let mut world = World::with_tools([guarded("rm")]);
    world.ask("r", "q");
    world.model_calls(&[("rm", "c1", "{}")]);
    world.permission_is("c1", PermissionVerdict::Unset);
    world.abort();
    assert_eq!((world.in_flight.len(), world.run.questions().count()), (0, 0));
    assert_eq!((world.last_outcome(), world.run.phase()), ("aborted", PhaseName::Idle));
    assert_every_call_is_answered(world.run.messages());
}

#[test]
fn an_abort_while_summarising_leaves_the_conversation_as_it_was() {
    let compaction = Compaction { context_limit: 100, ..Compaction::default() };
    let mut world = World::new(Settings { compaction, ..Settings::default() });
    world.ask("r1", "first");
    world.model_answers(Reply { usage: used(200, 1), ..says("a") });
    world.ask("r2", "second");
    let (record, context) = (world.record(), world.run.context_tokens());
    world.abort();
    assert_eq!((world.record(), world.run.context_tokens()), (record, context));
    assert_eq!((world.last_outcome(), world.in_flight.len()), ("aborted", 0));
}

#[test]
fn an_aborted_answer_keeps_the_text_that_was_seen() {
    let mut world = World::with_tools([]);
    world.ask("r", "q");
    let call = world.model_call();
    world.step(Input::ModelPartial { call, text: "Once upon".into(), from: 0 });
    world.abort();
    let last = world.run.messages().last().unwrap();
    assert_eq!((last.text.as_str(), last.partial), ("Once upon", true));
    world.ask("r2", "and then?");
    assert_eq!(world.model_requests[1], ["user: q", "agent: Once upon", "user: and then?"]);
}

#[test]
fn a_long_answer_is_kept_piece_by_piece_and_comes_back_whole() {
    let mut world = World::with_tools([]);
    world.ask("r", "q");
    let call = world.model_call();
    let piece = "Once upon a time, é. ".repeat(5_000);
    let (mut from, mut written) = (0, 0);
    for _ in 0..20 {
        let (records, before) = (world.store.records.len(), world.store.checkpoint.clone());
        world.step(Input::ModelPartial { call, text: piece.clone(), from });
        from += piece.len();
        written += format!("{:?}", &world.store.records[records..]).len();
        written += world
            .store
            .checkpoint
            .as_ref()
            .filter(|now| Some(*now) != before.as_ref())
            .map_or(0, String::len);
    }
    assert!(written < from * 11 / 10, "{written} bytes were written for an answer of {from}");
    // What does not follow on what was kept is no part of it.
    for other in [1, from - piece.len(), from + 1] {
        assert!(world.try_step(Input::ModelPartial { call, text: "x".into(), from: other }).is_err());
    }
    let mut later = world.restart();
    assert_eq!(later.run, world.run);
    later.step(Input::Recovered);
    later.model_fails("");
    let kept = later.run.messages().last().unwrap();
    assert!(kept.partial && kept.text == piece.repeat(20));
    let checkpoint = later.store.checkpoint.unwrap();
    assert!(checkpoint.len() < 10_000, "{} bytes", checkpoint.len());
}

#[test]
fn text_that_was_kept_when_the_page_was_hidden_survives_a_failure_after_it() {
    let mut world = World::with_tools([]);
    world.ask("r", "q");
    let call = world.model_call();
    world.step(Input::ModelPartial { call, text: "Once upon".into(), from: 0 });
    let mut later = world.restart();
    later.step(Input::Recovered);
    later.model_fails("");
    assert_eq!(later.record().last().unwrap(), "agent: Once upon");
    later.step(Input::Resumed);
    assert_eq!(later.model_requests[1], ["user: q"]);
    later.model_says("Once upon a time");
    assert_eq!(later.record(), ["user: q", "agent: Once upon", "agent: Once upon a time"]);
    later.ask("r2", "more");
    assert_eq!(later.model_requests[2], ["user: q", "agent: Once upon a time", "user: more"]);
}

#[test]
fn nothing_of_an_aborted_request_is_accepted_any_more() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}")]);
    world.abort();
    let late = Input::ToolFinished { call_id: "c1".into(), outcome: returned("1") };
    assert_eq!(world.try_step(late), Err(OutOfProtocol::NoSuchCall("c1".into())));
    let again = Input::Aborted { why: glove_wasm::run::input::AbortReason::User };
    assert_eq!(world.try_step(again), Err(OutOfProtocol::NothingRunning));
}

#[test]
fn a_tool_that_must_not_be_cut_off_runs_to_its_end_and_then_the_request_is_aborted() {
    let keeps = ToolSpec { un_abortable: true, ..tool("commit") };
    let mut world = World::with_tools([keeps, tool("t"), guarded("rm")]);
    world.ask("r", "q");
    world.model_calls(&[
        ("commit", "c1", "{}"),
        ("t", "c2", "{}"),
        ("commit", "c3", "{}"),
        ("rm", "c4", "{}"),
    ]);
    world.abort();
    assert_eq!(world.finishes.len(), 0);
    world.tool_returns("c1", "1");
    world.tool_returns("c3", "3");
    let states: Vec<ToolStatus> = world.results().into_iter().map(|(status, _)| status).collect();
    use ToolStatus::{Aborted, Success};
    assert_eq!(states, [Success, Aborted, Success, Aborted]);
    assert_eq!(
        (world.last_outcome(), &world.began[..]),
        ("aborted", &["commit".into(), "commit".into()][..])
    );
}

#[test]
fn the_host_going_away_ends_nothing() {
    let mut world = World::with_tools([idempotent("t")]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}")]);
    let before = world.run.clone();
    let gone = Input::Aborted { why: glove_wasm::run::input::AbortReason::HostGone };
    world.step(gone);
    assert_eq!((world.in_flight.len(), world.finishes.len()), (0, 0));
    assert_eq!(world.run, before);
    let mut later = world.restart();
    later.step(Input::Recovered);
    later.tool_returns("c1", "1");
    later.model_says("ok");
    assert_eq!(later.last_outcome(), "completed");
}

// ---- running tools -------------------------------------------------------------------------------------------------

#[test]
fn a_tool_that_throws_is_not_run_again_unless_it_says_that_it_may_be() {
    let table = [
        (ToolSpec { retries: 3, ..tool("t") }, vec![]),
        (idempotent("t"), vec![]),
        (ToolSpec { retries: 3, ..idempotent("t") }, vec![500, 1_000, 2_000]),
    ];
    for (spec, waits) in table {
        let mut world = World::with_tools([spec]);
        world.ask("r", "q");
        world.model_calls(&[("t", "c1", "{}")]);
        for (n, wait) in waits.iter().enumerate() {
            world.tool_throws("c1", "boom");
            assert_eq!(world.timer_fires(), *wait);
            assert_eq!(world.run.call("c1").unwrap().attempt, n as u32 + 2);
        }
        world.tool_throws("c1", "boom");
        assert_eq!(world.began.len(), waits.len() + 1);
        let tail = if waits.is_empty() { "" } else { ", after 3 retries" };
        assert_eq!(
            world.results()[0].1,
            format!("Error: Failed to run tool successfully. Tool Errored out with boom{tail}.")
        );
    }
}

#[test]
fn a_form_that_the_person_turned_down_is_not_shown_again() {
    let mut world = World::with_tools([ToolSpec { retries: 3, ..idempotent("form") }]);
    world.ask("r", "q");
    world.model_calls(&[("form", "c1", "{}")]);
    world.tool_ends("c1", ToolOutcome::Rejected(None));
    assert_eq!(world.results(), [(ToolStatus::Error, "Error: The user rejected this.".into())]);
    assert_eq!(world.began, ["form"]);
}

#[test]
fn tools_run_once_and_only_in_their_own_request() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r1", "one");
    world.ask("r2", "two");
    assert_eq!(world.model_requests.len(), 1);
    world.model_calls(&[("t", "c1", "{}")]);
    world.tool_returns("c1", "1");
    world.model_says("done one");
    world.model_says("done two");
    assert_eq!(world.began, ["t"]);
    assert_eq!(
        world.record(),
        [
            "user: one",
            "agent: [t({})#c1]",
            "results: c1=1",
            "agent: done one",
            "user: two",
            "agent: done two"
        ]
    );
    let ids: Vec<&str> = world.finishes.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["r1", "r2"]);
}

#[test]
fn a_second_request_is_queued_or_dropped_or_interrupts_as_asked() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r1", "one");
    world.model_calls(&[("t", "c1", "{}")]);
    world.ask("r2", "two");
    world.request("r3", "three", WhenBusy::Drop);
    assert_eq!(world.last_finish(), &("r3".to_owned(), Outcome::Dropped));
    world.request("r4", "four", WhenBusy::Interrupt);
    assert_eq!(world.last_finish(), &("r1".to_owned(), Outcome::Aborted));
    assert_eq!(world.run.request(), Some("r4"));
    world.model_says("4");
    world.model_says("2");
    assert_every_call_is_answered(world.run.messages());
    assert!(!world.record().contains(&"user: three".to_owned()));
    let ids: Vec<&str> = world.finishes.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["r3", "r1", "r4", "r2"]);
}

#[test]
fn thousands_of_waiting_requests_that_may_not_begin_are_all_told_so_at_once() {
    let mut world = World::with_tools([]);
    world.ask("first", "q");
    for n in 0..5_000 {
        let queued = request(&format!("r{n}"), "q", WhenBusy::Queue);
        world.run.step(1, Input::Request(Box::new(queued))).unwrap();
    }
    let limits = Limits { turns: 0, ..Limits::default() };
    let settings = Box::new(Settings { limits, ..Settings::default() });
    world.run.step(1, Input::Configured { settings, before_recovered: false }).unwrap();
    let finished = Input::ModelFinished { call: world.model_call(), reply: says("a") };
    let effects = world.run.step(1, finished).unwrap();
    let told = effects.iter().filter(|effect| matches!(effect, Effect::Finish { .. })).count();
    assert_eq!((told, world.run.phase()), (5_001, PhaseName::Idle));
}

// ---- what the model is told ----------------------------------------------------------------------------------------

#[test]
fn an_aborted_result_reaches_the_model_as_an_error_with_its_message() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}")]);
    world.abort();
    world.ask("r2", "go on");
    assert_eq!(world.model_requests[1][2], "results: c1=Error: Tool execution was aborted by the user.");
}

#[test]
fn empty_arguments_are_an_empty_object_and_broken_ones_an_error_that_shows_them() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", ""), ("t", "c2", r#"{"a": "#)]);
    assert_eq!(world.run.call("c1").unwrap().input.as_str(), "{}");
    world.tool_returns("c1", "1");
    let text = "Error: The arguments are not valid JSON, so the tool was not run. Send them again as one JSON object. They were: {\"a\": ";
    assert_eq!(world.results()[1], (ToolStatus::Error, text.to_owned()));
    assert_eq!(world.began.len(), 1);
}

#[test]
fn arguments_that_an_adapter_gives_as_text_are_read_as_those_of_a_provider() {
    let nested = Json::string("\"{}\"").to_string();
    let table = [
        (r#""""#, "{}"),
        (r#"" ""#, "{}"),
        (r#""{}""#, "{}"),
        (r#""{\"a\": [1]}""#, r#"{"a": [1]}"#),
        (r#"{"a":"{}"}"#, r#"{"a":"{}"}"#),
        ("[1]", "[1]"),
    ];
    for (given, run) in table {
        let mut world = World::with_tools([tool("t")]);
        world.ask("r", "q");
        let call = ToolCall { id: Some("c1".to_owned()), ..ToolCall::new("t", Json::parse(given).unwrap()) };
        let messages = vec![Message::agent("").with_calls(vec![call])];
        world.model_answers(Reply { messages, ..Reply::default() });
        assert_eq!((world.run.call("c1").unwrap().input.as_str(), world.began.len()), (run, 1), "{given}");
    }
    for given in [r#""{\"a\": ""#, r#""go""#, r#""5 6""#, nested.as_str()] {
        let mut world = World::with_tools([tool("t")]);
        world.ask("r", "q");
        let call = ToolCall { id: Some("c1".to_owned()), ..ToolCall::new("t", Json::parse(given).unwrap()) };
        let messages = vec![Message::agent("").with_calls(vec![call.clone()])];
        world.model_answers(Reply { messages, ..Reply::default() });
        assert_eq!((world.results()[0].0, world.began.len()), (ToolStatus::Error, 0), "{given}");
        // The model's own words are kept.
        let kept = &world.run.messages()[1].calls()[0];
        assert_eq!((&kept.input_args, kept.unparsed_args), (&call.input_args, true), "{given}");
    }
}

#[test]
fn each_call_has_an_id_of_its_own_however_often_a_provider_repeats_one() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    for answer in 0..3 {
        world.model_calls(&[("t", "call_0", "{}"), ("t", "call_0", "{}"), ("t", "", "{}")]);
        for result in 0..3 {
            let Effect::RunTool { call_id, .. } = world.in_flight[0].clone() else { panic!() };
            world.tool_returns(&call_id, &format!("{answer}{result}").replace('0', "9"));
        }
    }
    let calls = world.run.messages().iter().flat_map(|message| message.calls());
    let mut ids: Vec<&str> = calls.map(ToolCall::id).collect();
    assert_eq!((ids.len(), ids[0]), (9, "call_0"));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 9);
    assert_every_call_is_answered(world.run.messages());
}

#[test]
fn a_model_that_guesses_the_ids_of_the_machine_gets_another_one() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    let guesses: Vec<String> = (1..20).map(|n| format!("r.c{n}")).collect();
    let mut calls: Vec<(&str, &str, &str)> = guesses.iter().map(|id| ("t", id.as_str(), "{}")).collect();
    calls.extend([("t", "", "{}"), ("t", "", "{}")]);
    world.model_calls(&calls);
    let calls = world.run.messages().iter().flat_map(|message| message.calls());
    let ids: std::collections::HashSet<&str> = calls.map(ToolCall::id).collect();
    assert_eq!(ids.len(), 21);
}

#[test]
fn a_record_that_ends_in_open_calls_is_mended_when_it_is_opened() {
    let open = Message::agent("").with_calls(vec![
        ToolCall { id: Some("c1".into()), ..ToolCall::new("t", json("{}")) },
        ToolCall { id: Some("c2".into()), ..ToolCall::new("t", json("{}")) },
    ]);
    let run = Run::new(Settings::default(), vec![Message::user("q").into(), open.into()]);
    assert_every_call_is_answered(run.messages());
    assert_eq!((run.unsaved().first_message, run.unsaved().messages.len()), (2, 1));
    let outcomes: Vec<_> =
        run.messages()[2].results().iter().map(|result| result.result.outcome.as_deref()).collect();
    assert_eq!(outcomes, [Some("interrupted"); 2]);
}

#[test]
fn an_answer_in_several_messages_becomes_one_with_all_calls_before_the_results() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    let call = |id: &str| ToolCall::from_model("t", Some(id.to_owned()), "{}");
    let messages = vec![
        Message::agent("one").with_calls(vec![call("c1")]),
        Message {
            sender: Sender::User,
            is_compaction: true,
            ..Message::agent("two").with_calls(vec![call("c2")])
        },
    ];
    world.model_answers(Reply { messages, ..Reply::default() });
    assert_eq!(world.record()[1], "agent: one\ntwo[t({})#c1][t({})#c2]");
    world.model_requests.clear();
    world.tool_returns("c1", "1");
    world.tool_returns("c2", "2");
    assert_eq!(world.model_requests[0], world.record());
}

#[test]
fn names_that_mean_something_to_javascript_are_plain_names() {
    for name in ["__proto__", "constructor", "toString", "hasOwnProperty"] {
        let mut world = World::with_tools([guarded(name)]);
        world.ask(name, name);
        world.model_calls(&[(name, name, &format!(r#"{{"{name}":{{"x":1}}}}"#))]);
        world.permission_is(name, PermissionVerdict::Granted);
        assert_eq!(world.run.call(name).unwrap().tool_name, name);
        let result = ToolResultData::success(Json::parse(&format!(r#"{{"{name}":1}}"#)).unwrap());
        world.tool_ends(name, ToolOutcome::Returned { result, outputs: Vec::new() });
        let mut later = world.restart();
        later.step(Input::Recovered);
        later.model_says("ok");
        assert_eq!(
            (later.last_outcome(), later.run.messages()[2].results()[0].call_id.as_deref()),
            ("completed", Some(name))
        );
    }
}

fn summing(data: &str) -> ToolOutcome {
    ToolOutcome::Summing { result: ToolResultData::success(json(data)), outputs: Vec::new() }
}

/// A call of a tool that can be undone, whose summary is being made.
fn with_a_summary_being_made(spec: ToolSpec) -> World {
    let mut world = World::with_tools([spec]);
    world.ask("r", "go");
    world.model_calls(&[("save", "c1", "{}")]);
    world.step(Input::ToolFinished { call_id: "c1".to_owned(), outcome: summing("1") });
    world
}

#[test]
fn a_stop_while_a_summary_is_made_leaves_the_result_of_the_tool() {
    for spec in [undoable("save"), ToolSpec { un_abortable: true, ..undoable("save") }] {
        let mut world = with_a_summary_being_made(spec);
        world.abort();
        assert_eq!(world.last_outcome(), "aborted");
        assert_eq!(world.results(), [(ToolStatus::Success, "1".to_owned())]);
        assert_eq!(world.run.undo_stack().len(), 1);
        let late = Input::ToolFinished { call_id: "c1".to_owned(), outcome: ToolOutcome::Summed(None) };
        assert!(world.try_step(late).is_err());
    }
}

#[test]
fn a_process_that_dies_while_a_summary_is_made_leaves_the_result_of_the_tool() {
    let world = with_a_summary_being_made(undoable("save"));
    let mut world = world.restart();
    world.step(Input::Recovered);
    assert_eq!(world.record()[2], "results: c1=1");
    assert_eq!((world.run.undo_stack().len(), world.run.phase()), (1, PhaseName::Model));
}

#[test]
fn a_summary_comes_to_the_result_that_was_there_before_it_and_one_that_fails_changes_nothing() {
    let table = [
        (ToolOutcome::Summed(Some("saved".to_owned())), Some("saved")),
        (ToolOutcome::Summed(None), None),
        (ToolOutcome::Threw("gone".to_owned()), None),
    ];
    for (outcome, summary) in table {
        let mut world = with_a_summary_being_made(undoable("save"));
        assert_eq!(world.run.phase(), PhaseName::Tools);
        world.tool_ends("c1", outcome);
        let result = &world.run.messages()[2].results()[0].result;
        assert_eq!((result.summary.as_deref(), &result.data), (summary, &json("1")));
        assert_eq!((world.run.undo_stack().len(), world.run.phase()), (1, PhaseName::Model));
    }
}
