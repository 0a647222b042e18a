//! The parts of the loop by themselves: what is written to a stored session without one, over any store, and lists of calls.

use futures_util::future::select;
use glove_wasm::components::{Context, Executor};
use glove_wasm::event::Event;
use glove_wasm::message::{KeptRange, Message, ToolCall, ToolStatus};
use glove_wasm::ports::{Clock, StoreAdapter, Tool};
use glove_wasm::runtime::{Glove, Session};
use glove_wasm::store::MemoryStore;
use glove_wasm::system::SystemClock;
use glove_wasm::testing::{Line, ScriptedModel};
use serde_json::{Value, json};

use crate::native_sqlite::Folder;
use crate::support::wait::block_on;

fn texts(context: &Context) -> Vec<String> {
    block_on(context.messages()).unwrap().into_iter().map(|message| message.text).collect()
}

fn counts(context: &Context) -> (u64, u64) {
    (block_on(context.token_count()).unwrap(), block_on(context.turn_count()).unwrap())
}

/// What the model was sent for this sentence, and what it has said.
fn says(store: impl StoreAdapter + 'static, sentence: &str) -> Vec<String> {
    let model = ScriptedModel::new([Line::text("Yes.").tokens(10, 2)]);
    let agent = Glove::builder(model.clone()).store(store).build().unwrap();
    block_on(agent.process_request(sentence)).unwrap();
    close(agent.session());
    let seen = model.seen().pop().unwrap();
    seen.texts().into_iter().map(str::to_owned).collect()
}

fn close(session: &Session) {
    session.close();
    block_on(session.drive());
}

/// `open` gives the store of one session, once more with each call.
fn writes_steps_that_a_session_goes_on_with<S: StoreAdapter + 'static>(open: impl Fn() -> S) {
    let context = Context::new(open());
    block_on(context.append_messages(Vec::new())).unwrap();
    assert_eq!(counts(&context), (0, 0));
    let hello = vec![Message::user("I am Ada."), Message::agent("Hello, Ada.")];
    block_on(context.append_messages(hello)).unwrap();
    block_on(context.add_tokens(100)).unwrap();
    block_on(context.increment_turn()).unwrap();
    drop(context);

    assert_eq!(says(open(), "Do you know me?"), ["I am Ada.", "Hello, Ada.", "Do you know me?"]);
    let context = Context::new(open());
    assert_eq!(texts(&context), ["I am Ada.", "Hello, Ada.", "Do you know me?", "Yes."]);
    assert_eq!(counts(&context), (112, 2));

    let instead = vec![Message::user("She is Ada."), Message::agent("I know.")];
    block_on(context.replace_messages(instead)).unwrap();
    block_on(context.reset_counters()).unwrap();
    assert_eq!(counts(&context), (0, 0));
    assert_eq!(texts(&context), ["She is Ada.", "I know."]);
    drop(context);
    assert_eq!(says(open(), "And now?"), ["She is Ada.", "I know.", "And now?"]);
    let kept = block_on(open().load()).unwrap().messages;
    assert_eq!(kept[0].text, "I am Ada.", "nothing that was said is lost");
    assert_eq!(kept.len(), 8);
}

#[test]
fn the_methods_of_a_store_write_steps_that_a_session_goes_on_with_over_any_store() {
    let memory = MemoryStore::new("s");
    writes_steps_that_a_session_goes_on_with(|| memory.clone());
    let folder = Folder::new();
    let database = folder.database();
    writes_steps_that_a_session_goes_on_with(|| database.store("s"));
}

#[test]
fn calls_and_their_results_are_appended_apart_and_are_read_together() {
    let store = MemoryStore::new("s");
    let context = Context::new(store.clone());
    let call = ToolCall::new("add", json!({ "n": 1 }).into());
    let id = call.id().to_owned();
    let asks = Message { tool_calls: Some(vec![call]), ..Message::agent("") };
    block_on(context.append_messages(vec![Message::user("Add."), asks])).unwrap();
    let result = json!({ "sender": "user", "text": "tool results",
        "tool_results": [{ "tool_name": "add", "call_id": id, "result": { "status": "success", "data": "2" } }] });
    block_on(context.append_messages(vec![serde_json::from_value(result).unwrap()])).unwrap();
    assert_eq!(says(store, "Well?"), ["Add.", "", "tool results", "Well?"]);
}

