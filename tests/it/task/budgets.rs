//! What a task may use: steps, time, rounds of tools, steps without progress, and the share that is kept for the verification.

use std::time::Duration;

use futures_executor::block_on;
use futures_util::future::join;
use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::task::{Budgets, DefaultLoop, FinishReason, ResultView, StepStatus, TaskStatus};
use glove_wasm::task_runtime::RunOptions;
use glove_wasm::testing::{FakeClock, Gate, Line, ScriptedModel};
use serde_json::{Value, json};

use super::{NOON, agent, asked, at, builder, events, spec, worker, working_model, workspace};

const FULL: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: false };

fn steps(result: &glove_wasm::task::TaskResult) -> Vec<&str> {
    result.steps.iter().map(|step| step.id.as_str()).collect()
}

#[test]
fn the_last_steps_are_kept_for_the_verification() {
    let files = workspace();
    // Four steps, of which one is the share.
    let budgets = Budgets { max_steps: 4, ..Budgets::default() };
    let result =
        block_on(agent(&working_model()).do_task(files.clone(), spec().budgets(budgets), ResultView::Full))
            .unwrap();
    assert_eq!(steps(&result), ["gather-1", "plan-1", "act-1-s1", "verify-1"]);
    assert_eq!(result.finish_reason, Some(FinishReason::Completed), "what is there was verified");
    assert!(events(&files).iter().any(|event| event.starts_with("budget.hit")));
}

#[test]
fn a_task_without_steps_left_pauses_and_goes_on_with_more() {
    let files = workspace();
    let budgets = Budgets { max_steps: 2, verify_percent: 0, ..Budgets::default() };
    let task = block_on(agent(&working_model()).start_task(files, spec().budgets(budgets.clone()))).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(steps(&result), ["gather-1", "plan-1"]);
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Paused, Some(FinishReason::BudgetSteps)));
    block_on(task.set_budgets(Budgets { max_steps: 50, ..budgets })).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!((result.steps.len(), result.finish_reason), (5, Some(FinishReason::Completed)));
}

#[test]
fn time_is_never_passed_by_more_than_the_call_in_flight() {
    let files = workspace();
    let clock = FakeClock::at(NOON);
    let slow = clock.clone();
    // Each answer takes ten seconds.
    let model = ScriptedModel::by(move |_, seen| {
        slow.advance(10_000);
        worker(seen)
    });
    let budgets = Budgets { max_wall_clock_ms: Some(60_000), ..Budgets::default() };
    let result = block_on(at(&model, clock).build().unwrap().do_task(
        files,
        spec().budgets(budgets),
        ResultView::Full,
    ))
    .unwrap();
    // 48 seconds for everything else, and then the verification.
    assert_eq!(steps(&result), ["gather-1", "plan-1", "act-1-s1", "verify-1"]);
    assert!(model.calls() <= 6, "{} calls of ten seconds", model.calls());
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
}

#[test]
fn a_task_whose_time_is_used_up_pauses() {
    let files = workspace();
    let clock = FakeClock::at(NOON);
    let slow = clock.clone();
    let model = ScriptedModel::by(move |_, seen| {
        slow.advance(10_000);
        worker(seen)
    });
    let budgets = Budgets { max_wall_clock_ms: Some(25_000), verify_percent: 0, ..Budgets::default() };
    let task =
        block_on(at(&model, clock).build().unwrap().start_task(files, spec().budgets(budgets.clone())))
            .unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(
        (result.status, result.finish_reason),
        (TaskStatus::Paused, Some(FinishReason::BudgetWallClock))
    );
    assert_eq!(model.calls(), 3);
    block_on(task.set_budgets(Budgets { max_wall_clock_ms: None, ..budgets })).unwrap();
    assert_eq!(block_on(task.run(FULL)).unwrap().finish_reason, Some(FinishReason::Completed));
}

#[test]
fn a_model_that_calls_tools_without_end_fails_its_step() {
    let files = workspace();
    let model = ScriptedModel::by(|number, seen| match asked(seen).0 {
        request if request.contains("(s1)") => {
            Line::call("json_validate", &format!("c{number}"), json!({ "text": number.to_string() }))
        }
        _ => worker(seen),
    });
    let budgets = Budgets { max_consecutive_tool_steps: 5, ..Budgets::default() };
    let result =
        block_on(agent(&model).do_task(files.clone(), spec().budgets(budgets), ResultView::Full)).unwrap();
    let step = &result.steps[2];
    assert_eq!((step.id.as_str(), step.status, step.tool_calls.len()), ("act-1-s1", StepStatus::Failed, 6));
    assert!(step.error.contains("max_consecutive_tool_steps"), "{}", step.error);
    assert!(files.text("progress/todo.md").unwrap().contains("- [ ] s1"), "it is not done");
}

