//! Loops of one's own, phases that are changed, and phases that are functions.

use std::sync::Mutex;

use crate::support::wait::block_on;
use glove_wasm::ports::ToolFailure;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_task::runtime::StepContext;
use glove_wasm_task::{
    CustomLoop, DefaultLoop, FinishReason, LoopView, Next, ResultView, StepOutput, StepSpec, StepStatus,
};

use super::{agent, builder, events, plain_tool, spec, working_model, workspace};

fn triage() -> CustomLoop<impl Fn(&LoopView<'_>) -> Next> {
    CustomLoop::new("triage", "7", |view: &LoopView<'_>| match view.steps.len() {
        0 => Next::Step(Box::new(StepSpec::new("Sort the mail!", "Sort the inputs.").tools(["file_read"]))),
        1 | 2 => Next::Step(Box::new(StepSpec::new("answer", "Answer the next."))),
        _ => Next::Done,
    })
}

#[test]
fn a_loop_of_ones_own_yields_its_steps() {
    let files = workspace();
    let model = ScriptedModel::by(|_, seen| {
        let sorts = super::asked(seen).0.contains("Sort");
        let offered: Vec<&str> = seen.tools.iter().map(String::as_str).collect();
        assert_eq!(
            offered,
            if sorts {
                vec!["file_read"]
            } else {
                vec!["file_glob", "file_read", "json_validate", "fs_write", "send"]
            }
        );
        Line::text(if sorts { "sorted" } else { "answered" })
    });
    let agent = builder(&model).task_loop(triage()).tool(plain_tool("send")).build().unwrap();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!((result.loop_name.as_str(), result.loop_version.as_str()), ("triage", "7"));
    let steps: Vec<(&str, &str, u32)> =
        result.steps.iter().map(|step| (step.id.as_str(), step.kind.as_str(), step.iteration)).collect();
    assert_eq!(
        steps,
        [
            ("sort-the-mail-1", "custom:Sort the mail!", 1),
            ("answer-1", "custom:answer", 1),
            ("answer-2", "custom:answer", 2)
        ]
    );
    assert_eq!(
        (result.output_text.as_str(), result.finish_reason),
        ("answered", Some(FinishReason::Completed))
    );
    assert_eq!(files.text("progress/steps/sort-the-mail-1/output.md").unwrap(), "sorted");
}

#[test]
fn a_loop_that_gives_a_step_twice_is_told_so_and_nothing_is_lost() {
    let files = workspace();
    let by = CustomLoop::new("circle", "1", |_: &LoopView<'_>| {
        Next::Step(Box::new(StepSpec { id: "same".to_owned(), ..StepSpec::new("same", "Again.") }))
    });
    let agent = builder(&ScriptedModel::by(|_, _| Line::text("done"))).task_loop(by).build().unwrap();
    let error = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap_err();
    assert_eq!(error.code(), "TASK_LOOP_INVALID");
    assert!(files.text("progress/steps/same/output.md").is_some());
}

#[test]
fn a_phase_that_is_a_function_does_what_the_model_would() {
    let files = workspace();
    let agent = builder(&working_model())
        .phase("plan", |context: StepContext| async move {
            assert!(context.prompt.messages[0].text.contains("progress/findings.md"));
            Ok::<_, ToolFailure>(format!(r#"{{"steps": [{{"title": "Do {}"}}]}}"#, context.goal))
        })
        .phase("act", |context: StepContext| async move {
            let path = glove_wasm_task::WorkspacePath::parse("progress/artifacts/made.txt")?;
            context
                .files
                .write(&path, context.plan.unwrap_or_default().steps[0].title.clone().into_bytes())
                .await?;
            Ok::<_, ToolFailure>("made".to_owned())
        })
        .build()
        .unwrap();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::Completed));
    assert_eq!(files.text("progress/artifacts/made.txt").unwrap(), "Do Make both files");
    assert_eq!(result.deliverables.len(), 1);
}

#[test]
fn a_function_that_fails_fails_its_step_and_the_next_try_may_do_better() {
    let files = workspace();
    let tries = Mutex::new(0);
    let agent = builder(&working_model())
        .phase("gather", move |_: StepContext| {
            let mut tries = tries.lock().unwrap();
            *tries += 1;
            std::future::ready(match *tries {
                1 => Err(ToolFailure::new("the site is down")),
                _ => Ok("found it".to_owned()),
            })
        })
        .build()
        .unwrap();
    let result = block_on(agent.do_task(files.clone(), spec(), ResultView::Full)).unwrap();
    assert_eq!(
        (result.steps[0].status, result.steps[0].error.as_str()),
        (StepStatus::Failed, "the site is down")
    );
    assert_eq!(result.steps[1].id, "gather-2");
    assert!(events(&files).contains(&"error gather-1 the site is down".to_owned()));
}

#[test]
fn phases_can_be_changed_and_left_out_and_the_signature_tells_loops_apart() {
    let model = ScriptedModel::by(|_, seen| {
        let request = super::asked(seen).0;
        match () {
            () if request.contains("Plan it") => Line::text(r#"{"steps": [{"title": "x"}]}"#),
            () if request.contains("Phase: act") => {
                assert_eq!(seen.tools, ["file_read"]);
                Line::text("x is done")
            }
            () => panic!("{request}"),
        }
    });
    let by = || {
        DefaultLoop::new()
            .gather(|phase| phase.skip = true)
            .plan(|phase| "Plan it.".clone_into(&mut phase.instructions))
            .act(|phase| phase.tools = Some(vec!["file_read".to_owned()]))
            .verify(|phase| phase.skip = true)
    };
    let changed = builder(&model).task_loop(by()).build().unwrap();
    let result = block_on(changed.do_task(workspace(), spec(), ResultView::Full)).unwrap();
    let steps: Vec<&str> = result.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!((steps, result.finish_reason), (vec!["plan-1", "act-1-s1"], Some(FinishReason::Completed)));
    let plain = block_on(agent(&working_model()).do_task(workspace(), spec(), ResultView::Minimal)).unwrap();
    assert_ne!(plain.loop_signature, result.loop_signature);
}

#[test]
fn a_verdict_of_a_custom_step_counts() {
    let by = CustomLoop::new("check", "1", |view: &LoopView<'_>| match view.verdict {
        None => Next::Step(Box::new(StepSpec::new("check", "Check.").output(StepOutput::Verdict))),
        Some(_) => Next::Done,
    });
    let model = ScriptedModel::by(|_, _| Line::text("Sadly: {\"pass\": false}"));
    let agent = builder(&model).task_loop(by).build().unwrap();
    let result = block_on(agent.do_task(workspace(), spec(), ResultView::Summary)).unwrap();
    assert_eq!(result.finish_reason, Some(FinishReason::VerifyFailed));
}
