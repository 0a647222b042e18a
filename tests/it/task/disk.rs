//! A task in a folder on a disk that is full or read-only: a sentence with a code, nothing lost, and it goes on when there is space.

use std::fs;

use crate::support::wait::block_on;
use glove_wasm_native::TaskFolder;
use glove_wasm_task::layout::WorkspacePath;
use glove_wasm_task::runtime::{RunOptions, Workspace};
use glove_wasm_task::{ApprovalPolicy, FinishReason, Journal, ResultView, TaskSpec};

use super::{agent, spec, working_model};
use crate::support::disk::Disk;

const FULL: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: false };

fn automatic() -> TaskSpec {
    spec().approvals(ApprovalPolicy::automatic())
}

#[test]
fn a_full_disk_at_any_step_loses_nothing_of_a_task() {
    for steps in 0..5 {
        let Some(disk) = Disk::new("size=1m") else { return };
        fs::create_dir(disk.file("task")).unwrap();
        fs::write(disk.file("task/brief.md"), super::BRIEF).unwrap();
        let folder = TaskFolder::open(disk.path()).unwrap();
        let agent = agent(&working_model());
        let task = block_on(agent.start_task(folder.clone(), automatic())).unwrap();
        for _ in 0..steps {
            block_on(task.step_once()).unwrap();
        }
        let ballast = disk.fill();
        let error = block_on(task.run(FULL)).unwrap_err();
        assert_eq!(error.code(), "TASK_WORKSPACE_FAILED", "{error}");
        assert!(error.message.contains("No space left"), "{error}");
        fs::remove_file(ballast).unwrap();
        drop(task);
        let task = block_on(agent.resume(folder)).unwrap();
        let result = block_on(task.run(FULL)).unwrap();
        assert_eq!(result.finish_reason, Some(FinishReason::Completed), "after {steps} steps");
        for name in ["one", "two"] {
            let written = fs::read_to_string(disk.file(&format!("progress/artifacts/{name}.md"))).unwrap();
            assert_eq!(written, format!("# {name}\n"));
        }
        let journal = Journal::read(&fs::read_to_string(disk.file("progress/events.ndjson")).unwrap());
        assert_eq!(journal.broken, "");
        assert!(journal.events.windows(2).all(|two| two[0].number() + 1 == two[1].number()));
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_said_to_be_and_its_task_goes_on_afterwards() {
    let Some(disk) = Disk::new("size=1m") else { return };
    let folder = TaskFolder::open(disk.path()).unwrap();
    let agent = agent(&working_model());
    let task = block_on(agent.start_task(folder.clone(), automatic())).unwrap();
    drop(task);
    disk.remount("ro");
    let error = block_on(agent.resume(folder.clone())).map(drop).unwrap_err();
    assert!(error.message.contains("Read-only file system"), "{error}");
    let empty = TaskFolder::open(disk.file("new")).map(drop).unwrap_err();
    assert!(empty.message.contains("Read-only file system"), "{empty}");
    disk.remount("rw");
    block_on(agent.resume(folder)).unwrap();
}

#[test]
fn a_line_that_a_full_disk_cuts_off_is_taken_back_before_the_next_one() {
    let Some(disk) = Disk::new("size=1m") else { return };
    let folder = TaskFolder::open(disk.path()).unwrap();
    let path = WorkspacePath::parse("progress/events.ndjson").unwrap();
    let append = |line: String| block_on(folder.append(&path, line.into_bytes()));
    append("one\n".to_owned()).unwrap();
    let ballast = disk.fill();
    // The first piece of it still fits where the file ends.
    let error = append(format!("{}\n", "x".repeat(10_000))).unwrap_err();
    assert!(error.message.contains("No space left"), "{error}");
    fs::remove_file(ballast).unwrap();
    append("two\n".to_owned()).unwrap();
    assert_eq!(fs::read_to_string(disk.file("progress/events.ndjson")).unwrap(), "one\ntwo\n");
}
