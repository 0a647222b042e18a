//! What the agent-task design asks of files, reports and agents beyond the usual run.

use crate::support::wait::block_on;
use glove_wasm::json::Json;
use glove_wasm::message::Message;
use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_task::memory::{
    Channel, MemoryBinding, MemoryEntry, MemoryQuery, MemoryScope, ScopeKind, pinned, recalled,
};
use glove_wasm_task::runtime::{AgentMemory, MemoryProvider, MemoryWorkspace, RunOptions};
use glove_wasm_task::{
    ApprovalDecision, ApprovalPolicy, Budgets, CustomLoop, Decision, FinishReason, LoopView, Next,
    ResultView, Said, StepSpec, StepStatus,
};
use serde_json::{Value, json};

use super::{NOON, agent, asked, builder, message_texts, plain_tool, spec, worker, working_model, workspace};

const LEAVE: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: true };

fn lines(files: &MemoryWorkspace, path: &str) -> Vec<Value> {
    let text = files.text(path).unwrap_or_else(|| panic!("{path} is missing"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn pages_that_a_step_reads_are_cited_once_and_kept_beside_it_to_the_byte() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| {
        let (request, rounds) = asked(seen);
        let read = |name: &str, id: &str| {
            Line::call("http_fetch", id, json!({ "url": format!("https://a.example/{name}") }))
        };
        match rounds {
            0 if request.contains("Phase: gather") => read("whales", "f1"),
            1 if request.contains("Phase: gather") => read("whales", "f2"),
            2 if request.contains("Phase: gather") => read("gone", "f3"),
            _ => worker(seen),
        }
    });
    let agent = builder(&model).tool_for(["gather"], fetch()).build().unwrap();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let sources = lines(&files, "progress/sources.jsonl");
    assert_eq!(sources.len(), 1, "{sources:?}");
    let source = &sources[0];
    assert_eq!(
        (&source["url"], &source["title"], &source["snippet"]),
        (&json!("https://a.example/whales"), &json!("Whales"), &json!("<title>Whales</title> They sing."))
    );
    let path = source["path"].as_str().unwrap();
    let kept = files.text(path).unwrap();
    assert_eq!(kept, "<title>Whales</title>\nThey  sing.");
    assert_eq!(source["checksum"], format!("sha256:{}", glove_wasm_task::sha256(kept.as_bytes())));
    assert!(path.starts_with("progress/steps/gather-1/sources/"), "{path}");
    assert!(path.contains(source["checksum"].as_str().unwrap().trim_start_matches("sha256:")), "{path}");
    let made = &result.steps[0].artifacts_written;
    assert_eq!((made.len(), made[0].kind.as_str(), made[0].path.as_str()), (1, "source", path));
    // What it read is no result of the task.
    assert!(result.deliverables.iter().all(|made| made.kind == "artifact" && made.path != path));
    // The next step reads the citation.
    assert!(result.steps[1].context_read.contains(&"progress/sources.jsonl".to_owned()));
}

/// `http_fetch` as the web answers it.
fn fetch() -> Tool {
    let about = "Reads an address";
    Tool::new("http_fetch", about, json!({ "type": "object" }), |input: Value, _: ToolContext| {
        let url = input["url"].as_str().unwrap().to_owned();
        let (status, text) = match url.ends_with("gone") {
            true => (404, "Nothing"),
            false => (200, "<title>Whales</title>\nThey  sing."),
        };
        let answer = json!({ "url": url, "status": status, "type": "text/html", "text": text });
        std::future::ready(glove_wasm::ports::Data(answer))
    })
}

#[test]
fn a_step_has_its_calls_as_lines_and_may_keep_notes_and_artifacts_of_its_own() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| {
        let (request, rounds) = asked(seen);
        let write =
            |path: &str, id: &str| Line::call("fs_write", id, json!({ "path": path, "content": "x" }));
        match rounds {
            0 if request.contains("(s1)") => write("progress/steps/act-1-s1/artifacts/draft.md", "w1"),
            1 if request.contains("(s1)") => write("progress/steps/act-1-s1/notes.md", "w2"),
            2 if request.contains("(s1)") => write("progress/steps/act-1-s1/report.json", "w3"),
            3 if request.contains("(s1)") => write("progress/steps/act-1-s1/session.ndjson", "w4"),
            _ => worker(seen),
        }
    });
    let result = block_on(agent(&model).do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    let calls = lines(&files, "progress/steps/act-1-s1/events.ndjson");
    let told: Vec<(&str, &str)> = calls
        .iter()
        .map(|call| (call["call_id"].as_str().unwrap(), call["status"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("w1", "success"), ("w2", "success"), ("w3", "error"), ("w4", "error")]);
    assert_eq!(files.text("progress/steps/act-1-s1/notes.md").unwrap(), "x");
    let step = result.steps.iter().find(|step| step.id == "act-1-s1").unwrap();
    let made: Vec<&str> = step.artifacts_written.iter().map(|made| made.path.as_str()).collect();
    assert_eq!(made, ["progress/steps/act-1-s1/artifacts/draft.md", "progress/steps/act-1-s1/notes.md"]);
    assert_eq!(files.text("progress/steps/plan-1/events.ndjson"), None, "the plan called nothing");
}

#[test]
fn what_a_step_has_kept_is_overwritten_by_no_other_one() {
    let files = workspace();
    let (kept, text) = (files.clone(), "They sing.");
    let hash = glove_wasm_task::sha256("<title>Whales</title>\nThey  sing.".as_bytes());
    let page = format!("progress/steps/gather-1/sources/{hash}.txt");
    let model = ScriptedModel::by(move |_, seen| {
        let (request, rounds) = asked(seen);
        let write = |path: &str, content: &str, id: &str| {
            Line::call("fs_write", id, json!({ "path": path, "content": content }))
        };
        let cited = kept.text("progress/sources.jsonl").unwrap_or_default();
        match rounds {
            0 if request.contains("Phase: gather") => {
                Line::call("http_fetch", "f1", json!({ "url": "https://a.example/whales" }))
            }
            0 if request.contains("(s1)") => write("progress/steps/act-1-s1/artifacts/draft.md", text, "w1"),
            0 if request.contains("(s2)") => write("progress/steps/act-1-s1/artifacts/draft.md", "", "w2"),
            1 if request.contains("(s2)") => write("progress/sources.jsonl", &format!("{cited}{{}}\n"), "w3"),
            2 if request.contains("(s2)") => write(&page, "", "w4"),
            3 if request.contains("(s2)") => write("progress/sources.jsonl", "", "w5"),
            _ => worker(seen),
        }
    });
    let agent = builder(&model).tool_for(["gather"], fetch()).build().unwrap();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let calls = result.steps.iter().flat_map(|step| &step.tool_calls);
    let told: Vec<(&str, &str)> = calls
        .map(|call| (call.call_id.as_str(), call.status.as_str()))
        .filter(|(id, _)| id.starts_with('w'))
        .collect();
    let expected = [("w1", "success"), ("w2", "error"), ("w3", "success"), ("w4", "error"), ("w5", "error")];
    assert_eq!(told, expected);
    assert_eq!(files.text("progress/steps/act-1-s1/artifacts/draft.md").unwrap(), text);
    assert!(files.text(&format!("progress/steps/gather-1/sources/{hash}.txt")).unwrap().contains("sing"));
    assert_eq!(lines(&files, "progress/sources.jsonl").len(), 2);
}

#[test]
fn a_step_with_a_schema_answers_in_json_and_its_report_says_which() {
    let files = workspace();
    let by = CustomLoop::new("count", "1", |view: &LoopView<'_>| match view.steps.len() {
        0 | 1 => Next::Step(Box::new(StepSpec {
            schema_id: Some("counts@2".to_owned()),
            ext: Json::from(json!({ "row": 7 })),
            ..StepSpec::new("count", "Count.")
        })),
        _ => Next::Done,
    });
    let model =
        ScriptedModel::by(|at, _| Line::text(if at == 0 { "many" } else { "```json\n{\"words\": 3}\n```" }));
    let agent = builder(&model).task_loop(by).build().unwrap();
    let result = block_on(agent.do_task(files, spec(), ResultView::Full)).unwrap();
    let [bad, good] = &result.steps[..] else { panic!("{:?}", result.steps) };
    assert_eq!(bad.status, StepStatus::Failed);
    assert!(bad.error.contains("JSON"), "{}", bad.error);
    assert_eq!(good.schema_id.as_deref(), Some("counts@2"));
    assert_eq!(good.output_json.read::<Value>().unwrap(), json!({ "words": 3 }));
    assert_eq!(good.ext.read::<Value>().unwrap(), json!({ "row": 7 }));
    assert_eq!(good.output_ref.as_deref(), Some("progress/steps/count-2/output.json"));
    let usual =
        block_on(super::agent(&working_model()).do_task(workspace(), spec(), ResultView::Full)).unwrap();
    let schemas: Vec<&str> = usual.steps.iter().filter_map(|step| step.schema_id.as_deref()).collect();
    assert_eq!(schemas, ["glove-plan@1", "glove-verdict@1"]);
}

