//! The end of a step: what becomes of its answer, and what is written of it.

use crate::approval::ApprovalKind;
use crate::error::{TaskError, TaskErrorKind};
use crate::layout::{self, WorkspacePath, step_name};
use crate::machine::effect::{Edit, Effect, Effects};
use crate::machine::journal::fields;
use crate::machine::{StepEnd, StepOutcome, Task};
use crate::plan::{Plan, Verdict};
use crate::report::{FinishReason, StepReport, StepStatus, ToolCallReport};
use crate::source::Fetched;
use crate::state::PlanState;
use crate::steps::{StepOutput, StepSpec, StepSummary};
use crate::text::{first_line, in_one_line, pretty, sha256, value_in};
use glove_wasm::json::codec::to_text;
use glove_wasm::json::{self, Json};

/// What the JSON of a plan and of a verdict is.
const PLAN_SCHEMA: &str = "glove-plan@1";
const VERDICT_SCHEMA: &str = "glove-verdict@1";

impl Task {
    pub(super) fn ended(
        &mut self,
        now: u64,
        outcome: StepOutcome,
        fx: &mut Effects,
    ) -> Result<(), TaskError> {
        let step = self.current()?.clone();
        self.state.used.wall_clock_ms += outcome.elapsed_ms;
        self.tell_calls(now, &step.id, &outcome.calls);
        let (text, mut error) = match &outcome.end {
            StepEnd::Answer(text) => (text.clone(), None),
            StepEnd::Unfinished(why) => (String::new(), Some(why.clone())),
            StepEnd::OutOfTime => (String::new(), Some("the time of the task was used up".to_owned())),
            StepEnd::Stopped(reason) => {
                self.pause(now, FinishReason::Stopped, "task.stop", &first_line(reason, 200), fx);
                return Ok(());
            }
            StepEnd::Failed(failure) => {
                self.fail(now, failure.clone(), fx);
                return Ok(());
            }
        };
        let mut report = StepReport {
            id: step.id.clone(),
            name: step.name.clone(),
            kind: step.kind.clone(),
            iteration: step.iteration,
            started_at: self.state.current_since,
            ended_at: now,
            tools_allowed: outcome.tools_allowed,
            tools_used: used_names(&outcome.calls),
            tool_calls: outcome.calls,
            context_read: outcome.context_read,
            artifacts_written: outcome.artifacts,
            usage: outcome.usage,
            schema_id: step.schema_id.clone(),
            ext: step.ext.clone(),
            ..StepReport::default()
        };
        Task::cite(&step, &outcome.fetched, &mut report, fx);
        if error.is_none() {
            error = self.take_output(now, &step, &text, &mut report, fx).err().map(|error| error.message);
        }
        if let Some(why) = &error {
            report.status = StepStatus::Failed;
            report.error.clone_from(why);
            self.emit_of(now, "error", &step.id, why.clone(), Json::null());
        }
        if !text.is_empty() && report.output_ref.is_none() {
            self.write_output(&step, "output.md", text.clone(), &mut report, fx);
        }
        self.close_step(now, &step, &report, &text, fx);
        if let (StepEnd::OutOfTime, Some(last)) = (&outcome.end, self.state.steps.last_mut()) {
            last.out_of_time = true;
        }
        Ok(())
    }

    /// Keeps what the step read of the web, and cites it. Doing it again changes nothing.
    fn cite(step: &StepSpec, fetched: &[Fetched], report: &mut StepReport, fx: &mut Effects) {
        for page in fetched {
            let (source, path) = page.kept_by(&step.id);
            let made = page.deliverable(&path, &source);
            if report.artifacts_written.iter().all(|known| known.path != made.path) {
                report.artifacts_written.push(made);
                // What is there was kept before.
                fx.push(Effect::Write {
                    path: path.clone(),
                    content: page.content.clone(),
                    unless: Some(path),
                });
            }
            let path = WorkspacePath::known(layout::SOURCES);
            fx.push(Effect::Edit { path, edit: Edit::Append(in_one_line(&source)) });
        }
    }

    /// What becomes of an answer that is more than a text.
    fn take_output(
        &mut self,
        now: u64,
        step: &StepSpec,
        text: &str,
        report: &mut StepReport,
        fx: &mut Effects,
    ) -> Result<(), TaskError> {
        match step.output {
            StepOutput::Text if step.schema_id.is_some() => {
                let value = value_in::<Json>(text).map_err(|why| {
                    TaskError::new(
                        TaskErrorKind::Loop,
                        format!("the answer is not the JSON that was asked for: {why}"),
                    )
                })?;
                self.write_output(step, "output.json", pretty(&value), report, fx);
                report.output_json = value;
            }
            StepOutput::Text => {}
            StepOutput::Findings => {
                let piece = format!("## {}\n\n{}", step.id, text.trim());
                let path = WorkspacePath::known(layout::FINDINGS);
                fx.push(Effect::Edit { path, edit: Edit::Append(piece) });
            }
            StepOutput::Plan => {
                let plan = self.own_ids(Plan::from_answer(text)?);
                report.output_json = json::written(to_text(&plan));
                report.schema_id.get_or_insert_with(|| PLAN_SCHEMA.to_owned());
                self.write_output(step, "output.json", pretty(&plan), report, fx);
                self.propose(now, plan, fx);
            }
            StepOutput::Verdict => {
                let verdict = Verdict::from_answer(text)?;
                report.output_json = json::written(to_text(&verdict));
                report.schema_id.get_or_insert_with(|| VERDICT_SCHEMA.to_owned());
                self.write_output(step, "output.json", pretty(&verdict), report, fx);
                self.state.verifications += 1;
                let path = layout::verify_report(self.state.verifications);
                fx.push(Effect::Write { path, content: pretty(&verdict), unless: None });
                let kind = if verdict.pass { "verify.pass" } else { "verify.fail" };
                let reasons = verdict.reasons.join("; ");
                self.emit_of(now, kind, &step.id, first_line(&reasons, 500), Json::null());
                self.state.verdict = Some(verdict);
                self.state.verified_part = self.state.only_verify.is_some();
            }
        }
        Ok(())
    }

