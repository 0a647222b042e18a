//! What a store goes through: failing at any moment, being taken up again, and growing without being copied.

use std::sync::Arc;

use crate::support::runtime::*;
use glove_wasm::error::{Error, ModelError, StoreError, StoreErrorKind};
use glove_wasm::json::Json;
use glove_wasm::message::{Message, ToolCall};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{
    AbortSignal, DeltaSink, Durability, Loaded, ModelAdapter, ModelRequest, StoreAdapter, Tool, ToolContext,
    ToolFailure,
};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::input::{Answer, Reply, WhenBusy};
use glove_wasm::run::salvage::{Salvaged, salvage};
use glove_wasm::run::settings::Limits;
use glove_wasm::runtime::Prompt;
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{FailingStore, Gate, Line, Operation, ScriptedModel};
use serde_json::{Value, json};

fn script() -> ScriptedModel {
    ScriptedModel::by(|_, seen| {
        match seen.messages.iter().filter(|message| message.tool_results.is_some()).count() {
            0 => Line::call("a", "c1", json!({})).and_call("rm", "c2", json!({})),
            1 => Line::call("b", "c3", json!({})).and_call("b", "c4", json!({ "n": 2 })),
            _ => Line::deltas(["do", "ne"]),
        }
    })
}

fn agent(store: impl StoreAdapter + 'static, prefix: &str, notes: &Notes) -> glove_wasm::runtime::Glove {
    numbered(&script(), store, prefix)
        .fold(noting("a", notes))
        .fold(noting("rm", notes).requires_permission())
        .fold(noting("b", notes).parallel())
        .build()
        .unwrap()
}

