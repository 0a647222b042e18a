//! A process that dies at any write: the task goes on, with the same result and the same events.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::wait::block_on;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_task::layout::WorkspacePath;
use glove_wasm_task::memory::{MemoryBinding, ScopeKind};
use glove_wasm_task::runtime::{
    AgentMemory, Entry, Lease, MemoryWorkspace, RunOptions, TaskAgent, Workspace,
};
use glove_wasm_task::{ApprovalPolicy, Journal, ResultView, TaskError, TaskErrorKind, TaskResult, TaskSpec};
use serde_json::{Value, json};

use super::memory::filled;
use super::{asked, builder, events, spec, worker, workspace};

const FULL: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: false };

/// A workspace of which only so many writes succeed. The one after them is lost, done though nobody hears so, or torn.
#[derive(Clone)]
struct Mortal {
    files: MemoryWorkspace,
    left: Arc<AtomicUsize>,
    death: Death,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Death {
    Before,
    After,
    /// Half of what is added is there. A file is whole or not written.
    Torn,
}

impl Mortal {
    fn dying(files: &MemoryWorkspace, writes: usize, death: Death) -> Self {
        Mortal { files: files.clone(), left: Arc::new(AtomicUsize::new(writes)), death }
    }

    /// Whether this write is the last thing that the process does, or comes after it.
    fn dies(&self) -> Option<bool> {
        let before = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| match left {
            usize::MAX => None,
            0 => Some(usize::MAX),
            left => Some(left - 1),
        });
        match before {
            Ok(0) => Some(true),
            Ok(_) => None,
            Err(_) => Some(false),
        }
    }

    fn dead(&self) -> bool {
        self.left.load(Ordering::SeqCst) == usize::MAX
    }
}

fn died<T: Send + 'static>() -> BoxFuture<'static, Result<T, TaskError>> {
    Box::pin(std::future::ready(Err(TaskError::new(TaskErrorKind::Workspace, "the process is dead"))))
}

impl Workspace for Mortal {
    fn read(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Option<Vec<u8>>, TaskError>> {
        if self.dead() { died() } else { self.files.read(path) }
    }

    fn write(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        match self.dies() {
            None => self.files.write(path, content),
            Some(last) => {
                if last && self.death == Death::After {
                    // It is done when it is asked for.
                    drop(self.files.write(path, content));
                }
                died()
            }
        }
    }

    fn swap(
        &self,
        path: &WorkspacePath,
        before: Option<Vec<u8>>,
        content: Vec<u8>,
    ) -> BoxFuture<'static, Result<bool, TaskError>> {
        match self.dies() {
            None => self.files.swap(path, before, content),
            Some(last) => {
                if last && self.death == Death::After {
                    drop(self.files.swap(path, before, content));
                }
                died()
            }
        }
    }

    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        match self.dies() {
            None => self.files.append(path, content),
            Some(last) => {
                let kept = match self.death {
                    Death::After => content.len(),
                    Death::Torn => content.len() / 2,
                    Death::Before => 0,
                };
                if last && kept > 0 {
                    drop(self.files.append(path, content[..kept].to_vec()));
                }
                died()
            }
        }
    }

    fn list(&self, folder: &WorkspacePath) -> BoxFuture<'static, Result<Vec<Entry>, TaskError>> {
        if self.dead() { died() } else { self.files.list(folder) }
    }

    fn lease(&self) -> BoxFuture<'static, Result<Lease, TaskError>> {
        self.files.lease()
    }
}

/// Notes each run: a tool that must not run twice.
fn once(runs: &Arc<AtomicUsize>) -> Tool {
    let runs = runs.clone();
    Tool::new("count", "Counts", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
        runs.fetch_add(1, Ordering::SeqCst);
        std::future::ready("counted")
    })
}

