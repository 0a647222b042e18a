//! Stopping: nothing begins after a stop, and nobody waits for a model or a function that says nothing.

use std::time::{Duration, Instant};

use crate::support::wait::block_on;
use futures_util::future::join;
use glove_wasm::ports::{Clock, Tool, ToolContext};
use glove_wasm::system::SystemClock;
use glove_wasm::testing::{Gate, Line, ScriptedModel};
use glove_wasm_task::runtime::{MemoryWorkspace, RunOptions, TaskHandle};
use glove_wasm_task::{Budgets, FinishReason, ResultView, TaskResult, TaskStatus};
use serde_json::{Value, json};

use super::{agent, asked, builder, events, spec, worker, working_model, workspace};

const FULL: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: false };

fn stop(files: &MemoryWorkspace) {
    files.put("progress/STOP", "enough").unwrap();
}

fn run(task: &TaskHandle) -> TaskResult {
    block_on(task.run(FULL)).unwrap()
}

fn is_stopped(result: &TaskResult) -> bool {
    (result.status, result.finish_reason) == (TaskStatus::Paused, Some(FinishReason::Stopped))
}

#[test]
fn no_tool_runs_when_the_stop_file_came_while_the_model_answered() {
    let files = workspace();
    let inner = files.clone();
    let model = ScriptedModel::by(move |_, seen| {
        if let (request, 0) = asked(seen)
            && request.contains("(s1)")
        {
            stop(&inner);
        }
        worker(seen)
    });
    let task = block_on(agent(&model).start_task(files.clone(), spec())).unwrap();
    assert!(is_stopped(&run(&task)));
    assert_eq!(files.text("progress/artifacts/one.md"), None);
    let calls = model.calls();
    files.remove("progress/STOP");
    assert_eq!(run(&task).finish_reason, Some(FinishReason::Completed));
    assert!(files.text("progress/artifacts/one.md").is_some(), "the answer that was there counts");
    assert_eq!(calls + 4, model.calls(), "no call was made again");
}

#[test]
fn the_model_is_not_asked_again_when_the_stop_file_came_while_a_tool_ran() {
    for several in [false, true] {
        let files = workspace();
        let inner = files.clone();
        let stops = move |_: Value, _: ToolContext| {
            stop(&inner);
            std::future::ready("done")
        };
        let stops = Tool::new("stops", "Stops", json!({ "type": "object" }), stops);
        let model = ScriptedModel::by(move |_, seen| match asked(seen) {
            (request, 0) if request.contains("(s1)") => {
                let first = Line::call("stops", "c1", json!({}));
                let second = json!({ "path": "progress/artifacts/late.md", "content": "late" });
                if several { first.and_call("fs_write", "c2", second) } else { first }
            }
            _ => worker(seen),
        });
        let agent = builder(&model).tool(stops).build().unwrap();
        let task = block_on(agent.start_task(files.clone(), spec())).unwrap();
        assert!(is_stopped(&run(&task)));
        assert_eq!(model.calls(), 4, "gather twice, plan, act once");
        assert_eq!(files.text("progress/artifacts/late.md"), None, "a call that is queued does not begin");
        files.remove("progress/STOP");
        assert_eq!(run(&task).finish_reason, Some(FinishReason::Completed));
        assert_eq!(files.text("progress/artifacts/late.md").is_some(), several);
    }
}

#[test]
fn a_model_that_says_nothing_does_not_hold_a_stop() {
    let (files, gate) = (workspace(), Gate::new());
    let held = gate.clone();
    let model = ScriptedModel::by(move |_, seen| match asked(seen) {
        (request, 1) if request.contains("(s1)") && !held.was_reached() => worker(seen).after_gate(&held),
        _ => worker(seen),
    });
    let agent = builder(&model).clock(SystemClock).poll_ms(10).stop_grace_ms(40).build().unwrap();
    let task = block_on(agent.start_task(files.clone(), spec())).unwrap();
    let began = Instant::now();
    let (result, ()) = block_on(join(task.run(FULL), async {
        gate.reached().await;
        task.stop();
    }));
    assert!(is_stopped(&result.unwrap()));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(files.text("progress/artifacts/one.md").is_some(), "what was written is there");
    let (calls, before) = (model.calls(), events(&files));
    assert_eq!(run(&task).finish_reason, Some(FinishReason::Completed));
    assert_eq!(model.calls(), calls + 4, "the call that was dropped is made again, and no other");
    let writes = events(&files).iter().filter(|event| event.starts_with("tool.call act-1-s1")).count();
    assert_eq!((writes, &events(&files)[..before.len()]), (1, &before[..]), "no tool ran twice");
}

#[test]
fn a_model_that_says_nothing_does_not_hold_a_task_whose_time_is_used_up() {
    let model = ScriptedModel::by(move |_, seen| match asked(seen) {
        (request, _) if request.contains("Phase: gather") => worker(seen).after_gate(&Gate::new()),
        _ => worker(seen),
    });
    let agent = builder(&model).clock(SystemClock).poll_ms(5).stop_grace_ms(20).build().unwrap();
    let budgets = Budgets { max_wall_clock_ms: Some(50), ..Budgets::default() };
    let result = block_on(agent.do_task(workspace(), spec().budgets(budgets), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::BudgetWallClock));
}

#[test]
fn a_function_that_does_not_end_does_not_hold_a_stop() {
    let began = Gate::new();
    let inner = began.clone();
    let agent = builder(&working_model())
        .clock(SystemClock)
        .poll_ms(10)
        .stop_grace_ms(30)
        .phase("gather", move |_| {
            let (first, gate) = (!inner.was_reached(), inner.clone());
            async move {
                if first {
                    gate.pass().await;
                }
                Ok::<_, std::io::Error>("found".to_owned())
            }
        })
        .build()
        .unwrap();
    let task = block_on(agent.start_task(workspace(), spec())).unwrap();
    let (result, ()) = block_on(join(task.run(FULL), async {
        began.reached().await;
        task.stop();
    }));
    assert!(is_stopped(&result.unwrap()));
    assert_eq!(run(&task).finish_reason, Some(FinishReason::Completed));
}

#[test]
fn a_model_that_still_answers_is_waited_for() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = ScriptedModel::by(move |_, seen| match asked(seen) {
        (request, 1) if request.contains("(s1)") => worker(seen).after_gate(&held),
        _ => worker(seen),
    });
    let agent = builder(&model).clock(SystemClock).poll_ms(5).stop_grace_ms(60_000).build().unwrap();
    let task = block_on(agent.start_task(workspace(), spec())).unwrap();
    let (result, ()) = block_on(join(task.run(FULL), async {
        gate.reached().await;
        task.stop();
        Clock::sleep(&SystemClock, 60).await;
        gate.open();
    }));
    let result = result.unwrap();
    // The answer ends the step, and the stop comes before the next one.
    assert!(is_stopped(&result));
    assert_eq!(result.steps.last().map(|step| step.id.as_str()), Some("act-1-s1"));
}
