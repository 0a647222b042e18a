//! The machine: which step comes next, what a person is asked before, when it ends, and what is written of it.

mod approvals;
mod budget;
mod consents;
mod decisions;
mod effect;
mod ending;
mod journal;
mod proceed;
mod step_end;

pub use consents::MemoryWish;
pub use effect::{Edit, Effect};

use crate::budgets::Budgets;
use crate::error::{Failure, TaskError, TaskErrorKind};
use crate::events::{Journal, TaskEvent};
use crate::layout::{self, WorkspacePath};
use crate::report::{Deliverable, TaskStatus, ToolCallReport};
use crate::skill::SkillUse;
use crate::source::Fetched;
use crate::spec::{ApprovalPolicy, TaskSpec};
use crate::state::{Outgoing, TaskState, VERSION};
use crate::steps::{TaskLoop, loop_signature};
use crate::text::{first_line, pretty};
use glove_wasm::event::Question;
use glove_wasm::json::Json;
use glove_wasm::message::Usage;

/// A task. Each accepted input gives what is to be done for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    state: TaskState,
    /// How many events of the current step's tools are in the journal.
    reported_calls: usize,
    /// What the current step recalled is in the journal.
    recalled: bool,
}

/// What a task begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Begin {
    pub agent_id: String,
    pub task_id: String,
    pub spec: TaskSpec,
    /// Of the agent; those of the spec count before them.
    pub approvals: ApprovalPolicy,
    pub skills: Vec<SkillUse>,
}

/// What can happen to a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Goes on with whatever comes next, after a look at the workspace.
    Proceed(Box<Observed>),
    /// The tools of the current step did something. The list is all that they did so far.
    Progress {
        calls: Vec<ToolCallReport>,
        elapsed_ms: u64,
    },
    /// The run of the current step waits for these. What stood in the files of decisions before decides nothing about them.
    Asked {
        questions: Vec<Question>,
        /// What the model said with the calls that they are about.
        said: String,
        /// As in [`Observed`].
        decisions: Vec<(String, String)>,
    },
    /// A person answered a question of the run itself, in a chat for example.
    Answered {
        question: String,
        allowed: bool,
    },
    Ended(Box<StepOutcome>),
    /// Something that the next step is to read.
    Pushed(String),
    /// Something failed that no step could mend: the task waits until it is resumed.
    Failed(Failure),
    /// What the memory gave to the current step: counts, and what could not be read.
    Recalled {
        counts: Json,
        failed: String,
    },
    /// Something was written into the memory, or could not be.
    Remembered {
        counts: Json,
        failed: String,
    },
    /// From now on these count.
    Budgets(Budgets),
    Approvals(ApprovalPolicy),
}

/// What a look at the workspace found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// What is in the STOP file, if there is one.
    pub stop: Option<String>,
    pub plan: Option<String>,
    pub todo: String,
    /// Id and content of each decision.
    pub decisions: Vec<(String, String)>,
    /// The ids of those that count for nothing, because the process that runs the task did not write them.
    pub foreign: Vec<String>,
    /// What is wanted of channels of the memory that need consent.
    pub memory: Vec<MemoryWish>,
    /// The agent has a tool that gives the value of a task, and the value is not there.
    pub output_missing: bool,
}

/// How the run of a step came to its end, and what it did.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutcome {
    pub end: StepEnd,
    pub tools_allowed: Vec<String>,
    pub calls: Vec<ToolCallReport>,
    pub context_read: Vec<String>,
    pub artifacts: Vec<Deliverable>,
    /// What it read of the web.
    pub fetched: Vec<Fetched>,
    pub usage: Usage,
    /// Working time that no `Progress` has told.
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StepEnd {
    /// What the model answered, or a function of the application gave.
    Answer(String),
    /// The step failed by itself: a function of the application said so, or it called tools without end.
    Unfinished(String),
    /// The time of the task is used up.
    OutOfTime,
    /// It was paused by `stop`, and why; it goes on from there.
    Stopped(String),
    /// The model or the store failed; it goes on from there.
    Failed(Failure),
}

/// A task may ask for more than its policy does, and never for less.
fn with_plan(mut policy: ApprovalPolicy, spec: &TaskSpec) -> ApprovalPolicy {
    policy.require_plan |= spec.require_plan_approval;
    policy
}

