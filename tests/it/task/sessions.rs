//! The history of a task that comes from stored sessions.

use std::sync::{Arc, Mutex};

use crate::support::wait::block_on;
use glove_wasm::message::{Message, Sender};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::testing::{Line, ScriptedModel, Seen};
use glove_wasm_sqlite::SqliteDatabase;
use glove_wasm_task::runtime::{RunOptions, SessionSource};
use glove_wasm_task::{FinishReason, HistoryPolicy, ResultView, TaskError, TaskSpec};

use super::killed::Folder;
use super::{BRIEF, builder, spec, working_model, workspace};
use crate::native_postgres::PostgresServer;
use crate::native_redis::RedisServer;
use crate::support::runtime::numbered;

type Stored = Vec<(String, Vec<Arc<Message>>)>;

/// Sessions in memory, which may be deleted.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Stored>>);

impl Shelf {
    fn of(session: &str, messages: &[Message]) -> Shelf {
        Shelf(Arc::new(Mutex::new(vec![(
            session.to_owned(),
            messages.iter().cloned().map(Arc::new).collect(),
        )])))
    }
}

impl SessionSource for Shelf {
    fn record(&self, session: String) -> BoxFuture<'static, Result<Vec<Arc<Message>>, TaskError>> {
        let all = self.0.lock().unwrap();
        let found = all.iter().find(|(id, _)| *id == session).map(|(_, messages)| messages.clone());
        Box::pin(std::future::ready(Ok(found.unwrap_or_default())))
    }
}

fn from(sessions: &[&str]) -> TaskSpec {
    TaskSpec { seed_from_sessions: sessions.iter().map(|id| (*id).to_owned()).collect(), ..spec() }
}

fn talk() -> Vec<Message> {
    vec![
        Message::user("Which tone?"),
        Message::new(Sender::Agent, "Plain."),
        // It was asked for again, and the screen shows the second answer.
        Message { replaces: Some(1), ..Message::user("") },
        Message::new(Sender::Agent, "Plain and short."),
    ]
}

/// What stands between the context and the request, of each first call of a step.
fn read(seen: &[Seen]) -> Vec<Vec<String>> {
    let first = seen.iter().filter(|seen| super::asked(seen).1 == 0);
    let texts = |seen: &Seen| {
        let between = &seen.messages[1..seen.messages.len() - 1];
        between.iter().map(|message| message.text.clone()).collect()
    };
    first.map(texts).collect()
}

#[test]
fn a_task_reads_the_conversation_of_a_session_and_keeps_it() {
    let (model, files, shelf) = (working_model(), workspace(), Shelf::of("chat", &talk()));
    let agent = builder(&model).sessions(shelf.clone()).build().unwrap();
    block_on(async {
        let task = agent.start_task(files.clone(), from(&["chat"])).await.unwrap();
        let snapshot = task.history_snapshot().await.unwrap();
        assert_eq!(super::message_texts(&snapshot), ["Which tone?", "Plain and short."]);
        task.step_once().await.unwrap();
    });
    // The session is gone, and another agent goes on: each step reads the same all the same.
    shelf.0.lock().unwrap().clear();
    let agent = builder(&model).sessions(shelf).build().unwrap();
    let result = block_on(async {
        agent.resume(files.clone()).await.unwrap().run(RunOptions::default()).await.unwrap()
    });
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let read = read(&model.seen());
    assert!(
        read.len() > 3 && read.iter().all(|texts| *texts == ["Which tone?", "Plain and short."]),
        "{read:?}"
    );
    assert_eq!(files.text("progress/history.jsonl").unwrap().lines().count(), 2);
}

#[test]
fn what_is_left_of_a_session_follows_the_policy_of_the_history() {
    let read_with = |history: HistoryPolicy| {
        let model = working_model();
        let agent = builder(&model).sessions(Shelf::of("chat", &talk())).build().unwrap();
        let spec = TaskSpec { history, ..from(&["chat"]) };
        block_on(agent.do_task(workspace(), spec, ResultView::Minimal)).unwrap();
        read(&model.seen())
    };
    assert!(read_with(HistoryPolicy::none()).iter().all(Vec::is_empty));
    let last = read_with(HistoryPolicy::last(1));
    assert_eq!((last[0].len(), last[1].len()), (2, 3));
    let summary = read_with(HistoryPolicy::summary(100));
    assert!(
        summary[1][..2] == ["Which tone?", "Plain and short."]
            && summary[1][2].starts_with("What was done so far:")
    );
}