#[test]
fn of_two_who_write_at_once_one_is_refused_and_nothing_of_it_is_written() {
    let store = MemoryStore::new("s");
    let agent = Glove::builder(ScriptedModel::new([Line::text("One."), Line::text("Two.")]))
        .store(store.clone())
        .build()
        .unwrap();
    block_on(agent.process_request("first")).unwrap();
    let context = Context::new(store);
    block_on(context.add_tokens(1)).unwrap();
    // The session does not know of that step.
    assert!(block_on(agent.process_request("second")).is_err());
    assert_eq!(texts(&context), ["first", "One."]);
}

#[test]
fn a_session_in_the_middle_of_a_request_and_what_begins_with_no_summary_are_refused() {
    let store = MemoryStore::new("s");
    let tool = Tool::new("deploy", "Deploys", json!({ "type": "object" }), async |_: Value, _| "done");
    let calls = ScriptedModel::new([Line::call("deploy", "c1", json!({}))]);
    let agent = Glove::builder(calls).store(store.clone()).fold(tool.requires_permission()).build().unwrap();
    let asked = agent.process_request("Deploy it.");
    while agent.display().stack().is_empty() {
        let driving = Box::pin(agent.session().drive());
        block_on(select(driving, SystemClock.sleep(5)));
    }
    let before = store.messages();
    let context = Context::new(store.clone());
    let refused = block_on(context.append_messages(vec![Message::user("x")])).unwrap_err();
    assert_eq!(refused.code(), "SESSION_BUSY");
    assert!(refused.to_string().contains("not finished"), "{refused}");
    for begins in [vec![], vec![Message::agent("I say so.")]] {
        let refused = block_on(context.replace_messages(begins)).unwrap_err();
        assert_eq!(refused.code(), "COMPACTION_INVALID");
        assert!(refused.to_string().contains("a message of the user"), "{refused}");
    }
    assert_eq!(store.messages(), before);
    drop(asked);
}

#[test]
fn calls_that_ran_before_the_list_was_stopped_keep_their_results() {
    let mut executor = Executor::new();
    executor.register_tool(Tool::new("count", "Counts", json!({}), async |_: Value, _| 1)).unwrap();
    let slow =
        Tool::new("slow", "Never ends", json!({}), async |_: Value, _| std::future::pending::<i32>().await);
    executor.register_tool(slow).unwrap();
    for tool in ["count", "slow", "count"] {
        executor.add_call(ToolCall::new(tool, json!({}).into()));
    }
    let results = block_on(executor.execute_with(|agent| {
        let session = agent.session().clone();
        agent.session().subscribe(move |_: Option<&str>, event: &Event| {
            if matches!(event, Event::ToolUseResult(_)) {
                session.abort();
            }
        })
    }))
    .unwrap();
    let status: Vec<_> = results.iter().map(|result| result.result.status).collect();
    assert_eq!(status, [ToolStatus::Success, ToolStatus::Aborted, ToolStatus::Aborted]);
}

#[test]
fn a_list_that_was_stopped_before_it_began_is_no_list_without_results() {
    let mut executor = Executor::new();
    executor.register_tool(Tool::new("count", "Counts", json!({}), async |_: Value, _| 1)).unwrap();
    executor.add_call(ToolCall::new("count", json!({}).into()));
    let stopped = block_on(executor.execute_with(|agent| {
        let session = agent.session().clone();
        agent.session().subscribe(move |_: Option<&str>, _: &Event| session.abort())
    }));
    assert_eq!(stopped.unwrap_err().code(), "ABORTED");
}

#[test]
fn messages_that_are_copied_hide_nothing_of_the_session_that_they_come_to_and_stay_hidden_themselves() {
    let store = MemoryStore::new("s");
    let context = Context::new(store.clone());
    block_on(context.append_messages(vec![Message::user("Mine."), Message::agent("Yours.")])).unwrap();
    let summary = Message {
        is_compaction: true,
        compaction_keeps: Some(KeptRange { back: 2, count: 2 }),
        ..Message::user("They spoke of gloves.")
    };
    let prompt = Message { hidden: true, ..Message::user("Say hello.") };
    block_on(context.append_messages(vec![summary, prompt, Message::agent("Hello.")])).unwrap();
    assert_eq!(texts(&context), ["Mine.", "Yours.", "They spoke of gloves.", "Say hello.", "Hello."]);
    let hidden: Vec<bool> = store.messages().iter().map(|message| message.hidden).collect();
    assert_eq!(hidden, [false, false, true, true, false]);
}
