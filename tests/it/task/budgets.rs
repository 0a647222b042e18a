//! What a task may use: steps, time, rounds of tools, steps without progress, and the share that is kept for the verification.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::wait::block_on;
use futures_util::future::join;
use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::testing::{FakeClock, Gate, Line, ScriptedModel};
use glove_wasm_task::runtime::RunOptions;
use glove_wasm_task::{Budgets, DefaultLoop, FinishReason, ResultView, StepStatus, TaskStatus};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{NOON, agent, asked, at, builder, events, plan, spec, worker, working_model, workspace};

const FULL: RunOptions = RunOptions { view: ResultView::Full, leave_when_waiting: false };

fn steps(result: &glove_wasm_task::TaskResult) -> Vec<&str> {
    result.steps.iter().map(|step| step.id.as_str()).collect()
}

#[test]
fn the_last_steps_are_kept_for_the_verification_and_the_task_goes_on_with_more() {
    let files = workspace();
    // Four steps, of which one is the share.
    let budgets = Budgets { max_steps: 4, ..Budgets::default() };
    let task =
        block_on(agent(&working_model()).start_task(files.clone(), spec().budgets(budgets.clone()))).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    let some = ["gather-1", "plan-1", "act-1-s1", "verify-1"];
    let ended = (TaskStatus::Paused, Some(FinishReason::BudgetSteps));
    assert_eq!(steps(&result), some);
    assert_eq!((result.status, result.finish_reason), ended, "its budget ended it, whatever is verified");
    assert!(result.verdict.unwrap().pass, "what is there was verified");
    let hits =
        || events(&files).into_iter().filter(|event| event.starts_with("budget.hit")).collect::<Vec<_>>();
    assert_eq!(hits().len(), 2);
    assert!(hits()[1].contains("the verification of what is there passed"), "{:?}", hits());
    // With as much as before it is where it was; so it is in another process.
    block_on(task.set_budgets(budgets.clone())).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!((steps(&result), result.status, result.finish_reason), (some.to_vec(), ended.0, ended.1));
    drop(task);
    let task = block_on(agent(&working_model()).resume(files.clone())).unwrap();
    block_on(task.set_budgets(Budgets { max_steps: 50, ..budgets })).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(steps(&result), [&some[..], &["act-1-s2", "verify-2"]].concat());
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Finished, Some(FinishReason::Completed)));
}

#[test]
fn a_task_whose_work_is_done_when_its_share_is_reached_is_completed() {
    let files = workspace();
    // All but the verification is done with the four steps that are not kept for it.
    let budgets = Budgets { max_steps: 5, ..Budgets::default() };
    let result =
        block_on(agent(&working_model()).do_task(files.clone(), spec().budgets(budgets), ResultView::Full))
            .unwrap();
    assert_eq!(steps(&result), ["gather-1", "plan-1", "act-1-s1", "act-1-s2", "verify-1"]);
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Finished, Some(FinishReason::Completed)));
    assert!(events(&files).iter().all(|event| !event.starts_with("budget.hit")));
}

