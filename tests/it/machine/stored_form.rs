//! The stored form of a run. The file of each version that was ever released is read here for ever; it is written
//! anew only before its version is released, with `WRITE_FIXTURE=1`.

use std::sync::Arc;

use crate::support::machine::*;
use glove_wasm::display::Slot;
use glove_wasm::event::QuestionKind;
use glove_wasm::message::{Message, ToolStatus};
use glove_wasm::run::checkpoint::{RestoreError, VERSION};
use glove_wasm::run::input::{Input, WhenBusy};
use glove_wasm::run::journal::Record;
use glove_wasm::run::log::{SlotAnswer, StepResult};
use glove_wasm::run::settings::{Budgets, Compaction, Settings};
use glove_wasm::run::{PhaseName, Run};
use glove_wasm::tool::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

/// What a store holds of one session.
#[derive(Serialize, Deserialize)]
struct Stored {
    checkpoint: Box<RawValue>,
    messages: Vec<Arc<Message>>,
    /// The whole journal; the last records are newer than the checkpoint.
    records: Vec<Record>,
}

fn stored_by(version: u32) -> Stored {
    serde_json::from_str(&std::fs::read_to_string(path(version)).unwrap()).unwrap()
}

fn path(version: u32) -> String {
    format!("{FOLDER}/run-v{version}.json")
}

impl Stored {
    fn open(&self) -> Result<Run, RestoreError> {
        Run::restore(self.checkpoint.get(), self.messages.clone(), self.records.clone())
    }
}

