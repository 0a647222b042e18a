//! A task from its goal to its result.

use std::future::poll_fn;
use std::task::Poll;

use crate::support::wait::block_on;
use futures_util::future::join;
use glove_wasm::portable::BoxFuture;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_task::layout::WorkspacePath;
use glove_wasm_task::runtime::{Entry, Lease, MemoryWorkspace, RunOptions, Workspace};
use glove_wasm_task::{FinishReason, Journal, ResultView, StepStatus, TaskError, TaskStatus, sha256};
use serde_json::Value;

use super::{agent, asked, events, spec, worker, working_model, workspace};

const FULL: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: false };

#[test]
fn a_task_is_gathered_planned_done_and_verified() {
    let files = workspace();
    let result = block_on(agent(&working_model()).do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Finished, Some(FinishReason::Completed)));
    assert_eq!(result.output_text, "Written.");
    assert!(result.verdict.unwrap().pass);
    let steps: Vec<(&str, StepStatus)> =
        result.steps.iter().map(|step| (step.id.as_str(), step.status)).collect();
    let done =
        ["gather-1", "plan-1", "act-1-s1", "act-1-s2", "verify-1"].map(|id| (id, StepStatus::Completed));
    assert_eq!(steps, done);
    // Each round of tools and each answer costs the same.
    assert_eq!((result.usage.tokens_in, result.usage.tokens_out), (80, 40));
    assert_eq!(
        events(&files),
        [
            "task.start  Make both files",
            "phase.start gather-1",
            "tool.call gather-1 file_read",
            "tool.result gather-1 file_read",
            "phase.finish gather-1 completed",
            "phase.start plan-1",
            "plan.proposed  version 1",
            "phase.finish plan-1 completed",
            "phase.start act-1-s1 s1",
            "tool.call act-1-s1 fs_write",
            "tool.result act-1-s1 fs_write",
            "phase.finish act-1-s1 completed",
            "phase.start act-1-s2 s2",
            "tool.call act-1-s2 fs_write",
            "tool.result act-1-s2 fs_write",
            "phase.finish act-1-s2 completed",
            "phase.start verify-1",
            "verify.pass verify-1 both are there",
            "phase.finish verify-1 completed",
            "finish  completed",
        ]
    );
}

#[test]
fn the_workspace_has_the_layout_of_a_task_and_people_can_read_it() {
    let files = workspace();
    block_on(agent(&working_model()).do_task(files.clone(), spec(), ResultView::Minimal)).unwrap();
    let paths: Vec<String> = files.files().into_iter().map(|(path, _)| path).collect();
    for path in [
        "task/brief.md",
        "progress/notes.md",
        "progress/todo.md",
        "progress/state.json",
        "progress/plan/current.json",
        "progress/plan/0001.json",
        "progress/findings.md",
        "progress/events.ndjson",
        "progress/artifacts/one.md",
        "progress/verify/0001-report.json",
        "progress/steps/gather-1/output.md",
        "progress/steps/plan-1/output.json",
        "progress/steps/act-1-s2/report.json",
    ] {
        assert!(paths.iter().any(|found| found == path), "{path} is missing in {paths:?}");
    }
    assert_eq!(
        files.text("progress/todo.md").unwrap(),
        "# Todo\n\n- [x] s1: Write one\n- [x] s2: Write two\n"
    );
    assert_eq!(
        files.text("progress/notes.md").unwrap(),
        "# Notes\n\n- gather-1 completed: Two files are wanted (task/brief.md).\n- plan-1 completed: ```json\n\
         - act-1-s1 completed: Written.\n- act-1-s2 completed: Written.\n\
         - verify-1 completed: {\"pass\": true, \"reasons\": [\"both are there\"]}\n"
    );
    assert_eq!(
        files.text("progress/findings.md").unwrap(),
        "## gather-1\n\nTwo files are wanted (task/brief.md).\n"
    );
    for path in paths.iter().filter(|path| path.ends_with(".json")) {
        serde_json::from_str::<Value>(&files.text(path).unwrap())
            .unwrap_or_else(|why| panic!("{path}: {why}"));
    }
    assert_eq!(files.text("task/brief.md").unwrap(), super::BRIEF);
}

