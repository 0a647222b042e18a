//! Requests from end to end: tools, order, errors, what is told, and one run at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::runtime::*;
use futures_util::future::join;
use futures_util::join;
use glove_wasm::error::{Error, ModelErrorKind};
use glove_wasm::event::Event;
use glove_wasm::ports::{Clock, Data, Tool, ToolContext, ToolFailure, Tools};
use glove_wasm::run::input::WhenBusy;
use glove_wasm::runtime::{Prompt, Response};
use glove_wasm::store::MemoryStore;
use glove_wasm::system::SystemClock;
use glove_wasm::testing::{FakeClock, Gate, Line, ScriptedModel, SequentialIds};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

fn add() -> Tool {
    let schema =
        json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } } });
    Tool::new("add", "Adds", schema, async |input: Add, _: ToolContext| input.a + input.b)
}

fn stopped(id: &str, seen: &str) -> Prompt {
    let mut prompt = Prompt { id: Some(id.to_owned()), ..Prompt::new(id) };
    prompt.message.stop_answer(Some(seen.to_owned()));
    prompt
}

#[test]
fn what_a_person_has_stopped_before_it_came_is_recorded_once_and_no_model_is_asked() {
    const RECORD: [&str; 3] = ["user: r1", "agent (partial): Hel", "user: r2"];
    let (model, store) = (ScriptedModel::new([Line::text("Yes.")]), MemoryStore::new("s"));
    let agent = builder(&model, store.clone()).build().unwrap();
    for prompt in [stopped("r1", "Hel"), stopped("r1", "Hel"), stopped("r2", "")] {
        assert_eq!(block_on(agent.process_request(prompt)), Err(Error::Aborted));
    }
    assert_eq!((transcript(&store.messages()), model.seen().len()), (RECORD.map(str::to_owned).to_vec(), 0));
    assert!(store.messages().iter().all(|message| message.extra.0.is_empty()));
    assert_eq!(block_on(agent.process_request("Go on")).unwrap().text(), "Yes.");
}

#[test]
fn what_is_being_answered_ends_when_a_person_has_stopped_it_in_another_page() {
    let (gate, store) = (Gate::new(), MemoryStore::new("s"));
    let model = ScriptedModel::new([Line::deltas(["Hello"]).then_gate(&gate)]);
    let agent = builder(&model, store.clone()).build().unwrap();
    let asked = Prompt { id: Some("r1".to_owned()), ..Prompt::new("r1") };
    let session = agent.session();
    let (one, two) = block_on(async {
        let stops = async {
            gate.reached().await;
            session.request(stopped("r1", "Hel")).await
        };
        join!(session.request(asked), stops)
    });
    assert_eq!((one, two), (Err(Error::Aborted), Err(Error::Aborted)));
    assert_eq!((transcript(&store.messages())[0].as_str(), model.seen().len()), ("user: r1", 1));
}

#[test]
fn a_request_runs_its_tools_and_ends_with_the_answer() {
    let model = ScriptedModel::new([
        Line::call("add", "c1", json!({ "a": 1, "b": 2 })).tokens(10, 2),
        Line::deltas(["It is ", "3."]).tokens(20, 3),
    ]);
    let store = MemoryStore::new("s");
    let agent = builder(&model, store.clone()).system_prompt("Be brief.").fold(add()).build().unwrap();
    let told = listen(&agent);
    let response = block_on(agent.process_request("1 + 2?")).unwrap();

    assert_eq!(response.text(), "It is 3.");
    let record = ["user: 1 + 2?", "agent:  [add c1]", "results: c1 3", "agent: It is 3."];
    assert_eq!(transcript(&store.messages()), record);
    assert_eq!(agent.messages(), store.messages());
    assert_eq!(
        told.all(),
        [
            "request_started",
            "tool_use add c1",
            "model_response",
            "token_consumption",
            "tool_use_result c1 Success",
            "text_delta It is ",
            "text_delta 3.",
            "model_response_complete",
            "token_consumption",
            "request_finished completed",
        ]
    );
    let seen = model.seen();
    assert_eq!(seen[0].system_prompt, "Be brief.");
    assert_eq!(seen[0].tools, ["glove_update_tasks", "add"]);
    assert_eq!(seen[1].texts(), ["1 + 2?", "", "tool results"]);
}