#[test]
fn an_agent_has_a_name_capabilities_budgets_and_a_view_of_its_own() {
    let model = working_model();
    let agent = builder(&model)
        .name("Ishmael")
        .capabilities(["reads logs", "counts whales"])
        .default_budgets(Budgets { max_steps: 2, verify_percent: 0, ..Budgets::default() })
        .default_view(ResultView::Full)
        .build()
        .unwrap();
    let result = block_on(agent.do_task(workspace(), spec(), None)).unwrap();
    assert_eq!((result.finish_reason, result.steps.len()), (Some(FinishReason::BudgetSteps), 2));
    let system = &model.seen()[0].system_prompt;
    let begins = "Your name is Ishmael.\n\nYou are exact.\n\nWhat you can do: reads logs; counts whales.";
    assert!(system.starts_with(begins), "{system}");
    // What the task says itself counts.
    let own = spec().budgets(Budgets { max_steps: 20, ..Budgets::default() });
    let result = block_on(agent.do_task(workspace(), own, ResultView::Minimal)).unwrap();
    assert_eq!((result.finish_reason, result.steps.len()), (Some(FinishReason::Completed), 0));
}

#[test]
fn tools_and_history_that_come_later_are_for_tasks_that_are_opened_later() {
    let model = working_model();
    let agent = builder(&model).build().unwrap();
    let before = block_on(agent.start_task(workspace(), spec())).unwrap();
    agent.register_tool(plain_tool("send")).unwrap();
    assert_eq!(agent.register_tool(plain_tool("Send")).unwrap_err().code(), "TASK_CONFIG_INVALID");
    agent.seed_history([Message::user("Use short words.")]);
    let after = block_on(agent.start_task(workspace(), spec())).unwrap();
    assert!(block_on(before.history_snapshot()).unwrap().is_empty());
    assert_eq!(message_texts(&block_on(after.history_snapshot()).unwrap()), ["Use short words."]);
    block_on(before.step_once()).unwrap();
    block_on(after.step_once()).unwrap();
    let has: Vec<bool> =
        model.seen().iter().map(|seen| seen.tools.iter().any(|name| name == "send")).collect();
    assert_eq!(has, [false, false, true, true]);
    agent.clear_history();
    let last = block_on(agent.start_task(workspace(), spec())).unwrap();
    assert!(block_on(last.history_snapshot()).unwrap().is_empty());
    assert_eq!(block_on(after.history_snapshot()).unwrap().len(), 1, "a task that is open keeps its own");
}

