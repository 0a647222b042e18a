//! One holder at a time, and one that slept through its time is refused.

use std::thread::sleep;
use std::time::{Duration, Instant};

use glove_wasm::error::StoreErrorKind;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::runtime::Glove;
use glove_wasm::store::Transcript;
use glove_wasm::testing::{Line, ScriptedModel};

use super::Server;
use crate::support::runtime::{block_on, builder, numbered, transcript};

fn agent(store: impl StoreAdapter + 'static) -> Glove {
    builder(&ScriptedModel::by(|_, _| Line::text("Hello.")), store).build().unwrap()
}

#[test]
fn who_slept_through_its_time_is_refused_and_the_next_one_goes_on() {
    let Some(server) = Server::shared() else { return };
    let (one, two) = (server.open().at_address("http://one"), server.open().at_address("http://two"));
    let (first, second) = (one.store("slept"), two.store("slept"));
    let agent_of_first = agent(first.clone());
    block_on(agent_of_first.process_request("one")).unwrap();
    assert_eq!(block_on(two.holder("slept")).unwrap().as_deref(), Some("http://one"));
    let early = block_on(two.delete("slept")).unwrap_err();
    assert_eq!(early.kind, StoreErrorKind::Conflict, "{early}");
    // What happens while the process of the first stands still for longer than its time.
    server.let_run_out("slept");
    block_on(second.acquire()).unwrap();
    assert_eq!(block_on(one.holder("slept")).unwrap().as_deref(), Some("http://two"));
    let refused = block_on(agent_of_first.process_request("two")).unwrap_err();
    assert_eq!(refused.code(), "STORE_CONFLICT", "{refused}");
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let after = numbered(&model, second, "second").build().unwrap();
    block_on(after.process_request("three")).unwrap();
    assert_eq!(transcript(&after.messages()), ["user: one", "agent: Hello.", "user: three", "agent: Hello."]);
    let begun = Instant::now();
    while !first.is_lost() {
        assert!(begun.elapsed().as_secs() < 10, "the first does not find out by itself");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_session_is_given_back_at_once_when_its_store_is_closed() {
    let Some(server) = Server::shared() else { return };
    let (one, two) = (server.open(), server.open());
    let store = one.store("given back");
    block_on(store.acquire()).unwrap();
    drop(store);
    drop(one);
    assert_eq!(block_on(two.holder("given back")).unwrap(), None);
    let begun = Instant::now();
    block_on(two.store("given back").acquire()).unwrap();
    assert!(begun.elapsed().as_secs() < 2);
}

#[test]
fn a_session_goes_out_and_comes_in_again_and_is_listed_with_its_name() {
    let Some(server) = Server::shared() else { return };
    let database = server.open();
    let store = database.store("listed");
    block_on(agent(store.clone()).process_request("What is\nthe time?")).unwrap();
    block_on(store.set_name("Time")).unwrap();
    drop(store);
    let exported = block_on(database.export("listed")).unwrap();
    let text = exported.to_text().unwrap();
    let id = block_on(database.import(Transcript::read(&text).unwrap(), Default::default())).unwrap();
    assert_ne!(id, "listed", "its own id is used already");
    let listed = block_on(database.sessions()).unwrap();
    for id in ["listed", &id] {
        let found = listed.iter().find(|session| session.id == id).unwrap();
        assert_eq!(
            (found.name.as_str(), found.title.as_str(), found.messages),
            ("Time", "What is the time?", 2)
        );
        assert_eq!(found.phase, "idle");
    }
    let again = block_on(database.store(id.as_str()).load()).unwrap();
    assert_eq!(again.messages, exported.messages);
    assert!(block_on(database.delete(&id)).unwrap());
    assert!(!block_on(database.delete(&id)).unwrap());
    assert!(!block_on(database.contains(&id)).unwrap());
    assert!(!server.holds(&id), "nothing of it stays");
}

#[test]
fn a_session_that_was_deleted_under_its_holder_is_lost_and_not_begun_anew() {
    let Some(server) = Server::shared() else { return };
    let database = server.open();
    let agent = agent(database.store("deleted"));
    block_on(agent.process_request("one")).unwrap();
    server.remove("deleted");
    assert_eq!(block_on(agent.process_request("two")).unwrap_err().code(), "STORE_LOST");
    assert!(!block_on(database.contains("deleted")).unwrap());
}
