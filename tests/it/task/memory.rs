//! What an agent remembers over its tasks: where it stands in prompts, within which bounds, and what happens when it is down.

use std::sync::{Arc, Mutex};

use crate::support::wait::block_on;
use glove_wasm::portable::BoxFuture;
use glove_wasm::system::SystemClock;
use glove_wasm::testing::{FakeClock, Line, ScriptedModel};
use glove_wasm_sqlite::SqliteMemory;
use glove_wasm_task::memory::{
    Channel, MemoryBinding, MemoryEntry, MemoryQuery, MemoryScope, MemoryStrategy, ScopeKind, pinned,
    recalled,
};
use glove_wasm_task::runtime::{
    AgentMemory, MemoryProvider, MemoryWorkspace, RunOptions, TaskAgent, TaskHandle,
};
use glove_wasm_task::{
    ApprovalKind, ApprovalPolicy, FinishReason, MemoryAccess, ResultView, TaskError, TaskErrorKind, TaskSpec,
    TaskStatus,
};
use proptest::prelude::*;

use super::{builder, events, spec, working_model, workspace};

/// A memory that finds everything, is down when it is told so, or never answers.
#[derive(Clone, Default)]
pub struct Shelf {
    entries: Arc<Mutex<Vec<(MemoryScope, MemoryEntry)>>>,
    pub down: Arc<Mutex<Option<Down>>>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Down {
    Fails,
    Silent,
}

impl Shelf {
    pub fn with(self, kind: ScopeKind, id: &str, entry: MemoryEntry) -> Self {
        self.entries.lock().unwrap().push((MemoryScope::new(kind, id), entry));
        self
    }

    pub fn all(&self, kind: ScopeKind) -> Vec<MemoryEntry> {
        let entries = self.entries.lock().unwrap();
        entries.iter().filter(|(scope, _)| scope.kind == kind).map(|(_, entry)| entry.clone()).collect()
    }

    fn answer<T: Send + 'static>(&self, answer: T) -> BoxFuture<'static, Result<T, TaskError>> {
        match *self.down.lock().unwrap() {
            None => Box::pin(std::future::ready(Ok(answer))),
            Some(Down::Fails) => {
                let error = TaskError::new(TaskErrorKind::Memory, "connection refused");
                Box::pin(std::future::ready(Err(error)))
            }
            Some(Down::Silent) => Box::pin(std::future::pending()),
        }
    }
}

impl MemoryProvider for Shelf {
    fn put(&self, scope: MemoryScope, entry: MemoryEntry) -> BoxFuture<'static, Result<(), TaskError>> {
        if self.down.lock().unwrap().is_none() {
            let mut entries = self.entries.lock().unwrap();
            entries.retain(|(known, old)| (known, &old.id) != (&scope, &entry.id));
            entries.push((scope, entry));
        }
        self.answer(())
    }

    fn query(
        &self,
        scope: MemoryScope,
        query: MemoryQuery,
    ) -> BoxFuture<'static, Result<Vec<MemoryEntry>, TaskError>> {
        let entries = self.entries.lock().unwrap().clone();
        let fits =
            entries.into_iter().filter(|(known, entry)| *known == scope && entry.pinned == query.pinned);
        self.answer(fits.map(|(_, entry)| entry).take(query.top_k).collect())
    }

    fn delete(&self, scope: MemoryScope, id: String) -> BoxFuture<'static, Result<bool, TaskError>> {
        let mut entries = self.entries.lock().unwrap();
        let before = entries.len();
        entries.retain(|(known, entry)| *known != scope || entry.id != id);
        self.answer(entries.len() < before)
    }
}

pub fn filled() -> Shelf {
    Shelf::default()
        .with(ScopeKind::Agent, "agent-1", MemoryEntry::new("1", "Tone", "plain").pinned())
        .with(ScopeKind::Agent, "agent-1", MemoryEntry::new("2", "Pages", "five are read"))
        .with(ScopeKind::User, "ada", MemoryEntry::new("3", "tone", "warm, mail to ada@example.com").pinned())
        .with(ScopeKind::User, "ada", MemoryEntry::new("4", "Length", "short"))
        .with(ScopeKind::User, "bob", MemoryEntry::new("5", "Secret", "of Bob").pinned())
}

