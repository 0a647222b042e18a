//! A connection that breaks, and a Redis that goes away and comes back, in the middle of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use glove_wasm::native::RedisDatabase;

use super::RedisServer;
use crate::native_postgres::lost_answers::{losing_line, noting_model};
use crate::support::runtime::{Notes, block_on, builder, noting, transcript};

#[test]
fn a_write_whose_answer_is_lost_is_neither_lost_nor_done_twice() {
    let Some(server) = RedisServer::start() else { return };
    let losses = Arc::new(AtomicUsize::new(0));
    let port = losing_line(server.port(), "EVALSHA", &losses);
    let database = RedisDatabase::open(&server.url_at(port)).unwrap();
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
fn a_redis_that_is_killed_and_started_anew_in_the_middle_of_a_run_is_waited_for_and_has_lost_nothing() {
    let Some(server) = RedisServer::start() else { return };
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
        thread::sleep(Duration::from_millis(300));
        restarted.run();
    });
    for _ in 0..20 {
        block_on(agent.process_request("Note this")).unwrap();
        thread::sleep(Duration::from_millis(30));
    }
    restarting.join().unwrap();
    block_on(agent.process_request("Note this")).unwrap();
    assert_eq!(notes.all().len(), 22);
    let stored = block_on(server.open().export("restarted")).unwrap();
    assert_eq!(transcript(&stored.messages), transcript(&agent.messages()));
}
