//! A process that is killed at any moment of its writes. `GLOVE_KILLS=1000` kills it as often.

use std::collections::HashMap;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use glove_wasm::event::Event;
use glove_wasm::message::ToolStatus;
use glove_wasm::ports::{Loaded, StoreAdapter, Tool, ToolContext};
use glove_wasm::run::Run;
use glove_wasm::run::settings::Settings;
use glove_wasm::runtime::Glove;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_sqlite::SqliteDatabase;
use serde_json::{Value, json};

use super::{Folder, other_process, role};
use crate::support::runtime::{assert_calls_are_answered, block_on};

const TEST: &str =
    "native_sqlite::killed::a_process_that_is_killed_at_any_write_loses_nothing_and_runs_nothing_twice";

/// How often in an ordinary run of the tests.
const KILLS: usize = 50;

#[test]
fn a_process_that_is_killed_at_any_write_loses_nothing_and_runs_nothing_twice() {
    if let Some((_, folder)) = role() {
        block_on(async {
            let database = SqliteDatabase::open(folder.join("sessions.db")).unwrap();
            let store = database.store("s");
            // The one before was killed: nobody gives its lease back.
            store.acquire().await.unwrap();
            write_for_ever(store, &folder).await;
        });
        return;
    }
    let folder = Folder::new();
    let kills = env::var("GLOVE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut acknowledged = 0;
    let mut requests = 0;
    for kill in 0..kills {
        let mut child = other_process(TEST, "write", folder.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // It has opened its session: from here on it writes.
        while !lines.next().expect("the other process ended by itself").unwrap().ends_with("ready") {}
        sleep(Duration::from_micros((kill as u64 * 7_919) % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines.map_while(Result::ok) {
            if let Some(count) = line.strip_prefix("written ").and_then(|count| count.parse().ok()) {
                acknowledged = acknowledged.max(count);
            }
        }
        let loaded = block_on(folder.database().store("s").load()).unwrap();
        requests = check(&loaded, &folder.file("notes"), acknowledged, kill);
    }
    assert!(requests > kills / 10, "{requests} requests ended in {kills} lives: too few to show anything");
}

/// What the database holds: everything that was said to be written, and each tool once. The number of requests that ended.
pub fn check(loaded: &Loaded, notes: &Path, acknowledged: usize, kill: usize) -> usize {
    assert!(
        loaded.messages.len() >= acknowledged,
        "kill {kill}: {} messages are stored, {acknowledged} were said to be",
        loaded.messages.len()
    );
    let run = match &loaded.checkpoint {
        Some(checkpoint) => {
            Run::restore(checkpoint, loaded.messages.clone(), loaded.records.clone()).unwrap()
        }
        None => Run::new(Settings::default(), loaded.messages.clone()),
    };
    let notes = fs::read_to_string(notes).unwrap_or_default();
    let mut ran: HashMap<&str, usize> = HashMap::new();
    for line in notes.lines() {
        *ran.entry(line).or_default() += 1;
    }
    assert!(ran.values().all(|times| *times == 1), "kill {kill}: a tool ran twice: {ran:?}");
    let results = run.messages().iter().flat_map(|message| message.results());
    for result in results.filter(|result| result.result.status == ToolStatus::Success) {
        let note = result.result.data.to_text().unwrap();
        assert_eq!(ran.get(note.as_str()), Some(&1), "kill {kill}: {note} has a result and did not run");
    }
    run.messages().iter().filter(|message| message.text == "Noted.").count()
}

/// Requests one after another, each with a tool that may run once only; what is stored is said aloud.
pub async fn write_for_ever(store: impl StoreAdapter + 'static, folder: &Path) {
    let model = ScriptedModel::by(|_, seen| match seen.messages.last().unwrap().tool_results {
        None => Line::call("note", &format!("c{}", seen.messages.len()), json!({ "n": seen.messages.len() })),
        Some(_) => Line::text("Noted."),
    });
    let agent = Glove::builder(model).store(store).fold(note(folder)).build().unwrap();
    agent.session().opened().await.unwrap();
    say("ready");
    let session = agent.session().clone();
    agent.subscribe(move |_: Option<&str>, event: &Event| {
        // What a request ends with is told after it is written.
        if matches!(event, Event::RequestFinished { .. }) {
            say(&format!("written {}", session.messages().len()));
        }
    });
    // A tool that was running may have run: its call is not begun again.
    for question in agent.questions() {
        let _ = agent.session().reject(&question.id, None).await;
    }
    loop {
        let _ = agent.process_request("Note this").await;
        for question in agent.questions() {
            let _ = agent.session().reject(&question.id, None).await;
        }
        assert_calls_are_answered(&agent.messages());
    }
}

/// Writes its number down, in one write.
fn note(folder: &Path) -> Tool {
    let file = folder.join("notes");
    Tool::new(
        "note",
        "Notes a number",
        json!({ "type": "object" }),
        move |input: Value, context: ToolContext| {
            let line = format!("{}-{}", context.idempotency_key, input["n"]);
            let mut notes = OpenOptions::new().create(true).append(true).open(&file).unwrap();
            notes.write_all(format!("{line}\n").as_bytes()).unwrap();
            std::future::ready(line)
        },
    )
}

pub fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}
