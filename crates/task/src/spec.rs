//! What an application decides about a task: its goal, what it may use, what a person approves, what comes back.

use crate::budgets::Budgets;
use crate::error::{TaskError, TaskErrorKind};
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Done, Read, Ts, Write, through_codec, wrong};
use glove_wasm::json::reader::Reader;
use glove_wasm::message::Message;

/// A longer goal belongs into a file below `task/`.
pub const LONGEST_GOAL: usize = 64 * 1024;

/// A task: what is to be reached, and within which bounds.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(input)]
pub struct TaskSpec {
    pub goal: String,
    /// Names the task; made where it is missing.
    pub id: Option<String>,
    pub user_id: Option<String>,
    #[json(skip_if_default)]
    pub budgets: Budgets,
    /// Instead of the agent's own. `"strict"`, `"permissive"` and `"automatic"` are read too.
    #[json(read_with = read_policy)]
    #[ts(type = "TaskApprovals")]
    pub approvals: Option<ApprovalPolicy>,
    /// The plan is approved, whatever else is.
    #[json(skip_if_default)]
    pub require_plan_approval: bool,
    /// A conversation that came before.
    #[json(skip_if_default)]
    pub seed_messages: Vec<Message>,
    /// Stored sessions whose conversations came before, by their ids. They are read when the task begins, and kept with it.
    #[json(skip_if_default)]
    pub seed_from_sessions: Vec<String>,
    /// How much of what was said before each step reads, unless the step says so itself.
    #[json(skip_if_default)]
    pub history: HistoryPolicy,
    /// For the application alone; it stands in the state and in the result.
    #[json(skip_if_default)]
    pub ext: Json,
}

impl TaskSpec {
    pub fn new(goal: impl Into<String>) -> Self {
        TaskSpec { goal: goal.into(), ..TaskSpec::default() }
    }

    pub fn budgets(mut self, budgets: Budgets) -> Self {
        self.budgets = budgets;
        self
    }

    pub fn approvals(mut self, approvals: ApprovalPolicy) -> Self {
        self.approvals = Some(approvals);
        self
    }

    /// For the application alone: it stands in the state and in the result, where `read` gives it back as a type.
    pub fn ext(mut self, ext: impl Into<Json>) -> Self {
        self.ext = ext.into();
        self
    }

    pub(crate) fn check(&self) -> Result<(), TaskError> {
        let refuse = |kind, message: String| Err(TaskError::new(kind, message));
        if self.goal.trim().is_empty() {
            return refuse(TaskErrorKind::Goal, "the goal is empty; say what is to be reached".to_owned());
        }
        if self.goal.len() > LONGEST_GOAL {
            let message = format!(
                "the goal has {} bytes, and at most {LONGEST_GOAL} are read with each step; put it into task/brief.md and name that",
                self.goal.len()
            );
            return refuse(TaskErrorKind::Goal, message);
        }
        let share = self.budgets.verify_percent;
        if share > 90 {
            let message = format!("`verify_percent` must be at most 90, got {share}");
            return refuse(TaskErrorKind::Config, message);
        }
        Ok(())
    }
}

/// What a person approves before it happens.
#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[json(default)]
#[ts(input)]
pub struct ApprovalPolicy {
    pub require_plan: bool,
    /// The names of tools of which each call is approved.
    pub require_tools: Vec<String>,
    /// How long a request waits for its decision.
    pub expires_after_ms: u64,
    /// Everything is approved at once, and still written down: for development.
    pub automatic: bool,
}

/// A policy, or the name of one.
pub(crate) fn read_policy(policy: &mut Option<ApprovalPolicy>, from: &mut Reader<'_>) -> Done {
    if from.peek()? != b'"' {
        return policy.read(from);
    }
    *policy = Some(match &*from.text()? {
        "strict" => ApprovalPolicy::strict(),
        "permissive" => ApprovalPolicy::permissive(),
        "automatic" => ApprovalPolicy::automatic(),
        _ => return Err(wrong("a policy, \"strict\", \"permissive\" or \"automatic\"")),
    });
    Ok(())
}

