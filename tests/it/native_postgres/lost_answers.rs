//! A connection that breaks, and a database that goes away and comes back, in the middle of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use glove_wasm::testing::{Line, ScriptedModel};
use serde_json::json;

use super::{Database, Server, WRITES};
use crate::native_postgres::losing_line::losing_line;
use crate::support::runtime::{Notes, block_on, builder, noting, transcript};

fn noting_model() -> ScriptedModel {
    ScriptedModel::by(|_, seen| match seen.messages.last().unwrap().tool_results {
        None => Line::call("note", "", json!({})),
        Some(_) => Line::text("Noted."),
    })
}

#[test]
fn a_write_whose_answer_is_lost_is_neither_lost_nor_done_twice() {
    let Some(server) = Server::shared() else { return };
    let losses = Arc::new(AtomicUsize::new(0));
    let port = losing_line(server.port(), WRITES, &losses);
    let database = Database::open(&server.url_at(port)).unwrap();
    let notes = Notes::default();
    let agent = builder(&noting_model(), database.store("lost answers"))
        .fold(noting("note", &notes))
        .build()
        .unwrap();
    for _ in 0..5 {
        losses.store(3, Ordering::SeqCst);
        block_on(agent.process_request("Note this")).unwrap();
        assert_eq!(losses.load(Ordering::SeqCst), 0, "no answer was lost");
    }
    assert_eq!(notes.all().len(), 5, "{:?}", notes.all());
    let stored = block_on(server.open().export("lost answers")).unwrap();
    assert_eq!(transcript(&stored.messages), transcript(&agent.messages()));
    assert_eq!(stored.messages.len(), 20);
}

#[test]
fn a_database_that_is_started_anew_in_the_middle_of_a_run_is_waited_for() {
    let Some(server) = Server::start() else { return };
    let server = Arc::new(server);
    let notes = Notes::default();
    let agent = builder(&noting_model(), server.open().store("restarted"))
        .fold(noting("note", &notes))
        .build()
        .unwrap();
    block_on(agent.process_request("Note this")).unwrap();
    let restarted = Arc::clone(&server);
    let restarting = thread::spawn(move || {
        restarted.stop();
        thread::sleep(Duration::from_millis(500));
        restarted.run();
    });
    for _ in 0..20 {
        block_on(agent.process_request("Note this")).unwrap();
        thread::sleep(Duration::from_millis(50));
    }
    restarting.join().unwrap();
    block_on(agent.process_request("Note this")).unwrap();
    assert_eq!(notes.all().len(), 22);
    let stored = block_on(server.open().export("restarted")).unwrap();
    assert_eq!(transcript(&stored.messages), transcript(&agent.messages()));
}

#[test]
fn a_database_that_stays_away_parks_the_run_and_it_goes_on_when_asked() {
    let Some(server) = Server::start() else { return };
    let notes = Notes::default();
    let agent =
        builder(&noting_model(), server.open().store("away")).fold(noting("note", &notes)).build().unwrap();
    block_on(agent.process_request("Note this")).unwrap();
    server.stop();
    let error = block_on(agent.process_request("Note that")).unwrap_err();
    assert_eq!(error.code(), "STORE_UNAVAILABLE", "{error}");
    // On a busy machine it may take a connection and end before it answers.
    let told = error.to_string();
    assert!(told.contains("cannot be reached") || told.contains("does not answer"), "{told}");
    assert!(!told.contains("s3cret"), "{told}");
    server.run();
    block_on(agent.session().resume()).unwrap();
    assert_eq!(notes.all().len(), 2);
    let stored = block_on(server.open().export("away")).unwrap();
    assert_eq!(transcript(&stored.messages), transcript(&agent.messages()));
    assert_eq!(stored.messages.len(), 8);
}