#[test]
fn a_session_that_is_gone_is_told_before_anything_is_written() {
    let files = workspace();
    let before = files.files();
    let with_sessions = builder(&working_model()).sessions(Shelf::of("chat", &talk())).build().unwrap();
    let without = builder(&working_model()).build().unwrap();
    for (agent, code, words) in [
        (with_sessions, "TASK_HISTORY_MISSING", "no session \"gone\""),
        (without, "TASK_CONFIG_INVALID", "give it a store"),
    ] {
        let error = block_on(agent.start_task(files.clone(), from(&["chat", "gone"]))).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.message.contains(words), "{error}");
        assert_eq!(files.files(), before);
        // The lease was given back: a task can be started.
    }
    block_on(builder(&working_model()).build().unwrap().start_task(files, spec())).unwrap();
}

#[test]
fn a_kept_history_that_is_removed_or_broken_pauses_the_task_with_words() {
    for (content, words) in [(None, "is missing"), (Some("{"), "line 1 of progress/history.jsonl")] {
        let files = workspace();
        let model = working_model();
        let agent = builder(&model).sessions(Shelf::of("chat", &talk())).build().unwrap();
        let task = block_on(agent.start_task(files.clone(), from(&["chat"]))).unwrap();
        let kept = files.text("progress/history.jsonl").unwrap();
        match content {
            None => drop(files.remove("progress/history.jsonl")),
            Some(content) => files.put("progress/history.jsonl", content).unwrap(),
        }
        let result = block_on(task.run(RunOptions::default())).unwrap();
        let error = result.error.unwrap();
        assert!(error.code == "TASK_HISTORY_INVALID" && error.message.contains(words), "{error:?}");
        assert!(model.seen().is_empty());
        files.put("progress/history.jsonl", kept).unwrap();
        let result = block_on(task.run(RunOptions::default())).unwrap();
        assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    }
}

#[test]
fn a_session_that_was_summarised_gives_its_summary_and_leaves_the_task_its_context() {
    let mut messages = talk();
    messages.push(Message { is_compaction: true, ..Message::user("They want it plain.") });
    messages.push(Message::user("And quickly."));
    let model = working_model();
    let agent = builder(&model).sessions(Shelf::of("chat", &messages)).build().unwrap();
    block_on(agent.do_task(workspace(), from(&["chat"]), ResultView::Minimal)).unwrap();
    for seen in model.seen() {
        assert!(seen.messages[0].text.contains("# Task context"), "{:?}", seen.texts());
        assert_eq!(seen.texts()[1..3], ["They want it plain.", "And quickly."]);
    }
}

#[test]
fn what_stands_in_the_context_is_not_read_once_more_as_history() {
    let model = working_model();
    let messages = [Message::user(format!("{BRIEF}\n")), Message::user("And quickly.")];
    let agent = builder(&model).sessions(Shelf::of("chat", &messages)).build().unwrap();
    block_on(agent.do_task(workspace(), from(&["chat"]), ResultView::Minimal)).unwrap();
    assert!(read(&model.seen()).iter().all(|texts| *texts == ["And quickly."]));
}

/// A session of this store is read from the database while it is open, as on a server.
fn is_a_source(database: impl SessionSource + 'static, store: impl StoreAdapter + 'static) {
    let chat = ScriptedModel::by(|_, _| Line::text("Plain."));
    let chat = numbered(&chat, store, "chat").build().unwrap();
    block_on(chat.process_request("Which tone?")).unwrap();
    let model = working_model();
    let agent = builder(&model).sessions(database).build().unwrap();
    let error = block_on(agent.start_task(workspace(), from(&["other"]))).unwrap_err();
    assert_eq!(error.code(), "TASK_HISTORY_MISSING");
    block_on(agent.do_task(workspace(), from(&["chat"]), ResultView::Minimal)).unwrap();
    assert_eq!(read(&model.seen())[0], ["Which tone?", "Plain."]);
}

#[test]
fn a_database_in_a_file_is_a_source() {
    let folder = Folder::new();
    let database = SqliteDatabase::open(folder.path().join("sessions.db")).unwrap();
    let store = database.store("chat");
    is_a_source(database, store);
}

#[test]
fn a_database_of_postgres_is_a_source_and_says_when_it_is_gone() {
    let Some(server) = PostgresServer::start() else { return };
    let database = server.open();
    is_a_source(database.clone(), database.store("chat"));
    server.stop();
    is_gone(database);
}

#[test]
fn a_database_of_redis_is_a_source_and_says_when_it_is_gone() {
    let Some(server) = RedisServer::start() else { return };
    let database = server.open();
    is_a_source(database.clone(), database.store("chat"));
    server.stop();
    is_gone(database);
}

/// A server that is down is no session that is missing.
fn is_gone(database: impl SessionSource + 'static) {
    let files = workspace();
    let before = files.files();
    let agent = builder(&working_model()).sessions(database).build().unwrap();
    let error = block_on(agent.start_task(files.clone(), from(&["chat"]))).unwrap_err();
    assert_eq!(error.code(), "TASK_HISTORY_INVALID");
    assert!(error.message.contains("the session \"chat\" cannot be read"), "{error}");
    assert_eq!(files.files(), before);
}