#[test]
fn a_refinement_that_the_budget_left_no_room_for_is_made_with_more() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| match asked(seen).0 {
        request if request.contains("Phase: verify") => {
            Line::text(r#"{"pass": false, "reasons": ["no sources"]}"#)
        }
        _ => worker(seen),
    });
    let budgets = Budgets { max_steps: 6, ..Budgets::default() };
    let task = block_on(agent(&model).start_task(files, spec().budgets(budgets.clone()))).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!((result.status, result.finish_reason), (TaskStatus::Paused, Some(FinishReason::BudgetSteps)));
    assert!(!result.verdict.unwrap().pass);
    block_on(task.set_budgets(Budgets { max_steps: 50, ..budgets })).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(steps(&result)[5], "plan-2");
    assert_eq!(result.status, TaskStatus::Finished);
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
    assert_eq!(
        (result.status, result.finish_reason),
        (TaskStatus::Paused, Some(FinishReason::BudgetWallClock))
    );
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
fn a_tool_does_not_begin_when_the_answer_that_calls_it_has_used_up_the_time() {
    let files = workspace();
    let clock = FakeClock::at(NOON);
    let (slow, runs) = (clock.clone(), Arc::new(Mutex::new(0)));
    let model = ScriptedModel::by(move |_, seen| {
        slow.advance(10_000);
        match asked(seen) {
            (request, 0) if request.contains("(s1)") => Line::call("work", "c1", json!({})),
            _ => worker(seen),
        }
    });
    let counted = Arc::clone(&runs);
    let tool = Tool::new("work", "Works", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
        *counted.lock().unwrap() += 1;
        std::future::ready("worked")
    });
    let budgets = Budgets { max_wall_clock_ms: Some(35_000), verify_percent: 0, ..Budgets::default() };
    let agent = at(&model, clock).tool(tool).build().unwrap();
    let task = block_on(agent.start_task(files, spec().budgets(budgets.clone()))).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(
        (result.status, result.finish_reason),
        (TaskStatus::Paused, Some(FinishReason::BudgetWallClock))
    );
    assert_eq!((model.calls(), *runs.lock().unwrap()), (4, 0));
    // What ran out of time has failed, as the record says, and is done again.
    block_on(task.set_budgets(Budgets { max_wall_clock_ms: None, ..budgets })).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    let step = &result.steps[2];
    assert_eq!((step.id.as_str(), step.status), ("act-1-s1", StepStatus::Failed));
    assert_eq!(step.error, "the time of the task was used up");
    let step = &result.steps[3];
    assert_eq!((step.id.as_str(), step.status), ("act-1-s1-2", StepStatus::Completed));
    assert_eq!(*runs.lock().unwrap(), 1);
}

