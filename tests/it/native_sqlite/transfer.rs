//! Sessions that come from a page and go back: tests/js/transcripts.test.ts has the same fixtures.

use std::env;
use std::fs;
use std::path::PathBuf;

use glove_wasm::event::QuestionKind;
use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::runtime::{Glove, Prompt, Response};
use glove_wasm::store::{Transcript, TranscriptError};
use glove_wasm::testing::{FakeClock, Line, ScriptedModel, Seen, SequentialIds};
use glove_wasm_native::ImportOptions;
use glove_wasm_sqlite::SqliteDatabase;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Folder;
use crate::support::runtime::block_on;

const WITH_RUN: ImportOptions = ImportOptions { id: None, with_run: true };

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(fixture(name)).unwrap().trim_end().to_owned()
}

fn agent(database: &SqliteDatabase, session: &str) -> Glove {
    let model = ScriptedModel::by(|_, seen: &Seen| match seen.messages.last().unwrap().results() {
        [] => Line::call("pay", "", json!({})),
        _ => Line::text("Thank you."),
    });
    let schema = json!({ "type": "object" });
    let pay = Tool::new("pay", "Pays", schema, async |_: Value, _: ToolContext| "paid natively");
    let agent = Glove::builder(model).store(database.store(session)).fold(pay.requires_permission());
    agent.clock(FakeClock::at(4_000_000_000_000)).ids(SequentialIds::new("native")).build().unwrap()
}

#[derive(Deserialize)]
struct Case {
    name: String,
    text: String,
    code: Option<String>,
}

#[test]
fn a_text_is_read_or_refused_as_in_a_page() {
    let cases: Vec<Case> = serde_json::from_str(&read("cases.json")).unwrap();
    for Case { name, text, code } in cases {
        let read = Transcript::read(&text);
        let outcome = read.as_ref().map(|transcript| transcript.id.as_str()).map_err(TranscriptError::code);
        assert_eq!(outcome, code.as_deref().map_or(Ok("x"), Err), "a transcript {name}");
    }
}

#[test]
fn a_session_of_a_page_goes_on_natively_and_back() {
    let (folder, text) = (Folder::new(), read("page.json"));
    let database = folder.database();
    let page = Transcript::read(&text).unwrap();
    let id = block_on(database.import(page, WITH_RUN)).unwrap();
    let before = block_on(database.export(&id)).unwrap();
    let members = |text: &str| {
        let from = text.find("\"turns\"").unwrap();
        text[from..].to_owned()
    };
    assert_eq!(members(&before.to_text().unwrap()), members(&text), "all but the times, to the byte");
    assert!(block_on(database.sessions()).unwrap()[0].asks);

    let agent = agent(&database, &id);
    agent.session().resume_by_hand();
    block_on(agent.session().opened()).unwrap();
    let Ok(Response::Waiting { questions }) = block_on(agent.resume()) else { panic!("the page had asked") };
    assert_eq!(questions[0].kind, QuestionKind::Permission);
    let answer = block_on(agent.approve(&questions[0].id)).unwrap();
    assert_eq!(answer.text(), "Thank you.");
    let again = block_on(agent.process_request(Prompt::new("Once more").leave_when_waiting(true))).unwrap();
    assert!(matches!(again, Response::Waiting { .. }));
    drop(agent);

    let back = Transcript { created_at: 0, updated_at: 0, ..block_on(database.export(&id)).unwrap() };
    let native = back.to_text().unwrap();
    if env::var_os("WRITE_FIXTURE").is_some() {
        fs::write(fixture("native.json"), format!("{native}\n")).unwrap();
    }
    assert_eq!(native, read("native.json"));
}

#[test]
fn an_import_takes_no_id_that_is_used_and_no_run_that_nobody_asked_for() {
    let folder = Folder::new();
    let database = folder.database();
    let page = Transcript::read(&read("page.json")).unwrap();
    let own = block_on(database.import(page.clone(), ImportOptions::default())).unwrap();
    assert_eq!(own, "page");
    let other = block_on(database.import(page.clone(), ImportOptions::default())).unwrap();
    assert_ne!(other, own);
    let taken = ImportOptions { id: Some("page".to_owned()), with_run: false };
    assert_eq!(block_on(database.import(page, taken)), Err(TranscriptError::Exists("page".to_owned())));
    for session in block_on(database.sessions()).unwrap() {
        assert_eq!((session.phase.as_str(), session.asks, session.messages), ("idle", false, 2));
    }
    assert_eq!(block_on(database.export("gone")).unwrap_err().code(), "SESSION_UNKNOWN");
}

#[test]
fn a_run_that_does_not_fit_its_messages_is_not_imported() {
    let folder = Folder::new();
    let database = folder.database();
    let page = Transcript::read(&read("page.json")).unwrap();
    let short = Transcript { messages: Vec::new(), ..page.clone() };
    assert_eq!(block_on(database.import(short, WITH_RUN)).unwrap_err().code(), "SESSION_IMPORT_INVALID");
    let newer =
        page.checkpoint.as_ref().map(|checkpoint| checkpoint.replacen("\"version\":2", "\"version\":99", 1));
    let newer = Transcript { checkpoint: newer, ..page };
    assert_eq!(block_on(database.import(newer, WITH_RUN)).unwrap_err().code(), "STORE_NEWER");
    assert!(block_on(database.sessions()).unwrap().is_empty());
}
