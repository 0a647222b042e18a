//! Plans and verdicts: what a model or a person writes, and what is made of it.

use crate::error::{TaskError, TaskErrorKind};
use crate::layout::{PLAN, step_name};
use crate::text::value_in;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Ts, Write, from_text, through_codec};
use glove_wasm::message::Extra;

/// More than this is no plan that a person would approve.
const MAX_STEPS: usize = 100;

/// `progress/plan/current.json`.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "TaskPlan", open)]
pub struct Plan {
    #[json(default)]
    pub objective: String,
    pub steps: Vec<PlanStep>,
    #[json(skip_if_default)]
    pub constraints: Vec<String>,
    /// What must hold at the end, and which steps see to it.
    #[json(skip_if_default)]
    pub acceptance: Vec<Criterion>,
    #[json(flatten)]
    pub extra: Extra,
}

/// One step of a plan.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "TaskPlanStep", open)]
pub struct PlanStep {
    /// Unique in its plan.
    #[json(default)]
    pub id: String,
    pub title: String,
    #[json(skip_if_default)]
    pub instructions: String,
    /// The tools that it may use; all of its phase where there are none.
    #[json(skip_if_default)]
    pub tools: Vec<String>,
    #[json(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(inline, open)]
pub struct Criterion {
    pub criterion: String,
    /// Ids of steps.
    #[json(skip_if_default)]
    pub steps: Vec<String>,
    #[json(flatten)]
    pub extra: Extra,
}

/// What a verification found, in `progress/verify/0001-report.json`.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "TaskVerdict", open)]
pub struct Verdict {
    pub pass: bool,
    #[json(skip_if_default)]
    pub reasons: Vec<String>,
    /// Paths of what was looked at.
    #[json(skip_if_default)]
    pub artifacts: Vec<String>,
    #[json(flatten)]
    pub extra: Extra,
}

/// Something that a task has found out and that holds beyond it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Read)]
pub struct Fact {
    pub fact: String,
    /// The file or the address that it comes from.
    #[json(default)]
    pub source: String,
}

impl Verdict {
    /// What the verification says was learned; `None` where it says nothing of it. What is no fact is left out: no verdict fails for it.
    pub fn learned(&self) -> Option<Vec<Fact>> {
        let (_, list) = self.extra.0.iter().find(|(name, _)| name == "learned")?;
        let mut facts = Vec::new();
        for item in from_text::<Vec<Json>>(list.as_str()).ok()? {
            let bare = || from_text::<String>(item.as_str()).map(|fact| Fact { fact, ..Fact::default() });
            facts.extend(from_text::<Fact>(item.as_str()).or_else(|_| bare()).ok());
        }
        Some(facts)
    }
}

through_codec! { Plan, PlanStep, Criterion, Verdict }

impl Plan {
    /// The file of the plan, as a person may have edited it.
    pub fn from_file(text: &str) -> Result<Plan, TaskError> {
        from_text::<Plan>(text).map_err(|fault| fault.to_string()).and_then(Plan::checked).map_err(|why| {
            let message = format!(
                "{PLAN} is not a plan: {why}. Correct it, or delete it to go on with the plan before"
            );
            TaskError::new(TaskErrorKind::Plan, message)
        })
    }

    /// What a model answered.
    pub fn from_answer(text: &str) -> Result<Plan, TaskError> {
        value_in::<Plan>(text)
            .and_then(Plan::checked)
            .map_err(|why| TaskError::new(TaskErrorKind::Plan, format!("the answer is not a plan: {why}")))
    }

    fn checked(mut self) -> Result<Plan, String> {
        if self.steps.is_empty() {
            return Err("`steps` is empty".to_owned());
        }
        if self.steps.len() > MAX_STEPS {
            return Err(format!("it has {} steps, and at most {MAX_STEPS} are allowed", self.steps.len()));
        }
        let mut names: Vec<String> = Vec::new();
        for (at, step) in self.steps.iter_mut().enumerate() {
            if step.title.trim().is_empty() {
                return Err(format!("step {} has no title", at + 1));
            }
            if step.id.is_empty() {
                step.id = format!("s{}", at + 1);
            }
            // Ids name folders, and lines of the todo list.
            step.id = step_name(&step.id);
            if names.contains(&step.id) {
                return Err(format!("two steps have the id `{}`", step.id));
            }
            names.push(step.id.clone());
        }
        Ok(self)
    }

    /// Its lines in the todo list.
    pub fn todo_lines(&self) -> Vec<String> {
        let line = |step: &PlanStep| format!("- [ ] {}: {}", step.id, step.title.replace(['\r', '\n'], " "));
        self.steps.iter().map(line).collect()
    }
}

impl Verdict {
    pub fn from_answer(text: &str) -> Result<Verdict, TaskError> {
        value_in::<Verdict>(text)
            .map_err(|why| TaskError::new(TaskErrorKind::Plan, format!("the answer is not a verdict: {why}")))
    }
}

/// The ids of steps that are ticked off in a todo list.
pub(crate) fn ticked(todo: &str) -> Vec<String> {
    let id = |line: &str| {
        let rest =
            line.trim_start().strip_prefix("- [x] ").or_else(|| line.trim_start().strip_prefix("- [X] "))?;
        rest.split_once(':').map(|(id, _)| id.trim().to_owned())
    };
    todo.lines().filter_map(id).collect()
}

/// The todo list with the steps of a plan in it; what is there stays as it is.
pub(crate) fn with_steps(todo: &str, plan: &Plan) -> String {
    let mut out = if todo.trim().is_empty() { "# Todo\n\n".to_owned() } else { todo.to_owned() };
    for (line, step) in plan.todo_lines().into_iter().zip(&plan.steps) {
        if line_of(&out, &step.id).is_none() {
            if !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// The todo list with a step ticked off, or open again.
pub(crate) fn with_tick(todo: &str, id: &str, done: bool) -> String {
    let Some(at) = line_of(todo, id) else { return todo.to_owned() };
    let mut out = String::with_capacity(todo.len());
    for (number, line) in todo.split_inclusive('\n').enumerate() {
        let (from, to) = if done { ("- [ ]", "- [x]") } else { ("- [x]", "- [ ]") };
        match number == at {
            true => out.push_str(&line.replacen(from, to, 1)),
            false => out.push_str(line),
        }
    }
    out
}

/// The number of the line of a step.
fn line_of(todo: &str, id: &str) -> Option<usize> {
    todo.lines().position(|line| {
        let rest =
            ["- [ ] ", "- [x] ", "- [X] "].iter().find_map(|box_| line.trim_start().strip_prefix(box_));
        rest.and_then(|rest| rest.split_once(':')).is_some_and(|(found, _)| found.trim() == id)
    })
}
