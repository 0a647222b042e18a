//! What the client of a server may know of a task, and do with its files. The rest is the server's own.

use crate::approval::ApprovalRequest;
use crate::budgets::Budgets;
use crate::error::{Failure, TaskError, TaskErrorKind};
use crate::layout::{
    ARTIFACTS, CONTEXT, FINDINGS, HISTORY_LINES, HISTORY_TEXT, NOTES, PLAN, SOURCES, TASK, TODO,
    WorkspacePath,
};
use crate::plan::Verdict;
use crate::report::{FinishReason, TaskStatus};
use crate::skill::SkillUse;
use crate::state::{PlanState, TaskState, Used};
use crate::steps::StepSummary;
use crate::text::first_line;
use glove_wasm::json::codec::{Ts, Write};

/// Where a task of a server stands.
#[derive(Debug, Clone, Ts, Write)]
#[ts(name = "RemoteTaskState")]
pub struct ClientState {
    pub task_id: String,
    pub status: TaskStatus,
    /// Whether somebody works on it right now, or waits for a person. Where nobody does, it goes on with `resume`.
    pub running: bool,
    /// Nobody works on it, and it is not at its end: `resume` goes on with it.
    pub can_resume: bool,
    pub phase: String,
    pub finish_reason: Option<FinishReason>,
    pub error: Option<Failure>,
    pub started_at: u64,
    pub updated_at: u64,
    pub completed_at: Option<u64>,
    pub used: Used,
    pub loop_name: String,
    pub plan: Option<PlanState>,
    /// The plan is not approved yet.
    pub plan_waits: bool,
    pub verdict: Option<Verdict>,
    pub current: Option<ClientStep>,
    pub steps: Vec<StepSummary>,
    /// The path of the answer of the last step that acted.
    pub output_ref: Option<String>,
    pub pending: Vec<ApprovalRequest>,
    pub warnings: Vec<String>,
    /// The number of the last event.
    pub last_event: u64,
    /// What it was begun with, and goes on with.
    #[json(skip_if_default)]
    pub skills: Vec<SkillUse>,
    pub spec: ClientSpec,
}

/// The step that runs.
#[derive(Debug, Clone, Ts, Write)]
#[ts(inline)]
pub struct ClientStep {
    pub id: String,
    pub name: String,
    pub plan_step: Option<String>,
}

/// What was asked for.
#[derive(Debug, Clone, Ts, Write)]
#[ts(inline)]
pub struct ClientSpec {
    pub goal: String,
    #[json(skip_if_default)]
    pub budgets: Budgets,
}

impl ClientState {
    pub fn new(state: TaskState, running: bool) -> ClientState {
        ClientState {
            task_id: state.task_id,
            status: state.status,
            running,
            can_resume: !running && state.status != TaskStatus::Finished,
            phase: state.phase,
            finish_reason: state.finish_reason,
            error: state.error,
            started_at: state.started_at,
            updated_at: state.updated_at,
            completed_at: state.completed_at,
            used: state.used,
            loop_name: state.loop_name,
            plan: state.plan,
            plan_waits: state.plan_waits,
            verdict: state.verdict,
            current: state.current.map(|step| ClientStep {
                id: step.id,
                name: step.name,
                plan_step: step.plan_step,
            }),
            steps: state.steps,
            output_ref: state.output_ref,
            pending: state.pending,
            warnings: state.warnings,
            last_event: state.last_event,
            skills: state.skills,
            spec: ClientSpec { goal: state.spec.goal, budgets: state.spec.budgets },
        }
    }
}

/// One of the tasks that a server has, as its list shows them.
#[derive(Debug, Clone, Ts, Write)]
#[ts(name = "RemoteTaskEntry")]
pub struct ClientTask {
    pub id: String,
    pub goal: String,
    pub status: TaskStatus,
    pub running: bool,
    pub can_resume: bool,
    pub finish_reason: Option<FinishReason>,
    /// How many requests wait for a person.
    pub pending: usize,
    pub started_at: u64,
    pub updated_at: u64,
    /// Why nothing else is known of it: its state cannot be read.
    pub error: Option<Failure>,
}

impl ClientTask {
    pub fn new(id: String, state: Result<ClientState, TaskError>) -> ClientTask {
        match state {
            Ok(state) => ClientTask {
                id,
                goal: first_line(&state.spec.goal, 200),
                status: state.status,
                running: state.running,
                can_resume: state.can_resume,
                finish_reason: state.finish_reason,
                pending: state.pending.len(),
                started_at: state.started_at,
                updated_at: state.updated_at,
                error: state.error,
            },
            Err(error) => ClientTask {
                id,
                goal: String::new(),
                status: TaskStatus::Paused,
                running: false,
                can_resume: false,
                finish_reason: None,
                pending: 0,
                started_at: 0,
                updated_at: 0,
                error: Some(match error.kind {
                    TaskErrorKind::StateBroken | TaskErrorKind::StateNewer => Failure::from(&error),
                    // What is wrong with the server is its own.
                    _ => Failure {
                        code: "INTERNAL".to_owned(),
                        message: "The server failed. Try again later.".to_owned(),
                    },
                }),
            },
        }
    }
}

/// What a client wants of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientUse {
    Read,
    /// As a person edits the files that the next step reads.
    Edit,
    /// As an input of the task.
    Upload,
}

impl WorkspacePath {
    /// Whether a client may do this with the file. It reads what people read, and never what the agent was told and what governs the task.
    pub fn allows(&self, client: ClientUse) -> Result<(), TaskError> {
        let below = |folder: &str| self.is_below(folder) && self.as_str() != folder;
        let is_plan = self.as_str() == PLAN;
        let allowed = match client {
            ClientUse::Read => {
                let folders = [TASK, ARTIFACTS, CONTEXT, "progress/plan", "progress/verify"];
                let output = below("progress/steps") && matches!(self.name(), "output.md" | "output.json");
                [NOTES, TODO, FINDINGS, SOURCES].contains(&self.as_str())
                    || self.is_made_by_step()
                    || output
                    || folders.into_iter().any(below)
            }
            ClientUse::Edit => is_plan || [NOTES, TODO, FINDINGS].contains(&self.as_str()),
            // What was said before speaks for others, so it is the server's.
            ClientUse::Upload => below(TASK) && ![HISTORY_LINES, HISTORY_TEXT].contains(&self.as_str()),
        };
        if allowed {
            return Ok(());
        }
        let (kind, message) = match client {
            ClientUse::Read => (TaskErrorKind::FileMissing, "is no file of the task that clients may read"),
            ClientUse::Edit => (
                TaskErrorKind::ReadOnly,
                "is not for clients to edit; edit progress/notes.md, progress/todo.md, progress/findings.md or progress/plan/current.json",
            ),
            ClientUse::Upload => (
                TaskErrorKind::ReadOnly,
                "is no input: clients send files below task/, and no history of the task",
            ),
        };
        Err(TaskError::new(kind, format!("`{self}` {message}")))
    }
}
