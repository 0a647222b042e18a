//! Databases that each released version wrote, opened with today's code. `tests/fixtures/databases` has a dump of each, in text, with one
//! session that waits for a person, and one whose process died while a tool ran. `WRITE_FIXTURE=1` writes that of a version that has none yet. What a released version wrote is never
//! changed.

mod dumps;

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use glove_wasm::event::QuestionKind;
use glove_wasm::message::{InboxItem, Task};
use glove_wasm::ports::{PermissionStatus, StoreAdapter, Tool};
use glove_wasm::runtime::{Glove, Response};
use glove_wasm::testing::{Gate, Line, ScriptedModel, Seen};
use glove_wasm_native::StoredSession;
use glove_wasm_postgres::PostgresDatabase;
use serde_json::json;

use crate::native_postgres::PostgresServer;
use crate::native_redis::RedisServer;
use crate::native_sqlite::Folder;
use crate::support::runtime::{
    Notes, assert_calls_are_answered, block_on, gated, held, noting, numbered, transcript,
};

const STORED: [&str; 7] = [
    "user: Hello?",
    "agent: It's “fine”.\n\tNaïve 👋 \\n",
    "user: Note it",
    "agent:  [note note-1]",
    "results: note-1 note done",
    "agent: Done.",
    "user: Remove it",
];
/// What it goes on with when the person has agreed.
const FOLLOWS: [&str; 3] = ["agent:  [remove remove-1]", "results: remove-1 remove done", "agent: Done."];

fn agent(store: impl StoreAdapter + 'static, ids: &str, notes: &Notes) -> Glove {
    let model = ScriptedModel::by(|_, seen: &Seen| match seen.messages.last() {
        Some(last) if !last.results().is_empty() => Line::text("Done."),
        Some(last) if last.text == "Note it" => Line::call("note", "note-1", json!({})),
        Some(last) if last.text == "Remove it" => {
            Line::call("remove", "remove-1", json!({ "path": "a \"b\"" }))
        }
        _ => Line::text("It's “fine”.\n\tNaïve 👋 \\n"),
    });
    let tools = ["note", "remove"].map(|name| noting(name, notes).requires_permission());
    let [note, remove] = tools;
    numbered(&model, store, ids).fold(note).fold(remove).build().unwrap()
}

fn inbox_item() -> InboxItem {
    serde_json::from_value(
        json!({ "id": "i1", "tag": "order", "request": "Wait for it", "status": "pending" }),
    )
    .unwrap()
}

fn task() -> Task {
    serde_json::from_value(
        json!({ "id": "t1", "content": "Ask", "activeForm": "Asking", "status": "in_progress" }),
    )
    .unwrap()
}

/// The conversation up to the question, by a process that ends there.
fn until_asked(store: &(impl StoreAdapter + Clone + 'static)) {
    let notes = Notes::default();
    let agent = agent(store.clone(), "first", &notes);
    block_on(agent.process_request("Hello?")).unwrap();
    block_on(store.set_permission("note", None, true)).unwrap();
    block_on(store.set_tasks(vec![task()])).unwrap();
    block_on(agent.process_request("Note it")).unwrap();
    let mut asks = held(agent.process_request("Remove it"));
    let begun = Instant::now();
    while asks.stays_open() && agent.display().stack().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody was asked");
        sleep(Duration::from_millis(5));
    }
    assert_eq!(notes.all(), ["note"]);
}

fn sending(store: impl StoreAdapter + 'static, ids: &str, notes: &Notes, send: Tool) -> Glove {
    let model = ScriptedModel::by(|_, seen: &Seen| match seen.messages.last() {
        Some(last) if !last.results().is_empty() => Line::text("Sent."),
        _ => Line::call("look", "look-1", json!({})).and_call("send", "send-1", json!({})),
    });
    numbered(&model, store, ids).fold(noting("look", notes)).fold(send).build().unwrap()
}