    fn write_output(
        &self,
        step: &StepSpec,
        name: &str,
        content: String,
        report: &mut StepReport,
        fx: &mut Effects,
    ) {
        let path = layout::of_step(&step.id, name);
        report.output_ref = Some(path.as_str().to_owned());
        fx.push(Effect::Write { path, content, unless: None });
    }

    /// Steps of a refined plan have ids that none before had.
    fn own_ids(&self, mut plan: Plan) -> Plan {
        let taken = |id: &str| {
            let before = self.state.plan.iter().flat_map(|known| &known.plan.steps);
            before.map(|step| step.id.as_str()).any(|known| known == id)
                || self.state.steps.iter().any(|ended| ended.plan_step.as_deref() == Some(id))
        };
        let prefix = format!("r{}-", self.state.round + 1);
        for at in 0..plan.steps.len() {
            let Some(id) = plan.steps.get(at).map(|step| step.id.clone()) else { continue };
            if !taken(&id) {
                continue;
            }
            let own = step_name(&format!("{prefix}{id}"));
            for criterion in &mut plan.acceptance {
                criterion.steps.iter_mut().filter(|name| **name == id).for_each(|name| name.clone_from(&own));
            }
            if let Some(step) = plan.steps.get_mut(at) {
                step.id = own;
            }
        }
        plan
    }

    fn propose(&mut self, now: u64, plan: Plan, fx: &mut Effects) {
        let version = self.state.plan.as_ref().map_or(0, |known| known.version) + 1;
        let (content, copy) = (pretty(&plan), layout::plan_copy(version));
        // The copy comes last: where it is there, a person may have edited the plan since.
        let current = WorkspacePath::known(layout::PLAN);
        fx.push(Effect::Write { path: current, content: content.clone(), unless: Some(copy.clone()) });
        fx.push(Effect::Write { path: copy, content: content.clone(), unless: None });
        fx.push(Effect::Edit {
            path: WorkspacePath::known(layout::TODO),
            edit: Edit::Steps(Box::new(plan.clone())),
        });
        if self.state.verdict.take().is_some() {
            self.state.round += 1;
        }
        self.state.plan_waits = self.state.approvals.require_plan;
        let data = fields(&[("path", &layout::plan_copy(version).as_str()), ("steps", &plan.steps.len())]);
        self.emit(now, "plan.proposed", format!("version {version}"), data);
        self.state.plan = Some(PlanState { version, sha256: sha256(content.as_bytes()), plan });
    }

    fn close_step(&mut self, now: u64, step: &StepSpec, report: &StepReport, text: &str, fx: &mut Effects) {
        let failed = report.status == StepStatus::Failed;
        let summary = if failed { first_line(&report.error, 300) } else { first_line(text, 300) };
        let word = if failed { "failed" } else { "completed" };
        let path = layout::of_step(&step.id, "report.json");
        fx.push(Effect::Write { path, content: pretty(report), unless: None });
        if !report.tool_calls.is_empty() {
            let mut lines = String::new();
            for call in &report.tool_calls {
                lines.push_str(&in_one_line(call));
                lines.push('\n');
            }
            let path = layout::of_step(&step.id, "events.ndjson");
            fx.push(Effect::Write { path, content: lines, unless: None });
        }
        let note = format!("- {} {word}: {summary}", step.id);
        fx.push(Effect::Edit { path: WorkspacePath::known(layout::NOTES), edit: Edit::Append(note) });
        if let (false, Some(id)) = (failed, &step.plan_step) {
            fx.push(Effect::Edit { path: WorkspacePath::known(layout::TODO), edit: Edit::Tick(id.clone()) });
        }
        if !failed && step.output == StepOutput::Text {
            self.state.output_ref.clone_from(&report.output_ref);
        }
        let used = &mut self.state.used;
        used.steps += 1;
        used.steps_without_progress = if failed { used.steps_without_progress + 1 } else { 0 };
        used.usage.add(&report.usage);
        self.state.steps.push(StepSummary {
            id: step.id.clone(),
            name: step.name.clone(),
            iteration: step.iteration,
            status: report.status,
            output: step.output,
            plan_step: step.plan_step.clone(),
            output_ref: report.output_ref.clone(),
            summary,
            out_of_time: false,
        });
        self.emit_of(now, "phase.finish", &step.id, word, Json::null());
        self.state.current = None;
        self.state.decided.clear();
        // What it asked is decided with it.
        self.state.pending.retain(|open| open.kind != ApprovalKind::Tool);
        (self.reported_calls, self.recalled) = (0, false);
        fx.push(Effect::Save);
    }
}

fn used_names(calls: &[ToolCallReport]) -> Vec<String> {
    let mut names: Vec<String> = calls.iter().map(|call| call.tool.clone()).collect();
    names.sort();
    names.dedup();
    names
}