impl Task {
    pub fn begin(now: u64, begin: Begin, by: &dyn TaskLoop) -> Result<(Task, Vec<Effect>), TaskError> {
        let Begin { agent_id, task_id, spec, approvals, skills } = begin;
        spec.check()?;
        let mut task = Task { state: TaskState::default(), reported_calls: 0, recalled: false };
        task.state = TaskState {
            version: VERSION,
            agent_id,
            loop_name: by.name().to_owned(),
            loop_version: by.version().to_owned(),
            loop_signature: loop_signature(by, &spec, &skills),
            approvals: with_plan(spec.approvals.clone().unwrap_or(approvals), &spec),
            started_at: now,
            round: 1,
            spec: TaskSpec { id: Some(task_id.clone()), ..spec },
            task_id,
            ..TaskState::default()
        };
        let goal = first_line(&task.state.spec.goal, 200);
        task.state.skills = skills;
        task.emit_start(now, goal);
        let create = |path: &str, content: &str| Effect::Edit {
            path: WorkspacePath::known(path),
            edit: Edit::Create(content.to_owned()),
        };
        let effects =
            vec![create(layout::NOTES, "# Notes\n\n"), create(layout::TODO, "# Todo\n\n"), Effect::Save];
        task.state.updated_at = now;
        Ok((task, effects))
    }

    /// The task of a `state.json`, with the journal beside it.
    pub fn restore(state: &str, journal: &Journal) -> Result<Task, TaskError> {
        let mut state = TaskState::from_file(state)?;
        let last = journal.last();
        state.outbox.retain(|event| event.number() > last);
        state.last_event = state.last_event.max(last);
        let current = state.current.as_ref().map(|step| step.id.as_str()).unwrap_or_default();
        let of_tools = |event: &&TaskEvent| event.step == current && event.kind.starts_with("tool.");
        let reported_calls = journal.events.iter().chain(&state.outbox).filter(of_tools).count();
        let recalls = |event: &TaskEvent| event.step == current && event.kind == "memory.read";
        let recalled = !current.is_empty() && journal.events.iter().chain(&state.outbox).any(recalls);
        Ok(Task { reported_calls, recalled, state })
    }

    pub fn state(&self) -> &TaskState {
        &self.state
    }

    /// What `state.json` is to hold.
    pub fn file(&self) -> String {
        pretty(&self.state)
    }

    /// The events that are to be added to the journal once the state is written.
    pub fn outbox(&self) -> &[TaskEvent] {
        &self.state.outbox
    }

    /// Files that are to be written once the state is. The task alone says what is in them.
    pub fn outgoing(&self) -> &[Outgoing] {
        &self.state.outgoing
    }

    pub fn saved(&mut self) {
        self.state.outgoing.clear();
        self.state.outbox.clear();
    }

    /// Something that a person should know, beside the result.
    pub fn warn(&mut self, warning: String) {
        self.state.warnings.push(warning);
    }

    /// Whether a decision with this id could change anything.
    pub fn looks_for(&self, id: &str) -> bool {
        self.state.pending.iter().any(|open| open.id == id) || !self.is_closed(id)
    }

    /// What fits the state of the task changes it; what does not is refused and changes nothing.
    pub fn step(&mut self, now: u64, input: Input, by: &dyn TaskLoop) -> Result<Vec<Effect>, TaskError> {
        let mut fx = Vec::new();
        let late = matches!(input, Input::Proceed(_) | Input::Remembered { .. });
        if self.state.status == TaskStatus::Finished && !late {
            let message = "the task is finished; start another one in a new workspace";
            return Err(TaskError::new(TaskErrorKind::Finished, message));
        }
        match input {
            Input::Proceed(seen) => self.proceed(now, &seen, by, &mut fx)?,
            Input::Progress { calls, elapsed_ms } => {
                let step = self.current()?.id.clone();
                self.state.used.wall_clock_ms += elapsed_ms;
                if self.tell_calls(now, &step, &calls) {
                    fx.push(Effect::Save);
                }
            }
            Input::Asked { questions, said, decisions } => {
                self.current()?;
                self.set_aside(now, &decisions, &[]);
                self.asked(now, &questions, &said, &mut fx)?;
            }
            Input::Answered { question, allowed } => self.answered(now, &question, allowed, &mut fx),
            Input::Ended(outcome) => self.ended(now, *outcome, &mut fx)?,
            Input::Pushed(text) => self.pushed(now, text, &mut fx),
            Input::Failed(failure) => self.fail(now, failure, &mut fx),
            Input::Recalled { counts, failed } => self.remembers(now, "memory.read", counts, failed, &mut fx),
            Input::Remembered { counts, failed } => {
                self.remembers(now, "memory.write", counts, failed, &mut fx);
            }
            Input::Budgets(budgets) => {
                TaskSpec { budgets: budgets.clone(), ..self.state.spec.clone() }.check()?;
                self.state.spec.budgets = budgets;
                if self.share_is_reached().is_none() {
                    self.state.only_verify = None;
                    // What was verified was not all: the rest is done, and then all of it verified.
                    if std::mem::take(&mut self.state.verified_part) {
                        self.state.verdict = None;
                    }
                }
                fx.push(Effect::Save);
            }
            Input::Approvals(approvals) => {
                self.state.approvals = approvals;
                fx.push(Effect::Save);
            }
        }
        self.state.updated_at = now;
        Ok(fx)
    }
}