#[test]
fn what_a_tool_does_wrong_is_told_to_the_model() {
    let model = ScriptedModel::new([
        Line::call("add", "c1", json!({ "a": "one" }))
            .and_call("fails", "c2", no_arguments())
            .and_call("ad", "c3", no_arguments())
            .and_raw_call("add", "c4", "{\"a\":"),
        Line::text("sorry"),
    ]);
    let fails = Tool::new("fails", "Fails", json!({}), async |_: Value, _: ToolContext| {
        Err::<(), _>(ToolFailure::new("the disk is full"))
    });
    let agent = builder(&model, MemoryStore::new("s")).fold(add()).fold(fails).build().unwrap();
    block_on(agent.process_request("go")).unwrap();
    let results = agent.messages()[2].results().to_vec();
    let told: Vec<String> = results.iter().map(|result| result.text_for_model()).collect();
    assert!(
        told[0].starts_with("Error: TOOL_INPUT_INVALID\nFailed to validate the input args"),
        "{}",
        told[0]
    );
    assert_eq!(told[1], "Error: Failed to run tool successfully. Tool Errored out with the disk is full.");
    assert!(told[2].contains("No tool called ad exists. Did you mean add?"), "{}", told[2]);
    assert!(told[3].contains("not valid JSON"), "{}", told[3]);
}

#[test]
fn parallel_tools_run_together_and_their_results_stay_in_call_order() {
    let (notes, first, second) = (Notes::default(), Gate::new(), Gate::new());
    let model = ScriptedModel::new([
        Line::call("a", "c1", no_arguments()).and_call("b", "c2", no_arguments()).and_call(
            "c",
            "c3",
            no_arguments(),
        ),
        Line::text("done"),
    ]);
    let agent = builder(&model, MemoryStore::new("s"))
        .fold(gated("a", &notes, &first).parallel())
        .fold(gated("b", &notes, &second).parallel())
        .fold(noting("c", &notes))
        .build()
        .unwrap();
    block_on(async {
        let mut request = held(agent.process_request("go"));
        request
            .until(async {
                join!(first.reached(), second.reached());
            })
            .await;
        second.open();
        assert!(request.stays_open());
        first.open();
        request.await.unwrap();
    });
    assert_eq!(notes.all(), ["a begins", "b begins", "b ends", "a ends", "c"]);
    assert_eq!(transcript(&agent.messages())[2], "results: c1 a done | c2 b done | c3 c done");
}

#[test]
fn tools_run_one_after_another_unless_they_say_otherwise() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let model = ScriptedModel::new([
        Line::call("a", "c1", no_arguments()).and_call("b", "c2", no_arguments()),
        Line::text("done"),
    ]);
    let agent = builder(&model, MemoryStore::new("s"))
        .fold(gated("a", &notes, &gate))
        .fold(noting("b", &notes))
        .build()
        .unwrap();
    block_on(async {
        let mut request = held(agent.process_request("go"));
        request.until(gate.reached()).await;
        assert_eq!(notes.all(), ["a begins"]);
        gate.open();
        request.await.unwrap();
    });
    assert_eq!(notes.all(), ["a begins", "a ends", "b"]);
}

#[test]
fn only_a_tool_that_may_be_repeated_is_and_with_a_pause() {
    let notes = Notes::default();
    let flaky = |name: &'static str, notes: &Notes| {
        let notes = notes.clone();
        Tool::new(name, "", json!({}), move |_: Value, context: ToolContext| {
            notes.add(&format!("{name} {}", context.attempt));
            let fails = context.attempt < 3;
            async move { if fails { Err(ToolFailure::new("not yet")) } else { Ok("fine") } }
        })
    };
    let model = ScriptedModel::new([
        Line::call("safe", "c1", no_arguments()).and_call("unsafe", "c2", no_arguments()),
        Line::text("done"),
    ]);
    let clock = FakeClock::at(0);
    let agent = builder(&model, MemoryStore::new("s"))
        .clock(clock.clone())
        .fold(flaky("safe", &notes).idempotent(2))
        .fold(flaky("unsafe", &notes))
        .build()
        .unwrap();
    let mut request = held(agent.process_request("go"));
    for _ in 0..2 {
        assert!(request.stays_open());
        assert_eq!(clock.sleepers(), 1);
        clock.advance(60_000);
    }
    block_on(request).unwrap();
    assert_eq!(notes.all(), ["safe 1", "safe 2", "safe 3", "unsafe 1"]);
}

