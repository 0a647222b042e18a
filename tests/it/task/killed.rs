//! A process that is killed at any moment of a task in a folder. `GLOVE_KILLS=1000` kills it as often.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::support::wait::block_on;
use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_native::TaskFolder;
use glove_wasm_task::runtime::{RunOptions, TaskAgent};
use glove_wasm_task::{FinishReason, Journal, ResultView, TaskErrorKind, TaskSpec};
use serde_json::{Value, json};

use super::asked;

const TEST: &str = "task::killed::a_process_that_is_killed_at_any_moment_leaves_a_workspace_that_goes_on";
const ROLE: &str = "GLOVE_TASK_TEST_FOLDER";
const KILLS: usize = 30;
const STEPS: usize = 4;

/// A folder that is gone with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("glove-task-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_process_that_is_killed_at_any_moment_leaves_a_workspace_that_goes_on() {
    if let Some(folder) = env::var_os(ROLE) {
        block_on(work(Path::new(&folder)));
        return;
    }
    let kills = env::var("GLOVE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    // A task that gets nowhere lives longer each time: on a busy machine it may need long to begin.
    let (mut ended, mut lives, mut of_this_task) = (0, 0, 0);
    let mut folder = Folder::new();
    while lives < kills {
        let mut child = begin(folder.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // From here on it writes.
        while !lines.next().expect("the other process ended by itself").unwrap().ends_with("ready") {}
        sleep(Duration::from_micros((lives as u64 * 7_919) % (150_000 + 20_000 * of_this_task)));
        child.kill().unwrap();
        child.wait().unwrap();
        lives += 1;
        of_this_task += 1;
        if check(folder.path(), lives) {
            ended += 1;
            of_this_task = 0;
            folder = Folder::new();
        }
    }
    // On a slow disk no life is long enough: the last one comes to the end.
    if ended == 0 {
        let ending = begin(folder.path()).wait_with_output().unwrap();
        assert!(ending.status.success(), "{ending:?}");
        assert!(check(folder.path(), lives + 1), "no task ended");
    }
}

/// The same test in another process, which works in this folder.
fn begin(folder: &Path) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", TEST, "--nocapture", "--test-threads=1"]);
    command.env(ROLE, folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    command.spawn().unwrap()
}

/// What is in the folder is valid; true when its task has ended.
fn check(folder: &Path, life: usize) -> bool {
    let mut stack = vec![folder.to_path_buf()];
    while let Some(path) = stack.pop() {
        if path.is_dir() {
            stack.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        if name.ends_with(".json") {
            serde_json::from_str::<Value>(&text).unwrap_or_else(|why| panic!("life {life}: {name}: {why}"));
        }
        if name.ends_with("ndjson") {
            let whole = text.rfind('\n').map_or(0, |at| at + 1);
            for line in text[..whole].lines() {
                serde_json::from_str::<Value>(line)
                    .unwrap_or_else(|why| panic!("life {life}: {name}: {why}"));
            }
        }
    }
    let notes = fs::read_to_string(folder.join("runs")).unwrap_or_default();
    let mut runs: Vec<&str> = notes.lines().collect();
    let count = runs.len();
    runs.sort_unstable();
    runs.dedup();
    assert_eq!(runs.len(), count, "life {life}: a tool ran twice: {notes}");
    let journal = fs::read_to_string(folder.join("progress/events.ndjson")).unwrap_or_default();
    let journal = Journal::read(&journal);
    for (at, event) in journal.events.iter().enumerate() {
        assert_eq!(event.number(), at as u64 + 1, "life {life}: {event:?}");
    }
    let done = journal.events.last().is_some_and(|event| event.kind == "finish");
    if done {
        let starts = journal.events.iter().filter(|event| event.kind == "phase.start").count();
        let ends = journal.events.iter().filter(|event| event.kind == "phase.finish").count();
        assert_eq!((starts, ends), (STEPS + 2, STEPS + 2), "life {life}");
    }
    done
}

/// A plan of many steps, each with a tool that may run only once.
async fn work(folder: &Path) {
    let model = ScriptedModel::by(|_, seen| {
        let (request, rounds) = asked(seen);
        let steps: Vec<Value> =
            (0..STEPS).map(|at| json!({ "id": format!("n{at}"), "title": format!("Note {at}") })).collect();
        match rounds {
            _ if request.contains("Phase: plan") => Line::text(json!({ "steps": steps }).to_string()),
            _ if request.contains("Phase: verify") => Line::text(r#"{"pass": true}"#),
            0 => Line::call("note", "c1", json!({})),
            _ => Line::text("Noted."),
        }
    });
    let runs = folder.join("runs");
    let note =
        Tool::new("note", "Notes", json!({ "type": "object" }), move |_: Value, context: ToolContext| {
            let mut file = OpenOptions::new().create(true).append(true).open(&runs).unwrap();
            file.write_all(format!("{}\n", context.idempotency_key).as_bytes()).unwrap();
            std::future::ready("noted")
        });
    let by = glove_wasm_task::DefaultLoop::new().gather(|phase| phase.skip = true);
    let agent = TaskAgent::builder(model).tool(note).task_loop(by).build().unwrap();
    let task = match agent.resume(TaskFolder::open(folder).unwrap()).await {
        Err(error) if error.kind == TaskErrorKind::Missing => {
            say("ready");
            agent.start_task(TaskFolder::open(folder).unwrap(), TaskSpec::new("Note all")).await.unwrap()
        }
        found => {
            say("ready");
            found.unwrap()
        }
    };
    loop {
        let options = RunOptions { leave_when_waiting: true, view: ResultView::Full };
        let result = task.run(options).await.unwrap();
        for request in &result.approvals {
            // It was running when the process was killed: a person has seen that it was done.
            assert!(request.interrupted, "{request:?}");
            task.deny(&request.id, "test", Some("it was done")).await.unwrap();
        }
        if result.finish_reason == Some(FinishReason::Completed) {
            break;
        }
        assert!(!result.approvals.is_empty(), "{result:?}");
    }
    // Waits to be killed.
    sleep(Duration::from_secs(60));
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}