fn of_ada() -> TaskSpec {
    TaskSpec { user_id: Some("ada".to_owned()), ..spec() }
}

fn with(model: &ScriptedModel, memory: &AgentMemory) -> TaskAgent {
    builder(model).memory(memory.clone()).build().unwrap()
}

fn run(memory: &AgentMemory) -> (ScriptedModel, MemoryWorkspace, glove_wasm_task::TaskResult) {
    let (model, files) = (working_model(), workspace());
    let result = block_on(with(&model, memory).do_task(files.clone(), of_ada(), ResultView::Full)).unwrap();
    (model, files, result)
}

#[test]
fn memory_stands_in_its_places_and_the_journal_has_counts_alone() {
    let memory = AgentMemory::new(filled());
    let (model, files, result) = run(&memory);
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let seen = model.seen();
    let system = &seen[0].system_prompt;
    assert!(seen.iter().all(|seen| seen.system_prompt == *system), "what is pinned stays");
    // Of two entries with one title the user's counts, without the address.
    assert!(system.contains("## Memory (user)\n\n- tone: warm, mail to [redacted]"), "{system}");
    assert!(!system.contains("plain") && !system.contains("Bob"), "{system}");
    let gather = &seen[0].messages[0].text;
    let places = [
        "task/brief.md",
        "# Relevant memory",
        "## Recalled (agent)",
        "five are read",
        "## Recalled (user)",
        "short",
    ]
    .map(|part| gather.find(part).unwrap_or_else(|| panic!("{part} is missing in {gather}")));
    assert!(places.is_sorted(), "{gather}");
    let act = seen.iter().find(|seen| super::asked(seen).0.contains("Phase: act")).unwrap();
    assert!(!act.messages[0].text.contains("Relevant memory"), "acting recalls nothing");

    let journal = files.text("progress/events.ndjson").unwrap();
    let reads: Vec<&str> = journal.lines().filter(|line| line.contains("memory.read")).collect();
    assert_eq!(reads.len(), 5, "one for each step");
    assert!(reads[0].contains(r#"{"scope":"agent:agent-1","pinned":0,"recalled":1}"#), "{}", reads[0]);
    assert!(!journal.contains("five are read") && !journal.contains("warm"));
}

#[test]
fn the_same_memory_gives_the_same_prompts_to_the_byte() {
    let texts = |_: u8| -> Vec<String> {
        let (model, ..) = run(&AgentMemory::new(filled()));
        model.seen().iter().map(|seen| format!("{}{}", seen.system_prompt, seen.messages[0].text)).collect()
    };
    assert_eq!(texts(1), texts(2));
}

#[test]
fn a_memory_that_is_down_is_told_and_the_task_goes_on_without_it() {
    for down in [Down::Fails, Down::Silent] {
        let shelf = filled();
        *shelf.down.lock().unwrap() = Some(down);
        let memory = AgentMemory::new(shelf).patience_ms(5);
        let files = workspace();
        let agent = builder(&working_model()).memory(memory).clock(SystemClock).build().unwrap();
        let result = block_on(agent.do_task(files.clone(), of_ada(), ResultView::Full)).unwrap();
        assert_eq!(result.finish_reason, Some(FinishReason::Completed));
        assert_eq!(result.warnings.len(), 1, "{:?}", result.warnings);
        assert!(result.warnings[0].contains("could not be read"), "{:?}", result.warnings);
        assert!(files.text("progress/events.ndjson").unwrap().contains("TASK_MEMORY_FAILED"));
    }
}

#[test]
fn a_task_waits_for_a_memory_that_it_cannot_do_without() {
    let shelf = filled();
    *shelf.down.lock().unwrap() = Some(Down::Fails);
    let memory = AgentMemory::new(shelf.clone());
    memory.attach(MemoryBinding::new(ScopeKind::Org, "acme").required());
    let model = working_model();
    let task = block_on(with(&model, &memory).start_task(workspace(), of_ada())).unwrap();
    let result = block_on(task.run(RunOptions::default())).unwrap();
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Paused, Some(FinishReason::Failed)));
    assert_eq!(result.error.unwrap().code, "TASK_MEMORY_FAILED");
    assert_eq!(model.calls(), 0);
    *shelf.down.lock().unwrap() = None;
    let result = block_on(task.run(RunOptions::default())).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
}