#[test]
fn a_request_says_what_the_call_is_for_and_what_the_model_said_with_it() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| {
        let line = worker(seen);
        let (request, rounds) = asked(seen);
        match request.contains("(s1)") && rounds == 0 {
            true => Line::text("The brief wants one.md first.").and_call(
                "fs_write",
                "a1",
                json!({ "path": "progress/artifacts/one.md", "content": "# one\n" }),
            ),
            false => line,
        }
    });
    let policy = ApprovalPolicy { require_tools: vec!["fs_write".into()], ..ApprovalPolicy::permissive() };
    let task = block_on(agent(&model).start_task(files, spec().approvals(policy))).unwrap();
    let result = block_on(task.run(LEAVE)).unwrap();
    assert_eq!(
        result.approvals[0].rationale,
        "fs_write, for the step \"Write one\". The model says: The brief wants one.md first."
    );
}

#[test]
fn a_task_may_ask_for_the_approval_of_its_plan_whatever_its_agent_asks_for() {
    let wanted = glove_wasm_task::TaskSpec { require_plan_approval: true, ..spec() };
    let task = block_on(agent(&working_model()).start_task(workspace(), wanted)).unwrap();
    let result = block_on(task.run(LEAVE)).unwrap();
    assert_eq!(result.approvals.len(), 1);
}

#[test]
fn the_caller_of_a_server_decides_and_what_the_client_says_of_itself_stands_beside() {
    let said = || Said { approved_by: "lin@example.com".into(), timestamp: "2025-01-01T12:05:00Z".into() };
    let of = |caller: &str| ApprovalDecision::of_client("req_0001", Decision::Approved, caller, said(), NOON);
    let known = of("ada").unwrap();
    assert_eq!((known.approved_by.as_str(), &known.said), ("ada", &said()));
    assert_eq!(of("").unwrap().approved_by, "lin@example.com");
    let nobody = ApprovalDecision::of_client("req_0001", Decision::Approved, "", Said::default(), NOON);
    assert_eq!(nobody.unwrap().approved_by, "user");
    // Its time is the server's: an old one would decide about what has expired.
    assert_eq!(known.timestamp, "2025-01-01T12:00:00Z");
    let never = Said { timestamp: "soon".into(), ..Said::default() };
    let refused = ApprovalDecision::of_client("req_0001", Decision::Approved, "ada", never, NOON);
    assert_eq!(refused.unwrap_err().code(), "TASK_DECISION_INVALID");
}

