//! Stopping a run at every moment: each call has one result, nothing stays on the display, the next request works.

use std::sync::Arc;
use std::time::Duration;

use crate::support::runtime::*;
use glove_wasm::error::Error;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{CallRef, Checked, Tool, ToolContext, ToolFailure, ToolHost, Tools};
use glove_wasm::run::PhaseName;
use glove_wasm::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome};
use glove_wasm::run::settings::{Budgets, Compaction};
use glove_wasm::runtime::{Glove, GloveBuilder};
use glove_wasm::store::MemoryStore;
use glove_wasm::testing::{FailingStore, FakeClock, Gate, Line, ScriptedModel};
use glove_wasm::tool::{ToolDefinition, ToolSpec};
use serde_json::{Value, json};

const ABORTED: &str = "aborted: Tool execution was aborted by the user.";

/// Stops the agent when the request stands still, and checks what every stop must leave behind.
async fn stopped(agent: &Glove, model: &ScriptedModel) -> Vec<String> {
    let mut request = held(agent.process_request("go"));
    assert!(request.stays_open(), "it ended by itself");
    agent.abort();
    assert_eq!(request.await, Err(Error::Aborted));
    assert_eq!(agent.display().stack(), []);
    assert_eq!((agent.questions(), agent.session().phase()), (vec![], PhaseName::Idle));
    assert_calls_are_answered(&agent.messages());
    let record = transcript(&agent.messages());
    model.push(Line::text("next"));
    assert_eq!(agent.process_request("again").await.unwrap().text(), "next");
    let stored = agent.session().store().load().await.unwrap().messages;
    agent.session().with_run(|run| assert_eq!(stored, run.messages()));
    record
}

fn agent(model: &ScriptedModel, fold: impl FnOnce(GloveBuilder) -> GloveBuilder) -> Glove {
    fold(builder(model, MemoryStore::new("s"))).build().unwrap()
}

#[test]
fn before_the_model_answers() {
    let model = ScriptedModel::new([Line::text("late").after_gate(&Gate::new())]);
    assert_eq!(block_on(stopped(&agent(&model, |b| b), &model)), ["user: go"]);
}

#[test]
fn in_the_middle_of_an_answer_what_was_shown_is_kept() {
    let model = ScriptedModel::new([Line::deltas(["Half ", "of it"]).then_gate(&Gate::new())]);
    let agent = agent(&model, |b| b);
    assert_eq!(block_on(stopped(&agent, &model)), ["user: go", "agent (partial): Half of it"]);
}

#[test]
fn in_a_tool_with_others_before_and_after_it() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let call = |id: &str| (id.to_owned(), json!({}));
    let (one, two, three) = (call("c1"), call("c2"), call("c3"));
    let model = ScriptedModel::new([Line::call("a", &one.0, one.1)
        .and_call("b", &two.0, two.1)
        .and_call("a", &three.0, three.1)]);
    let agent = agent(&model, |b| b.fold(noting("a", &notes)).fold(gated("b", &notes, &gate)));
    let record = block_on(stopped(&agent, &model));
    gate.open();
    assert_eq!(record[2], format!("results: c1 a done | c2 {ABORTED} | c3 {ABORTED}"));
    assert_eq!(notes.all(), ["a", "b begins"], "a stopped tool does not go on");
}

#[test]
fn in_tools_that_run_together() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let model = ScriptedModel::new([Line::call("a", "c1", json!({})).and_call("b", "c2", json!({}))]);
    let agent =
        agent(&model, |b| b.fold(noting("a", &notes).parallel()).fold(gated("b", &notes, &gate).parallel()));
    assert_eq!(block_on(stopped(&agent, &model))[2], format!("results: c1 a done | c2 {ABORTED}"));
}

#[test]
fn in_a_tool_that_must_not_be_cut_off_the_run_ends_with_it() {
    let (notes, gate) = (Notes::default(), Gate::new());
    let model = ScriptedModel::new([Line::call("pay", "c1", json!({}))]);
    let agent = agent(&model, |b| b.fold(gated("pay", &notes, &gate).un_abortable()));
    block_on(async {
        let mut request = held(agent.process_request("go"));
        request.until(gate.reached()).await;
        agent.abort();
        request.stays_open();
        gate.open();
        assert_eq!(request.await, Err(Error::Aborted));
    });
    assert_eq!(transcript(&agent.messages())[2], "results: c1 pay done");
}