#[test]
fn a_failed_model_keeps_what_was_shown_and_is_asked_again_on_resume() {
    let model = ScriptedModel::new([Line::cut(["Half an "]), Line::text("A whole answer")]);
    let agent = builder(&model, MemoryStore::new("s")).build().unwrap();
    let error = block_on(agent.process_request("go")).unwrap_err();
    assert_eq!(error.code(), "MODEL_STREAM_CUT");
    assert_eq!(transcript(&agent.messages()), ["user: go", "agent (partial): Half an "]);
    assert_eq!(block_on(agent.resume()).unwrap().text(), "A whole answer");
    assert_eq!(model.seen()[1].texts(), ["go"], "the cut answer is not given to the model as its own");
}

#[test]
fn two_requests_at_once_never_run_two_loops() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let model = ScriptedModel::by(|_, seen| match seen.messages.last().unwrap().tool_results {
        None => Line::call("a", "", no_arguments()),
        Some(_) => Line::text("done"),
    });
    let agent = builder(&model, MemoryStore::new("s")).fold(gated("a", &notes, &gate)).build().unwrap();
    block_on(async {
        let (mut one, two) = (held(agent.process_request("one")), agent.process_request("two"));
        one.until(gate.reached()).await;
        let dropped = agent.process_request(Prompt::new("three").when_busy(WhenBusy::Drop)).await.unwrap();
        assert_eq!(dropped, Response::Dropped);
        gate.open();
        // Whoever waits drives for both; the first to come may well be the last to be asked for.
        let (two, one) = join(two, one).await;
        assert_eq!((one.unwrap().text(), two.unwrap().text()), ("done".to_owned(), "done".to_owned()));
    });
    assert_eq!(notes.all(), ["a begins", "a ends", "a begins", "a ends"]);
    let asked: Vec<String> =
        transcript(&agent.messages()).into_iter().filter(|line| line.starts_with("user")).collect();
    assert_eq!(asked, ["user: one", "user: two"]);
}

#[test]
fn an_interrupting_request_stops_the_one_before() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let model = ScriptedModel::new([Line::call("a", "c1", no_arguments()), Line::text("second")]);
    let agent = builder(&model, MemoryStore::new("s")).fold(gated("a", &notes, &gate)).build().unwrap();
    block_on(async {
        let mut one = held(agent.process_request("one"));
        one.until(gate.reached()).await;
        let two = agent.process_request(Prompt::new("two").when_busy(WhenBusy::Interrupt)).await;
        assert_eq!(two.unwrap().text(), "second");
        assert_eq!(one.await, Err(Error::Aborted));
    });
    assert_calls_are_answered(&agent.messages());
}

#[test]
fn dropping_a_requests_future_leaves_the_run_to_whoever_drives_next() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let model =
        ScriptedModel::new([Line::call("a", "c1", no_arguments()), Line::text("one"), Line::text("two")]);
    let agent = builder(&model, MemoryStore::new("s")).fold(gated("a", &notes, &gate)).build().unwrap();
    block_on(async {
        let mut one = held(agent.process_request("one"));
        one.until(gate.reached()).await;
        drop(one);
        gate.open();
        assert_eq!(agent.process_request("two").await.unwrap().text(), "two");
    });
    assert_eq!(notes.all(), ["a begins", "a ends"]);
    assert_eq!(agent.messages().len(), 6);
}

#[test]
fn a_listener_may_call_back_into_the_session_and_leave_while_it_is_told() {
    let model = ScriptedModel::new([Line::deltas(["a", "b"])]);
    let agent = builder(&model, MemoryStore::new("s")).build().unwrap();
    let (notes, inner, looked) = (Notes::default(), Notes::default(), agent.clone());
    let subscription = Arc::new(std::sync::OnceLock::<glove_wasm::runtime::Subscription>::new());
    let (own, noted) = (Arc::clone(&subscription), inner);
    let joined = agent.subscribe(move |_: Option<&str>, event: &Event| {
        if let Event::TextDelta { text } = event {
            noted.add(&format!("{text} {:?}", looked.session().phase()));
            own.get().unwrap().end();
        }
    });
    subscription.set(joined).unwrap();
    let also = notes.clone();
    agent.subscribe(move |request: Option<&str>, event: &Event| {
        if let Event::TextDelta { text } = event {
            also.add(&format!("{text} {}", request.unwrap()));
        }
    });
    block_on(agent.process_request("go")).unwrap();
    assert_eq!(notes.all(), ["a id1", "b id1"]);
}

