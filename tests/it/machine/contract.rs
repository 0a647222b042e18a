//! The original's behaviour, word for word where it has words.

use crate::support::machine::*;
use glove_wasm::event::{Event, QuestionKind};
use glove_wasm::message::{InboxItem, Message, Task, ToolResultData, ToolStatus};
use glove_wasm::run::PhaseName;
use glove_wasm::run::effect::{Effect, Outcome};
use glove_wasm::run::input::{Answer, ApprovalVerdict, Carry, Input, Issue, PermissionVerdict, ToolOutcome};
use glove_wasm::run::input::{Reply, WhenBusy};
use glove_wasm::run::log::SlotAnswer;
use glove_wasm::run::settings::{Compaction, Limits, Settings};

fn names(world: &World) -> Vec<String> {
    let name = |event: &Event| serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned();
    world.events.iter().map(name).collect()
}

#[test]
fn a_request_without_tools_is_one_model_call_and_its_answer() {
    let mut world = World::with_tools([]);
    world.ask("r", "hello");
    assert_eq!(world.model_requests, [["user: hello"]]);
    world.model_says("hi");
    assert_eq!(world.record(), ["user: hello", "agent: hi"]);
    let (request, Outcome::Completed(reply)) = world.last_finish() else { panic!() };
    assert_eq!((request.as_str(), reply.messages[0].text.as_str(), reply.usage), ("r", "hi", used(10, 5)));
    assert_eq!((world.run.phase(), world.run.turns()), (PhaseName::Idle, 1));
}