fn end() -> Vec<String> {
    [
        "user: go",
        "agent:  [a c1] [rm c2]",
        "results: c1 a done | c2 rm done",
        "agent:  [b c3] [b c4]",
        "results: c3 b done | c4 b done",
        "agent: done",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Asks, allows what needs a permission, and comes back with the end.
async fn asked(agent: &glove_wasm::runtime::Glove) -> Result<String, Error> {
    let mut request = held(agent.process_request("go"));
    if request.stays_open() {
        allow(agent);
    }
    request.await.map(|response| response.text())
}

async fn resumed(agent: &glove_wasm::runtime::Glove) -> Result<String, Error> {
    let mut rest = held(agent.session().resume());
    if rest.stays_open() {
        allow(agent);
    }
    let response = rest.await?;
    if agent.questions().is_empty() {
        return Ok(response.text());
    }
    allow(agent);
    agent.session().resume().await.map(|response| response.text())
}

fn allow(agent: &glove_wasm::runtime::Glove) {
    for slot in agent.display().stack() {
        agent.display().resolve(&slot.id, Json::from(json!(true))).unwrap();
    }
}

#[test]
fn a_store_that_fails_at_any_operation_gives_a_typed_error_and_a_resume_ends_the_same() {
    let counts = FailingStore::over(MemoryStore::new("s"));
    assert_eq!(block_on(asked(&agent(counts.clone(), "id", &Notes::default()))), Ok("done".to_owned()));
    let operations = counts.operations();
    for n in 1..=operations.len() {
        let (inner, notes) = (MemoryStore::new("s"), Notes::default());
        let store = FailingStore::over(inner.clone());
        store.fail_at(n);
        let agent = agent(store, "id", &notes);
        let first = block_on(asked(&agent));
        match (operations[n - 1], first) {
            (Operation::Append { .. }, Err(error)) => {
                assert_eq!(error.code(), "STORE_UNAVAILABLE", "operation {n}");
                assert_eq!(block_on(resumed(&agent)), Ok("done".to_owned()), "operation {n}");
            }
            // Nothing had begun: asked again, it works.
            (Operation::Load | Operation::Other, Err(error)) => {
                assert_eq!(error.code(), "STORE_UNAVAILABLE", "operation {n}");
                assert_eq!(block_on(asked(&agent)), Ok("done".to_owned()), "operation {n}");
            }
            // A permission that cannot be looked up is none; one that cannot be kept is asked for again.
            (Operation::Other, Ok(text)) => assert_eq!(text, "done"),
            (operation, first) => panic!("operation {n} {operation:?}: {first:?}"),
        }
        let record = transcript(&agent.messages());
        if record[2] == end()[2] {
            assert_eq!(record, end(), "operation {n}");
            assert_eq!(notes.all(), ["a", "rm", "b", "b"], "operation {n}: each tool ran once");
        } else {
            assert!(record[2].contains("c2 error: The tool \"rm\" was not run"), "{record:?}");
        }
        assert_eq!(inner.messages(), agent.messages(), "operation {n}");
    }
}

#[test]
fn a_process_that_ends_at_any_write_is_continued_by_the_next_one() {
    let counts = FailingStore::over(MemoryStore::new("s"));
    block_on(asked(&agent(counts.clone(), "id", &Notes::default()))).unwrap();
    let operations = counts.operations();
    for n in (1..=operations.len()).filter(|n| matches!(operations[n - 1], Operation::Append { .. })) {
        let (inner, notes, gate) = (MemoryStore::new("s"), Notes::default(), Gate::new());
        let store = FailingStore::over(inner.clone());
        store.wait_at(n, &gate);
        let first = agent(store, "first", &notes);
        let mut request = held(first.process_request("go"));
        if request.stays_open() && !gate.was_reached() {
            allow(&first);
            assert!(request.stays_open());
        }
        assert!(gate.was_reached(), "operation {n}");
        // The write was made, and nobody heard of it.
        drop((request, first));

        let second = agent(inner.clone(), "second", &notes);
        block_on(async {
            second.session().opened().await.unwrap();
            if second.session().phase() == glove_wasm::run::PhaseName::Idle {
                return;
            }
            // An interrupted call is asked about, and so is the permission.
            for _ in 0..4 {
                let mut rest = held(second.session().resume());
                if rest.stays_open() {
                    allow(&second);
                }
                let _ = rest.await;
                allow(&second);
            }
        });
        assert_eq!(transcript(&inner.messages()), end(), "operation {n}");
    }
}

#[test]
fn a_dropped_request_is_gone_on_with_from_the_store() {
    let (store, notes, gate) = (MemoryStore::new("s"), Notes::default(), Gate::new());
    let model = || ScriptedModel::new([Line::call("a", "c1", json!({})), Line::text("done")]);
    block_on(async {
        let first =
            numbered(&model(), store.clone(), "first").fold(gated("a", &notes, &gate)).build().unwrap();
        let mut request = held(first.process_request("go"));
        request.until(gate.reached()).await;
        drop((request, first));
        let rest = ScriptedModel::new([Line::text("done")]);
        let second =
            numbered(&rest, store.clone(), "second").fold(noting("a", &notes).idempotent(0)).build().unwrap();
        assert_eq!(second.resume().await.unwrap().text(), "done");
    });
    assert_eq!(notes.all(), ["a begins", "a"]);
    let record = ["user: go", "agent:  [a c1]", "results: c1 a done", "agent: done"];
    assert_eq!(transcript(&store.messages()), record);
}

#[test]
fn a_second_session_that_writes_to_the_same_store_is_refused() {
    let (store, model) = (MemoryStore::new("s"), ScriptedModel::by(|_, _| Line::text("hi")));
    let (first, second) = (numbered(&model, store.clone(), "a"), numbered(&model, store.clone(), "b"));
    let (first, second) = (first.build().unwrap(), second.build().unwrap());
    block_on(async {
        first.session().opened().await.unwrap();
        second.process_request("one").await.unwrap();
        let error = first.process_request("two").await.unwrap_err();
        assert_eq!(error.code(), "STORE_CONFLICT");
    });
    assert_eq!(transcript(&store.messages()), ["user: one", "agent: hi"]);
}

#[test]
fn a_run_of_a_newer_version_is_refused_and_left_as_it_is() {
    let store = MemoryStore::new("s");
    let model = ScriptedModel::by(|_, _| Line::text("hi"));
    let agent = builder(&model, Newer(store)).build().unwrap();
    let error = block_on(agent.process_request("go")).unwrap_err();
    let Error::Store(error) = error else { panic!("{error:?}") };
    assert_eq!(error.kind, StoreErrorKind::Newer);
}

/// A store that a newer version has written.
struct Newer(MemoryStore);

impl StoreAdapter for Newer {
    fn identifier(&self) -> String {
        self.0.identifier()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        let checkpoint = Some(r#"{"version":99}"#.to_owned());
        Box::pin(async { Ok(Loaded { checkpoint, ..Default::default() }) })
    }

    fn append(&self, _: Unsaved<'_>, _: Durability) -> BoxFuture<'static, Result<(), StoreError>> {
        let error = StoreError::new(StoreErrorKind::Failed, "nothing may be written here");
        Box::pin(async { Err(error) })
    }
}

/// A model that looks at the number of messages alone, so that only the runtime can be slow.
#[derive(Debug)]
struct Rounds(u64);

impl ModelAdapter for Rounds {
    fn name(&self) -> String {
        "rounds".to_owned()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        _: DeltaSink,
        _: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let round = request.messages.settled() as u64 / 2;
        let mut message = Message::agent("");
        if round < self.0 {
            let call = ToolCall::new("a", Json::from(json!({ "round": round })));
            message.tool_calls = Some(vec![call]);
        }
        Box::pin(async { Ok(Reply { messages: vec![message], ..Reply::default() }) })
    }
}

#[test]
fn a_thousand_rounds_write_what_is_new_and_never_the_history() {
    let store = FailingStore::over(MemoryStore::new("s"));
    let limits = Limits { turns: 2_000, same_rounds: 0, ..Limits::default() };
    let agent = builder(&ScriptedModel::new([]), store.clone())
        .fold(noting("a", &Notes::default()))
        .limits(limits)
        .build()
        .unwrap();
    agent.set_model(Rounds(1_000));
    block_on(agent.process_request(Prompt::new("go"))).unwrap();
    assert_eq!(agent.messages().len(), 2_002);
    let writes: Vec<(usize, usize, usize)> = store
        .operations()
        .into_iter()
        .filter_map(|operation| match operation {
            Operation::Append { messages, records, checkpoint } => Some((messages, records, checkpoint)),
            Operation::Load | Operation::Other => None,
        })
        .collect();
    assert_eq!(writes.iter().map(|write| write.0).sum::<usize>(), 2_002);
    assert!(writes.iter().all(|(messages, records, _)| *messages <= 1 && *records <= 1));
    let largest = |writes: &[(usize, usize, usize)]| writes.iter().map(|write| write.2).max().unwrap();
    let (early, late) = (largest(&writes[..100]), largest(&writes[writes.len() - 100..]));
    assert!(late < early + 100, "a checkpoint grows from {early} to {late} bytes");
    assert_eq!(store.operations().iter().filter(|operation| **operation == Operation::Load).count(), 1);
}

/// A store in which a call of `look` was running when its process ended.
fn left_in_a_tool(notes: &Notes, gate: &Gate) -> MemoryStore {
    let store = MemoryStore::new("s");
    let model = ScriptedModel::new([Line::call("look", "c1", no_arguments())]);
    let first =
        builder(&model, store.clone()).fold(gated("look", notes, gate).idempotent(0)).build().unwrap();
    let mut request = held(first.process_request("go"));
    assert!(request.stays_open());
    assert_eq!(notes.all(), ["look begins"]);
    store
}

/// The next process, in which nothing goes on by itself.
fn opened_by_hand(
    model: &ScriptedModel,
    store: impl StoreAdapter + 'static,
    notes: &Notes,
    gate: &Gate,
) -> glove_wasm::runtime::Glove {
    let look = gated("look", notes, gate).idempotent(0);
    let agent = numbered(model, store, "second").fold(look).build().unwrap();
    agent.session().resume_by_hand();
    block_on(agent.session().opened()).unwrap();
    agent
}

#[test]
fn an_interrupted_run_waits_for_a_person_where_that_is_wanted() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let store = left_in_a_tool(&notes, &gate);
    gate.open();
    let model = ScriptedModel::new([Line::text("done")]);
    let second = opened_by_hand(&model, store, &notes, &gate);
    let session = second.session();
    let mut driven = held(Box::pin({
        let session = session.clone();
        async move { session.drive().await }
    }));
    assert!(driven.stays_open());
    assert!(session.is_interrupted());
    assert_eq!(notes.all(), ["look begins"], "nothing begins by itself");
    assert_eq!(block_on(session.resume()).unwrap().text(), "done");
    assert!(!session.is_interrupted());
    assert_eq!(notes.all(), ["look begins", "look begins", "look ends"]);
}

#[test]
fn an_interrupted_run_that_is_stopped_is_not_begun_again_first() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let store = left_in_a_tool(&notes, &gate);
    gate.open();
    let model = ScriptedModel::new([Line::text("something else")]);
    let second = opened_by_hand(&model, store, &notes, &gate);
    let session = second.session();
    session.abort();
    assert_eq!(block_on(session.request("next")).unwrap().text(), "something else");
    assert_eq!(notes.all(), ["look begins"]);
    assert_calls_are_answered(&session.messages());
}

#[test]
fn an_interrupted_run_is_left_alone_by_a_message_that_is_given_up_on_its_way() {
    let (notes, gate, inbox) = (Notes::default(), Gate::new(), Gate::new());
    let store = FailingStore::over(left_in_a_tool(&notes, &gate));
    gate.open();
    // It is opened, and then the inbox is read.
    store.wait_at(2, &inbox);
    let model = ScriptedModel::new([Line::text("done")]);
    let second = opened_by_hand(&model, store, &notes, &gate);
    let session = second.session();
    let mut message = Prompt::new("no, stop").when_busy(WhenBusy::Interrupt);
    message.id = Some("given up".to_owned());
    let mut request = held(session.request(message));
    assert!(request.stays_open());
    session.cancel_queued("given up");
    assert_eq!(block_on(request), Err(Error::Aborted));
    inbox.open();
    assert!(session.is_interrupted());
    assert_eq!(block_on(session.resume()).unwrap().text(), "done");
    assert_eq!(notes.all(), ["look begins", "look begins", "look ends"]);
}

/// A store whose checkpoint is broken; `append` counts what is written all the same.
#[derive(Clone)]
struct Damaged {
    inner: MemoryStore,
    writes: Notes,
}

impl StoreAdapter for Damaged {
    fn identifier(&self) -> String {
        self.inner.identifier()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        let loading = self.inner.load();
        Box::pin(
            async move { Ok(Loaded { checkpoint: Some("{\"version\":2".to_owned()), ..loading.await? }) },
        )
    }

    fn salvage(&self) -> BoxFuture<'static, Result<Vec<Arc<Message>>, StoreError>> {
        let loading = self.inner.load();
        Box::pin(async move { Ok(loading.await?.messages) })
    }

    fn append(&self, _: Unsaved<'_>, _: Durability) -> BoxFuture<'static, Result<(), StoreError>> {
        self.writes.add("write");
        Box::pin(std::future::ready(Ok(())))
    }
}

#[test]
fn a_damaged_session_opens_for_reading_and_refuses_everything_else() {
    block_on(async {
        let (inner, notes, writes) = (MemoryStore::new("s"), Notes::default(), Notes::default());
        asked(&agent(inner.clone(), "a", &notes)).await.unwrap();
        let ran = notes.all();
        let damaged = agent(Damaged { inner, writes: writes.clone() }, "b", &notes);
        damaged.session().opened().await.unwrap();
        assert_eq!(transcript(&damaged.session().messages()), end());
        let damage = damaged.session().damage().cloned().unwrap();
        assert_eq!(damage.kind, StoreErrorKind::Corrupt);
        assert!(damage.message.contains("repair"), "{damage}");
        for refused in [
            asked(&damaged).await,
            resumed(&damaged).await,
            damaged.session().undo(1).await.map(|_| String::new()),
        ] {
            assert_eq!(refused, Err(Error::Store(damage.clone())));
        }
        damaged.session().abort();
        assert_eq!((notes.all(), writes.all()), (ran, Vec::new()));
    });
}

#[test]
fn what_can_be_read_of_a_record_keeps_its_place() {
    let texts =
        [r#"{"sender":"user","text":"one"}"#, r#"{"sender":"root","text":"two"}"#, r#"{"sender":"ag"#, ""];
    let Salvaged { messages, faults } = salvage(&texts.map(str::to_owned));
    let unreadable = "agent: [A message that cannot be read.]";
    assert_eq!(transcript(&messages), ["user: one", unreadable, unreadable, unreadable]);
    assert_eq!(faults.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(faults[0].1.contains("sender"), "{faults:?}");
}

#[test]
fn a_call_that_waited_when_the_process_ended_runs_once_whatever_its_tool_says_by_now() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let store = MemoryStore::new("s");
    let both = Line::call("look", "c1", no_arguments()).and_call("note", "c2", no_arguments());
    let first = builder(&ScriptedModel::new([both]), store.clone())
        .fold(gated("look", &notes, &gate))
        .fold(noting("note", &notes))
        .build()
        .unwrap();
    assert!(held(first.process_request("go")).stays_open());
    assert_eq!(notes.all(), ["look begins"]);
    drop(first);
    let model = ScriptedModel::new([Line::text("done")]);
    let second = numbered(&model, store, "second")
        .fold(gated("look", &notes, &gate).parallel())
        .fold(noting("note", &notes).parallel())
        .build()
        .unwrap();
    let session = second.session();
    let mut driven = held(Box::pin({
        let session = session.clone();
        async move { session.drive().await }
    }));
    assert!(driven.stays_open());
    assert_eq!(notes.all(), ["look begins"]);
    let asked = session.questions();
    assert_eq!(asked.len(), 1, "{asked:?}");
    session.answer(&asked[0].id, Answer::Deny { remember: false, reason: None });
    assert_eq!(block_on(session.resume()).unwrap().text(), "done");
    assert_eq!(notes.all(), ["look begins", "note"]);
    let messages = session.messages();
    let results = messages.iter().flat_map(|message| message.results());
    assert!(results.last().unwrap().result.data.as_str().contains("note done"));
}

#[test]
fn settings_of_an_interrupted_run_that_waits_for_a_person_begin_no_call() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let store = MemoryStore::new("s");
    let both = Line::call("look", "c1", no_arguments()).and_call("note", "c2", no_arguments());
    let first = builder(&ScriptedModel::new([both]), store.clone())
        .fold(gated("look", &notes, &gate))
        .fold(noting("note", &notes))
        .build()
        .unwrap();
    assert!(held(first.process_request("go")).stays_open());
    drop(first);
    let second = numbered(&ScriptedModel::new([]), store, "second")
        .fold(gated("look", &notes, &gate).parallel())
        .fold(noting("note", &notes).parallel())
        .build()
        .unwrap();
    let session = second.session();
    session.resume_by_hand();
    block_on(session.opened()).unwrap();
    session.set_limits(Limits { turns: 7, ..Limits::default() });
    let mut driven = held(Box::pin({
        let session = session.clone();
        async move { session.drive().await }
    }));
    assert!(driven.stays_open());
    assert!(session.is_interrupted());
    assert_eq!(notes.all(), ["look begins"], "nothing begins before somebody resumes the run");
    block_on(session.resume()).unwrap();
    assert_eq!(session.questions().len(), 1, "only the call that ran is asked about");
}

#[test]
fn a_tool_of_a_thousand_steps_writes_each_of_them_once() {
    let store = FailingStore::over(MemoryStore::new("s"));
    let copies =
        Tool::new("copy", "", json!({ "type": "object" }), async |_: Value, context: ToolContext| {
            for at in 0..1_000 {
                let name = format!("copy {at}");
                context.step(&name, || async { Ok::<_, ToolFailure>("x".repeat(1_000)) }).await?;
            }
            Ok::<_, ToolFailure>("copied")
        });
    let model = ScriptedModel::new([Line::call("copy", "c1", no_arguments()), Line::text("done")]);
    let agent = builder(&model, store.clone()).fold(copies).build().unwrap();
    assert_eq!(block_on(agent.process_request("go")).unwrap().text(), "done");
    let written: usize = store
        .operations()
        .into_iter()
        .map(|operation| match operation {
            Operation::Append { checkpoint, .. } => checkpoint,
            Operation::Load | Operation::Other => 0,
        })
        .sum();
    assert!(written < 1_000_000, "{written} bytes of checkpoints");
}