/// A process that ends while the second of two tools runs: nobody knows whether that took effect.
fn until_it_died(store: impl StoreAdapter + 'static) {
    let notes = Notes::default();
    let agent = sending(store, "third", &notes, gated("send", &notes, &Gate::default()));
    let mut sends = held(agent.process_request("Send it"));
    let begun = Instant::now();
    while sends.stays_open() && notes.all().len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it did not begin");
        sleep(Duration::from_millis(5));
    }
    assert_eq!(notes.all(), ["look", "send begins"]);
}

/// Nothing is done again before a person says so.
fn is_asked_about(store: &(impl StoreAdapter + Clone + 'static), from: &str) {
    assert!(!block_on(store.load()).unwrap().records.is_empty(), "{from}: it has a journal");
    let notes = Notes::default();
    let agent = sending(store.clone(), "fourth", &notes, noting("send", &notes));
    agent.session().resume_by_hand();
    let Ok(Response::Waiting { questions }) = block_on(agent.resume()) else {
        panic!("{from}: nobody was asked about the tool that ran")
    };
    assert_eq!((questions.len(), questions[0].kind), (1, QuestionKind::Interrupted), "{from}");
    assert!(notes.all().is_empty(), "{from}");
    let answer = block_on(agent.approve(&questions[0].id)).unwrap();
    assert_eq!((answer.text(), notes.all()), ("Sent.".into(), vec!["send".to_owned()]), "{from}");
    drop(agent);
    let lines = transcript(&block_on(store.load()).unwrap().messages);
    assert_eq!(
        lines,
        [
            "user: Send it",
            "agent:  [look look-1] [send send-1]",
            "results: look-1 look done | send-1 send done",
            "agent: Sent."
        ],
        "{from}"
    );
}

/// Lists the session, reads all of it, answers its question, and asks once more.
fn goes_on(listed: &[StoredSession], store: &(impl StoreAdapter + Clone + 'static), from: &str) {
    let [one, died] = ["s", "died"].map(|id| listed.iter().find(|session| session.id == id).unwrap());
    assert_eq!((listed.len(), died.title.as_str(), died.asks), (2, "Send it", false), "{from}");
    assert_eq!(
        (one.id.as_str(), one.name.as_str(), one.title.as_str(), one.phase.as_str(), one.asks, one.deaths),
        ("s", "Errands", "Hello?", "waiting", true, 0),
        "{from}"
    );
    assert!(one.created_at > 1_700_000_000_000 && one.updated_at >= one.created_at, "{from}: {one:?}");
    let read = transcript(&block_on(store.load()).unwrap().messages);
    assert_eq!(read[..STORED.len()], STORED, "{from}");
    block_on(async {
        assert_eq!(store.permission("note", None).await.unwrap(), PermissionStatus::Granted, "{from}");
        assert_eq!(store.permission("remove", None).await.unwrap(), PermissionStatus::Unset, "{from}");
        assert_eq!(store.tasks().await.unwrap(), [task()], "{from}");
        assert_eq!(store.inbox().await.unwrap(), [inbox_item()], "{from}");
    });

    let notes = Notes::default();
    let agent = agent(store.clone(), "second", &notes);
    agent.session().resume_by_hand();
    block_on(agent.session().opened()).unwrap();
    let Ok(Response::Waiting { questions }) = block_on(agent.resume()) else {
        panic!("{from}: it had asked")
    };
    assert_eq!((questions.len(), questions[0].kind), (1, QuestionKind::Permission), "{from}");
    assert!(notes.all().is_empty(), "{from}: nothing runs before the answer");
    let answer = block_on(agent.approve(&questions[0].id)).unwrap();
    assert_eq!((answer.text(), notes.all()), ("Done.".into(), vec!["remove".to_owned()]), "{from}");
    block_on(agent.process_request("Hello again")).unwrap();
    drop(agent);

    let messages = block_on(store.load()).unwrap().messages;
    let lines = transcript(&messages);
    assert_eq!(lines[..STORED.len()], STORED, "{from}");
    assert_eq!(lines[STORED.len()..STORED.len() + FOLLOWS.len()], FOLLOWS, "{from}");
    assert_eq!(lines[STORED.len() + FOLLOWS.len()..], ["user: Hello again", STORED[1]], "{from}");
    let messages: Vec<_> = messages.iter().map(|message| (**message).clone()).collect();
    assert_calls_are_answered(&messages);
}

/// The dumps of this database, with the names of their files; before that the one of this version, if it is to be written.
fn dumps(database: &str, new: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/databases");
    let (_, version) = include_str!("../../../Cargo.toml").split_once("\nversion = \"").unwrap();
    let own = folder.join(format!("{database}-{}.txt", version.split('"').next().unwrap()));
    if std::env::var_os("WRITE_FIXTURE").is_some() && !own.exists() {
        fs::create_dir_all(&folder).unwrap();
        fs::write(&own, new).unwrap();
    }
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let names = files.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| name.starts_with(&format!("{database}-"))).collect();
    names.sort();
    assert!(!names.is_empty(), "no version has a dump of {database}");
    names
        .into_iter()
        .map(|name| {
            let dump = fs::read_to_string(folder.join(&name)).unwrap();
            (name, dump)
        })
        .collect()
}

const AS_IF_NEW: &str =
    "once opened, it has the tables of a new database: a change of them needs a new number and a migration";

#[test]
fn what_each_version_wrote_to_sqlite_is_read_answered_and_gone_on_with() {
    let new = Folder::new();
    let store = new.database().store("s");
    until_asked(&store);
    block_on(store.set_name("Errands")).unwrap();
    block_on(store.add_inbox_item(inbox_item())).unwrap();
    drop(store);
    until_it_died(new.database().store("died"));
    let new = new.file("sessions.db");
    for (from, dump) in dumps("sqlite", &dumps::of_sqlite(&new)) {
        let folder = Folder::new();
        dumps::into_sqlite(&folder.file("sessions.db"), &dump);
        let database = folder.database();
        goes_on(&block_on(database.sessions()).unwrap(), &database.store("s"), &from);
        is_asked_about(&database.store("died"), &from);
        let form = dumps::form_of_sqlite(&folder.file("sessions.db"));
        assert_eq!(form, dumps::form_of_sqlite(&new), "{from}: {AS_IF_NEW}");
    }
}

#[test]
fn what_each_version_wrote_to_postgresql_is_read_answered_and_gone_on_with() {
    let Some(server) = PostgresServer::shared() else { return };
    let open = |url: &str| PostgresDatabase::open(url).unwrap();
    let new = server.new_database();
    let store = open(&new).store("s");
    until_asked(&store);
    block_on(store.set_name("Errands")).unwrap();
    block_on(store.add_inbox_item(&inbox_item())).unwrap();
    drop(store);
    until_it_died(open(&new).store("died"));
    for (from, dump) in dumps("postgresql", &dumps::of_postgres(&new)) {
        let url = server.new_database();
        dumps::into_postgres(&url, &dump);
        let database = open(&url);
        goes_on(&block_on(database.sessions()).unwrap(), &database.store("s"), &from);
        is_asked_about(&database.store("died"), &from);
        assert_eq!(dumps::form_of_postgres(&url), dumps::form_of_postgres(&new), "{from}: {AS_IF_NEW}");
    }
}

#[test]
fn what_each_version_wrote_to_redis_is_read_answered_and_gone_on_with() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.open().store("s");
    until_asked(&store);
    block_on(store.set_name("Errands")).unwrap();
    block_on(store.add_inbox_item(&inbox_item())).unwrap();
    drop(store);
    until_it_died(server.open().store("died"));
    let new = dumps::of_redis(server.port());
    for (from, dump) in dumps("redis", &new) {
        let server = RedisServer::start().unwrap();
        dumps::into_redis(server.port(), &dump);
        let database = server.open();
        let form = dumps::form_of_redis(&dumps::of_redis(server.port()));
        goes_on(&block_on(database.sessions()).unwrap(), &database.store("s"), &from);
        is_asked_about(&database.store("died"), &from);
        let gone: Vec<_> = form.difference(&dumps::form_of_redis(&new)).cloned().collect();
        assert!(
            gone.is_empty(),
            "{from}: no longer written, so a change of the form needs a migration: {gone:?}"
        );
    }
}