#[test]
fn a_result_holds_what_its_view_says() {
    let files = workspace();
    let agent = agent(&working_model());
    let minimal = block_on(agent.do_task(files.clone(), spec(), ResultView::Minimal)).unwrap();
    assert_eq!((minimal.deliverables.len(), minimal.steps.len(), minimal.output_text.as_str()), (0, 0, ""));
    assert_eq!((minimal.task_id.as_str(), minimal.agent_id.as_str()), ("t1", "agent-1"));
    assert_eq!(minimal.loop_signature.len(), 64);
    let task = block_on(agent.resume(files)).unwrap();
    let summary = block_on(task.result(ResultView::Summary)).unwrap();
    assert_eq!((summary.steps.len(), summary.output_text.as_str()), (0, "Written."));
    let made: Vec<(&str, &str, u64)> =
        summary.deliverables.iter().map(|made| (made.path.as_str(), made.mime.as_str(), made.size)).collect();
    assert_eq!(
        made,
        [
            ("progress/artifacts/one.md", "text/markdown", 6),
            ("progress/artifacts/two.md", "text/markdown", 6)
        ]
    );
    assert_eq!(summary.deliverables[0].sha256, sha256(b"# one\n"));
    let full = block_on(task.result(ResultView::Full)).unwrap();
    let act = &full.steps[2];
    assert_eq!(act.artifacts_written, [summary.deliverables[0].clone()]);
    assert_eq!(
        (act.tools_used.as_slice(), act.tool_calls[0].status.as_str()),
        (["fs_write".to_owned()].as_slice(), "success")
    );
    assert!(act.context_read.contains(&"progress/plan/current.json".to_owned()), "{:?}", act.context_read);
    // The same spec and loop have the same signature in another workspace, another goal has another.
    let other = block_on(agent.do_task(workspace(), spec(), ResultView::Minimal)).unwrap();
    assert_eq!(other.loop_signature, full.loop_signature);
}

#[test]
fn step_once_does_exactly_one_step() {
    let files = workspace();
    let task = block_on(agent(&working_model()).start_task(files, spec())).unwrap();
    for done in 1..=5 {
        let result = block_on(task.step_once()).unwrap();
        assert_eq!((result.steps.len(), result.status), (done, TaskStatus::Running));
    }
    let result = block_on(task.step_once()).unwrap();
    assert_eq!((result.steps.len(), result.finish_reason), (5, Some(FinishReason::Completed)));
}

#[test]
fn a_verification_that_fails_is_refined_once() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| {
        let (request, rounds) = asked(seen);
        let refined = request.contains("(r2-s1)");
        match rounds {
            _ if request.contains("Phase: verify") && seen.system_prompt.len() > 1 => {
                let there = seen.messages[0].text.contains("r2-s1");
                Line::text(format!(r#"{{"pass": {there}, "reasons": ["three.md"]}}"#))
            }
            _ if request.contains("The verification failed") => {
                assert!(request.contains("- three.md"), "{request}");
                Line::text(r#"{"steps": [{"id": "s1", "title": "Write three"}]}"#)
            }
            0 if refined => super::write("three", "b1"),
            _ if refined => Line::text("Written too."),
            _ => worker(seen),
        }
    });
    let result = block_on(agent(&model).do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    let steps: Vec<&str> = result.steps.iter().map(|step| step.id.as_str()).collect();
    let expected =
        ["gather-1", "plan-1", "act-1-s1", "act-1-s2", "verify-1", "plan-2", "act-2-r2-s1", "verify-2"];
    assert_eq!(steps, expected);
    assert_eq!((result.finish_reason, result.deliverables.len()), (Some(FinishReason::Completed), 3));
    assert!(files.text("progress/verify/0001-report.json").unwrap().contains("false"));
    assert!(files.text("progress/verify/0002-report.json").unwrap().contains("true"));
    assert!(files.text("progress/plan/0002.json").unwrap().contains("r2-s1"));
}

#[test]
fn a_second_verification_that_fails_ends_the_task() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| {
        let (request, rounds) = asked(seen);
        match rounds {
            _ if request.contains("Phase: verify") => Line::text(r#"{"pass": false, "reasons": ["no"]}"#),
            0 if request.contains("(r2-s") => Line::text("Nothing helps."),
            _ => worker(seen),
        }
    });
    let result = block_on(agent(&model).do_task(files.clone(), spec(), ResultView::Summary)).unwrap();
    assert_eq!(
        (result.status, result.finish_reason),
        (TaskStatus::Finished, Some(FinishReason::VerifyFailed))
    );
    let fails = events(&files).iter().filter(|event| event.starts_with("verify.fail")).count();
    assert_eq!(fails, 2);
}

#[test]
fn an_answer_that_is_no_plan_is_asked_for_again_with_the_reason() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| {
        let (request, _) = asked(seen);
        if request.contains("Phase: plan") && !request.contains("could not be used") {
            return Line::text("I would first think about it.");
        }
        worker(seen)
    });
    let result = block_on(agent(&model).do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let plans: Vec<(&str, StepStatus, &str)> = result
        .steps
        .iter()
        .filter(|step| step.name == "plan")
        .map(|step| (step.id.as_str(), step.status, step.error.as_str()))
        .collect();
    assert_eq!(plans.len(), 2);
    assert_eq!((plans[0].1, plans[1].1), (StepStatus::Failed, StepStatus::Completed));
    assert!(plans[0].2.contains("not a plan"), "{}", plans[0].2);
    // What it answered instead is not lost.
    assert!(files.text("progress/steps/plan-1/output.md").unwrap().contains("think about it"));
}

