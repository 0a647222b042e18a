//! Databases of the original framework: opened, gone on with, and still readable for it. The tables and queries are its own.

use std::path::Path;

use glove_wasm::json::Json;
use glove_wasm::ports::{PermissionStatus, StoreAdapter};
use glove_wasm::testing::{Line, ScriptedModel};
use rusqlite::Connection;
use serde_json::json;

use super::Folder;
use crate::support::runtime::{Notes, block_on, builder, noting, numbered, transcript};

/// Its first version: no names, no content, permissions for tools only.
const FIRST: &str = "
CREATE TABLE sessions (session_id TEXT PRIMARY KEY, token_count INTEGER NOT NULL DEFAULT 0,
  turn_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, sender TEXT NOT NULL, msg_id TEXT,
  text TEXT NOT NULL, tool_results TEXT, tool_calls TEXT, FOREIGN KEY (session_id) REFERENCES sessions(session_id));
CREATE INDEX idx_messages_session ON messages(session_id);
CREATE TABLE tasks (id TEXT NOT NULL, session_id TEXT NOT NULL, content TEXT NOT NULL, active_form TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending', PRIMARY KEY (session_id, id));
CREATE TABLE permissions (session_id TEXT NOT NULL, tool_name TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'unset',
  PRIMARY KEY (session_id, tool_name));
";

/// What its last version makes of it.
const LAST: &str = "
ALTER TABLE sessions ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN working_dir TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN content TEXT;
DROP TABLE permissions;
CREATE TABLE permissions (session_id TEXT NOT NULL, tool_name TEXT NOT NULL, input_hash TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'unset', PRIMARY KEY (session_id, tool_name, input_hash));
CREATE TABLE inbox (id TEXT NOT NULL, session_id TEXT NOT NULL, tag TEXT NOT NULL, request TEXT NOT NULL, response TEXT,
  status TEXT NOT NULL DEFAULT 'pending', blocking INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, resolved_at TEXT,
  PRIMARY KEY (session_id, id));
CREATE INDEX idx_inbox_session_status ON inbox(session_id, status);
";

const CONTENT: &str = "
INSERT INTO sessions (session_id, token_count, turn_count, created_at) VALUES ('s', 12, 2, '2026-02-20 10:00:00');
INSERT INTO messages (session_id, sender, msg_id, text) VALUES ('s', 'user', 'm1', 'What is in the file?');
INSERT INTO messages (session_id, sender, text, tool_calls)
  VALUES ('s', 'agent', '', '[{\"tool_name\":\"read\",\"input_args\":{\"path\":\"a\"},\"id\":\"c1\"}]');
INSERT INTO messages (session_id, sender, text, tool_results) VALUES ('s', 'user', 'tool results',
  '[{\"tool_name\":\"read\",\"call_id\":\"c1\",\"result\":{\"status\":\"success\",\"data\":\"hello\"}}]');
INSERT INTO messages (session_id, sender, text) VALUES ('s', 'agent', 'It says hello.');
INSERT INTO tasks (id, session_id, content, active_form, status) VALUES ('t1', 's', 'read', 'reading', 'completed');
";

const LAST_CONTENT: &str = "
UPDATE sessions SET name = 'Files', working_dir = '/home/me' WHERE session_id = 's';
INSERT INTO permissions VALUES ('s', 'read', 'read::null', 'granted');
INSERT INTO permissions VALUES ('s', 'rm', 'rm::{\"path\":\"a\"}', 'denied');
INSERT INTO inbox (id, session_id, tag, request, status, blocking, created_at)
  VALUES ('i1', 's', 'mail', 'Wait for it', 'pending', 1, '2026-02-20T10:00:00.000Z');
";

fn database(file: &Path, parts: &[&str]) {
    let connection = Connection::open(file).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    for part in parts {
        connection.execute_batch(part).unwrap();
    }
}

const STORED: [&str; 4] =
    ["user: What is in the file?", "agent:  [read c1]", "results: c1 hello", "agent: It says hello."];

/// What the original reads of its session.
fn as_the_original_reads(file: &Path) -> Vec<(String, String, bool, bool)> {
    let connection = Connection::open(file).unwrap();
    let query = "SELECT sender, msg_id, text, tool_results, tool_calls, content FROM messages WHERE session_id = ? ORDER BY id";
    let mut statement = connection.prepare(query).unwrap();
    let rows = statement.query_map(["s"], |row| {
        let json = |at: usize| -> rusqlite::Result<bool> {
            let text: Option<String> = row.get(at)?;
            Ok(text.is_some_and(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap().is_array()))
        };
        Ok((row.get(0)?, row.get(2)?, json(3)?, json(4)?))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_database_of_the_last_version_goes_on_and_stays_readable_for_the_original() {
    let folder = Folder::new();
    let file = folder.file("sessions.db");
    database(&file, &[FIRST, LAST, CONTENT, LAST_CONTENT]);
    let opened = folder.database();
    let store = opened.store("s");
    block_on(async {
        assert_eq!(transcript(&store.load().await.unwrap().messages), STORED);
        assert_eq!(
            (store.name().await.unwrap(), store.working_dir().await.unwrap()),
            ("Files".into(), "/home/me".into())
        );
        assert_eq!(store.permission("read", None).await.unwrap(), PermissionStatus::Granted);
        let path = Json::from(json!({ "path": "a" }));
        assert_eq!(store.permission("rm", Some(&path)).await.unwrap(), PermissionStatus::Denied);
        assert_eq!(store.tasks().await.unwrap()[0].active_form, "reading");
        assert!(store.inbox().await.unwrap()[0].blocking);
        let listed = opened.sessions().await.unwrap().remove(0);
        assert_eq!((listed.title.as_str(), listed.messages), ("What is in the file?", 4));
        assert_eq!(listed.created_at, 1_771_581_600_000);
    });

    let model = ScriptedModel::new([Line::call("note", "c2", json!({})), Line::text("Noted.")]);
    let agent = builder(&model, store.clone()).fold(noting("note", &Notes::default())).build().unwrap();
    block_on(agent.process_request("Note it")).unwrap();
    let read = as_the_original_reads(&file);
    let said: Vec<&str> = read.iter().map(|(_, text, _, _)| text.as_str()).collect();
    assert_eq!(said[3..5], ["It says hello.", "Note it"]);
    assert_eq!(read.len(), 8);
    assert!(read[5].3 && read[6].2, "calls and results are lists: {read:?}");
    assert_eq!(read[7].1, "Noted.");
    assert_eq!(block_on(store.counters()).unwrap().1, 4);
}

#[test]
fn a_database_of_the_first_version_gets_the_columns_that_came_later() {
    let folder = Folder::new();
    let file = folder.file("sessions.db");
    database(&file, &[FIRST, CONTENT, "INSERT INTO permissions VALUES ('s', 'read', 'granted')"]);
    let store = folder.database().store("s");
    block_on(async {
        assert_eq!(transcript(&store.load().await.unwrap().messages), STORED);
        // It said nothing of arguments: as in the original, it is asked once more.
        assert_eq!(store.permission("read", None).await.unwrap(), PermissionStatus::Unset);
        assert_eq!(store.name().await.unwrap(), "");
    });
    let connection = Connection::open(&file).unwrap();
    let kept: String = connection
        .query_row("SELECT status FROM permissions WHERE input_hash = ''", [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, "granted");
}

#[test]
fn what_the_original_writes_meanwhile_is_found_and_gone_on_from() {
    let folder = Folder::new();
    let file = folder.file("sessions.db");
    let opened = folder.database();
    let model = ScriptedModel::by(|_, _| Line::text("Hello."));
    let agent = builder(&model, opened.store("s")).build().unwrap();
    block_on(agent.process_request("one")).unwrap();
    let original = Connection::open(&file).unwrap();
    let insert = "INSERT INTO messages (session_id, sender, msg_id, text, tool_results, tool_calls, content)
       VALUES ('s', 'user', NULL, 'from elsewhere', NULL, NULL, '[{\"type\":\"text\",\"text\":\"from elsewhere\"}]')";
    original.execute(insert, []).unwrap();

    let refused = block_on(agent.process_request("two")).unwrap_err();
    assert_eq!(refused.code(), "STORE_CONFLICT");
    assert_eq!(block_on(opened.store("s").load()).unwrap().messages.len(), 3);
    drop(agent);
    let agent = numbered(&model, opened.store("s"), "second").build().unwrap();
    block_on(agent.process_request("two")).unwrap();
    let whole = ["user: one", "agent: Hello.", "user: from elsewhere", "user: two", "agent: Hello."];
    assert_eq!(transcript(&agent.messages()), whole);
    drop(agent);
    // And what was written since is a run again.
    let loaded = block_on(opened.store("s").load()).unwrap();
    assert_eq!(
        (transcript(&loaded.messages), loaded.checkpoint.is_some()),
        (whole.map(str::to_owned).to_vec(), true)
    );
}
