//! Bad input: a sentence with a code, and nothing lost.

use crate::support::wait::block_on;
use futures_util::FutureExt;
use glove_wasm_task::runtime::{MemoryWorkspace, RunOptions, TaskAgent, TaskAgentBuilder};
use glove_wasm_task::{FinishReason, LONGEST_GOAL, ResultView, TaskSpec, TaskStatus};

use super::{agent, builder, events, plain_tool, spec, working_model, workspace};

const FULL: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: false };

fn refusal(agent: &TaskAgent, files: MemoryWorkspace, spec: TaskSpec) -> String {
    let error = block_on(agent.start_task(files, spec)).unwrap_err();
    assert!(!error.message.is_empty());
    error.code().to_owned()
}

#[test]
fn goals_that_nobody_could_work_for_are_refused() {
    let agent = agent(&working_model());
    for goal in [String::new(), " \n".to_owned(), "x".repeat(1_000_000), "x".repeat(LONGEST_GOAL + 1)] {
        let files = workspace();
        assert_eq!(refusal(&agent, files.clone(), TaskSpec::new(goal)), "TASK_GOAL_INVALID");
        assert_eq!(files.files().len(), 1, "nothing was written");
    }
    block_on(agent.start_task(workspace(), TaskSpec::new("x".repeat(LONGEST_GOAL)))).unwrap();
}

#[test]
fn a_workspace_has_one_task_and_one_runner() {
    let agent = agent(&working_model());
    let files = workspace();
    assert_eq!(block_on(agent.resume(files.clone())).unwrap_err().code(), "TASK_MISSING");
    let task = block_on(agent.start_task(files.clone(), spec())).unwrap();
    assert_eq!(block_on(agent.resume(files.clone())).unwrap_err().code(), "TASK_IN_USE");
    drop(task);
    assert_eq!(refusal(&agent, files.clone(), spec()), "TASK_EXISTS");
    block_on(agent.resume(files.clone())).unwrap();
    // A runner that died between its two files left only the state before.
    let before = workspace();
    let state = files.files().into_iter().find(|(path, _)| path == "progress/state.json").unwrap();
    before.put("progress/state.previous.json", String::from_utf8(state.1).unwrap().as_str()).unwrap();
    assert_eq!(refusal(&agent, before.clone(), spec()), "TASK_EXISTS");
    block_on(agent.resume(before)).unwrap();
}

#[test]
fn one_handle_runs_once_at_a_time() {
    let task = block_on(agent(&working_model()).start_task(workspace(), spec())).unwrap();
    let other = task.clone();
    task.subscribe_events(move |_| {
        assert_eq!(other.step_once().now_or_never().unwrap().unwrap_err().code(), "TASK_BUSY");
    });
    block_on(task.run(FULL)).unwrap();
}

#[test]
fn a_state_cannot_name_files_outside_of_its_workspace() {
    let agent = agent(&working_model());
    for (honest, forged) in [
        ("\"outgoing\": []", "\"outgoing\": [{\"path\": \"../../escaped\", \"content\": \"x\"}]"),
        ("\"task_id\": \"t1\"", "\"task_id\": \"t1\", \"output_ref\": \"../../secret\""),
        ("\"id\": \"gather-1\"", "\"id\": \"../../../gather-1\""),
    ] {
        let files = workspace();
        let task = block_on(agent.start_task(files.clone(), spec())).unwrap();
        block_on(task.step_once()).unwrap();
        drop(task);
        let state = files.files().into_iter().find(|(path, _)| path == "progress/state.json").unwrap();
        let state = String::from_utf8(state.1).unwrap();
        assert!(state.contains(honest), "{honest}: {state}");
        let forgery = state.replace(honest, forged);
        for path in ["progress/state.json", "progress/state.previous.json"] {
            files.put(path, forgery.as_str()).unwrap();
        }
        assert_eq!(block_on(agent.resume(files)).unwrap_err().code(), "TASK_STATE_BROKEN", "{forged}");
    }
}

#[test]
fn a_broken_state_gives_way_to_the_one_before_it_and_is_kept() {
    let agent = agent(&working_model());
    for broken in ["", "{", "[]", "{\"version\": 1}", "{\"version\": 1, \"task_id\": 7}"] {
        let files = workspace();
        let task = block_on(agent.start_task(files.clone(), spec())).unwrap();
        for _ in 0..3 {
            block_on(task.step_once()).unwrap();
        }
        drop(task);
        files.put("progress/state.json", broken).unwrap();
        let task = block_on(agent.resume(files.clone())).unwrap();
        let result = block_on(task.run(FULL)).unwrap();
        assert_eq!(
            (result.finish_reason, result.steps.len()),
            (Some(FinishReason::Completed), 5),
            "{broken}"
        );
        assert!(
            result.warnings[0].contains("could not be read and is kept as progress/recovered/state-"),
            "{:?}",
            result.warnings
        );
        let kept = files
            .files()
            .into_iter()
            .find(|(path, _)| path.starts_with("progress/recovered/state-"))
            .unwrap();
        assert_eq!(String::from_utf8(kept.1).unwrap(), broken);
    }
}

