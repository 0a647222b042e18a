//! What can go wrong with a task, each with a code that stays the same between releases.

use glove_wasm::json::codec::{Read, Ts, Write, through_codec};

/// Why a task did not do what it was asked. What is in its workspace stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TaskError {
    pub kind: TaskErrorKind,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskErrorKind {
    /// The goal is empty or too long.
    Goal,
    /// An option of the agent or the task cannot hold.
    Config,
    /// A path that leads out of the workspace, or that some system could not have.
    Path,
    /// Not a place where the tools of an agent, or a client, may write.
    ReadOnly,
    /// No file of the task that a client may read.
    FileMissing,
    /// The workspace could not be read or written.
    Workspace,
    /// There is a task in this workspace already.
    Exists,
    /// There is no task in this workspace.
    Missing,
    /// Another runner has the workspace.
    InUse,
    /// `state.json` cannot be read, nor the copy of it.
    StateBroken,
    /// Written by a newer version.
    StateNewer,
    /// The plan of a person or a model cannot be read.
    Plan,
    /// A seed of the history cannot be read.
    History,
    /// A session that the history is to come from is gone.
    HistoryMissing,
    /// No request for approval has this id.
    ApprovalUnknown,
    /// The request has expired, or was decided before.
    ApprovalClosed,
    /// A decision that cannot be read.
    DecisionInvalid,
    /// A loop gave a step that cannot be done.
    Loop,
    /// The task is at its end.
    Finished,
    /// This handle is running already.
    Busy,
    /// A memory could not be read or written.
    Memory,
    /// What is to be a skill is none.
    Skill,
    /// A skill is another one than it was to be.
    SkillChanged,
    /// The page has let go of the task.
    Closed,
    /// The output of a task does not fit its type.
    Output,
    /// What is to be imported is no exported workspace.
    Export,
    /// What happened does not fit the state of the task.
    Protocol,
}

impl TaskErrorKind {
    pub fn code(self) -> &'static str {
        match self {
            TaskErrorKind::Goal => "TASK_GOAL_INVALID",
            TaskErrorKind::Config => "TASK_CONFIG_INVALID",
            TaskErrorKind::Path => "TASK_PATH_INVALID",
            TaskErrorKind::ReadOnly => "TASK_PATH_READ_ONLY",
            TaskErrorKind::FileMissing => "TASK_FILE_MISSING",
            TaskErrorKind::Workspace => "TASK_WORKSPACE_FAILED",
            TaskErrorKind::Exists => "TASK_EXISTS",
            TaskErrorKind::Missing => "TASK_MISSING",
            TaskErrorKind::InUse => "TASK_IN_USE",
            TaskErrorKind::StateBroken => "TASK_STATE_BROKEN",
            TaskErrorKind::StateNewer => "TASK_STATE_NEWER",
            TaskErrorKind::Plan => "TASK_PLAN_INVALID",
            TaskErrorKind::History => "TASK_HISTORY_INVALID",
            TaskErrorKind::HistoryMissing => "TASK_HISTORY_MISSING",
            TaskErrorKind::ApprovalUnknown => "TASK_APPROVAL_UNKNOWN",
            TaskErrorKind::ApprovalClosed => "TASK_APPROVAL_CLOSED",
            TaskErrorKind::DecisionInvalid => "TASK_DECISION_INVALID",
            TaskErrorKind::Loop => "TASK_LOOP_INVALID",
            TaskErrorKind::Finished => "TASK_FINISHED",
            TaskErrorKind::Busy => "TASK_BUSY",
            TaskErrorKind::Memory => "TASK_MEMORY_FAILED",
            TaskErrorKind::Skill => "TASK_SKILL_INVALID",
            TaskErrorKind::SkillChanged => "TASK_SKILL_CHANGED",
            TaskErrorKind::Closed => "TASK_CLOSED",
            TaskErrorKind::Output => "TASK_OUTPUT_INVALID",
            TaskErrorKind::Export => "TASK_EXPORT_INVALID",
            TaskErrorKind::Protocol => "TASK_OUT_OF_PROTOCOL",
        }
    }
}

impl TaskError {
    pub fn new(kind: TaskErrorKind, message: impl Into<String>) -> Self {
        TaskError { kind, message: message.into() }
    }

    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// For workspaces whose lease somebody else has.
    pub fn in_use() -> Self {
        let message = "another runner works on this task; stop it there, or wait until it has ended";
        TaskError::new(TaskErrorKind::InUse, message)
    }
}

/// A failure as it stands in files and results: the code of whatever failed, and what it said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub struct Failure {
    pub code: String,
    pub message: String,
}

impl From<&TaskError> for Failure {
    fn from(error: &TaskError) -> Self {
        Failure { code: error.code().to_owned(), message: error.message.clone() }
    }
}

through_codec! { Failure }
