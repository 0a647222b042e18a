//! Recorded runs that come from a page and go back: tests/js/recording.test.ts has the same fixtures.

use std::env;
use std::fs;
use std::path::PathBuf;

use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::run::replay::replay;
use glove_wasm::runtime::{Glove, Prompt, Response};
use glove_wasm::store::Transcript;
use glove_wasm::testing::{FakeClock, Line, ScriptedModel, Seen, SequentialIds};
use glove_wasm_native::ImportOptions;
use glove_wasm_sqlite::SqliteDatabase;
use serde_json::{Value, json};

use super::Folder;
use crate::support::runtime::block_on;

const KEY: &str = "sk-ant-api03-0123456789abcdef";
const WITH_RUN: ImportOptions = ImportOptions { id: None, with_run: true };

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/runs").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(fixture(name)).unwrap().trim_end().to_owned()
}

fn agent(database: &SqliteDatabase, session: &str) -> Glove {
    let model = ScriptedModel::by(|_, seen: &Seen| {
        let last = seen.messages.last().unwrap();
        match last.results() {
            [result] if result.tool_name == "pay" => Line::text("Thank you, Ada."),
            [_] => Line::deltas(["Ada ", "is known."]),
            _ if last.text.starts_with("Pay") => Line::call("pay", "", json!({ "amount": 1.5 })),
            _ => Line::call("look_up", "", json!({ "name": "Ada" })),
        }
    });
    let schema = json!({ "type": "object" });
    let look_up =
        Tool::new("look_up", "Looks a customer up.", schema.clone(), async |_: Value, _: ToolContext| {
            format!("Ada pays with {KEY} and 12345678901234567890")
        });
    let pay = Tool::new("pay", "Pays", schema, async |_: Value, _: ToolContext| "paid natively");
    let agent =
        Glove::builder(model).store(database.store(session)).fold(look_up).fold(pay.requires_permission());
    agent.clock(FakeClock::at(4_000_000_000_000)).ids(SequentialIds::new("native")).build().unwrap()
}

/// It waits for a permission where the run ended.
fn goes_on(text: &str) {
    let folder = Folder::new();
    let database = folder.database();
    let id = block_on(database.import(Transcript::read(text).unwrap(), WITH_RUN)).unwrap();
    assert!(block_on(database.sessions()).unwrap()[0].asks);
    let agent = agent(&database, &id);
    agent.session().resume_by_hand();
    block_on(agent.session().opened()).unwrap();
    let Ok(Response::Waiting { questions }) = block_on(agent.resume()) else { panic!("it had asked") };
    assert_eq!(block_on(agent.approve(&questions[0].id)).unwrap().text(), "Thank you, Ada.");
    assert_eq!(block_on(agent.process_request("Who is Ada?")).unwrap().text(), "Ada is known.");
}

#[test]
fn a_run_of_a_page_is_played_natively_and_goes_on() {
    let text = read("page.json");
    assert!(!text.contains(KEY) && text.contains("with [key] and 12345678901234567890"), "{text}");
    let run = replay(&text, &mut |_| {}).unwrap().run;
    assert_eq!(run.messages().last().unwrap().calls().len(), 1);
    goes_on(&text);
    let changed = replay(&text.replacen("is known.", "is not known.", 1), &mut |_| {}).unwrap_err();
    assert_eq!(changed.code(), "RECORDING_DIVERGED");
    assert!(changed.to_string().contains("message 3"), "{changed}");
}

#[test]
fn a_run_recorded_natively_is_the_one_that_pages_play() {
    let folder = Folder::new();
    let database = folder.database();
    let agent = agent(&database, "s");
    block_on(agent.session().record()).unwrap();
    block_on(agent.process_request("Who is “Ada”?\n")).unwrap();
    let waiting =
        block_on(agent.process_request(Prompt::new("Pay her, 5 €").leave_when_waiting(true))).unwrap();
    assert!(matches!(waiting, Response::Waiting { .. }));
    let text = glove_wasm_native::export_run(agent.session(), str::to_owned).unwrap();
    if env::var_os("WRITE_FIXTURE").is_some() {
        fs::write(fixture("native.json"), format!("{text}\n")).unwrap();
    }
    assert_eq!(text, read("native.json"));
    replay(&text, &mut |_| {}).unwrap();
    goes_on(&text);
}

#[test]
fn what_ends_with_no_session_is_not_imported() {
    let text = read("page.json");
    for (text, code) in [
        (text.replacen("\"version\":1", "\"version\":2", 1), "STORE_NEWER"),
        (text.replacen("\"version\":1,", "", 1), "SESSION_IMPORT_INVALID"),
        (text.replacen("\"end\":", "\"was\":", 1), "SESSION_IMPORT_INVALID"),
        (text[..text.len() - 100].to_owned(), "SESSION_IMPORT_INVALID"),
    ] {
        assert_eq!(Transcript::read(&text).unwrap_err().code(), code);
    }
}