#[test]
fn steps_that_fail_one_after_another_pause_the_task() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| match asked(seen).0 {
        request if request.contains("Phase: plan") => Line::text("no"),
        _ => worker(seen),
    });
    let budgets = Budgets { max_steps_without_progress: 2, ..Budgets::default() };
    let task = block_on(agent(&model).start_task(files, spec().budgets(budgets))).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(
        (result.status, result.finish_reason),
        (TaskStatus::Paused, Some(FinishReason::BudgetNoProgress))
    );
    assert_eq!(steps(&result), ["gather-1", "plan-1", "plan-2"]);
}

#[test]
fn a_tool_that_takes_too_long_is_stopped_and_the_model_hears_so() {
    let files = workspace();
    let clock = FakeClock::at(NOON);
    let inner = clock.clone();
    let stuck =
        Tool::new("stuck", "Takes for ever", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
            let clock = inner.clone();
            async move {
                // Somebody lets the time pass once it runs.
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(20));
                    clock.advance(5_000);
                });
                std::future::pending::<String>().await
            }
        });
    let model = ScriptedModel::by(|_, seen| match asked(seen) {
        (request, 0) if request.contains("(s1)") => Line::call("stuck", "c1", json!({})),
        _ => worker(seen),
    });
    let budgets = Budgets { step_tool_timeout_ms: Some(5_000), ..Budgets::default() };
    let agent = at(&model, clock).tool(stuck).build().unwrap();
    let result = block_on(agent.do_task(files, spec().budgets(budgets), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let call = &result.steps[2].tool_calls[0];
    assert_eq!((call.tool.as_str(), call.status.as_str()), ("stuck", "error"));
}

#[test]
fn a_task_is_stopped_after_the_call_in_flight_and_goes_on_in_the_middle_of_its_step() {
    let files = workspace();
    let gate = Gate::new();
    let held = gate.clone();
    let model = ScriptedModel::by(move |_, seen| match asked(seen) {
        (request, 0) if request.contains("(s1)") => worker(seen).after_gate(&held),
        _ => worker(seen),
    });
    let task = block_on(agent(&model).start_task(files.clone(), spec())).unwrap();
    let (result, ()) = block_on(join(task.run(FULL), async {
        gate.reached().await;
        task.stop();
        // The model answers only now.
        glove_wasm::ports::Clock::sleep(&glove_wasm::native::SystemClock, 20).await;
        gate.open();
    }));
    let result = result.unwrap();
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Paused, Some(FinishReason::Stopped)));
    assert_eq!(files.text("progress/artifacts/one.md"), None, "no tool runs after the stop");
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    assert!(files.text("progress/artifacts/one.md").is_some());
    let asked_twice = model.seen().iter().filter(|seen| asked(seen) == asked(&model.seen()[3])).count();
    assert_eq!(asked_twice, 1, "the answer that was in flight counts");
}

#[test]
fn a_function_that_takes_too_long_ends_with_the_time_of_the_task() {
    let files = workspace();
    let clock = FakeClock::at(NOON);
    let ticking = clock.clone();
    let agent = at(&working_model(), clock)
        .task_loop(DefaultLoop::new())
        .phase("gather", move |_| {
            let clock = ticking.clone();
            async move {
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(20));
                    clock.advance(100_000);
                });
                std::future::pending::<Result<String, std::io::Error>>().await
            }
        })
        .build()
        .unwrap();
    let budgets = Budgets { max_wall_clock_ms: Some(50_000), ..Budgets::default() };
    let result = block_on(agent.do_task(files, spec().budgets(budgets), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::BudgetWallClock));
    assert_eq!((result.steps.len(), result.steps[0].status), (1, StepStatus::Failed));
}

#[test]
fn budgets_that_cannot_hold_are_refused() {
    let budgets = Budgets { verify_percent: 95, ..Budgets::default() };
    let error =
        block_on(builder(&working_model()).build().unwrap().start_task(workspace(), spec().budgets(budgets)))
            .unwrap_err();
    assert_eq!(error.code(), "TASK_CONFIG_INVALID");
}