#[cfg(unix)]
#[test]
fn a_folder_has_the_place_for_decisions_from_the_start() {
    let path = std::env::temp_dir().join(format!("glove-design-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    let folder = glove_wasm_native::TaskFolder::open(&path).unwrap();
    let task = block_on(agent(&working_model()).start_task(folder, spec())).unwrap();
    assert!(path.join("progress/approvals/decisions").is_dir());
    drop(task);
    std::fs::remove_dir_all(path).unwrap();
}

fn channel(kind: ScopeKind, entries: &[MemoryEntry]) -> Channel {
    let binding = MemoryBinding::new(kind, "a");
    Channel { scope: binding.scope.clone(), binding, entries: entries.to_vec() }
}

fn texts(found: &[(MemoryScope, usize, glove_wasm_task::prompt::Section)]) -> Vec<&str> {
    found.iter().map(|(.., section)| section.text.as_str()).collect()
}

#[test]
fn of_what_binds_the_agent_counts_before_its_project_and_that_before_the_user() {
    let entry = |text: &str| MemoryEntry::new(text, "Network", text).pinned();
    let bound = |text: &str| entry(text).tags(["constraint"]);
    let of = |agent: MemoryEntry, project: MemoryEntry, user: MemoryEntry| {
        let channels = vec![
            channel(ScopeKind::Agent, &[agent]),
            channel(ScopeKind::User, &[user]),
            channel(ScopeKind::Project, &[project]),
        ];
        texts(&pinned(channels)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of(entry("a"), entry("p"), entry("u")), ["- Network: u"], "preferences are the user's");
    assert_eq!(of(bound("a"), bound("p"), bound("u")), ["- Network: a"]);
    assert_eq!(of(entry("a"), bound("p"), bound("u")), ["- Network: p"]);
    assert_eq!(of(bound("a"), entry("p"), entry("u")), ["- Network: a"], "a wish does not undo what binds");
}

#[test]
fn a_channel_says_what_stands_above_it_and_whether_entries_are_one() {
    let entries = [MemoryEntry::new("1", "Tone", "plain"), MemoryEntry::new("2", "Tone", "warm")];
    let mut own = channel(ScopeKind::User, &entries);
    assert_eq!(texts(&recalled(vec![own.clone()])), ["- Tone: plain"]);
    own.binding.strategy.dedupe_by_title = false;
    own.binding.strategy.template = "What {channel} wants".to_owned();
    assert_eq!(texts(&recalled(vec![own.clone()])), ["- Tone: plain\n- Tone: warm"]);
    assert_eq!(pinned(vec![own])[0].2.title, "What user wants");
}

#[test]
fn a_database_keeps_data_finds_by_tags_and_gives_an_agent_a_channel_of_its_own() {
    let path = std::env::temp_dir().join(format!("glove-design-memory-{}.sqlite", std::process::id()));
    let _ = std::fs::remove_file(&path);
    {
        // As it was made before entries had data.
        let old = rusqlite::Connection::open(&path).unwrap();
        old.execute_batch(
            "CREATE TABLE memory (number INTEGER PRIMARY KEY, scope TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
             text TEXT NOT NULL, tags TEXT NOT NULL, source TEXT NOT NULL, pinned INTEGER NOT NULL, UNIQUE (scope, id));
             INSERT INTO memory VALUES (1, 'user:ada', 'old', 'Old', 'was there before', '', '', 1);",
        )
        .unwrap();
    }
    let memory = glove_wasm_sqlite::SqliteMemory::open(&path).unwrap();
    let ada = MemoryScope::new(ScopeKind::User, "ada");
    let own = ada.clone().of_agent("researcher");
    let put = |scope: &MemoryScope, entry| block_on(memory.put(scope.clone(), entry)).unwrap();
    for at in 0..5 {
        put(&ada, MemoryEntry::new(format!("plain-{at}"), "Whales", "whales whales").tags(["other"]));
    }
    let data = json!({ "count": 3, "names": ["Moby"] });
    put(&ada, MemoryEntry::new("1", "Whales", "whales sing").tags(["style", "sea"]).data(data.clone()));
    put(&own, MemoryEntry::new("1", "Whales", "whales of the researcher"));
    let find = |scope: &MemoryScope, tags: &[&str], pinned: bool| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let query = MemoryQuery { text: "whales".into(), top_k: 2, tags, pinned, ..MemoryQuery::default() };
        block_on(memory.query(scope.clone(), query)).unwrap()
    };
    let found = find(&ada, &["sea", "style"], false);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].data.read::<Value>().unwrap(), data);
    assert!(find(&ada, &["sea", "land"], false).is_empty());
    assert_eq!(find(&own, &[], false)[0].text, "whales of the researcher");
    assert_eq!(find(&ada, &[], true)[0].text, "was there before");
    // A name cannot make another channel of it.
    let (a, b) = (ada.of_agent("x:user"), MemoryScope::new(ScopeKind::User, "user:ada").of_agent("x"));
    assert_ne!(a.name(), b.name());
    drop(AgentMemory::new(memory));
    let _ = std::fs::remove_file(&path);
}