#[test]
fn a_model_that_fails_pauses_the_task_which_goes_on_where_it_was() {
    let files = workspace();
    let broken = ScriptedModel::by(|_, seen| match asked(seen) {
        (request, 1) if request.contains("(s1)") => {
            Line::failure(glove_wasm::error::ModelErrorKind::Authentication, "the key is wrong")
        }
        _ => worker(seen),
    });
    let result = block_on(agent(&broken).do_task(files.clone(), spec(), ResultView::Summary)).unwrap();
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Paused, Some(FinishReason::Failed)));
    assert_eq!(result.error.unwrap().code, "MODEL_AUTHENTICATION");
    let task = block_on(agent(&working_model()).resume(files.clone())).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let writes = events(&files).iter().filter(|event| *event == "tool.call act-1-s1 fs_write").count();
    assert_eq!(writes, 1, "the tool that had run does not run again");
}

#[test]
fn what_a_person_edits_counts_at_the_next_step() {
    let files = workspace();
    let model = working_model();
    let task = block_on(agent(&model).start_task(files.clone(), spec())).unwrap();
    for _ in 0..2 {
        block_on(task.step_once()).unwrap();
    }
    // Step s1 is ticked off by hand, s3 is added to the plan, and something is noted.
    let todo = files.text("progress/todo.md").unwrap().replace("- [ ] s1", "- [x] s1");
    files.put("progress/todo.md", format!("{todo}- [ ] call Ada\n")).unwrap();
    let plan =
        r#"{"steps": [{"id": "s1", "title": "Write one"}, {"id": "s2", "title": "Write 2"}], "by": "Ada"}"#;
    files.put("progress/plan/current.json", plan).unwrap();
    files.put("progress/notes.md", "# Notes\n\nAda: keep it short.\n").unwrap();
    let result = block_on(task.step_once()).unwrap();
    assert_eq!(result.steps.last().unwrap().id, "act-1-s2");
    let seen = model.seen();
    let read = &seen.last().unwrap().messages[0].text;
    assert!(
        read.contains("Ada: keep it short.") && read.contains("call Ada") && read.contains("Write 2"),
        "{read}"
    );
    assert_eq!(files.text("progress/plan/0002.json").unwrap(), plan);
    assert_eq!(files.text("progress/plan/current.json").unwrap(), plan, "what a person wrote stays as it is");
    assert!(events(&files).contains(&"plan.edited  version 2".to_owned()));
    assert!(
        files.text("progress/notes.md").unwrap().starts_with("# Notes\n\nAda: keep it short.\n- act-1-s2")
    );
}