#[test]
fn at_a_permission_and_at_an_approval() {
    let guards: [fn(Tool) -> Tool; 2] = [Tool::requires_permission, |tool| tool.requires_approval("why")];
    for guard in guards {
        let notes = Notes::default();
        let model = ScriptedModel::new([Line::call("rm", "c1", json!({})).and_call("rm", "c2", json!({}))]);
        let agent = agent(&model, |b| b.fold(guard(noting("rm", &notes))));
        assert_eq!(block_on(stopped(&agent, &model))[2], format!("results: c1 {ABORTED} | c2 {ABORTED}"));
        assert_eq!(notes.all(), [""; 0]);
    }
}

#[test]
fn at_a_question_of_a_tool() {
    let asks = Tool::new("asks", "", json!({}), |_: Value, context: ToolContext| async move {
        let name: String = context.display.push_and_wait("input", &json!({})).await?;
        Ok::<_, ToolFailure>(name)
    });
    let model = ScriptedModel::new([Line::call("asks", "c1", json!({}))]);
    let agent = agent(&model, |b| b.fold(asks));
    assert_eq!(block_on(stopped(&agent, &model))[2], format!("results: c1 {ABORTED}"));
}

#[test]
fn during_the_pause_before_a_repetition() {
    let fails = Tool::new("fails", "", json!({}), async |_: Value, _: ToolContext| {
        Err::<(), _>(ToolFailure::new("not yet"))
    });
    let model = ScriptedModel::new([Line::call("fails", "c1", json!({}))]);
    let agent = agent(&model, |b| b.fold(fails.idempotent(5)));
    assert_eq!(block_on(stopped(&agent, &model))[2], format!("results: c1 {ABORTED}"));
}

#[test]
fn during_a_compaction_which_leaves_everything_as_it_was() {
    let model = ScriptedModel::new([
        Line::text("first").tokens(500, 1),
        Line::text("a summary").after_gate(&Gate::new()),
        Line::text("no summary, this is the next"),
    ]);
    let agent = agent(&model, |b| b.compaction(Compaction { context_limit: 400, ..Compaction::default() }));
    block_on(async {
        agent.process_request("one").await.unwrap();
        let mut two = held(agent.process_request("two"));
        assert!(two.stays_open());
        assert_eq!(agent.session().phase(), PhaseName::Compacting);
        agent.abort();
        assert_eq!(two.await, Err(Error::Aborted));
        assert_eq!(transcript(&agent.messages()), ["user: one", "agent: first", "user: two"]);
        model.push(Line::text("answer"));
        agent.process_request("three").await.unwrap();
    });
    assert!(agent.messages().iter().any(|message| message.is_compaction));
}

#[test]
fn during_each_write_of_the_store() {
    let plain = |store: &FailingStore, model: &ScriptedModel, notes: &Notes| {
        builder(model, store.clone()).fold(noting("a", notes)).build().unwrap()
    };
    let script = || ScriptedModel::new([Line::call("a", "c1", json!({})), Line::text("done")]);
    let store = FailingStore::over(MemoryStore::new("s"));
    block_on(plain(&store, &script(), &Notes::default()).process_request("go")).unwrap();
    let operations = store.operations().len();
    assert!(operations > 4);
    for n in 1..=operations {
        let (gate, model, notes) = (Gate::new(), script(), Notes::default());
        let store = FailingStore::over(MemoryStore::new("s"));
        store.wait_at(n, &gate);
        let agent = plain(&store, &model, &notes);
        block_on(async {
            let mut request = held(agent.process_request("go"));
            request.until(gate.reached()).await;
            agent.abort();
            request.stays_open();
            gate.open();
            match request.await {
                Err(Error::Aborted) => {}
                // The write that was waited for was the end of the request.
                Ok(response) => assert_eq!((response.text().as_str(), n), ("done", operations)),
                other => panic!("{other:?}"),
            }
            assert_calls_are_answered(&agent.messages());
            model.push(Line::text("next"));
            while agent.process_request("again").await.unwrap().text() != "next" {}
            let stored = agent.session().store().load().await.unwrap().messages;
            agent.session().with_run(|run| assert_eq!(stored, run.messages()));
        });
    }
}

