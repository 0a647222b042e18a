//! Loops: functions that look at what was done and give the next step.

use std::fmt;

use crate::plan::{Plan, Verdict};
use crate::report::StepStatus;
use crate::skill::SkillUse;
use crate::spec::{HistoryPolicy, TaskSpec};
use crate::text::sha256;
use glove_wasm::json::codec::{Read, Ts, Write, through_codec, to_text};
use glove_wasm::json::{self, Json};
use glove_wasm::portable::{MaybeSend, MaybeSync};

/// One step of a loop: a run of the agent, or a function of the application with the same name.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "TaskStep")]
pub struct StepSpec {
    /// Unique in its task; made of the name and the iteration.
    #[json(default)]
    pub id: String,
    /// `gather`, `plan`, `act`, `verify`, or one's own.
    pub name: String,
    /// `phase`, or one's own like `custom:triage`.
    #[json(default)]
    pub kind: String,
    #[json(default)]
    pub iteration: u32,
    /// What the model is asked, behind the goal.
    #[json(default)]
    pub instructions: String,
    /// The tools that it may use; all that its phase has where it is missing.
    pub tools: Option<Vec<String>>,
    #[json(skip_if_default)]
    pub output: StepOutput,
    /// Instead of the task's own.
    pub history: Option<HistoryPolicy>,
    /// The step of the plan that this does.
    pub plan_step: Option<String>,
    /// The answer is JSON, and this is what it is: a name with its version, or an address.
    pub schema_id: Option<String>,
    /// For the application alone: it stands in the report of the step.
    #[json(skip_if_default)]
    pub ext: Json,
}

/// What becomes of the answer of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum StepOutput {
    /// It is kept as the step's output.
    #[default]
    Text,
    /// It is added to `progress/findings.md`.
    Findings,
    /// It is the plan.
    Plan,
    /// It is the verdict of a verification.
    Verdict,
}

/// A step that ended, as the state of the task keeps it.
#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(name = "TaskStepSummary")]
pub struct StepSummary {
    pub id: String,
    pub name: String,
    pub iteration: u32,
    pub status: StepStatus,
    pub output: StepOutput,
    pub plan_step: Option<String>,
    pub output_ref: Option<String>,
    /// The first line of what came of it, or why it failed.
    pub summary: String,
    /// The time of the task was used up in the middle of it: with more time, what it was to do is done again.
    #[json(skip_if_default)]
    pub out_of_time: bool,
}

through_codec! { StepSpec, StepOutput, StepSummary }

/// What a loop sees.
#[derive(Debug, Clone, Copy)]
pub struct LoopView<'a> {
    pub goal: &'a str,
    pub plan: Option<&'a Plan>,
    /// Ids of steps of the plan that are ticked off in the todo list, by the task or by a person.
    pub ticked: &'a [String],
    /// The steps that ended, in order.
    pub steps: &'a [StepSummary],
    /// What the last verification found.
    pub verdict: Option<&'a Verdict>,
    /// Plans after the first one are refinements: 1 for the first.
    pub round: u32,
    pub refinements_left: u32,
    /// What is left of the budgets is kept for the verification.
    pub only_verify: bool,
}

/// What a loop does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    Step(Box<StepSpec>),
    /// Nothing is left to do.
    Done,
    /// The loop itself failed, and why: the task pauses.
    Failed(String),
}

/// A loop. It must give the same step for the same view: after the end of a process it is asked again.
pub trait TaskLoop: MaybeSend + MaybeSync {
    fn name(&self) -> &str;

    fn version(&self) -> &str;

    /// What else makes it what it is, for the signature of results.
    fn shape(&self) -> String {
        String::new()
    }

    fn next(&self, view: &LoopView<'_>) -> Next;
}

/// A loop that is a function.
pub struct CustomLoop<F> {
    name: String,
    version: String,
    next: F,
}

impl<F: Fn(&LoopView<'_>) -> Next + MaybeSend + MaybeSync> CustomLoop<F> {
    pub fn new(name: impl Into<String>, version: impl Into<String>, next: F) -> Self {
        CustomLoop { name: name.into(), version: version.into(), next }
    }
}

impl<F: Fn(&LoopView<'_>) -> Next + MaybeSend + MaybeSync> TaskLoop for CustomLoop<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn next(&self, view: &LoopView<'_>) -> Next {
        (self.next)(view)
    }
}

impl<F> fmt::Debug for CustomLoop<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomLoop({} {})", self.name, self.version)
    }
}

impl StepSpec {
    /// A step that asks the model.
    pub fn new(name: impl Into<String>, instructions: impl Into<String>) -> Self {
        let name: String = name.into();
        let kind = format!("custom:{name}");
        StepSpec { name, kind, instructions: instructions.into(), ..StepSpec::default() }
    }

    pub fn tools<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.tools = Some(names.into_iter().map(str::to_owned).collect());
        self
    }

    pub fn output(mut self, output: StepOutput) -> Self {
        self.output = output;
        self
    }
}

/// What a task ran with: the same loop, goal, budgets, approvals and skills give the same hash.
pub fn loop_signature(of: &dyn TaskLoop, spec: &TaskSpec, skills: &[SkillUse]) -> String {
    let spec = TaskSpec { id: None, ..spec.clone() };
    let parts = [of.name(), of.version(), &of.shape(), &json::written(to_text(&spec)).canonical()];
    let mut all = parts.join("\n");
    for skill in skills {
        all.extend(["\n", &skill.name, " ", &skill.sha256]);
    }
    sha256(all.as_bytes())
}