/// Fails its first verification, and uses a tool that may run only once.
fn model() -> ScriptedModel {
    ScriptedModel::by(|_, seen| {
        let (request, rounds) = asked(seen);
        match rounds {
            0 if request.contains("(s2)") => Line::call("count", "c1", json!({})).tokens(10, 5),
            _ if request.contains("Phase: verify") => {
                let there = seen.messages[0].text.contains("r2-s1");
                Line::text(format!(r#"{{"pass": {there}, "reasons": ["three"]}}"#))
            }
            _ if request.contains("The verification failed") => {
                Line::text(r#"{"steps": [{"id": "s1", "title": "Write three"}]}"#)
            }
            0 if request.contains("(r2-s1)") => super::write("three", "b1"),
            _ => worker(seen),
        }
    })
}

fn task_agent(runs: &Arc<AtomicUsize>) -> TaskAgent {
    let memory = AgentMemory::new(filled());
    memory.attach(MemoryBinding::new(ScopeKind::Agent, "").learns());
    builder(&model()).tool(once(runs)).memory(memory).build().unwrap()
}

fn automatic() -> TaskSpec {
    spec().approvals(ApprovalPolicy::automatic())
}

/// Approves whatever waits, as a person does, and runs to the end.
fn to_the_end(agent: &TaskAgent, files: &MemoryWorkspace) -> TaskResult {
    let task = match block_on(agent.resume(files.clone())) {
        Ok(task) => task,
        Err(error) if error.kind == TaskErrorKind::Missing => {
            block_on(agent.start_task(files.clone(), automatic())).unwrap()
        }
        Err(error) => panic!("{error}"),
    };
    loop {
        let result = block_on(task.run(RunOptions { leave_when_waiting: true, ..FULL })).unwrap();
        if result.approvals.is_empty() && result.finish_reason.is_some_and(|reason| !reason.can_resume()) {
            return result;
        }
        for request in result.approvals {
            // A call whose outcome nobody knows: this person has looked, and says that it must not run again.
            block_on(task.deny(&request.id, "Ada", Some("it was done"))).unwrap();
        }
    }
}

fn files_of(files: &MemoryWorkspace) -> Vec<(String, String)> {
    let all = files.files().into_iter().filter(|(path, _)| !path.contains("recovered"));
    all.filter(|(path, _)| {
        ["artifacts/", "progress/plan/", "todo", "notes", "findings", "progress/verify/", "output."]
            .iter()
            .any(|part| path.contains(part))
    })
    .map(|(path, content)| (path, String::from_utf8(content).unwrap()))
    .collect()
}

#[test]
fn a_task_killed_at_any_write_ends_with_the_same_result_and_the_same_events() {
    let calm = workspace();
    let runs = Arc::default();
    let expected = block_on(task_agent(&runs).do_task(calm.clone(), automatic(), ResultView::Full)).unwrap();
    let mut lives = 0;
    let mut unknown = 0;
    for death in [Death::Before, Death::After, Death::Torn] {
        for writes in 0.. {
            let files = workspace();
            let runs = Arc::default();
            let agent = task_agent(&runs);
            let mortal = Mortal::dying(&files, writes, death);
            let ended = block_on(agent.do_task(mortal.clone(), automatic(), ResultView::Full));
            if !mortal.dead() {
                assert_eq!(ended.unwrap(), expected);
                break;
            }
            lives += 1;
            readable(&files, death);
            let result = to_the_end(&agent, &files);
            let place = format!("killed {death:?} at write {writes}");
            let counted = runs.load(Ordering::SeqCst);
            assert!(counted <= 1, "{place}: a tool ran {counted} times");
            assert_eq!(result.finish_reason, expected.finish_reason, "{place}");
            // A call that was cut off is asked about: that is the one difference.
            let asked = events(&files).iter().filter(|event| event.starts_with("approval.requested")).count();
            if asked > events(&calm).iter().filter(|event| event.starts_with("approval.requested")).count() {
                unknown += 1;
                continue;
            }
            assert_eq!(counted, 1, "{place}");
            assert_eq!(events(&files), events(&calm), "{place}");
            assert!(files_of(&files) == files_of(&calm), "{place}: other files");
            assert_eq!(result.usage, expected.usage, "{place}");
            assert_eq!(result.deliverables, expected.deliverables, "{place}");
        }
    }
    assert!(lives > 150, "{lives} lives are too few to show anything");
    assert!(unknown > 0 && unknown * 20 < lives, "{unknown} calls of {lives} lives were cut off");
}

/// What a dead process leaves behind: whole JSON, and journals of which only the last line may be half.
fn readable(files: &MemoryWorkspace, death: Death) {
    for (path, content) in files.files() {
        let text = String::from_utf8(content).unwrap();
        if path.ends_with(".json") {
            serde_json::from_str::<Value>(&text).unwrap_or_else(|why| panic!("{path}: {why}"));
        }
        if path.ends_with("ndjson") {
            let whole = text.rfind('\n').map_or(0, |at| at + 1);
            assert!(whole == text.len() || death == Death::Torn, "{path} ends in half a line");
            for line in text[..whole].lines() {
                serde_json::from_str::<Value>(line).unwrap_or_else(|why| panic!("{path}: {why}"));
            }
        }
    }
}

#[test]
fn half_a_line_of_the_journal_is_kept_aside_and_what_follows_stands_on_lines_of_its_own() {
    let files = workspace();
    let agent = super::agent(&super::working_model());
    let task = block_on(agent.start_task(files.clone(), spec())).unwrap();
    block_on(task.step_once()).unwrap();
    drop(task);
    let journal = files.text("progress/events.ndjson").unwrap();
    files.put("progress/events.ndjson", format!("{journal}{{\"id\":\"ev_00")).unwrap();
    let task = block_on(agent.resume(files.clone())).unwrap();
    let after = files.text("progress/events.ndjson").unwrap();
    assert_eq!(after, journal);
    let aside: Vec<String> = files
        .files()
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| path.contains("recovered/events-"))
        .collect();
    assert_eq!(files.text(&aside[0]).unwrap(), "{\"id\":\"ev_00");
    block_on(task.run(FULL)).unwrap();
    assert_eq!(Journal::read(&files.text("progress/events.ndjson").unwrap()).broken, "");
}