#[test]
fn tools_model_and_prompt_can_be_replaced_between_two_rounds() {
    let notes = Notes::default();
    let (first, second) = (ScriptedModel::new([Line::text("1")]), ScriptedModel::new([Line::text("2")]));
    let agent = builder(&first, MemoryStore::new("s")).fold(noting("old", &notes)).build().unwrap();
    block_on(agent.process_request("a")).unwrap();
    let mut tools = Tools::new();
    tools.register(noting("new", &notes)).unwrap();
    agent.replace_tools(tools.clone()).unwrap();
    assert_eq!(tools.register(noting("NEW", &notes)).unwrap_err().code(), "TOOL_NAME_TAKEN");
    agent.set_model(second.clone());
    agent.set_system_prompt("Other.");
    assert_eq!(block_on(agent.process_request("b")).unwrap().text(), "2");
    assert_eq!(second.seen()[0].tools, ["glove_update_tasks", "new"]);
    assert_eq!(second.seen()[0].system_prompt, "Other.");
}

#[test]
fn a_tool_that_no_model_could_use_is_refused_when_the_agent_is_built() {
    let (notes, model) = (Notes::default(), ScriptedModel::new([]));
    let twice = builder(&model, MemoryStore::new("s")).fold(noting("a", &notes)).fold(noting("A", &notes));
    assert_eq!(twice.build().unwrap_err().code(), "TOOL_NAME_TAKEN");
    let schema = Tool::new("a", "", json!([]), async |_: Value, _: ToolContext| ());
    assert_eq!(
        builder(&model, MemoryStore::new("s")).fold(schema).build().unwrap_err().code(),
        "TOOL_SCHEMA_INVALID"
    );
}

#[test]
fn actions_are_taken_back_by_program_and_by_model() {
    let notes = Notes::default();
    let (done, undone) = (notes.clone(), notes.clone());
    let write = Tool::new("write", "", json!({}), move |line: Value, _: ToolContext| {
        done.add(&format!("write {line}"));
        async { "written" }
    })
    .undo(move |line: Value, _: ToolContext| {
        undone.add(&format!("unwrite {line}"));
        async { Ok::<_, ToolFailure>(()) }
    });
    let model = ScriptedModel::new([
        Line::call("write", "c1", json!(1)).and_call("write", "c2", json!(2)).and_call(
            "write",
            "c3",
            json!(3),
        ),
        Line::text("written"),
        Line::call("undo_last_action", "c4", no_arguments()),
        Line::text("taken back"),
    ]);
    let agent = builder(&model, MemoryStore::new("s")).fold(write).build().unwrap();
    block_on(async {
        agent.process_request("write").await.unwrap();
        agent.process_request("undo").await.unwrap();
        // What somebody saw before that is another action.
        let stale = agent.session().undo_from(1, Some("c3".to_owned())).await;
        assert_eq!(stale.unwrap_err().code(), "NOT_LAST_ACTION");
        let seen = agent.session().undo_from(1, Some("c2".to_owned())).await;
        assert_eq!(seen, Ok(Response::Undone { steps: 1, error: None }));
        assert_eq!(agent.undo(5).await, Ok(Response::Undone { steps: 1, error: None }));
    });
    assert_eq!(notes.all(), ["write 1", "write 2", "write 3", "unwrite 3", "unwrite 2", "unwrite 1"]);
    assert_eq!(model.seen()[0].tools, ["glove_update_tasks", "write", "undo_last_action"]);
}

