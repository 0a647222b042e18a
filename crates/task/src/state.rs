//! The state of a task, as `progress/state.json` holds it.

use crate::approval::{ApprovalDecision, ApprovalRequest, Decision, MemoryAccess};
use crate::error::{Failure, TaskError, TaskErrorKind};
use crate::events::TaskEvent;
use crate::layout::{STATE, WorkspacePath, of_step, request};
use crate::plan::{Plan, Verdict};
use crate::report::{FinishReason, TaskStatus};
use crate::skill::SkillUse;
use crate::spec::{ApprovalPolicy, TaskSpec};
use crate::steps::{StepSpec, StepSummary};
use crate::text::sha256;
use glove_wasm::json::codec::{Read, Ts, Write, from_text};
use glove_wasm::message::Usage;

/// Written into every state; an older number is read, a newer one refused.
pub(crate) const VERSION: u32 = 1;

/// Everything that is known of a task. What stands in files of its own is not repeated here.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
pub struct TaskState {
    pub version: u32,
    pub task_id: String,
    pub agent_id: String,
    pub status: TaskStatus,
    /// The name of the last step that began.
    pub phase: String,
    pub finish_reason: Option<FinishReason>,
    /// Why it does not go on by itself.
    pub error: Option<Failure>,
    pub started_at: u64,
    pub updated_at: u64,
    pub completed_at: Option<u64>,
    pub used: Used,
    /// The plan before a verification failed is round 1.
    pub round: u32,
    pub plan: Option<PlanState>,
    /// The plan is not approved yet.
    pub plan_waits: bool,
    pub verdict: Option<Verdict>,
    pub verifications: u32,
    /// A budget was reached before the work was done: what is left of it is kept for the verification, and the task pauses after that.
    pub only_verify: Option<FinishReason>,
    /// The verdict is about what was there when a budget was reached.
    #[json(skip_if_default)]
    pub verified_part: bool,
    pub current: Option<StepSpec>,
    pub current_since: u64,
    pub steps: Vec<StepSummary>,
    /// The path of the answer of the last step that acted.
    pub output_ref: Option<String>,
    pub pending: Vec<ApprovalRequest>,
    /// Decisions that the run of the current step is told, also again.
    pub decided: Vec<Decided>,
    /// What was decided about channels of the memory.
    #[json(skip_if_default)]
    pub consents: Vec<Consent>,
    /// How many requests for approval there were.
    pub requests: u32,
    /// Decisions that decided nothing, by id and hash, each told once.
    pub ignored: Vec<String>,
    /// How many files were added by `push_context`.
    pub pushed: u32,
    pub warnings: Vec<String>,
    /// The number of the last event.
    pub last_event: u64,
    /// Requests and decisions that may not be in their files yet.
    pub outgoing: Vec<Outgoing>,
    /// Events that may not be in the journal yet.
    pub outbox: Vec<TaskEvent>,
    pub approvals: ApprovalPolicy,
    pub loop_name: String,
    pub loop_version: String,
    pub loop_signature: String,
    /// What it was begun with, and goes on with.
    #[json(skip_if_default)]
    pub skills: Vec<SkillUse>,
    pub spec: TaskSpec,
}

/// Whether a channel of the memory may be read in this task, or these entries written there.
#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub struct Consent {
    pub channel: String,
    pub access: MemoryAccess,
    pub allowed: bool,
    #[json(skip_if_default)]
    pub entries_sha256: String,
}

#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[json(default)]
#[ts(inline)]
pub struct Used {
    pub wall_clock_ms: u64,
    pub steps: u32,
    pub steps_without_progress: u32,
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(inline)]
pub struct PlanState {
    /// The number of its copy.
    pub version: u32,
    /// Of the file.
    pub sha256: String,
    pub plan: Plan,
}

/// A file that is written once.
#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub struct Outgoing {
    pub path: String,
    pub content: String,
    /// A decision, which stays unwritten where another one stands that counts: the first one wins.
    #[json(default)]
    pub unless_decided: bool,
}

#[derive(Debug, Clone, PartialEq, Read, Ts, Write)]
#[ts(inline)]
pub struct Decided {
    pub question: String,
    pub allowed: bool,
    pub reason: Option<String>,
    /// The id of the request.
    #[json(default)]
    pub request: String,
    /// The call that it is about.
    pub call_id: Option<String>,
}

impl Decided {
    pub(crate) fn of(question: &str, request: &ApprovalRequest, decision: &ApprovalDecision) -> Decided {
        Decided {
            question: question.to_owned(),
            allowed: decision.decision == Decision::Approved,
            reason: decision.why_not(),
            request: request.id.clone(),
            call_id: request.call_id.clone(),
        }
    }
}

/// Names a file of a decision as it is now.
pub(crate) fn mark(id: &str, text: &str) -> String {
    format!("{id} {}", sha256(text.as_bytes()))
}

#[derive(Read)]
struct Versioned {
    version: u32,
}

impl TaskState {
    /// Whether this file of a decision was found to decide nothing.
    pub(crate) fn ignores(&self, id: &str, text: &str) -> bool {
        self.ignored.contains(&mark(id, text))
    }

    pub(crate) fn from_file(text: &str) -> Result<TaskState, TaskError> {
        let broken = |why: String| {
            let message = format!(
                "{STATE} cannot be read: {why}. Put a copy of it back, or start the task again in a new folder"
            );
            TaskError::new(TaskErrorKind::StateBroken, message)
        };
        let found = from_text::<Versioned>(text).map_err(|fault| broken(fault.to_string()))?;
        if found.version > VERSION {
            let message = format!(
                "this task was written by a newer version (format {}, this one reads up to {VERSION}); update to open it",
                found.version
            );
            return Err(TaskError::new(TaskErrorKind::StateNewer, message));
        }
        let state = from_text::<TaskState>(text).map_err(|fault| broken(fault.to_string()))?;
        match state.strange_path() {
            Some(path) => Err(broken(format!("`{path}` is no path of a workspace"))),
            None => Ok(state),
        }
    }

    /// A path that this file makes the task read or write, and that is none of a workspace.
    fn strange_path(&self) -> Option<String> {
        let ids = self.current.iter().map(|step| &step.id).chain(self.steps.iter().map(|step| &step.id));
        let requests = self.pending.iter().map(|open| request(&open.id).as_str().to_owned());
        let outputs = self.output_ref.iter().chain(self.outgoing.iter().map(|file| &file.path)).cloned();
        let mut paths =
            ids.map(|id| of_step(id, "prompt.json").as_str().to_owned()).chain(requests).chain(outputs);
        paths.find(|path| WorkspacePath::parse(path).is_err())
    }
}
