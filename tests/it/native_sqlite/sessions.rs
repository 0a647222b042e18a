//! What a database keeps of its sessions besides their runs.

use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use glove_wasm::json::Json;
use glove_wasm::message::InboxItem;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::runtime::Glove;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_sqlite::{SqliteDatabase, SqliteStore};
use rusqlite::Connection;
use serde_json::json;

use super::Folder;
use crate::support::runtime::{
    Held, Notes, assert_calls_are_answered, block_on, held, noting, numbered, transcript,
};

fn item(id: &str) -> InboxItem {
    serde_json::from_value(json!({ "id": id, "tag": "order", "request": "?", "status": "pending" })).unwrap()
}

/// Asks once, and is answered.
fn ask(database: &SqliteDatabase, session: &str, text: &str) -> SqliteStore {
    let store = database.store(session);
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let agent = numbered(&model, store.clone(), session).build().unwrap();
    block_on(agent.process_request(text)).unwrap();
    store
}

/// Drives until a person is asked.
fn until_asked<T: Unpin>(work: &mut Held<T>, agent: &Glove) {
    for _ in 0..1_000 {
        assert!(work.stays_open());
        if !agent.display().stack().is_empty() {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("nobody was asked");
}

#[test]
fn sessions_are_listed_with_the_last_one_in_front() {
    let folder = Folder::new();
    let database = folder.database();
    ask(&database, "one", "  What is\nthe weather? ");
    sleep(Duration::from_millis(5));
    let two = ask(&database, "two", &"long ".repeat(100));
    block_on(async {
        two.set_name("My second").await.unwrap();
        two.set_working_dir("/tmp/x").await.unwrap();
        let sessions = database.sessions().await.unwrap();
        let shown: Vec<_> =
            sessions.iter().map(|one| (one.id.as_str(), one.messages, one.phase.as_str())).collect();
        assert_eq!(shown, [("two", 2, "idle"), ("one", 2, "idle")]);
        assert_eq!(sessions[1].title, "What is the weather?");
        assert_eq!(sessions[0].title.chars().count(), 120);
        assert_eq!((sessions[0].name.as_str(), sessions[0].working_dir.as_str()), ("My second", "/tmp/x"));
        assert!(
            sessions[0].updated_at >= sessions[0].created_at && sessions[0].created_at > 1_700_000_000_000
        );
        assert_eq!(
            (two.name().await.unwrap(), two.working_dir().await.unwrap()),
            ("My second".into(), "/tmp/x".into())
        );
        assert_eq!(two.counters().await.unwrap().1, 1);
        two.reset_counters().await.unwrap();
        assert_eq!(two.counters().await.unwrap(), (0, 0));
    });
}

#[test]
fn a_deleted_session_is_gone_and_the_others_stay() {
    let folder = Folder::new();
    let database = folder.database();
    drop((ask(&database, "one", "a"), ask(&database, "two", "b")));
    block_on(async {
        assert!(database.delete("one").await.unwrap());
        assert!(!database.delete("one").await.unwrap());
        assert_eq!(database.store("one").load().await.unwrap().messages, []);
        assert_eq!(
            transcript(&database.store("two").load().await.unwrap().messages),
            ["user: b", "agent: Hello."]
        );
    });
}

#[test]
fn a_session_that_another_store_has_taken_over_is_not_deleted_by_who_had_it_before() {
    let folder = Folder::new();
    let (one, two) = (folder.database(), folder.database());
    let _had = ask(&one, "s", "mine");
    // As after its time has run out.
    let connection = Connection::open(folder.file("sessions.db")).unwrap();
    connection.execute("UPDATE glove_runs SET held_until = 0", []).unwrap();
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let has = numbered(&model, two.store("s"), "two").build().unwrap();
    block_on(has.process_request("theirs")).unwrap();
    assert_eq!(block_on(one.delete("s")).unwrap_err().kind.code(), "STORE_CONFLICT");
    assert_eq!(block_on(two.store("s").load()).unwrap().messages.len(), 4);
}

#[test]
fn a_session_that_was_deleted_and_made_again_by_another_store_is_not_deleted_again() {
    let folder = Folder::new();
    let (one, two) = (folder.database(), folder.database());
    let _had = ask(&one, "s", "mine");
    assert!(block_on(one.delete("s")).unwrap());
    let _has = ask(&two, "s", "theirs");
    assert_eq!(block_on(one.delete("s")).unwrap_err().kind.code(), "STORE_CONFLICT");
    assert_eq!(block_on(two.store("s").load()).unwrap().messages.len(), 2);
}

#[test]
fn an_inbox_item_is_answered_from_outside_its_session() {
    let folder = Folder::new();
    let (here, elsewhere) = (folder.database(), folder.database());
    let store = here.store("s");
    block_on(async {
        store.add_inbox_item(item("i1")).await.unwrap();
        assert!(elsewhere.resolve_inbox_item("i1", "yes").await.unwrap());
        assert!(!elsewhere.resolve_inbox_item("i1", "no").await.unwrap());
        let items = store.inbox().await.unwrap();
        assert_eq!((items[0].status.as_str(), items[0].response.as_deref()), ("resolved", Some("yes")));
        assert!(items[0].resolved_at.as_deref().unwrap().ends_with('Z'));
    });
}

#[test]
fn a_run_that_waits_for_a_person_goes_on_in_the_next_process() {
    let folder = Folder::new();
    let notes = Notes::default();
    let model = ScriptedModel::by(|_, seen| match seen.messages.len() {
        1 => Line::call("rm", "c1", json!({ "path": "x" })),
        _ => Line::text("Removed."),
    });
    {
        let agent = numbered(&model, folder.database().store("s"), "a");
        let agent = agent.fold(noting("rm", &notes).requires_permission()).build().unwrap();
        until_asked(&mut held(agent.process_request("Remove x")), &agent);
    }
    let database = folder.database();
    let listed = block_on(database.sessions()).unwrap();
    assert_eq!((listed[0].phase.as_str(), listed[0].asks), ("waiting", true));
    let agent = numbered(&model, database.store("s"), "b");
    let agent = agent.fold(noting("rm", &notes).requires_permission()).build().unwrap();
    block_on(agent.session().opened()).unwrap();
    let mut rest = held(Box::pin({
        let session = agent.session().clone();
        async move { session.drive().await }
    }));
    until_asked(&mut rest, &agent);
    assert_eq!(notes.all(), [] as [&str; 0]);
    agent.display().resolve(&agent.display().stack()[0].id, Json::from(json!(true))).unwrap();
    assert_eq!(block_on(agent.resume()).unwrap().text(), "Removed.");
    assert_eq!(notes.all(), ["rm"]);
    assert_calls_are_answered(&agent.messages());
}

#[test]
fn a_thousand_steps_cost_no_more_at_the_end_than_at_the_beginning() {
    let folder = Folder::new();
    let database = folder.database();
    let store: Arc<dyn StoreAdapter> = Arc::new(database.store("s"));
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let agent = numbered(&model, database.store("s"), "a").build().unwrap();
    block_on(async {
        for _ in 0..200 {
            agent.process_request("go").await.unwrap();
        }
        assert_eq!(store.load().await.unwrap().messages.len(), 400);
        assert!(store.load().await.unwrap().records.len() <= 1, "records before the checkpoint are gone");
    });
}