#[test]
fn tasks_are_kept_and_outputs_stand_beside_their_result() {
    let todo =
        |content: &str, status: &str| json!({ "content": content, "activeForm": content, "status": status });
    let model = ScriptedModel::new([
        Line::call(
            "glove_update_tasks",
            "c1",
            json!({ "todos": [todo("a", "pending"), todo("b", "pending")] }),
        ),
        Line::call("glove_update_tasks", "c2", json!({ "todos": [todo("b", "completed")] })).and_call(
            "shows",
            "c3",
            no_arguments(),
        ),
        Line::text("done"),
    ]);
    let shows = Tool::new("shows", "", json!({}), async |_: Value, context: ToolContext| {
        context.file("report.pdf, 3 pages", glove_wasm::json::Json::from(json!({ "url": "/r" })))?;
        Ok::<_, ToolFailure>(Data(json!({ "ok": true })))
    });
    let agent = builder(&model, MemoryStore::new("s")).fold(shows).build().unwrap();
    block_on(agent.process_request("go")).unwrap();
    let results = agent.messages()[4].results().to_vec();
    assert_eq!(
        results[0].result.data.read::<Value>().unwrap(),
        json!({ "tasks": [{ "id": "id3", "content": "b", "activeForm": "b", "status": "completed" }] })
    );
    assert_eq!(results[1].text_for_model(), "{\"ok\":true}\nreport.pdf, 3 pages");
    assert_eq!(results[1].outputs.as_ref().unwrap().len(), 1);
}

#[test]
fn the_outputs_of_a_call_have_one_limit_together() {
    let model = ScriptedModel::new([Line::call("shows", "c1", no_arguments()), Line::text("done")]);
    let shows = Tool::new("shows", "", json!({}), async |_: Value, context: ToolContext| {
        let large = || glove_wasm::json::Json::from(json!("x".repeat(6_000_000)));
        context.widget("first", large())?;
        context.file("second", large())?;
        let refused = context.widget("third", large()).unwrap_err();
        context.widget("small", glove_wasm::json::Json::null())?;
        Ok::<_, ToolFailure>(format!("{refused:?}"))
    });
    let agent = builder(&model, MemoryStore::new("s")).fold(shows).build().unwrap();
    block_on(agent.process_request("go")).unwrap();
    let messages = agent.messages();
    let result = &messages[2].results()[0];
    assert!(result.text_for_model().contains("at most 16777216"), "{}", result.text_for_model());
    assert_eq!(result.outputs.as_ref().unwrap().len(), 3);
}

#[test]
fn a_task_list_stands_beside_other_tools_or_where_it_is_asked_for() {
    let look = || Tool::new("look", "", json!({}), async |_: Value, _| "seen");
    let table = [
        (None, false, &[][..]),
        (None, true, &["glove_update_tasks", "look"]),
        (Some(true), false, &["glove_update_tasks"]),
        (Some(true), true, &["glove_update_tasks", "look"]),
        (Some(false), false, &[]),
        (Some(false), true, &["look"]),
    ];
    for (wanted, with_tool, names) in table {
        let model = ScriptedModel::new([Line::text("hi")]);
        let mut agent = builder(&model, MemoryStore::new("s"));
        if let Some(wanted) = wanted {
            agent = agent.tasks(wanted);
        }
        if with_tool {
            agent = agent.fold(look());
        }
        block_on(agent.build().unwrap().process_request("hi")).unwrap();
        assert_eq!(model.seen()[0].tools, names, "{wanted:?} {with_tool}");
    }
}

#[test]
fn what_the_inbox_holds_is_told_once() {
    let model = ScriptedModel::new([Line::text("1"), Line::text("2"), Line::text("3")]);
    let store = MemoryStore::new("s");
    let item = json!({ "id": "i1", "tag": "mail", "request": "answer of Ann", "status": "pending", "blocking": true });
    store.add_inbox_item(serde_json::from_value(item).unwrap());
    let agent = builder(&model, store.clone()).build().unwrap();
    block_on(async {
        agent.process_request("a").await.unwrap();
        assert!(store.resolve_inbox_item("i1", "yes", "noon"));
        let (b, c) = (agent.process_request("b"), agent.process_request("c"));
        let (c, b) = join(c, b).await;
        assert_eq!((b.unwrap().text(), c.unwrap().text()), ("2".to_owned(), "3".to_owned()));
    });
    assert_eq!(
        transcript(&agent.messages()),
        [
            "user: a",
            "agent: 1",
            "user: [Inbox: 1 item(s) resolved]\n- [mail] Request: \"answer of Ann\" -> Response: \"yes\" (resolved noon)",
            "user: b",
            "agent: 2",
            "user: c",
            "agent: 3",
        ]
    );
    assert!(model.seen()[0].texts()[1].starts_with("[Inbox: 1 blocking"));
}