#[test]
fn when_nothing_is_running_an_abort_does_nothing() {
    let model = ScriptedModel::new([Line::text("hi")]);
    let agent = agent(&model, |b| b);
    agent.abort();
    assert_eq!(block_on(agent.process_request("go")).unwrap().text(), "hi");
}

/// An agent whose store stands still at its n-th operation, for each n until the request needs no more.
fn at_each_write(look: impl Fn(usize, &Glove, &ScriptedModel, &Notes, &Gate) -> bool) {
    for n in 1..60 {
        let (notes, gate) = (Notes::default(), Gate::new());
        let store = FailingStore::over(MemoryStore::new("s"));
        store.wait_at(n, &gate);
        let model = ScriptedModel::new([Line::call("pay", "c1", json!({})), Line::text("paid")]);
        let agent = builder(&model, store).fold(noting("pay", &notes)).build().unwrap();
        if !look(n, &agent, &model, &notes, &gate) {
            assert!(n > 5);
            return;
        }
    }
    panic!("it never ended");
}

#[test]
fn nothing_begins_that_was_stopped_while_the_store_wrote_that_it_would() {
    at_each_write(|n, agent, model, notes, gate| {
        let mut request = held(agent.process_request("go"));
        if !request.stays_open() {
            return false;
        }
        assert!(gate.was_reached());
        let (asked, begun) = (model.calls(), notes.all());
        agent.abort();
        request.stays_open();
        gate.open();
        let ended = block_on(request);
        assert_eq!((model.calls(), notes.all()), (asked, begun), "at operation {n}");
        // What was stopped behind its last write has ended.
        assert!(matches!(ended, Err(Error::Aborted)) || ended.unwrap().text() == "paid");
        assert_calls_are_answered(&agent.messages());
        true
    });
}

#[test]
fn who_closes_waits_for_no_store() {
    at_each_write(|_, agent, _, notes, _| {
        let mut request = held(agent.process_request("go"));
        if !request.stays_open() {
            return false;
        }
        let begun = notes.all();
        agent.session().close();
        assert_eq!(block_on(request), Err(Error::Closed));
        assert_eq!(notes.all(), begun);
        true
    });
}

#[test]
fn a_tool_that_takes_longer_than_its_limit_or_than_the_request_has_is_stopped() {
    let own = |tool: Tool| tool.timeout(Duration::from_millis(500));
    let budgets = Budgets { wall_clock_ms: Some(500), ..Budgets::default() };
    type With = fn(Tool) -> Tool;
    let rows: [(With, Budgets, usize); 4] = [
        (own, Budgets::default(), 1),
        (|tool| tool, budgets.clone(), 1),
        (|tool| tool.timeout(Duration::ZERO), Budgets::default(), 0),
        // One that must not be cut off has as long as it likes, unless it says how long itself.
        (Tool::un_abortable, budgets, 0),
    ];
    for (with, budgets, sleepers) in rows {
        let (notes, gate, clock) = (Notes::default(), Gate::new(), FakeClock::at(1_000));
        let model = ScriptedModel::new([Line::call("hang", "c1", json!({})), Line::text("I will look.")]);
        let tool = with(gated("hang", &notes, &gate));
        let agent = agent(&model, |b| b.clock(clock.clone()).budgets(budgets).fold(tool));
        let mut request = held(agent.process_request("go"));
        assert!(request.stays_open());
        assert_eq!(clock.sleepers(), sleepers);
        clock.advance(499);
        assert!(request.stays_open());
        clock.advance(1);
        if sleepers == 0 {
            assert!(request.stays_open());
            continue;
        }
        let _ = block_on(request);
        assert_eq!(notes.all(), ["hang begins"]);
        let told = transcript(&agent.messages());
        assert!(told.iter().any(|line| line.contains("took too long")), "{told:?}");
        assert_calls_are_answered(&agent.messages());
        assert_eq!(clock.sleepers(), 0);
    }
}