/// Finds two things, and says at the end what was learned.
fn learning_model(verdict: &'static str) -> ScriptedModel {
    ScriptedModel::by(move |_, seen| {
        let (request, rounds) = super::asked(seen);
        match rounds {
            1 if request.contains("Phase: gather") => Line::text(
                "# Findings\n\n- Whales sing (task/brief.md).\n* They call bob@acme.com.\n\n```\nnot this\n```",
            ),
            _ if request.contains("Phase: verify") => {
                assert!(request.contains("\"learned\""), "{request}");
                Line::text(verdict)
            }
            _ => super::worker(seen),
        }
    })
}

fn learn(shelf: &Shelf, verdict: &'static str) -> (Vec<MemoryEntry>, MemoryWorkspace) {
    let memory = AgentMemory::new(shelf.clone());
    memory.attach(MemoryBinding::new(ScopeKind::Project, "p1").learns());
    let files = workspace();
    let agent = with(&learning_model(verdict), &memory);
    block_on(agent.do_task(files.clone(), of_ada(), ResultView::Full)).unwrap();
    (shelf.all(ScopeKind::Project), files)
}

#[test]
fn what_was_learned_is_written_once_as_facts_with_where_they_come_from() {
    let shelf = filled();
    let (learned, files) = learn(
        &shelf,
        r#"{"pass": true, "learned": [
            {"fact": "Whales sing.", "source": "task/brief.md"}, "They sleep.", {"fact": "They rule.", "source": "https://nowhere.example/"},
            {"fact": "Whales sing."}, {"fact": " "}, 3]}"#,
    );
    let told: Vec<(&str, &str, &str)> =
        learned.iter().map(|entry| (entry.id.as_str(), entry.title.as_str(), entry.text.as_str())).collect();
    assert_eq!(
        told,
        [
            ("task-t1", "Make both files", "Whales sing."),
            ("task-t1-2", "Make both files (2)", "They sleep."),
            ("task-t1-3", "Make both files (3)", "They rule.")
        ]
    );
    let data: Vec<serde_json::Value> = learned.iter().map(|entry| entry.data.read().unwrap()).collect();
    let brief = format!("sha256:{}", glove_wasm_task::sha256(super::BRIEF.as_bytes()));
    assert_eq!(
        data[0],
        serde_json::json!({ "task": "t1", "source": "task/brief.md", "checksum": brief, "verified": true })
    );
    // What nobody has read is no source.
    assert_eq!(data[2], serde_json::json!({ "task": "t1", "verified": true }));
    assert_eq!(
        (learned[0].source.as_str(), learned[2].source.as_str()),
        ("task t1, task/brief.md", "task t1")
    );
    assert_eq!(learned[0].tags, ["learned", "verified"]);
    let told = || events(&files).iter().filter(|event| event.starts_with("memory.write")).count();
    assert_eq!(told(), 1);
    assert!(shelf.all(ScopeKind::User).iter().all(|entry| entry.id != "task-t1"), "nobody allowed that");
    // Taken up once more, nothing is told again.
    let memory = AgentMemory::new(shelf);
    memory.attach(MemoryBinding::new(ScopeKind::Project, "p1").learns());
    let task = block_on(with(&working_model(), &memory).resume(files.clone())).unwrap();
    block_on(task.run(RunOptions::default())).unwrap();
    assert_eq!(told(), 1);
}

