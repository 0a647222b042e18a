//! Databases that cannot be opened, read or written: a sentence with a code, and nothing lost.

use std::fs;
use std::path::Path;

use glove_wasm::error::{Error, StoreError};
use glove_wasm::ports::StoreAdapter;
use glove_wasm::runtime::Glove;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_sqlite::SqliteDatabase;
use rusqlite::Connection;

use super::Folder;
use crate::support::disk::Disk;
use crate::support::runtime::{block_on, builder, transcript};

fn refused(path: &Path) -> StoreError {
    SqliteDatabase::open(path).unwrap_err()
}

fn hello(database: &SqliteDatabase) -> Glove {
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    builder(&model, database.store("s")).build().unwrap()
}

#[track_caller]
fn says(error: &StoreError, code: &str, words: &str) {
    assert_eq!(error.kind.code(), code, "{error}");
    assert!(error.message.contains(words), "{error}");
    assert!(error.message.contains(".db"), "it names the file: {error}");
}

#[test]
fn a_file_that_is_no_database_is_left_as_it_is() {
    let folder = Folder::new();
    let file = folder.file("letter.db");
    fs::write(&file, "Dear Sir or Madam, ".repeat(100)).unwrap();
    says(&refused(&file), "STORE_CORRUPT", "not a SQLite database");
    assert_eq!(fs::read_to_string(&file).unwrap(), "Dear Sir or Madam, ".repeat(100));
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let folder = Folder::new();
    says(&refused(&folder.file("no/such/sessions.db")), "STORE_UNAVAILABLE", "folder exists");
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_left_as_it_is() {
    let folder = Folder::new();
    drop(folder.database());
    let connection = Connection::open(folder.file("sessions.db")).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    says(&refused(&folder.file("sessions.db")), "STORE_NEWER", "format 99");
}

#[test]
fn a_damaged_page_is_found_and_the_session_opens_for_reading_or_says_why() {
    let folder = Folder::new();
    let file = folder.file("sessions.db");
    let database = folder.database();
    block_on(hello(&database).process_request("x".repeat(100_000).as_str())).unwrap();
    drop(database);
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(connection);
    let mut bytes = fs::read(&file).unwrap();
    // The first page, with the list of tables, stays whole.
    for byte in bytes.iter_mut().skip(8_192).step_by(3) {
        *byte ^= 0x5a;
    }
    fs::write(&file, &bytes).unwrap();
    let error =
        SqliteDatabase::open(&file).and_then(|database| block_on(database.store("s").load())).unwrap_err();
    says(&error, "STORE_CORRUPT", "damaged");
}

#[test]
fn a_message_that_cannot_be_read_leaves_the_others_readable() {
    let folder = Folder::new();
    let database = folder.database();
    block_on(hello(&database).process_request("one")).unwrap();
    let connection = Connection::open(folder.file("sessions.db")).unwrap();
    connection.execute("UPDATE messages SET glove_json = '{\"sender\":' WHERE sender = 'agent'", []).unwrap();
    let agent = hello(&database);
    block_on(agent.session().opened()).unwrap();
    says(agent.session().damage().unwrap(), "STORE_CORRUPT", "message 1");
    assert_eq!(transcript(&agent.messages()), ["user: one", "agent: [A message that cannot be read.]"]);
    let refused = block_on(agent.process_request("two")).unwrap_err();
    assert_eq!(refused.code(), "STORE_CORRUPT");
}

#[test]
fn a_message_that_is_no_text_leaves_the_others_readable() {
    for damage in ["cast(x'7bff7d' as text)", "x'ff00'"] {
        let folder = Folder::new();
        let database = folder.database();
        block_on(hello(&database).process_request("one")).unwrap();
        let connection = Connection::open(folder.file("sessions.db")).unwrap();
        let update = format!("UPDATE messages SET glove_json = {damage} WHERE sender = 'agent'");
        connection.execute(&update, []).unwrap();
        let agent = hello(&database);
        block_on(agent.session().opened()).unwrap();
        says(agent.session().damage().unwrap(), "STORE_CORRUPT", "message 1");
        assert_eq!(transcript(&agent.messages()), ["user: one", "agent: [A message that cannot be read.]"]);
    }
}

#[test]
fn a_damaged_row_of_a_run_is_called_damage_and_its_messages_are_shown() {
    for damage in [
        "messages = 1",
        "messages = 9223372036854775807",
        "checkpoint = NULL",
        "seq = 'x'",
        "seq = -1",
        "seq = seq + 1",
    ] {
        let folder = Folder::new();
        let database = folder.database();
        block_on(hello(&database).process_request("one")).unwrap();
        let connection = Connection::open(folder.file("sessions.db")).unwrap();
        let records: i64 =
            connection.query_row("SELECT count(*) FROM glove_records", [], |row| row.get(0)).unwrap();
        if damage == "seq = seq + 1" && records == 0 {
            continue;
        }
        connection.execute(&format!("UPDATE glove_runs SET {damage}"), []).unwrap();
        let agent = hello(&database);
        block_on(agent.session().opened()).unwrap();
        let found = agent.session().damage().unwrap_or_else(|| panic!("{damage} is not found"));
        assert_eq!(found.kind.code(), "STORE_CORRUPT", "{damage}: {found}");
        assert_eq!(transcript(&agent.messages()), ["user: one", "agent: Hello."], "{damage}");
        assert_eq!(block_on(agent.process_request("two")).unwrap_err().code(), "STORE_CORRUPT", "{damage}");
    }
}

#[test]
fn a_name_that_sqlite_takes_for_a_database_in_memory_is_refused() {
    for name in ["", ":memory:", "file:sessions.db", "file:/tmp/sessions.db?mode=memory"] {
        let error = refused(Path::new(name));
        assert_eq!(error.kind.code(), "STORE_UNAVAILABLE", "{name}");
        assert!(error.message.contains("does not name a file"), "{name}: {error}");
    }
}

#[test]
fn a_file_that_is_removed_or_replaced_while_it_is_open_is_not_written_any_more() {
    let folder = Folder::new();
    let database = folder.database();
    let agent = hello(&database);
    block_on(agent.process_request("one")).unwrap();
    let names = ["sessions.db", "sessions.db-wal", "sessions.db-shm"];
    for name in names {
        fs::rename(folder.file(name), folder.file(&format!("{name}.away"))).unwrap();
    }
    let Error::Store(error) = block_on(agent.process_request("two")).unwrap_err() else {
        panic!("another error")
    };
    says(&error, "STORE_UNAVAILABLE", "removed or replaced");
    let other = folder.database();
    let Error::Store(error) = block_on(agent.resume()).unwrap_err() else { panic!("another error") };
    says(&error, "STORE_UNAVAILABLE", "removed or replaced");
    drop(other);
    for name in names {
        let _ = fs::remove_file(folder.file(name));
        fs::rename(folder.file(&format!("{name}.away")), folder.file(name)).unwrap();
    }
    assert_eq!(block_on(agent.resume()).unwrap().text(), "Hello.");
    let stored = block_on(database.store("s").load()).unwrap().messages;
    assert_eq!(transcript(&stored), ["user: one", "agent: Hello.", "user: two", "agent: Hello."]);
}

#[test]
fn a_database_that_another_program_has_locked_is_said_to_be_and_works_afterwards() {
    let folder = Folder::new();
    let database = folder.database();
    let agent = hello(&database);
    block_on(agent.session().opened()).unwrap();
    let other = Connection::open(folder.file("sessions.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let Error::Store(error) = block_on(agent.process_request("one")).unwrap_err() else {
        panic!("another error")
    };
    says(&error, "STORE_UNAVAILABLE", "locked");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(block_on(agent.resume()).unwrap().text(), "Hello.");
    assert_eq!(transcript(&agent.messages()), ["user: one", "agent: Hello."]);
}

#[test]
fn a_full_disk_loses_nothing_and_the_session_goes_on_when_there_is_space() {
    let Some(disk) = Disk::new("size=1m") else { return };
    let database = SqliteDatabase::open(disk.file("sessions.db")).unwrap();
    let agent = hello(&database);
    block_on(agent.process_request("one")).unwrap();
    let ballast = disk.fill();
    let error = block_on(agent.process_request("y".repeat(100_000).as_str())).unwrap_err();
    let Error::Store(error) = error else { panic!("{error:?}") };
    says(&error, "STORE_QUOTA", "disk is full");
    assert_eq!(
        transcript(&block_on(database.store("s").load()).unwrap().messages),
        ["user: one", "agent: Hello."]
    );
    disk.remount("size=16m");
    fs::remove_file(&ballast).unwrap();
    assert_eq!(block_on(agent.resume()).unwrap().text(), "Hello.");
    let texts = transcript(&block_on(database.store("s").load()).unwrap().messages);
    let short: Vec<&str> = texts.iter().map(|text| &text[..text.len().min(14)]).collect();
    assert_eq!(short, ["user: one", "agent: Hello.", "user: yyyyyyyy", "agent: Hello."]);
}

#[test]
fn a_folder_that_cannot_be_written_is_said_to_be() {
    let Some(disk) = Disk::new("size=4m") else { return };
    drop(SqliteDatabase::open(disk.file("sessions.db")).unwrap());
    disk.remount("ro");
    says(&refused(&disk.file("sessions.db")), "STORE_UNAVAILABLE", "folder");
    says(&refused(&disk.file("new.db")), "STORE_UNAVAILABLE", "folder");
}