#[test]
fn a_round_with_a_tool_appends_the_answer_its_results_and_the_next_answer() {
    let mut world = World::with_tools([tool("add")]);
    world.ask("r", "1+2?");
    world.model_calls(&[("add", "c1", r#"{"a":1}"#)]);
    world.tool_returns("c1", "3");
    world.model_says("3");
    assert_eq!(world.record(), ["user: 1+2?", r#"agent: [add({"a":1})#c1]"#, "results: c1=3", "agent: 3"]);
    assert_eq!(world.run.messages()[2].text, "tool results");
    assert_eq!(world.model_requests[1], world.record()[..3]);
}

#[test]
fn events_come_in_the_order_in_which_things_happened() {
    let mut world = World::with_tools([tool("add")]);
    world.ask("r", "q");
    world.model_calls(&[("add", "c1", "{}")]);
    world.at += 7;
    world.tool_returns("c1", "3");
    world.model_answers(Reply { streamed: true, ..says("3") });
    assert_eq!(
        names(&world),
        [
            "request_started",
            "tool_use",
            "model_response",
            "token_consumption",
            "tool_use_result",
            "model_response_complete",
            "token_consumption",
            "request_finished"
        ]
    );
    assert_eq!(
        serde_json::to_string(&world.events[4]).unwrap(),
        r#"{"type":"tool_use_result","data":{"tool_name":"add","call_id":"c1","name":"add","id":"c1","result":{"data":3,"status":"success"},"duration_ms":7}}"#
    );
}

#[test]
fn tools_run_one_after_another_and_results_stay_in_call_order() {
    let mut world = World::with_tools([tool("a"), tool("b")]);
    world.ask("r", "q");
    world.model_calls(&[("b", "c1", "{}"), ("a", "c2", "{}"), ("b", "c3", "{}")]);
    for (id, begun) in [("c1", 1), ("c2", 2), ("c3", 3)] {
        assert_eq!(world.began.len(), begun);
        world.tool_returns(id, "1");
    }
    assert_eq!(world.began, ["b", "a", "b"]);
    assert_eq!(world.record()[2], "results: c1=1 | c2=1 | c3=1");
}

#[test]
fn parallel_tools_run_together_and_results_stay_in_call_order() {
    let mut world = World::with_tools([parallel("p"), tool("alone")]);
    world.ask("r", "q");
    world.model_calls(&[("p", "c1", "{}"), ("p", "c2", "{}"), ("alone", "c3", "{}"), ("p", "c4", "{}")]);
    assert_eq!(world.began, ["p", "p"]);
    world.tool_returns("c2", "2");
    assert_eq!(world.began, ["p", "p"]);
    world.tool_returns("c1", "1");
    assert_eq!(world.began, ["p", "p", "alone"]);
    world.tool_returns("c3", "3");
    world.tool_returns("c4", "4");
    assert_eq!(world.record()[2], "results: c1=1 | c2=2 | c3=3 | c4=4");
}

#[test]
fn an_unknown_tool_is_answered_with_near_names_and_the_models_spelling() {
    let mut world = World::with_tools([tool("get_weather"), tool("send_mail")]);
    world.ask("r", "q");
    world.model_calls(&[("get_wether", "c1", "{}")]);
    let text = "No tool called get_wether exists. Did you mean get_weather? Available tools: get_weather, send_mail.";
    assert_eq!(world.results(), [(ToolStatus::Error, format!("Error: {text}"))]);
    assert_eq!(world.run.messages()[2].results()[0].tool_name, "get_wether");
    let mut world = World::with_tools([]);
    world.ask("r", "q");
    world.model_calls(&[("x", "c1", "{}")]);
    assert_eq!(world.results()[0].1, "Error: No tool called x exists. No tools are registered.");
}

#[test]
fn a_store_is_told_what_the_run_does_and_that_a_person_is_asked_while_another_call_works() {
    let mut world = World::with_tools([parallel("work"), parallel("ask")]);
    let told = |world: &World| (world.run.unsaved().phase, world.run.unsaved().asks);
    assert_eq!(told(&world), (PhaseName::Idle, false));
    world.ask("r", "q");
    assert_eq!(told(&world), (PhaseName::Model, false));
    world.model_calls(&[("work", "c1", "{}"), ("ask", "c2", "{}")]);
    assert_eq!(told(&world), (PhaseName::Tools, false));
    world.pushes("c2", 0, slot("s", "form", "{}", true));
    assert_eq!(told(&world), (PhaseName::Tools, true));
    world.tool_returns("c1", "1");
    assert_eq!(told(&world), (PhaseName::Waiting, true));
    world.settles("s", SlotAnswer::Value(json("1")));
    assert_eq!(told(&world), (PhaseName::Tools, false));
    world.tool_returns("c2", "1");
    world.model_says("done");
    assert_eq!(told(&world), (PhaseName::Idle, false));
}

#[test]
fn a_name_in_another_case_finds_its_tool_and_stays_as_the_model_wrote_it() {
    let mut world = World::with_tools([tool("Search")]);
    world.ask("r", "q");
    world.model_calls(&[("SEARCH", "c1", "{}")]);
    assert_eq!(world.run.call("c1").unwrap().tool_name, "Search");
    world.tool_returns("c1", "1");
    assert_eq!(world.run.messages()[2].results()[0].tool_name, "SEARCH");
}

#[test]
fn permission_is_asked_with_the_raw_arguments_and_once_granted_the_tool_runs() {
    let mut world = World::with_tools([guarded("rm")]);
    world.ask("r", "q");
    world.model_calls(&[("rm", "c1", r#"{"path": "/"}"#)]);
    assert_eq!(world.in_flight, [Effect::CheckPermission { call_id: "c1".into() }]);
    world.permission_is("c1", PermissionVerdict::Unset);
    let question = world.run.questions().next().unwrap().clone();
    assert_eq!(
        (question.kind, question.tool_name.as_deref(), question.input.as_str()),
        (QuestionKind::Permission, Some("rm"), r#"{"path": "/"}"#)
    );
    assert_eq!(world.run.phase(), PhaseName::Waiting);
    world.answer(Answer::Allow { remember: true });
    assert_eq!(world.noted, [Effect::RememberPermission { call_id: "c1".into(), granted: true }]);
    assert_eq!(world.began, ["rm"]);
}

#[test]
fn a_denied_permission_is_an_error_in_the_originals_words() {
    let text =
        "Error: Permission denied for tool \"rm\". The user has not granted permission to run this tool.";
    let mut world = World::with_tools([guarded("rm")]);
    world.ask("r", "q");
    world.model_calls(&[("rm", "c1", "{}")]);
    world.permission_is("c1", PermissionVerdict::Denied);
    assert_eq!(world.results(), [(ToolStatus::Error, text.to_owned())]);
    world.model_calls(&[("rm", "c2", "{}")]);
    world.permission_is("c2", PermissionVerdict::Unset);
    world.answer(Answer::Deny { remember: true, reason: None });
    assert_eq!(world.results(), [(ToolStatus::Error, text.to_owned())]);
    assert_eq!(world.noted, [Effect::RememberPermission { call_id: "c2".into(), granted: false }]);
    assert_eq!(world.began, [""; 0]);
}

#[test]
fn the_model_reads_why_a_permission_was_denied() {
    let text =
        "Error: Permission denied for tool \"rm\". The user has not granted permission to run this tool.";
    for (reason, said) in
        [(Some("Not on a Friday."), " They say: Not on a Friday."), (Some(""), ""), (None, "")]
    {
        let mut world = World::with_tools([guarded("rm")]);
        world.ask("r", "q");
        world.model_calls(&[("rm", "c1", "{}")]);
        world.permission_is("c1", PermissionVerdict::Unset);
        world.answer(Answer::Deny { remember: false, reason: reason.map(str::to_owned) });
        assert_eq!(world.results(), [(ToolStatus::Error, format!("{text}{said}"))]);
        assert_eq!(world.noted, []);
        assert_eq!(world.began, [""; 0]);
    }
}

#[test]
fn permission_comes_before_approval_and_the_check_of_the_arguments() {
    let both = glove_wasm::tool::ToolSpec { approval: glove_wasm::tool::Gate::Always, ..guarded("rm") };
    let mut world = World::with_tools([both]);
    world.ask("r", "q");
    world.model_calls(&[("rm", "c1", "{}")]);
    world.permission_is("c1", PermissionVerdict::Granted);
    assert_eq!(world.in_flight, [Effect::CheckApproval { call_id: "c1".into() }]);
    world.approval_is("c1", ApprovalVerdict::Needed { reason: Some("costs money".into()) });
    assert_eq!(world.question_kind(), Some(QuestionKind::Approval));
    assert_eq!(world.run.open_results()[0].result.status, ToolStatus::Pending);
    world.allow();
    assert_eq!(world.began, ["rm"]);
}

#[test]
fn arguments_that_do_not_fit_are_answered_with_a_tree_of_errors() {
    let mut world = World::with_tools([tool("add")]);
    world.ask("r", "q");
    world.model_calls(&[("add", "c1", "{}")]);
    let issue = Issue { path: vec![json("\"a\"")], message: "Required".into() };
    world.tool_ends("c1", ToolOutcome::Invalid(vec![issue]));
    assert_eq!(
        world.results(),
        [(
            ToolStatus::Error,
            concat!(
                "Error: TOOL_INPUT_INVALID\n",
                "Failed to validate the input args provided for the tool: ",
                r#"{"errors":[],"properties":{"a":{"errors":["Required"]}}}"#
            )
            .to_owned()
        )]
    );
}

#[test]
fn a_tool_that_throws_is_an_error_and_a_returned_error_is_kept_as_it_is() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}"), ("t", "c2", "{}")]);
    world.tool_throws("c1", "Error: boom");
    let result = ToolResultData { data: json("[1]"), ..ToolResultData::error("mine") };
    world.tool_ends("c2", ToolOutcome::Returned { result, outputs: Vec::new() });
    let texts: Vec<String> = world.results().into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        texts,
        ["Error: Failed to run tool successfully. Tool Errored out with Error: boom.", "Error: mine\n[1]"]
    );
}

#[test]
fn the_turn_limit_ends_the_request_with_a_sentence_and_no_tokens() {
    let limits = Limits { turns: 2, same_rounds: 0, ..Limits::default() };
    let mut world = World::new(Settings { tools: vec![tool("t")], limits, ..Settings::default() });
    world.ask("r", "q");
    for id in ["c1", "c2"] {
        world.model_calls(&[("t", id, "{}")]);
        world.tool_returns(id, "1");
    }
    let text =
        "Reached the maximum number of turns (2) for this request. Please send a new message to continue.";
    let (_, Outcome::Completed(reply)) = world.last_finish() else { panic!() };
    assert_eq!((reply.messages[0].text.as_str(), reply.usage), (text, used(0, 0)));
    assert_eq!(world.record().last().unwrap(), &format!("agent: {text}"));
    // The limit is for one request.
    world.ask("r2", "again");
    world.model_says("ok");
    assert_eq!(world.last_outcome(), "completed");
}

#[test]
fn a_finish_tells_the_usage_of_the_last_model_call_alone_and_the_session_counts_all() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    world.model_answers(Reply { usage: used(100, 7), ..calls_tools(&[("t", "c1", "{}")]) });
    world.tool_returns("c1", "1");
    world.model_answers(Reply { usage: used(120, 3), ..says("done") });
    let (_, Outcome::Completed(reply)) = world.last_finish() else { panic!() };
    assert_eq!(reply.usage, used(120, 3));
    assert_eq!((world.run.usage(), world.run.turns(), world.run.context_tokens()), (&used(220, 10), 2, 120));
}

fn item(id: &str, status: &str, blocking: bool) -> InboxItem {
    InboxItem {
        id: id.into(),
        tag: "mail".into(),
        request: format!("wait for {id}"),
        response: Some("it came".into()),
        status: status.into(),
        blocking,
        resolved_at: Some("noon".into()),
        ..InboxItem::default()
    }
}

#[test]
fn resolved_inbox_items_come_as_one_message_before_the_request_and_are_consumed() {
    let mut world = World::with_tools([]);
    let inbox = vec![item("a", "resolved", false), item("b", "resolved", true)];
    let request = glove_wasm::run::input::Request { inbox, ..request("r", "q", WhenBusy::Queue) };
    world.step(Input::Request(Box::new(request)));
    assert_eq!(
        world.record(),
        [
            concat!(
                "user: [Inbox: 2 item(s) resolved]\n",
                "- [mail] Request: \"wait for a\" -> Response: \"it came\" (resolved noon)\n",
                "- [mail] Request: \"wait for b\" -> Response: \"it came\" (resolved noon)"
            ),
            "user: q"
        ]
    );
    assert_eq!(world.noted, [Effect::ConsumeInbox { ids: vec!["a".into(), "b".into()] }]);
}

#[test]
fn a_blocking_inbox_item_is_a_reminder_at_the_end_of_each_view_and_never_in_the_record() {
    let mut world = World::with_tools([tool("t")]);
    let inbox = vec![item("a", "pending", true), item("b", "pending", false), item("c", "consumed", true)];
    let request = glove_wasm::run::input::Request { inbox, ..request("r", "q", WhenBusy::Queue) };
    world.step(Input::Request(Box::new(request)));
    world.model_calls(&[("t", "c1", "{}")]);
    world.tool_returns("c1", "1");
    for (view, before) in world.model_requests.iter().zip([1, 3]) {
        assert_eq!(view.len(), before + 1);
        assert!(view[before].starts_with("user: [Inbox: 1 blocking item(s) still pending."), "{view:?}");
        assert!(view[before].ends_with("\n- [mail] wait for a"), "{view:?}");
    }
    world.model_says("ok");
    assert!(!world.record().iter().any(|line| line.contains("Inbox")));
    world.ask("r2", "q");
    assert!(!world.model_requests[2].iter().any(|line| line.contains("Inbox")));
}

#[test]
fn a_compaction_asks_for_a_summary_without_tools_and_stores_it_as_the_original_does() {
    let compaction = Compaction { context_limit: 1_000, ..Compaction::default() };
    let mut world = World::new(Settings { compaction, ..Settings::default() });
    world.ask("r1", "first");
    world.model_answers(Reply { usage: used(2_000, 9), ..says("answer") });
    world.ask("r2", "second");
    let call = world.model_call();
    assert_eq!(world.in_flight, [Effect::Compact { call }]);
    assert_eq!(
        world.model_requests[1],
        [
            "user: first",
            "agent: answer",
            "user: Summarize the conversation. Preserve key context, decisions, and state."
        ]
    );
    let task = |content: &str, status: &str| Task {
        content: content.into(),
        status: status.into(),
        ..Task::default()
    };
    let carry = Carry {
        tasks: vec![task("book", "in_progress"), task("pay", "completed")],
        inbox: vec![item("a", "pending", true), item("b", "resolved", false), item("c", "pending", false)],
    };
    world.in_flight.clear();
    world.step(Input::Compacted { call, reply: says("so far"), carry });
    let summary = concat!(
        "[Conversation summary from compaction]\n\nso far",
        "\n\n[Current task list — as of this summary]\n- [in_progress] book\n",
        "\n\n[Pending inbox items — being monitored by external services]\n",
        "- [mail] BLOCKING: wait for a\n- [mail] non-blocking: wait for c\n",
        "\n\n[End of summary - the conversation continues from here]"
    );
    assert_eq!(world.model_requests[2], [format!("user: {summary}"), "user: second".to_owned()]);
    assert_eq!(world.record().len(), 4);
    assert!(world.run.messages()[3].is_compaction);
    let about: Vec<String> = names(&world).split_off(4);
    assert_eq!(about, ["request_started", "compaction_start", "token_consumption", "compaction_end"]);
}

#[test]
fn the_text_of_a_message_with_parts_alone_is_made_of_them() {
    let with = |content: &str| Message {
        content: Some(serde_json::from_str(content).unwrap()),
        ..Message::user("")
    };
    let table = [
        (r#"[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#, "a\nb"),
        (r#"[{"type":"image"}]"#, "[multimodal message]"),
    ];
    for (content, text) in table {
        let mut world = World::with_tools([]);
        let mut asked = request("r", "", WhenBusy::Queue);
        asked.message = with(content);
        world.step(Input::Request(Box::new(asked)));
        assert_eq!(world.run.messages()[0].text, text);
    }
}

#[test]
fn an_abort_answers_each_call_in_the_originals_words() {
    let mut world = World::with_tools([tool("t")]);
    world.ask("r", "q");
    world.model_calls(&[("t", "c1", "{}"), ("t", "c2", "{}"), ("t", "c3", "{}")]);
    world.tool_returns("c1", "1");
    world.abort();
    let text = "Error: Tool execution was aborted by the user.".to_owned();
    assert_eq!(
        world.results(),
        [(ToolStatus::Success, "1".into()), (ToolStatus::Aborted, text.clone()), (ToolStatus::Aborted, text)]
    );
    assert_eq!((world.last_outcome(), world.in_flight.len()), ("aborted", 0));
}