#[test]
fn where_the_verification_names_nothing_the_findings_are_what_was_learned_and_an_empty_list_is_nothing() {
    let (learned, _) = learn(&filled(), r#"{"pass": true}"#);
    let texts: Vec<&str> = learned.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["Whales sing (task/brief.md).", "They call [redacted]"]);
    assert!(learned.iter().all(|entry| entry.source == "task t1, progress/findings.md"), "{learned:?}");
    let (learned, files) = learn(&filled(), r#"{"pass": true, "learned": []}"#);
    assert!(learned.is_empty());
    assert_eq!(events(&files).iter().filter(|event| event.starts_with("memory.write")).count(), 1);
}

/// A task of an agent that may read and write the memory of its organisation where a person allows it.
fn asking(shelf: &Shelf, policy: ApprovalPolicy) -> (TaskHandle, MemoryWorkspace, ScriptedModel) {
    let memory = AgentMemory::new(shelf.clone());
    memory.set_view(vec![MemoryBinding::new(ScopeKind::Org, "acme").learns().approve_read().approve_write()]);
    let model = learning_model(r#"{"pass": true, "learned": ["Whales sing."]}"#);
    let files = workspace();
    let spec = of_ada().approvals(policy);
    let task = block_on(with(&model, &memory).start_task(files.clone(), spec)).unwrap();
    (task, files, model)
}

const LEAVE: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: true };

fn of_org() -> Shelf {
    filled().with(ScopeKind::Org, "acme", MemoryEntry::new("o1", "Style", "Sober.").pinned())
}

#[test]
fn a_channel_that_needs_consent_is_read_in_no_step_before_a_person_allows_it_and_written_as_they_read_it() {
    let shelf = of_org();
    let (task, files, model) = asking(&shelf, ApprovalPolicy::permissive());
    let result = block_on(task.run(LEAVE)).unwrap();
    let request = &result.approvals[0];
    assert_eq!((result.status, model.calls()), (TaskStatus::Waiting, 0));
    assert_eq!(
        (request.kind, request.channel.as_deref(), request.access),
        (ApprovalKind::Memory, Some("org:acme"), Some(MemoryAccess::Read))
    );
    block_on(task.approve("req_0001", "ada")).unwrap();
    let result = block_on(task.run(LEAVE)).unwrap();
    // In all steps, and asked once.
    assert!(model.seen().iter().all(|seen| seen.system_prompt.contains("Sober.")));
    assert_eq!((result.status, result.approvals.len()), (TaskStatus::Waiting, 1));
    let request = &result.approvals[0];
    assert_eq!((request.id.as_str(), request.access), ("req_0002", Some(MemoryAccess::Write)));
    let wanted: Vec<serde_json::Value> = request.input.read().unwrap();
    assert_eq!((wanted.len(), &wanted[0]["text"]), (1, &serde_json::json!("Whales sing.")));
    assert_eq!(shelf.all(ScopeKind::Org).len(), 1);
    block_on(task.approve("req_0002", "bea")).unwrap();
    let result = block_on(task.run(LEAVE)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    assert_eq!(shelf.all(ScopeKind::Org)[1].text, "Whales sing.");
    let journal = files.text("progress/events.ndjson").unwrap();
    assert!(journal.contains("\"approved_by\":\"ada\"") && journal.contains("\"approved_by\":\"bea\""));
}

#[test]
fn a_channel_that_a_person_does_not_allow_is_neither_read_nor_written() {
    let shelf = of_org();
    let (task, files, model) = asking(&shelf, ApprovalPolicy::permissive());
    block_on(task.run(LEAVE)).unwrap();
    block_on(task.deny("req_0001", "ada", None)).unwrap();
    block_on(task.run(LEAVE)).unwrap();
    block_on(task.deny("req_0002", "ada", None)).unwrap();
    let result = block_on(task.run(LEAVE)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    assert!(model.seen().iter().all(|seen| !seen.system_prompt.contains("Sober.")));
    assert_eq!(shelf.all(ScopeKind::Org).len(), 1);
    assert_eq!(result.warnings.len(), 2, "{:?}", result.warnings);
    // What a person said is not asked again.
    drop(task);
    let memory = AgentMemory::new(shelf);
    let task = block_on(with(&working_model(), &memory).resume(files)).unwrap();
    assert!(block_on(task.run(LEAVE)).unwrap().approvals.is_empty());
}

#[test]
fn what_was_allowed_is_written_alone_and_other_facts_are_asked_about_again() {
    let shelf = of_org();
    let memory = AgentMemory::new(shelf.clone());
    memory.set_view(vec![MemoryBinding::new(ScopeKind::Org, "acme").learns().approve_write()]);
    let files = workspace();
    let agent = with(&learning_model(r#"{"pass": true}"#), &memory);
    let task = block_on(agent.start_task(files.clone(), of_ada())).unwrap();
    let result = block_on(task.run(LEAVE)).unwrap();
    assert_eq!(result.approvals[0].access, Some(MemoryAccess::Write));
    block_on(task.approve("req_0001", "ada")).unwrap();
    files.put("progress/findings.md", "- The chief is a crook.").unwrap();
    let result = block_on(task.run(LEAVE)).unwrap();
    assert_eq!(result.approvals[0].id, "req_0002", "another text is asked about");
    assert_eq!(shelf.all(ScopeKind::Org).len(), 1);
    block_on(task.deny("req_0002", "ada", None)).unwrap();
    block_on(task.run(LEAVE)).unwrap();
    assert_eq!(shelf.all(ScopeKind::Org).len(), 1);
}

#[test]
fn a_channel_whose_request_expires_holds_the_task_up_and_is_asked_again_and_automatic_approval_is_written_down()
 {
    let shelf = of_org();
    let clock = FakeClock::at(super::NOON);
    let memory = AgentMemory::new(shelf.clone());
    memory.set_view(vec![MemoryBinding::new(ScopeKind::Org, "acme").approve_read()]);
    let agent = super::at(&working_model(), clock.clone()).memory(memory).build().unwrap();
    let task = block_on(agent.start_task(workspace(), of_ada())).unwrap();
    block_on(task.run(LEAVE)).unwrap();
    clock.advance(25 * 3_600_000);
    assert_eq!(block_on(task.run(LEAVE)).unwrap().finish_reason, Some(FinishReason::ApprovalExpired));
    assert_eq!(block_on(task.run(LEAVE)).unwrap().approvals[0].id, "req_0002");
    let (task, files, model) = asking(
        &shelf,
        ApprovalPolicy { require_plan: false, require_tools: Vec::new(), ..ApprovalPolicy::automatic() },
    );
    assert_eq!(block_on(task.run(LEAVE)).unwrap().finish_reason, Some(FinishReason::Completed));
    assert!(model.seen().iter().all(|seen| seen.system_prompt.contains("Sober.")));
    assert!(files.text("progress/approvals/decisions/req_0002.json").unwrap().contains("automatic"));
}

#[test]
fn learning_that_failed_is_done_when_the_task_is_taken_up() {
    let shelf = filled();
    let memory = AgentMemory::new(shelf.clone());
    memory.set_view(vec![MemoryBinding::new(ScopeKind::Agent, "").learns()]);
    *shelf.down.lock().unwrap() = Some(Down::Fails);
    let (_, files, result) = run(&memory);
    assert!(result.warnings.iter().any(|warning| warning.contains("could not be written")));
    *shelf.down.lock().unwrap() = None;
    let task = block_on(with(&working_model(), &memory).resume(files)).unwrap();
    block_on(task.run(RunOptions::default())).unwrap();
    assert!(shelf.all(ScopeKind::Agent).iter().any(|entry| entry.id == "task-t1"));
}

#[test]
fn a_view_can_be_changed_between_steps() {
    let memory = AgentMemory::new(filled());
    let model = working_model();
    let agent = with(&model, &memory);
    let task = block_on(agent.start_task(workspace(), spec())).unwrap();
    block_on(task.step_once()).unwrap();
    agent.attach_user("ada", MemoryStrategy::of(ScopeKind::User)).unwrap();
    block_on(task.step_once()).unwrap();
    assert!(agent.detach_user("ada").unwrap() && !agent.detach_user("ada").unwrap());
    block_on(task.step_once()).unwrap();
    agent.set_memory_view(Vec::new()).unwrap();
    block_on(task.step_once()).unwrap();
    let systems: Vec<String> = model.seen().iter().map(|seen| seen.system_prompt.clone()).collect();
    let has: Vec<(bool, bool)> =
        systems.iter().map(|text| (text.contains("plain"), text.contains("warm"))).collect();
    // Gather, of the agent alone; the plan, for the user; an action of two calls; another one.
    let expected = [
        (true, false),
        (true, false),
        (false, true),
        (true, false),
        (true, false),
        (false, false),
        (false, false),
    ];
    assert_eq!(has, expected);
}

#[test]
fn an_agent_without_a_memory_says_so() {
    let agent = super::agent(&working_model());
    let scope = MemoryScope::new(ScopeKind::User, "ada");
    let error = block_on(agent.remember(scope, MemoryEntry::new("1", "a", "b"))).unwrap_err();
    assert_eq!(error.code(), "TASK_CONFIG_INVALID");
}

#[test]
fn a_database_finds_by_words_and_keeps_channels_apart() {
    let path = std::env::temp_dir().join(format!("glove-memory-{}.sqlite", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let memory = AgentMemory::new(SqliteMemory::open(&path).unwrap());
    let agent = with(&working_model(), &memory);
    let (ada, bob) = (MemoryScope::new(ScopeKind::User, "ada"), MemoryScope::new(ScopeKind::User, "bob"));
    let put = |scope: &MemoryScope, entry| block_on(agent.remember(scope.clone(), entry)).unwrap();
    put(&ada, MemoryEntry::new("1", "Reports", "are one page long"));
    put(&ada, MemoryEntry::new("2", "Café", "the best one is in Vienna"));
    put(&ada, MemoryEntry::new("1", "Reports", "are two pages long"));
    put(&bob, MemoryEntry::new("1", "Reports", "are a page long, for Bob"));
    put(&ada, MemoryEntry::new("3", "Name", "Ada").pinned());
    let find = |text: &str| -> Vec<String> {
        let query = MemoryQuery { name: "q".into(), text: text.into(), top_k: 9, ..MemoryQuery::default() };
        block_on(agent.recall(ada.clone(), query)).unwrap().into_iter().map(|entry| entry.text).collect()
    };
    assert_eq!(find("long reports? pages"), ["are two pages long"]);
    assert_eq!(find("CAFE"), ["the best one is in Vienna"]);
    // None of these is an operator, and none fails.
    for hostile in ["\" OR *", "NEAR(a b)", "title: x", "a AND", "', DROP TABLE memory; --", "", "\u{0}"] {
        find(hostile);
    }
    assert_eq!(find("one page"), ["the best one is in Vienna"], "what was replaced is not found");
    assert!(block_on(agent.forget(ada.clone(), "2")).unwrap());
    assert!(!block_on(agent.forget(ada.clone(), "2")).unwrap());
    assert!(find("Vienna").is_empty());
    let again = SqliteMemory::open(&path).unwrap();
    let query = MemoryQuery {
        name: "pinned".into(),
        text: String::new(),
        top_k: 9,
        pinned: true,
        ..MemoryQuery::default()
    };
    assert_eq!(block_on(again.query(ada, query)).unwrap()[0].text, "Ada");
    let _ = std::fs::remove_file(&path);
}

/// A vector by what a text is about; none for a text that cannot be embedded.
fn about(text: &str) -> Option<Vec<f32>> {
    let text = text.to_lowercase();
    let has = |words: &[&str]| if words.iter().any(|word| text.contains(word)) { 2.0 } else { 0.0 };
    let found = vec![has(&["dog", "puppy", "hound"]), has(&["car", "engine", "vehicle"])];
    (!text.contains("unclear")).then_some(found)
}

#[test]
fn a_database_finds_by_meaning_with_a_function_and_by_words_without() {
    let path = std::env::temp_dir().join(format!("glove-memory-meaning-{}.sqlite", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let memory = SqliteMemory::open(&path).unwrap().embed(|text: &str| std::future::ready(about(text)));
    let scope = MemoryScope::new(ScopeKind::Agent, "a");
    let put = |entry| block_on(memory.put(scope.clone(), entry)).unwrap();
    put(MemoryEntry::new("1", "Pet", "Her hound is called Rex"));
    put(MemoryEntry::new("2", "Travel", "They sold the vehicle"));
    put(MemoryEntry::new("3", "Pet", "an unclear note about a puppy").tags(["old"]));
    let ask = |memory: &SqliteMemory, text: &str, tags: &[&str]| -> Vec<String> {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let query =
            MemoryQuery { name: "q".into(), text: text.into(), top_k: 9, tags, ..MemoryQuery::default() };
        let found = block_on(memory.query(scope.clone(), query)).unwrap();
        found.into_iter().map(|entry| entry.id).collect()
    };
    assert_eq!(ask(&memory, "which dog?", &[]), ["1"], "no word of it is there");
    assert_eq!(ask(&memory, "puppy", &[]), ["1", "3"], "by its meaning, and by its words");
    assert_eq!(ask(&memory, "puppy", &["old"]), ["3"]);
    assert_eq!(ask(&memory, "unclear", &[]), ["3"], "a question without a vector leaves the words");
    assert_eq!(ask(&memory, " ", &[]), [""; 0]);
    // Put again it means something else, and what is forgotten is found no more.
    put(MemoryEntry::new("1", "Travel", "The engine is loud"));
    assert_eq!(ask(&memory, "dog", &[]), [""; 0]);
    assert_eq!(ask(&memory, "car", &[]), ["2", "1"], "the older one of two that are as near");
    assert!(block_on(memory.delete(scope.clone(), "1".into())).unwrap());
    assert_eq!(ask(&memory, "car", &[]), ["2"]);
    // The vectors are in the file; vectors of another model, and words alone, find what they can.
    let again = SqliteMemory::open(&path).unwrap().embed(|text: &str| std::future::ready(about(text)));
    assert_eq!(ask(&again, "car", &[]), ["2"]);
    let other = SqliteMemory::open(&path).unwrap().embed(|_: &str| std::future::ready(Some(vec![1.0; 3])));
    assert_eq!(ask(&other, "car", &[]), [""; 0]);
    assert_eq!(ask(&other, "vehicle", &[]), ["2"]);
    for broken in [vec![f32::NAN, 1.0], vec![0.0, 0.0], Vec::new()] {
        let vector = broken.clone();
        let odd =
            SqliteMemory::open(&path).unwrap().embed(move |_: &str| std::future::ready(Some(vector.clone())));
        assert_eq!(ask(&odd, "vehicle", &[]), ["2"], "{broken:?}");
    }
    let words = SqliteMemory::open(&path).unwrap();
    assert_eq!(ask(&words, "vehicle", &[]), ["2"]);
    let _ = std::fs::remove_file(&path);
}

#[test]
fn an_embedding_that_never_comes_leaves_the_words_and_is_told_with_a_code() {
    let path = std::env::temp_dir().join(format!("glove-memory-slow-{}.sqlite", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&told);
    let memory = SqliteMemory::open(&path)
        .unwrap()
        .embed(|_: &str| std::future::pending())
        .embed_time(std::time::Duration::from_millis(20))
        .on_slow_embed(move |error| hears.lock().unwrap().push((error.code(), error.message.clone())));
    let scope = MemoryScope::new(ScopeKind::Agent, "a");
    block_on(memory.put(scope.clone(), MemoryEntry::new("1", "Pet", "Her hound is called Rex"))).unwrap();
    let query = MemoryQuery { name: "q".into(), text: "hound".into(), top_k: 9, ..MemoryQuery::default() };
    let found = block_on(memory.query(scope, query)).unwrap();
    assert_eq!(found.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["1"]);
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|(code, why)| *code == "TASK_MEMORY_FAILED" && why.contains("20ms")), "{told:?}");
    let _ = std::fs::remove_file(&path);
}

#[test]
fn a_database_that_is_no_database_is_refused_with_a_code() {
    let path = std::env::temp_dir().join(format!("glove-memory-broken-{}.sqlite", std::process::id()));
    std::fs::write(
        &path,
        "no database at all, and long enough to have a header of one hundred bytes".repeat(3),
    )
    .unwrap();
    assert_eq!(SqliteMemory::open(&path).unwrap_err().code(), "TASK_MEMORY_FAILED");
    let _ = std::fs::remove_file(&path);
}

proptest! {
    #[test]
    fn no_channel_takes_more_than_its_room(
        texts in proptest::collection::vec(("[a-z@. 0-9\n#]{0,20}", "[a-zü@. 0-9\n]{0,300}"), 0..20),
        room in 0usize..120,
    ) {
        let mut binding = MemoryBinding::new(ScopeKind::Agent, "a");
        binding.strategy.pinned_tokens = room;
        binding.strategy.recall_tokens = room;
        let entries = texts.iter().enumerate().map(|(at, (title, text))| MemoryEntry::new(at.to_string(), title, text));
        let scope = MemoryScope::new(ScopeKind::Agent, "a");
        let channel = Channel { scope, binding, entries: entries.collect() };
        for found in [pinned(vec![channel.clone()]), recalled(vec![channel])] {
            for (_, count, section) in found {
                prop_assert!(section.text.len() <= room * 4);
                prop_assert_eq!(section.text.lines().count(), count);
                prop_assert!(section.text.lines().all(|line| line.starts_with("- ")));
            }
        }
    }
}