impl Default for ApprovalPolicy {
    fn default() -> Self {
        ApprovalPolicy::permissive()
    }
}

impl ApprovalPolicy {
    /// A person approves the plan, and each call that runs commands, posts or writes.
    pub fn strict() -> Self {
        let tools = ["sandbox_exec", "http_post", "fs_write"];
        ApprovalPolicy {
            require_plan: true,
            require_tools: tools.map(str::to_owned).to_vec(),
            ..ApprovalPolicy::permissive()
        }
    }

    /// Nothing is asked beyond what tools ask themselves.
    pub fn permissive() -> Self {
        ApprovalPolicy {
            require_plan: false,
            require_tools: Vec::new(),
            expires_after_ms: 24 * 60 * 60 * 1_000,
            automatic: false,
        }
    }

    /// What `strict` asks for, approved at once.
    pub fn automatic() -> Self {
        ApprovalPolicy { automatic: true, ..ApprovalPolicy::strict() }
    }

    pub fn requires_tool(&self, name: &str) -> bool {
        self.require_tools.iter().any(|tool| tool.eq_ignore_ascii_case(name))
    }
}

/// What a step reads of what was said before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Read, Ts, Write)]
#[json(default)]
#[ts(input)]
pub struct HistoryPolicy {
    pub mode: HistoryMode,
    /// For `last_n`: how many messages.
    #[json(skip_if_default)]
    pub n: usize,
    /// For `summary`: about how many tokens.
    #[json(skip_if_default)]
    pub max_tokens: usize,
    /// Whether the calls of tools and their results are kept.
    #[json(skip_if_default)]
    pub include_tools: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum HistoryMode {
    None,
    /// The seeds, and nothing of this task.
    #[default]
    SeedOnly,
    /// The seeds, and the last messages of the steps before.
    LastN,
    /// What the steps before came to, in a few lines.
    Summary,
}

impl HistoryPolicy {
    pub fn none() -> Self {
        HistoryPolicy { mode: HistoryMode::None, ..HistoryPolicy::default() }
    }

    pub fn last(n: usize) -> Self {
        HistoryPolicy { mode: HistoryMode::LastN, n, ..HistoryPolicy::default() }
    }

    pub fn summary(max_tokens: usize) -> Self {
        HistoryPolicy { mode: HistoryMode::Summary, max_tokens, ..HistoryPolicy::default() }
    }
}

/// How much of a task its result holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum ResultView {
    /// Names, how it ended, what it used.
    Minimal,
    /// And the answer, what was made, what the verification said, and warnings.
    #[default]
    Summary,
    /// And a report of each step.
    Full,
}

through_codec! { TaskSpec, Budgets, ApprovalPolicy, HistoryPolicy, HistoryMode, ResultView }

#[cfg(test)]
mod tests {
    use super::*;
    use glove_wasm::json::codec::{from_text, to_text};

    #[test]
    fn a_task_that_is_read_again_is_the_same() {
        let usual = TaskSpec::new("Write");
        assert_eq!(from_text::<TaskSpec>(&to_text(&usual)).unwrap(), usual);
        let own = TaskSpec {
            history: HistoryPolicy::last(3),
            ..TaskSpec::new("Write").approvals(ApprovalPolicy::strict())
        };
        assert_eq!(from_text::<TaskSpec>(&to_text(&own)).unwrap(), own);
    }

    #[test]
    fn a_policy_of_approvals_can_be_named() {
        let read = |name: &str| from_text::<TaskSpec>(&format!(r#"{{"goal":"Write","approvals":"{name}"}}"#));
        assert_eq!(read("strict").unwrap().approvals, Some(ApprovalPolicy::strict()));
        assert_eq!(read("automatic").unwrap().approvals, Some(ApprovalPolicy::automatic()));
        assert_eq!(read("permissive").unwrap().approvals, Some(ApprovalPolicy::permissive()));
        assert!(read("lax").unwrap_err().to_string().contains("strict"));
    }
}
