//! The loop that tasks have unless they bring their own: gather, plan, act, verify, and one refinement.

use crate::plan::{Plan, Verdict};
use crate::report::StepStatus;
use crate::spec::HistoryPolicy;
use crate::steps::{LoopView, Next, StepOutput, StepSpec, StepSummary, TaskLoop};

/// How often a phase is tried whose answer could not be used.
const TRIES: usize = 3;

/// Gather, plan, act, verify. Each phase may be changed; one for which the agent has a function of the same name is done by it.
#[derive(Debug, Clone, PartialEq)]
pub struct DefaultLoop {
    gather: Phase,
    plan: Phase,
    act: Phase,
    verify: Phase,
}

/// What a phase asks of the model, and what it may use for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Phase {
    pub instructions: String,
    /// All tools of the agent that the phase may have where `None`.
    pub tools: Option<Vec<String>>,
    pub history: Option<HistoryPolicy>,
    /// Left out; not for `plan` and `act`.
    pub skip: bool,
}

const GATHER: &str = "Phase: gather. Explore the inputs below task/ and whatever your tools reach, and find out what matters for the \
    goal. Change nothing. Answer with the findings as Markdown: facts, each with its source, and what is still unknown.";
const PLAN: &str = "Phase: plan. Write the plan that reaches the goal. Answer with JSON alone, in this form:\n\
    {\"objective\": \"…\", \"steps\": [{\"id\": \"s1\", \"title\": \"…\", \"instructions\": \"…\", \"tools\": [\"…\"]}], \
    \"constraints\": [\"…\"], \"acceptance\": [{\"criterion\": \"…\", \"steps\": [\"s1\"]}]}\n\
    Leave `tools` out where a step may use all of them. Each step is done by itself, in this order.";
const ACT: &str = "Phase: act. Do the step of the plan that is named below, and only that. Write what you make below \
    progress/artifacts/. Answer with what you did and what came of it.";
const VERIFY: &str = "Phase: verify. Check what was made against the goal and the acceptance criteria of the plan. Look at the files \
    themselves; change nothing. Answer with JSON alone, in this form:\n\
    {\"pass\": true, \"reasons\": [\"…\"], \"artifacts\": [\"progress/artifacts/…\"]}";

impl Default for DefaultLoop {
    fn default() -> Self {
        let phase = |instructions: &str| Phase { instructions: instructions.to_owned(), ..Phase::default() };
        DefaultLoop { gather: phase(GATHER), plan: phase(PLAN), act: phase(ACT), verify: phase(VERIFY) }
    }
}

impl DefaultLoop {
    pub fn new() -> Self {
        DefaultLoop::default()
    }

    pub fn gather(mut self, change: impl FnOnce(&mut Phase)) -> Self {
        change(&mut self.gather);
        self
    }

    pub fn plan(mut self, change: impl FnOnce(&mut Phase)) -> Self {
        change(&mut self.plan);
        self
    }

    pub fn act(mut self, change: impl FnOnce(&mut Phase)) -> Self {
        change(&mut self.act);
        self
    }

    pub fn verify(mut self, change: impl FnOnce(&mut Phase)) -> Self {
        change(&mut self.verify);
        self
    }

    fn step(&self, name: &str, phase: &Phase, output: StepOutput, more: &str) -> Box<StepSpec> {
        let instructions = match more.is_empty() {
            true => phase.instructions.clone(),
            false => format!("{}\n\n{more}", phase.instructions),
        };
        Box::new(StepSpec {
            name: name.to_owned(),
            kind: "phase".to_owned(),
            instructions,
            tools: phase.tools.clone(),
            history: phase.history.clone(),
            output,
            ..StepSpec::default()
        })
    }