#[test]
fn a_broken_state_without_one_before_it_is_refused_and_stays() {
    let files = workspace();
    files.put("progress/state.json", "{").unwrap();
    let error = block_on(agent(&working_model()).resume(files.clone())).unwrap_err();
    assert_eq!(error.code(), "TASK_STATE_BROKEN");
    assert_eq!(files.text("progress/state.json").unwrap(), "{");
    files.put("progress/state.json", "{\"version\": 99}").unwrap();
    let error = block_on(agent(&working_model()).resume(files)).unwrap_err();
    assert_eq!(error.code(), "TASK_STATE_NEWER");
}

#[test]
fn a_plan_that_a_person_broke_pauses_the_task_until_it_is_whole_again() {
    let files = workspace();
    let task = block_on(agent(&working_model()).start_task(files.clone(), spec())).unwrap();
    for _ in 0..2 {
        block_on(task.step_once()).unwrap();
    }
    let good = files.text("progress/plan/current.json").unwrap();
    let twice = r#"{"steps": [{"id": "a", "title": "x"}, {"id": "A", "title": "y"}]}"#;
    for broken in [
        "",
        "{",
        "{\"steps\": []}",
        "{\"steps\": [{\"id\": \"s1\"}]}",
        twice,
        "{\"steps\": [{\"title\": \" \"}]}",
    ] {
        files.put("progress/plan/current.json", broken).unwrap();
        let result = block_on(task.run(FULL)).unwrap();
        assert_eq!(
            (result.status, result.finish_reason),
            (TaskStatus::Paused, Some(FinishReason::Failed)),
            "{broken}"
        );
        assert_eq!(result.error.unwrap().code, "TASK_PLAN_INVALID");
        assert_eq!(files.text("progress/plan/current.json").unwrap(), broken, "it stays for its author");
    }
    files.put("progress/plan/current.json", good.clone()).unwrap();
    assert_eq!(block_on(task.run(FULL)).unwrap().finish_reason, Some(FinishReason::Completed));
    // One that is gone comes back.
    let files = workspace();
    let task = block_on(agent(&working_model()).start_task(files.clone(), spec())).unwrap();
    for _ in 0..2 {
        block_on(task.step_once()).unwrap();
    }
    files.remove("progress/plan/current.json");
    block_on(task.step_once()).unwrap();
    assert_eq!(files.text("progress/plan/current.json").unwrap(), good);
}

#[test]
fn seeds_that_cannot_be_read_pause_the_task() {
    let files =
        workspace().with("task/history.jsonl", "{\"sender\":\"user\",\"text\":\"a\"}\nnot json\n").unwrap();
    let result = block_on(agent(&working_model()).do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    let error = result.error.unwrap();
    assert_eq!(error.code, "TASK_HISTORY_INVALID");
    assert!(error.message.contains("line 2 of task/history.jsonl"), "{}", error.message);
    files.remove("task/history.jsonl");
    let task = block_on(agent(&working_model()).resume(files)).unwrap();
    assert_eq!(block_on(task.run(FULL)).unwrap().finish_reason, Some(FinishReason::Completed));
}

#[test]
fn files_that_are_deleted_or_no_text_do_not_stop_a_task() {
    let files = workspace().with("task/picture.png", vec![0xff, 0xfe, 0, 1]).unwrap();
    let task = block_on(agent(&working_model()).start_task(files.clone(), spec())).unwrap();
    block_on(task.step_once()).unwrap();
    for path in ["progress/notes.md", "progress/todo.md", "progress/findings.md", "progress/events.ndjson"] {
        assert!(files.remove(path), "{path}");
    }
    files.put("progress/notes.md", vec![0xff, 0xfe]).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
}

#[test]
fn a_finished_task_stays_finished() {
    let files = workspace();
    let agent = agent(&working_model());
    block_on(agent.do_task(files.clone(), spec(), ResultView::Minimal)).unwrap();
    let before = events(&files);
    let task = block_on(agent.resume(files.clone())).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!((result.status, result.steps.len()), (TaskStatus::Finished, 5));
    assert_eq!(block_on(task.push_context("more")).unwrap_err().code(), "TASK_FINISHED");
    assert_eq!(events(&files), before);
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let twice = |builder: TaskAgentBuilder| builder.build().unwrap_err().code();
    assert_eq!(twice(builder(&working_model()).tool(plain_tool("FS_write"))), "TASK_CONFIG_INVALID");
    assert_eq!(
        twice(builder(&working_model()).tool(plain_tool("a")).tool(plain_tool("A"))),
        "TASK_CONFIG_INVALID"
    );
}