#[test]
fn a_session_that_is_driven_in_the_background_needs_nobody_who_waits() {
    let model = ScriptedModel::new([Line::failure(ModelErrorKind::Overloaded, "busy"), Line::text("hi")]);
    let agent = builder(&model, MemoryStore::new("s")).build().unwrap();
    block_on(async {
        let session = agent.session().clone();
        let background = async { session.drive().await };
        let work = async {
            assert_eq!(agent.process_request("a").await.unwrap_err().code(), "MODEL_OVERLOADED");
            assert_eq!(agent.process_request("b").await.unwrap().text(), "hi");
            session.close();
        };
        join(background, work).await;
        assert_eq!(agent.process_request("c").await, Err(Error::Closed));
    });
}

#[test]
fn a_tool_may_use_ids_of_any_name() {
    let notes = Notes::default();
    let model = ScriptedModel::new([
        Line::call("__proto__", "constructor", no_arguments()).and_call(
            "__proto__",
            "constructor",
            no_arguments(),
        ),
        Line::text("ok"),
    ]);
    let agent = builder(&model, MemoryStore::new("__proto__"))
        .ids(SequentialIds::new("__proto__"))
        .fold(noting("__proto__", &notes))
        .build()
        .unwrap();
    block_on(agent.process_request("go")).unwrap();
    assert_eq!(notes.all(), ["__proto__", "__proto__"]);
    assert_calls_are_answered(&agent.messages());
}

#[test]
fn requests_from_many_threads_take_turns_and_all_end() {
    let notes = Notes::default();
    let model = ScriptedModel::by(|_, seen| match seen.messages.last().unwrap().tool_results {
        None => Line::call("a", "", no_arguments()),
        Some(_) => Line::deltas(["do", "ne"]),
    });
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, peak) = (Arc::clone(&running), Arc::clone(&most));
    let slow = Tool::new("a", "", json!({}), move |_: Value, _: ToolContext| {
        let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
        async move {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            SystemClock.sleep(1).await;
            now.fetch_sub(1, Ordering::SeqCst);
        }
    });
    let agent = builder(&model, MemoryStore::new("s")).fold(slow).fold(noting("b", &notes)).build().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(block_on(agent.process_request("go")).unwrap().text(), "done");
                }
            });
        }
    });
    assert_eq!((agent.messages().len(), most.load(Ordering::SeqCst)), (8 * 10 * 4, 1));
}

#[test]
fn a_session_that_is_closed_ends_nothing_and_is_opened_again() {
    let (notes, gate, store) = (Notes::default(), Gate::new(), MemoryStore::new("s"));
    let model = ScriptedModel::new([Line::deltas(["Half"]).then_gate(&gate), Line::text("whole")]);
    block_on(async {
        let first = numbered(&model, store.clone(), "a").fold(noting("a", &notes)).build().unwrap();
        let mut request = held(first.process_request("go"));
        request.until(gate.reached()).await;
        first.session().keep_partial();
        first.session().close();
        assert_eq!(request.await, Err(Error::Closed));
        assert_eq!(transcript(&store.messages()), ["user: go"], "nothing was ended");
        let second = numbered(&model, store.clone(), "b").fold(noting("a", &notes)).build().unwrap();
        assert_eq!(second.resume().await.unwrap().text(), "whole");
    });
    assert_eq!(transcript(&store.messages()), ["user: go", "agent: whole"]);
}

#[test]
fn a_request_that_waits_for_its_turn_can_be_given_up() {
    block_on(async {
        let gate = Gate::new();
        let model = ScriptedModel::new([Line::text("one").after_gate(&gate), Line::text("three")]);
        let agent = builder(&model, MemoryStore::new("s")).build().unwrap();
        let session = agent.session();
        let mut second = Prompt::new("second");
        second.id = Some("the-second".to_owned());
        let (first, second, third) =
            (session.request("first"), session.request(second), session.request("third"));
        let stops = async {
            gate.reached().await;
            session.cancel_queued("nobody");
            session.cancel_queued("the-second");
            gate.open();
        };
        let (first, second, third, ()) = join!(first, second, third, stops);
        assert_eq!(second, Err(Error::Aborted));
        assert_eq!((first.unwrap().text(), third.unwrap().text()), ("one".to_owned(), "three".to_owned()));
        let asked: Vec<_> = session.messages().into_iter().map(|message| message.text).collect();
        assert_eq!(asked, ["first", "one", "third", "three"]);
    });
}