#[test]
fn a_step_that_runs_out_of_time_ends_no_task_as_completed() {
    let files = workspace();
    let clock = FakeClock::at(NOON);
    let slow = clock.clone();
    let model = ScriptedModel::by(move |_, seen| {
        slow.advance(10_000);
        match asked(seen) {
            (request, _) if request.contains("Phase: plan") => {
                Line::text(r#"{"steps": [{ "id": "s1", "title": "Write one" }]}"#)
            }
            (request, 0) if request.contains("(s1)") => {
                slow.advance(50_000);
                worker(seen)
            }
            _ => worker(seen),
        }
    });
    let budgets = Budgets { max_wall_clock_ms: Some(100_000), ..Budgets::default() };
    let agent = at(&model, clock).build().unwrap();
    let task = block_on(agent.start_task(files, spec().budgets(budgets.clone()))).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(steps(&result), ["gather-1", "plan-1", "act-1-s1", "verify-1"]);
    assert!(result.verdict.unwrap().pass);
    assert_eq!(
        (result.status, result.finish_reason),
        (TaskStatus::Paused, Some(FinishReason::BudgetWallClock))
    );
    block_on(task.set_budgets(Budgets { max_wall_clock_ms: Some(400_000), ..budgets })).unwrap();
    let result = block_on(task.run(FULL)).unwrap();
    assert_eq!(steps(&result)[4..], ["act-1-s1-2", "verify-2"]);
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
}

#[test]
fn a_tool_does_not_begin_when_the_one_before_has_used_up_the_time() {
    let files = workspace();
    let clock = FakeClock::at(NOON);
    let inner = clock.clone();
    let stuck =
        Tool::new("stuck", "Takes for ever", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
            inner.advance(5_000);
            std::future::pending::<String>()
        });
    let runs = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&runs);
    let work = Tool::new("work", "Works", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
        *counted.lock().unwrap() += 1;
        std::future::ready("worked")
    });
    let model = ScriptedModel::by(|_, seen| match asked(seen) {
        (request, 0) if request.contains("(s1)") => {
            Line::call("stuck", "c1", json!({})).and_call("work", "c2", json!({}))
        }
        _ => worker(seen),
    });
    let budgets = Budgets {
        max_wall_clock_ms: Some(5_000),
        step_tool_timeout_ms: Some(5_000),
        verify_percent: 0,
        ..Budgets::default()
    };
    let agent = at(&model, clock).tool(stuck).tool(work).build().unwrap();
    let result = block_on(agent.do_task(files, spec().budgets(budgets), ResultView::Full)).unwrap();
    assert_eq!((result.finish_reason, *runs.lock().unwrap()), (Some(FinishReason::BudgetWallClock), 0));
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
        glove_wasm::ports::Clock::sleep(&glove_wasm::system::SystemClock, 20).await;
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
    ))]

    /// Calls of the model and of a tool take any time, also none; a step makes any number of them, and a verification passes or fails.
    #[test]
    fn no_call_begins_when_its_budget_is_used_up(
        durations in proptest::collection::vec(prop_oneof![Just(0u64), 1..30_000u64, 100_000..200_000u64], 1..12),
        rounds in proptest::collection::vec(0..5usize, 1..6),
        passes in proptest::collection::vec(any::<bool>(), 1..3),
        time in 1..150_000u64,
        max_steps in 1..10u32,
        most_rounds in 1..4u32,
        verify_percent in 0..60u32,
        refinements in 0..3u32,
    ) {
        let (files, clock) = (workspace(), FakeClock::at(NOON));
        // When each call began, and in which phase.
        let begun: Arc<Mutex<Vec<(u64, bool)>>> = Arc::default();
        let spent = Arc::new(Mutex::new(0u64));
        let spend = {
            let (clock, begun, spent) = (clock.clone(), Arc::clone(&begun), Arc::clone(&spent));
            move |verifies: bool| {
                let mut spent = spent.lock().unwrap();
                let mut begun = begun.lock().unwrap();
                let took = durations[begun.len() % durations.len()];
                begun.push((*spent, verifies));
                *spent += took;
                clock.advance(took);
            }
        };
        let spends = spend.clone();
        let model = ScriptedModel::by(move |number, seen| {
            let (request, done) = asked(seen);
            let verifies = request.contains("Phase: verify");
            spend(verifies);
            if request.contains("Phase: plan") {
                return Line::text(plan().to_string());
            }
            match rounds[request.len() % rounds.len()] {
                wanted if done < wanted => Line::call("work", &format!("c{number}"), json!({})),
                _ if verifies => Line::text(json!({ "pass": passes[number % passes.len()] }).to_string()),
                _ => Line::text("Done."),
            }
        });
        let tool = Tool::new("work", "Works", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
            spends(false);
            std::future::ready("worked")
        });
        let budgets = Budgets {
            max_wall_clock_ms: Some(time),
            max_steps,
            max_consecutive_tool_steps: most_rounds,
            verify_percent,
            refinements,
            ..Budgets::default()
        };
        let phases = ["gather", "act", "verify"];
        let agent = at(&model, clock).tool_for(phases, tool).build().unwrap();
        let task = block_on(agent.start_task(files, spec().budgets(budgets))).unwrap();
        let result = block_on(task.run(FULL)).unwrap();
        prop_assert!(result.finish_reason.is_some());
        for (at, (when, _)) in begun.lock().unwrap().iter().enumerate() {
            prop_assert!(*when < time, "call {at} began at {when} of {time} ms");
        }
        prop_assert!(result.steps.len() <= max_steps as usize, "{:?}", steps(&result));
        prop_assert!(task.state().used.steps <= max_steps);
        for step in &result.steps {
            let own = step.tool_calls.iter().filter(|call| call.tool == "work").count();
            prop_assert!(own <= most_rounds as usize + 1, "{} made {own} of {most_rounds}", step.id);
        }
        prop_assert_eq!(task.state().used.wall_clock_ms, *spent.lock().unwrap());
    }
}