    fn acting(&self, view: &LoopView<'_>, plan: &Plan) -> Option<Box<StepSpec>> {
        let round = view.round.to_string();
        let tries = |id: &str| view.steps.iter().filter(|step| step.plan_step.as_deref() == Some(id)).count();
        let ended = |id: &str| {
            view.steps.iter().any(|step| step.plan_step.as_deref() == Some(id) && !step.out_of_time)
        };
        let open = plan.steps.iter().find(|step| !ended(&step.id) && !view.ticked.contains(&step.id))?;
        let mut more = format!("The step: {} ({})", open.title, open.id);
        if !open.instructions.is_empty() {
            more.push_str("\n\n");
            more.push_str(&open.instructions);
        }
        let mut step = self.step("act", &self.act, StepOutput::Text, &more);
        step.id = format!("act-{round}-{}", open.id);
        let tried = tries(&open.id);
        if tried > 0 {
            let names = (tried + 1..).map(|number| format!("{}-{number}", open.id));
            let mut free = names.filter(|name| plan.steps.iter().all(|other| other.id != *name));
            step.id = format!("act-{round}-{}", free.next().unwrap_or_default());
        }
        step.iteration = view.round;
        step.plan_step = Some(open.id.clone());
        if !open.tools.is_empty() {
            let allowed = |name: &String| step.tools.as_ref().is_none_or(|all| all.contains(name));
            step.tools = Some(open.tools.iter().filter(|name| allowed(name)).cloned().collect());
        }
        Some(step)
    }
}

/// The failures at the end of the steps that are all of one phase.
fn failures<'a>(steps: &'a [StepSummary], name: &str) -> Vec<&'a StepSummary> {
    let last = steps.iter().rev().take_while(|step| step.name == name && step.status == StepStatus::Failed);
    last.collect()
}

fn why_again(failed: &[&StepSummary]) -> String {
    failed
        .first()
        .map_or_else(String::new, |last| format!("The last answer could not be used: {}", last.summary))
}

fn what_failed(verdict: &Verdict) -> String {
    let reasons: Vec<String> = verdict.reasons.iter().map(|reason| format!("- {reason}")).collect();
    let reasons = if reasons.is_empty() { "- (no reason was given)".to_owned() } else { reasons.join("\n") };
    format!(
        "The verification failed. Write a plan for what is still missing, and only for that. What it found:\n{reasons}"
    )
}

impl TaskLoop for DefaultLoop {
    fn name(&self) -> &str {
        "gather-plan-act-verify"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn shape(&self) -> String {
        let phases = [&self.gather, &self.plan, &self.act, &self.verify];
        let shape = |phase: &Phase| {
            let tools = phase.tools.as_ref().map_or_else(|| "*".to_owned(), |tools| tools.join(","));
            format!("{}|{tools}|{}", phase.instructions, phase.skip)
        };
        phases.map(shape).join("\n")
    }

    fn next(&self, view: &LoopView<'_>) -> Next {
        let gathered =
            view.steps.iter().any(|step| step.name == "gather" && step.status == StepStatus::Completed);
        if !self.gather.skip && !gathered && !view.only_verify && view.plan.is_none() {
            let failed = failures(view.steps, "gather");
            let tried = view.steps.iter().any(|step| step.name != "gather");
            if !tried && failed.len() < TRIES {
                return Next::Step(self.step(
                    "gather",
                    &self.gather,
                    StepOutput::Findings,
                    &why_again(&failed),
                ));
            }
        }
        let refines = view.verdict.is_some_and(|verdict| !verdict.pass);
        if view.verdict.is_some_and(|verdict| verdict.pass) || (refines && view.refinements_left == 0) {
            return Next::Done;
        }
        let failed = failures(view.steps, "plan");
        match view.plan {
            Some(plan) if !refines => {
                if !view.only_verify
                    && let Some(step) = self.acting(view, plan)
                {
                    return Next::Step(step);
                }
            }
            _ if view.only_verify || failed.len() >= TRIES => return Next::Done,
            _ => {
                let why = view.verdict.map(what_failed).unwrap_or_default();
                let more = [why, why_again(&failed)].join("\n\n");
                return Next::Step(self.step("plan", &self.plan, StepOutput::Plan, more.trim()));
            }
        }
        let failed = failures(view.steps, "verify");
        if self.verify.skip || failed.len() >= TRIES {
            return Next::Done;
        }
        Next::Step(self.step("verify", &self.verify, StepOutput::Verdict, &why_again(&failed)))
    }
}