#[test]
fn a_request_that_another_one_came_into_is_answered_when_it_is_asked_again_in_another_process() {
    block_on(async {
        let (notes, gate, store) = (Notes::default(), Gate::new(), MemoryStore::new("s"));
        let model = ScriptedModel::new([
            Line::call("dig", "c1", no_arguments()),
            Line::text("deep and wide"),
            Line::text("later"),
        ]);
        let agent = builder(&model, store.clone()).fold(gated("dig", &notes, &gate)).build().unwrap();
        let asked = |id: &str| Prompt { id: Some(id.to_owned()), ..Prompt::new(id) };
        let mut first = held(agent.process_request(asked("first")));
        first.until(gate.reached()).await;
        let steers = |id: &str| held(agent.process_request(asked(id).when_busy(WhenBusy::Steer)));
        let (mut second, mut third) = (steers("second"), steers("third"));
        assert!(second.stays_open() && third.stays_open());
        gate.open();
        let (first, second, third) = join!(first, second, third);
        assert_eq!([first, second, third].map(|came| came.unwrap().text()), ["deep and wide"; 3]);
        agent.process_request(asked("later")).await.unwrap();
        // Nobody was told: their process had died. The next one has the record only.
        let next = numbered(&ScriptedModel::new([]), store, "b").build().unwrap();
        for id in ["first", "second", "third"] {
            assert_eq!(next.process_request(asked(id)).await.unwrap().text(), "deep and wide", "{id}");
        }
        assert_eq!(next.messages(), agent.messages());
    });
}

#[test]
fn a_request_that_is_asked_again_under_its_id_is_made_once_and_both_hear_its_answer() {
    block_on(async {
        let gate = Gate::new();
        let model = ScriptedModel::new([Line::text("one").after_gate(&gate), Line::text("two")]);
        let store = MemoryStore::new("s");
        let agent = builder(&model, store.clone()).build().unwrap();
        let session = agent.session();
        let asked = |id: &str| Prompt { id: Some(id.to_owned()), ..Prompt::new(id) };
        let (first, queued) = (session.request(asked("first")), session.request(asked("queued")));
        let again = async {
            gate.reached().await;
            let again = (session.request(asked("first")), session.request(asked("queued")));
            gate.open();
            join(again.0, again.1).await
        };
        let (first, queued, again) = join!(first, queued, again);
        assert_eq!((again.0.unwrap().text(), again.1.unwrap().text()), ("one".to_owned(), "two".to_owned()));
        assert_eq!((first.unwrap().text(), queued.unwrap().text()), ("one".to_owned(), "two".to_owned()));
        // Also where it had ended before: another process has the record only.
        let next = numbered(&ScriptedModel::new([]), store, "b").build().unwrap();
        assert_eq!(next.session().request(asked("first")).await.unwrap().text(), "one");
        assert_eq!(transcript(&next.messages()), ["user: first", "agent: one", "user: queued", "agent: two"]);
    });
}

#[test]
fn an_answer_of_an_own_model_with_more_calls_than_any_model_makes_is_refused_before_one_runs() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ran);
    let schema = json!({ "type": "object" });
    let tool = Tool::new("go", "Goes", schema, move |_: Value, _: ToolContext| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { "gone" }
    });
    let many = (0..1_001).fold(Line::text(""), |line, n| line.and_call("go", &format!("c{n}"), json!({})));
    let model = ScriptedModel::new([many, Line::text("done")]);
    let agent = builder(&model, MemoryStore::new("s")).fold(tool).build().unwrap();
    let error = block_on(agent.process_request("go")).unwrap_err();
    assert_eq!(error.code(), "MODEL_BAD_RESPONSE");
    assert!(error.to_string().contains("1001 tool calls"), "{error}");
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}
