//! Databases that cannot be used: a sentence with a code, without the password, and nothing lost.

use glove_wasm::error::StoreError;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_postgres::PostgresDatabase;

use super::PostgresServer;
use crate::support::runtime::{block_on, builder, transcript};

#[track_caller]
fn says(error: &StoreError, code: &str, words: &str) {
    assert_eq!(error.kind.code(), code, "{error}");
    assert!(error.message.contains(words), "{error}");
    assert!(!error.message.contains("s3cret"), "{error}");
}

#[test]
fn a_database_that_cannot_be_used_is_said_with_what_to_do() {
    let Some(server) = PostgresServer::shared() else { return };
    let open = |url: &str| PostgresDatabase::open(url).unwrap_err();
    let url = server.url();
    says(&open(&url.replace("glove:s3cret", "glove:s3cret2")), "STORE_UNAVAILABLE", "user or the password");
    let named = |name: &str| format!("{}/{name}", url.rsplit_once('/').unwrap().0);
    says(&open(&named("nowhere")), "STORE_UNAVAILABLE", "no database of this name");
    says(&open(&server.url_at(1)), "STORE_UNAVAILABLE", "cannot be reached");
    says(&open(&format!("{url}?sslmode=require")), "STORE_UNAVAILABLE", "");
    says(&open("postgres://glove:s3cret@127.0.0.1:x/a"), "STORE_UNAVAILABLE", "has the form");
    server.sql("CREATE ROLE reader LOGIN PASSWORD 's3cret'");
    let reader = named("template1").replace("glove:", "reader:");
    says(&open(&reader), "STORE_UNAVAILABLE", "may not do this");
}

#[test]
fn a_database_of_a_newer_version_is_refused() {
    let Some(server) = PostgresServer::start() else { return };
    server.sql("UPDATE glove_version SET version = 99");
    says(&PostgresDatabase::open(&server.url()).unwrap_err(), "STORE_NEWER", "format 99");
}

#[test]
fn a_full_disk_parks_the_run_and_nothing_of_the_step_is_written() {
    let Some(server) = PostgresServer::start() else { return };
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let agent = builder(&model, server.open().store("full")).build().unwrap();
    block_on(agent.process_request("one")).unwrap();
    server.sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
         CREATE TRIGGER full_disk BEFORE INSERT ON glove_records EXECUTE FUNCTION full_disk();
         CREATE TRIGGER full_disk BEFORE INSERT ON glove_messages EXECUTE FUNCTION full_disk()",
    );
    let error = block_on(agent.process_request("two")).unwrap_err();
    assert_eq!(error.code(), "STORE_QUOTA", "{error}");
    assert_eq!(block_on(server.open().export("full")).unwrap().messages.len(), 2);
    server.sql("DROP FUNCTION full_disk CASCADE");
    block_on(agent.session().resume()).unwrap();
    let stored = block_on(server.open().export("full")).unwrap();
    assert_eq!(transcript(&stored.messages), transcript(&agent.messages()));
    assert_eq!(stored.messages.len(), 4);
}

#[test]
fn a_damaged_session_is_called_so_and_what_can_be_read_is_salvaged() {
    let Some(server) = PostgresServer::shared() else { return };
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let database = server.open();
    let agent = builder(&model, database.store("damaged")).build().unwrap();
    block_on(agent.process_request("one")).unwrap();
    drop(agent);
    server.sql("UPDATE glove_messages SET message = '{' WHERE session = 'damaged' AND at = 1");
    let store = database.store("damaged");
    let error = block_on(glove_wasm::ports::StoreAdapter::load(&store)).unwrap_err();
    says(&error, "STORE_CORRUPT", "message 1");
    let salvaged = block_on(glove_wasm::ports::StoreAdapter::salvage(&store)).unwrap();
    assert_eq!(salvaged[0].text, "one");
    server.sql("DELETE FROM glove_messages WHERE session = 'damaged' AND at = 1");
    says(
        &block_on(glove_wasm::ports::StoreAdapter::load(&store)).unwrap_err(),
        "STORE_CORRUPT",
        "2 were written",
    );
}
