//! The examples of tasks, played natively and over the native server: the events that Node, pages and the other server have, too.

use glove_wasm_task::runtime::{MemoryWorkspace, RunOptions, TaskAgent};
use glove_wasm_task::{FinishReason, Journal, ResultView, TaskSpec};

use crate::support::task_examples::{Example, examples};
use crate::support::wait::block_on;

fn agent(example: &Example) -> TaskAgent {
    TaskAgent::builder(example.model())
        .id("researcher")
        .approvals(example.policy())
        .poll_ms(5)
        .build()
        .unwrap()
}

#[test]
fn the_examples_give_their_events_natively() {
    for example in examples() {
        let mut files = MemoryWorkspace::new();
        for (path, text) in &example.files {
            files = files.with(path, text.as_str()).unwrap();
        }
        let spec = TaskSpec { id: Some("task".to_owned()), ..TaskSpec::new(&example.goal) };
        let task = block_on(agent(&example).start_task(files.clone(), spec)).unwrap();
        let leave = || RunOptions { view: ResultView::Full, leave_when_waiting: true };
        let mut result = block_on(task.run(leave())).unwrap();
        for decided in &example.decisions {
            let request = result.approvals[0].id.clone();
            match decided.decision.as_str() {
                "approved" => block_on(task.approve(&request, "ada")).unwrap(),
                _ => block_on(task.deny(&request, "ada", decided.reason.as_deref())).unwrap(),
            }
            result = block_on(task.run(leave())).unwrap();
        }
        assert_eq!(result.finish_reason, Some(FinishReason::Completed), "{}", example.name);
        let journal = Journal::read(&files.text("progress/events.ndjson").unwrap());
        example.expect_events(&journal.events, "task");
        for (path, text) in &example.artifacts {
            assert_eq!(files.text(path).as_ref(), Some(text), "{path}");
        }
    }
}
