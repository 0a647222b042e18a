//! A Redis that cannot be used, or would lose sessions: a sentence with a code, without the password.

use glove_wasm::error::StoreError;
use glove_wasm::ports::StoreAdapter;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_redis::RedisDatabase;

use super::RedisServer;
use crate::support::runtime::{block_on, builder, transcript};

#[track_caller]
fn says(error: &StoreError, code: &str, words: &str) {
    assert_eq!(error.kind.code(), code, "{error}");
    assert!(error.message.contains(words), "{error}");
    assert!(!error.message.contains("s3cret"), "{error}");
}

fn refused(url: &str) -> StoreError {
    RedisDatabase::open(url).unwrap_err()
}

#[test]
fn an_address_that_is_wrong_is_refused_without_its_password() {
    for url in
        ["", "mysql://a:s3cret@b/c", "redis://a:s3cret@b:port/0", "redis://a:s3cret@b/none", "redis://"]
    {
        says(&refused(url), "STORE_UNAVAILABLE", "has the form");
    }
    says(&refused("redis://ada:s3cret@127.0.0.1:1"), "STORE_UNAVAILABLE", "cannot be reached");
    says(&refused("rediss://ada:s3cret@127.0.0.1:1"), "STORE_UNAVAILABLE", "cannot be reached");
}

#[test]
fn a_redis_that_would_lose_sessions_is_refused_with_what_to_set() {
    let Some(server) = RedisServer::with(&[]) else { return };
    says(&refused(&server.url()), "STORE_UNAVAILABLE", "appendonly yes");
    let url = format!("{}?appendonly=no", server.url());
    drop(RedisDatabase::open(&url).unwrap());
    server.says("CONFIG SET maxmemory-policy allkeys-lru").unwrap();
    says(&refused(&url), "STORE_UNAVAILABLE", "noeviction");
    server.says("CONFIG SET maxmemory-policy noeviction").unwrap();
    server.says("CONFIG SET requirepass s3cret").unwrap();
    says(&refused(&url), "STORE_UNAVAILABLE", "user or the password");
    drop(RedisDatabase::open(&url.replace("redis://", "redis://:s3cret@")).unwrap());
    says(
        &refused(&url.replace("redis://", "redis://:s3cret2@")),
        "STORE_UNAVAILABLE",
        "user or the password",
    );
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let Some(server) = RedisServer::start() else { return };
    server.says("SET glove:version 99").unwrap();
    says(&refused(&server.url()), "STORE_NEWER", "format 99");
}

#[test]
fn a_memory_that_is_full_parks_the_run_and_nothing_of_the_step_is_written() {
    let Some(server) = RedisServer::start() else { return };
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let agent = builder(&model, server.open().store("full")).build().unwrap();
    block_on(agent.process_request("one")).unwrap();
    server.says("CONFIG SET maxmemory 1").unwrap();
    let error = block_on(agent.process_request("two")).unwrap_err();
    assert_eq!(error.code(), "STORE_QUOTA", "{error}");
    assert_eq!(block_on(server.open().export("full")).unwrap().messages.len(), 2);
    server.says("CONFIG SET maxmemory 0").unwrap();
    block_on(agent.session().resume()).unwrap();
    let stored = block_on(server.open().export("full")).unwrap();
    assert_eq!(transcript(&stored.messages), transcript(&agent.messages()));
    assert_eq!(stored.messages.len(), 4);
}

#[test]
fn a_session_of_which_a_part_is_missing_is_damaged_and_not_begun_anew() {
    let Some(server) = RedisServer::start() else { return };
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let agent = builder(&model, server.open().store("torn")).build().unwrap();
    block_on(agent.process_request("one")).unwrap();
    server.says("LPOP glove:messages:torn").unwrap();
    let error = block_on(server.open().store("torn").load()).unwrap_err();
    says(&error, "STORE_CORRUPT", "1 messages are stored, and 2 were written");
}
