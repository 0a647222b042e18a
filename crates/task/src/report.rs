//! What came of a task and of its steps.

use crate::approval::ApprovalRequest;
use crate::error::Failure;
use crate::plan::Verdict;
use crate::text::sha256;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Ts, Write, through_codec};
use glove_wasm::message::Usage;

/// Where a task stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(name = "TaskStanding")]
pub enum TaskStatus {
    #[default]
    Running,
    /// A person is to decide something.
    Waiting,
    /// It goes on when it is resumed.
    Paused,
    Finished,
}

/// Why a task ended, or does not go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(name = "TaskFinishReason")]
pub enum FinishReason {
    /// The loop had nothing left to do, and no verification failed.
    Completed,
    VerifyFailed,
    PlanDenied,
    BudgetWallClock,
    BudgetSteps,
    BudgetNoProgress,
    /// The STOP file, or `stop`.
    Stopped,
    ApprovalExpired,
    /// A model or a store failed, or a person's edit cannot be read.
    Failed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum StepStatus {
    #[default]
    Completed,
    Failed,
    Skipped,
}

/// A file that a task made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Read, Ts, Write)]
pub struct Deliverable {
    /// Relative to the root of the task.
    pub path: String,
    pub kind: String,
    pub title: String,
    pub mime: String,
    pub size: u64,
    pub sha256: String,
}

/// A call of a tool, in numbers: what went in and came out is in the record of the step.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "TaskToolCall")]
pub struct ToolCallReport {
    pub call_id: String,
    pub tool: String,
    /// `success`, `error` or another word of the record.
    pub status: String,
    pub input_bytes: usize,
    pub output_bytes: usize,
    pub duration_ms: Option<u64>,
    /// What the tool said when it failed.
    #[json(skip_if_default)]
    pub error: String,
}

/// `progress/steps/<id>/report.json`.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "TaskStepReport")]
pub struct StepReport {
    pub id: String,
    pub name: String,
    pub kind: String,
    pub iteration: u32,
    pub status: StepStatus,
    pub started_at: u64,
    pub ended_at: u64,
    #[json(default)]
    pub tools_allowed: Vec<String>,
    #[json(default)]
    pub tools_used: Vec<String>,
    #[json(default)]
    pub tool_calls: Vec<ToolCallReport>,
    /// Paths whose content the step read in its prompt.
    #[json(default)]
    pub context_read: Vec<String>,
    #[json(default)]
    pub artifacts_written: Vec<Deliverable>,
    pub output_ref: Option<String>,
    /// A plan or a verdict.
    #[json(skip_if_default)]
    pub output_json: Json,
    /// What that is: `glove-plan@1`, `glove-verdict@1`, or what the loop calls it.
    pub schema_id: Option<String>,
    #[json(default)]
    pub usage: Usage,
    #[json(skip_if_default)]
    pub error: String,
    /// Of the loop, for the application alone.
    #[json(skip_if_default)]
    pub ext: Json,
}

/// What a task came to, as far as the view says.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
pub struct TaskResult {
    pub agent_id: String,
    pub task_id: String,
    pub loop_name: String,
    pub loop_version: String,
    pub loop_signature: String,
    pub progress_dir: String,
    pub status: TaskStatus,
    pub finish_reason: Option<FinishReason>,
    #[json(default)]
    pub usage: Usage,
    pub started_at: u64,
    pub completed_at: Option<u64>,
    /// What a person is to decide before it goes on.
    #[json(skip_if_default)]
    pub approvals: Vec<ApprovalRequest>,
    /// Why it did not go on.
    pub error: Option<Failure>,
    /// The answer of the last step that acted.
    #[json(skip_if_default)]
    pub output_text: String,
    #[json(skip_if_default)]
    pub deliverables: Vec<Deliverable>,
    pub verdict: Option<Verdict>,
    #[json(skip_if_default)]
    pub warnings: Vec<String>,
    #[json(skip_if_default)]
    pub steps: Vec<StepReport>,
    #[json(skip_if_default)]
    pub ext: Json,
}

through_codec! {
    TaskStatus, FinishReason, StepStatus, Deliverable, ToolCallReport, StepReport, TaskResult,
}

impl FinishReason {
    /// As it stands in files.
    pub fn as_str(self) -> &'static str {
        self.word()
    }

    /// Whether `resume` goes on from here.
    pub fn can_resume(self) -> bool {
        !matches!(self, FinishReason::Completed | FinishReason::VerifyFailed | FinishReason::PlanDenied)
    }
}

impl Deliverable {
    pub fn of(path: &str, kind: &str, content: &[u8]) -> Self {
        let title = path.rsplit('/').next().unwrap_or_default();
        Deliverable {
            path: path.to_owned(),
            kind: kind.to_owned(),
            title: title.to_owned(),
            mime: mime(title).to_owned(),
            size: content.len() as u64,
            sha256: sha256(content),
        }
    }
}

/// By the ending of the name.
fn mime(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "md" => "text/markdown",
        "txt" | "log" => "text/plain",
        "html" | "htm" => "text/html",
        "csv" => "text/csv",
        "json" => "application/json",
        "jsonl" | "ndjson" => "application/x-ndjson",
        "pdf" => "application/pdf",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        _ => "application/octet-stream",
    }
}