#[test]
fn the_stop_file_stops_a_task_until_it_is_gone() {
    let files = workspace();
    let agent = agent(&working_model());
    let task = block_on(agent.start_task(files.clone(), spec())).unwrap();
    block_on(task.step_once()).unwrap();
    files.put("progress/STOP", "enough for today").unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Paused, Some(FinishReason::Stopped)));
    assert!(events(&files).contains(&"task.stop  enough for today".to_owned()));
    let before = events(&files).len();
    block_on(task.run(FULL)).unwrap();
    assert_eq!(events(&files).len(), before, "a task that is stopped says so once");
    files.remove("progress/STOP");
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
}

#[test]
fn pushed_context_is_read_by_the_next_step() {
    let files = workspace();
    let model = working_model();
    let task = block_on(agent(&model).start_task(files.clone(), spec())).unwrap();
    block_on(task.push_context("The customer is in Oslo.")).unwrap();
    block_on(task.step_once()).unwrap();
    assert!(model.seen()[0].messages[0].text.contains("The customer is in Oslo."));
    assert!(events(&files).contains(&"context.pushed".to_owned()));
}

#[test]
fn listeners_hear_each_event_once_it_is_in_the_journal() {
    let files = workspace();
    let task = block_on(agent(&working_model()).start_task(files.clone(), spec())).unwrap();
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let (list, journal) = (heard.clone(), files);
    task.subscribe_events(move |event| {
        assert!(journal.text("progress/events.ndjson").unwrap().contains(&event.id));
        list.lock().unwrap().push(event.id.clone());
    });
    block_on(task.run(FULL)).unwrap();
    // The first was before anybody listened.
    let expected: Vec<String> = (2..=20).map(|number| format!("ev_{number:06}")).collect();
    assert_eq!(*heard.lock().unwrap(), expected);
}

/// Files that take a while to be written.
#[derive(Clone)]
struct Slow(MemoryWorkspace);

async fn a_while() {
    for _ in 0..3 {
        let mut waits = true;
        poll_fn(|context| match std::mem::take(&mut waits) {
            true => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            false => Poll::Ready(()),
        })
        .await;
    }
}

impl Workspace for Slow {
    fn read(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Option<Vec<u8>>, TaskError>> {
        self.0.read(path)
    }

    fn write(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        let (files, path) = (self.0.clone(), path.clone());
        Box::pin(async move {
            a_while().await;
            files.write(&path, content).await
        })
    }

    fn swap(
        &self,
        path: &WorkspacePath,
        before: Option<Vec<u8>>,
        content: Vec<u8>,
    ) -> BoxFuture<'static, Result<bool, TaskError>> {
        let (files, path) = (self.0.clone(), path.clone());
        Box::pin(async move {
            a_while().await;
            files.swap(&path, before, content).await
        })
    }

    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        let (files, path) = (self.0.clone(), path.clone());
        Box::pin(async move {
            a_while().await;
            files.append(&path, content).await
        })
    }

    fn list(&self, folder: &WorkspacePath) -> BoxFuture<'static, Result<Vec<Entry>, TaskError>> {
        self.0.list(folder)
    }

    fn lease(&self) -> BoxFuture<'static, Result<Lease, TaskError>> {
        self.0.lease()
    }
}

#[test]
fn what_is_pushed_while_the_task_writes_is_in_the_journal_and_told_once() {
    let files = workspace();
    let task = block_on(agent(&working_model()).start_task(Slow(files.clone()), spec())).unwrap();
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let list = heard.clone();
    task.subscribe_events(move |event| list.lock().unwrap().push(event.id.clone()));
    let pushes = async {
        let mut pushed = 0;
        while pushed < 30 && task.push_context(format!("Note {pushed}.")).await.is_ok() {
            pushed += 1;
        }
        pushed
    };
    let (result, pushed) = block_on(join(task.run(FULL), pushes));
    assert_eq!(result.unwrap().finish_reason, Some(FinishReason::Completed));
    assert!(pushed > 5, "{pushed}");
    let told = events(&files);
    assert_eq!(told.iter().filter(|event| *event == "context.pushed").count(), pushed);
    let expected: Vec<String> = (2..=told.len()).map(|number| format!("ev_{number:06}")).collect();
    assert_eq!(*heard.lock().unwrap(), expected);
    let written = Journal::read(&files.text("progress/events.ndjson").unwrap()).events;
    assert!(written.windows(2).all(|two| two[0].number() + 1 == two[1].number()));
}