/// Tools of a host whose rules never answer.
struct Silent(Tools);

impl ToolHost for Silent {
    fn definitions(&self) -> Vec<ToolDefinition> {
        self.0.definitions()
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.0.specs()
    }

    fn permission(&self, _: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        Box::pin(std::future::pending())
    }

    fn approval(&self, _: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        Box::pin(std::future::pending())
    }

    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self.0.run(call, context)
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        self.0.undo(call, context)
    }
}

#[test]
fn a_rule_that_never_answers_is_stopped_and_the_tool_does_not_run() {
    let budgets = |ms: u64| Budgets { wall_clock_ms: Some(ms), ..Budgets::default() };
    type With = fn(Tool) -> Tool;
    let rows: [(With, Budgets, u64); 5] = [
        (Tool::requires_permission, Budgets::default(), 60_000),
        (|tool| tool.requires_approval("Sure?"), Budgets::default(), 60_000),
        (|tool| tool.requires_permission().timeout(Duration::from_millis(300)), Budgets::default(), 300),
        (|tool| tool.requires_approval("Sure?").timeout(Duration::ZERO), budgets(400), 400),
        (|tool| tool.requires_permission().timeout(Duration::from_millis(300)), budgets(200), 200),
    ];
    for (with, budgets, ms) in rows {
        let (notes, clock) = (Notes::default(), FakeClock::at(1_000));
        let model = ScriptedModel::new([Line::call("note", "c1", json!({})), Line::text("I will look.")]);
        let agent = agent(&model, |b| b.clock(clock.clone()).budgets(budgets));
        let mut tools = Tools::new();
        tools.register(with(noting("note", &notes))).unwrap();
        agent.session().replace_tools(Arc::new(Silent(tools))).unwrap();
        let events = listen(&agent);
        let mut request = held(agent.process_request("go"));
        assert!(request.stays_open());
        clock.advance(ms - 1);
        assert!(request.stays_open(), "{ms}");
        clock.advance(1);
        let _ = block_on(request);
        assert_eq!(notes.all(), Vec::<String>::new());
        assert!(events.all().contains(&"error TOOL_RULE_FAILED".to_owned()), "{:?}", events.all());
        let told = transcript(&agent.messages());
        assert!(told.iter().any(|line| line.contains(&format!("no answer in {ms} ms"))), "{told:?}");
        assert_eq!(clock.sleepers(), 0);
    }
}

#[test]
fn the_time_in_which_nobody_was_there_does_not_count_against_a_tool() {
    let (notes, gate, clock) = (Notes::default(), Gate::new(), FakeClock::at(1_000));
    let model = ScriptedModel::new([Line::call("hang", "c1", json!({})), Line::text("I will look.")]);
    let tool = |gate: &Gate| gated("hang", &notes, gate).idempotent(0).timeout(Duration::from_millis(500));
    let store = MemoryStore::new("s");
    let before = builder(&model, store.clone()).clock(clock.clone()).fold(tool(&gate)).build().unwrap();
    let mut request = held(before.process_request("go"));
    assert!(request.stays_open());
    clock.advance(300);
    assert!(request.stays_open());
    drop((request, before));
    // An hour later another process opens it, and the tool runs again.
    clock.advance(3_600_000);
    let after = numbered(&model, store, "later").clock(clock.clone()).fold(tool(&gate)).build().unwrap();
    let mut resumed = held(after.session().resume());
    assert!(resumed.stays_open());
    assert_eq!(notes.all(), ["hang begins", "hang begins"]);
    clock.advance(499);
    assert!(resumed.stays_open());
    clock.advance(1);
    assert_eq!(block_on(resumed).unwrap().text(), "I will look.");
    let told = transcript(&after.messages());
    assert!(told.iter().any(|line| line.contains("took too long")), "{told:?}");
    assert_calls_are_answered(&after.messages());
}