/// A run in the middle of everything: a summary behind it, a batch with an answered call and one whose tool waits in
/// the middle of its questions, slots that were left on the display, a request that waits, actions that can be taken
/// back.
fn in_the_middle() -> (World, String) {
    let compaction = Compaction { context_limit: 400, every_turns: Some(50), ..Compaction::default() };
    let budgets = Budgets { cost: Some(2.5), tokens: Some(1_000_000), ..Budgets::default() };
    let tools = vec![
        undoable("add"),
        guarded("rm"),
        ToolSpec { retries: 2, ..idempotent("flaky") },
        parallel("look"),
        tool("order"),
    ];
    let mut world = World::new(Settings { tools, compaction, budgets, ..Settings::default() });
    world.at = 1_767_225_600_000;
    world.ask("r1", "Add one.");
    world.model_calls(&[("add", "call_1", r#"{"n": 1}"#)]);
    world.at += 250;
    world.pushes("call_1", 0, slot("s1", "card", r#"{"of":1}"#, false));
    world.pushes("call_1", 1, slot("s2", "card", r#"{"of":2}"#, false));
    world.tool_returns("call_1", r#"{"sum":12345678901234567890123}"#);
    world.model_answers(glove_wasm::run::input::Reply {
        usage: glove_wasm::message::Usage { cost: Some(0.0125), ..used(500, 20) },
        ..says("Added.")
    });
    world.ask("r2", "Now clean up.");
    world.model_says("One was added.");
    world.step(Input::SlotsRemoved { slots: vec!["s2".to_owned()] });
    world.model_calls(&[
        ("add", "call_2", r#"{"n":2}"#),
        ("order", "call_4", "{}"),
        ("rm", "call_3", r#"{"path":"/tmp/x","__proto__":null}"#),
        ("look", "", "{}"),
        ("nothing", "call_5", ""),
    ]);
    world.at += 40;
    world.tool_returns("call_2", r#"{"sum":3}"#);
    world.pushes("call_4", 0, slot("s3", "order", r#"{"ask":"where"}"#, true));
    world.settles("s3", SlotAnswer::Value(json(r#"{"street":"Main"}"#)));
    let (call_id, key) = ("call_4".to_owned(), "1 reserve".to_owned());
    world.step(Input::StepBegun { call_id: call_id.clone(), key: key.clone(), deterministic: true });
    world.step(Input::StepDone { call_id, key, result: StepResult::Returned(json("[1.50]")) });
    world.pushes("call_4", 1, slot("s4", "order", r#"{"ask":"when"}"#, true));
    let checkpoint = world.run.checkpoint();
    // What came after the checkpoint is in the journal alone.
    world.request("r3", "And tell me a joke.", WhenBusy::Queue);
    (world, checkpoint)
}

#[test]
fn a_run_that_version_1_stored_is_read_and_goes_on_to_its_end() {
    let stored = stored_by(1);
    let run = stored.open().unwrap();
    assert_eq!((run.phase(), run.request()), (PhaseName::Waiting, Some("r2")));
    assert_eq!(run.queued().map(|request| request.id.as_str()).collect::<Vec<_>>(), ["r3"]);
    let stack: Vec<(&str, &str)> =
        run.undo_stack().iter().map(|entry| (entry.call_id.as_str(), entry.tool.as_str())).collect();
    assert_eq!(stack, [("call_1", "add"), ("call_2", "add")]);
    let states: Vec<ToolStatus> = run.open_results().iter().map(|result| result.result.status).collect();
    use ToolStatus::{Error, Pending, Success};
    assert_eq!(states, [Success, Pending, Pending, Error]);
    let question = run.questions().next().unwrap();
    assert_eq!(
        (question.kind, question.input.as_str()),
        (QuestionKind::Permission, r#"{"path":"/tmp/x","__proto__":null}"#)
    );
    assert_eq!((run.turns(), run.usage().cost, run.context_tokens()), (3, Some(0.0125), 10));

    let mut world = World::over(run, Store::default());
    world.store.messages = stored.messages;
    world.store.records = stored.records;
    world.at = 1_767_312_000_000;
    world.step(Input::Recovered);
    // What follows could not be read over a checkpoint of version 1, so that is replaced at once.
    assert!(world.store.checkpoint.as_ref().unwrap().contains(&format!("\"version\":{VERSION}")));
    world.allow();
    world.tool_returns("call_3", "\"gone\"");
    world.tool_returns("r2.c3", "[]");
    world.model_says("Clean.");
    world.model_says("No.");
    assert_eq!(
        world.record(),
        [
            "user: Add one.",
            r#"agent: [add({"n": 1})#call_1]"#,
            r#"results: call_1={"sum":12345678901234567890123}"#,
            "agent: Added.",
            "user: Now clean up.",
            "user: [Conversation summary from compaction]\n\nOne was added.\n\n[End of summary - the conversation continues from here]",
            r#"agent: [add({"n":2})#call_2][rm({"path":"/tmp/x","__proto__":null})#call_3][look({})#r2.c3][nothing({})#call_5]"#,
            "results: call_2={\"sum\":3} | call_3=gone | r2.c3=[] | call_5=Error: No tool called nothing exists. Available tools: add, rm, flaky, look, undo_last_action.",
            "agent: Clean.",
            "user: And tell me a joke.",
            "agent: No.",
        ]
    );
    assert_eq!(world.finishes.len(), 2);
}

#[test]
fn a_run_that_version_2_stored_goes_on_in_the_middle_of_a_tools_questions() {
    if std::env::var_os("WRITE_FIXTURE").is_some() {
        let (world, checkpoint) = in_the_middle();
        let stored = Stored {
            checkpoint: RawValue::from_string(checkpoint).unwrap(),
            messages: world.store.messages,
            records: world.store.records,
        };
        std::fs::write(path(VERSION), serde_json::to_string_pretty(&stored).unwrap() + "\n").unwrap();
    }
    let stored = stored_by(2);
    let run = stored.open().unwrap();
    assert_eq!((run.phase(), run.request()), (PhaseName::Waiting, Some("r2")));
    let ids = |slots: Vec<Slot>| slots.into_iter().map(|slot| slot.id).collect::<Vec<_>>();
    assert_eq!(ids(run.slots_left()), ["s1", "s3"]);
    assert_eq!(ids(run.log("call_4").unwrap().open().cloned().collect()), ["s4"]);

    let mut world = World::over(run, Store::default());
    world.store.messages = stored.messages;
    world.store.records = stored.records;
    world.step(Input::Recovered);
    assert_eq!((world.began.as_slice(), world.question_kind()), (&["order".to_owned()][..], None));
    world.tool_returns("call_4", "\"ordered\"");
    world.permission_is("call_3", glove_wasm::run::input::PermissionVerdict::Granted);
    world.tool_returns("call_3", "\"gone\"");
    world.tool_returns("r2.c3", "[]");
    assert_eq!(ids(world.run.slots_left()), ["s1", "s3"]);
    assert_eq!(world.results()[1].1, "ordered");
}

#[test]
fn what_this_version_stores_is_what_its_fixture_has() {
    let (world, checkpoint) = in_the_middle();
    let stored = stored_by(VERSION);
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&checkpoint), value(stored.checkpoint.get()));
    assert_eq!(world.store.messages, stored.messages);
    assert_eq!(world.store.records, stored.records);
}

#[test]
fn a_run_of_a_newer_version_is_refused_untouched() {
    let mut stored = stored_by(VERSION);
    let newer = stored.checkpoint.get().replacen("\"version\":2", "\"version\":3", 1);
    assert_ne!(newer, stored.checkpoint.get());
    // Whatever a newer version may hold.
    let unknown = newer.replacen("\"state\"", "\"state_of_affairs\"", 1);
    for text in [newer, unknown] {
        stored.checkpoint = RawValue::from_string(text).unwrap();
        assert_eq!(stored.open().unwrap_err(), RestoreError::Newer { found: 3 });
    }
}

#[test]
fn a_stored_run_that_is_cut_off_or_damaged_is_told_as_that() {
    let whole = stored_by(VERSION);
    let text = whole.checkpoint.get();
    for end in (0..text.len()).step_by(7) {
        let Some(part) = text.get(..end) else { continue };
        let error = Run::restore(part, whole.messages.clone(), whole.records.clone()).unwrap_err();
        assert!(matches!(error, RestoreError::Corrupt(_)), "{end}: {error}");
    }
    for (from, to) in [("\"at\"", "\"when\""), ("\"phase\"", "\"fase\""), ("\"running\"", "\"musing\"")] {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text);
        let error = Run::restore(&damaged, whole.messages.clone(), whole.records.clone()).unwrap_err();
        assert!(matches!(error, RestoreError::Corrupt(_)), "{from}: {error}");
    }
}

#[test]
fn numbers_that_were_changed_give_an_error_or_a_run_but_never_a_panic() {
    let whole = stored_by(VERSION);
    let text = whole.checkpoint.get();
    let digits: Vec<usize> =
        text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let mut taken = 0;
    for at in digits {
        for other in ["9", "0", "99999999"] {
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            if let Ok(mut run) = Run::restore(&changed, whole.messages.clone(), whole.records.clone()) {
                taken += 1;
                let _ = run.step(0, Input::Recovered);
                let question = run.questions().next().map(|question| question.id.clone());
                if let Some(question) = question {
                    let answer = glove_wasm::run::input::Answer::Allow { remember: false };
                    let _ = run.step(0, Input::Answered { question, answer });
                }
                let _ =
                    (run.outstanding(), run.open_results(), run.model_request().iter().count(), run.phase());
                let _ = run.step(0, Input::Aborted { why: glove_wasm::run::input::AbortReason::User });
            }
        }
    }
    assert!(taken > 100, "{taken}");
}

#[test]
fn messages_and_records_that_are_missing_are_told() {
    let whole = stored_by(VERSION);
    let text = whole.checkpoint.get();
    let few = whole.messages[..3].to_vec();
    assert_eq!(
        Run::restore(text, few, whole.records.clone()).unwrap_err(),
        RestoreError::MessagesMissing { needed: 7, found: 3 }
    );
    let mut gap = whole.records.clone();
    gap.last_mut().unwrap().seq += 1;
    assert!(matches!(Run::restore(text, whole.messages.clone(), gap).unwrap_err(), RestoreError::Corrupt(_)));
    let mut more = whole.messages.clone();
    more.push(Message::user("from nowhere").into());
    assert!(matches!(Run::restore(text, more, whole.records.clone()).unwrap_err(), RestoreError::Corrupt(_)));
    let mut odd = whole.records.clone();
    odd.last_mut().unwrap().input = Input::Resumed;
    assert!(matches!(Run::restore(text, whole.messages, odd).unwrap_err(), RestoreError::Journal { .. }));
}
