//! What a task wants done.

use crate::layout::WorkspacePath;
use crate::plan::{Plan, with_steps, with_tick};
use crate::steps::StepSpec;

/// What is to be done, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Writes a file as a whole, unless this other one is there.
    Write { path: WorkspacePath, content: String, unless: Option<WorkspacePath> },
    /// Changes a file that a person may be editing.
    Edit { path: WorkspacePath, edit: Edit },
    /// Writes the state, then what [`outgoing`](super::Task::outgoing) and [`outbox`](super::Task::outbox) hold, and says so by [`saved`](super::Task::saved).
    Save,
    /// Begins the step, or goes on with it.
    RunStep(Box<StepSpec>),
    /// Tells the run of the current step.
    Answer { question: String, allowed: bool, reason: Option<String> },
    /// A person is to decide before the task goes on, at the latest then.
    Wait { until: u64 },
    /// Nothing goes on by itself.
    Stop,
}

pub(super) type Effects = Vec<Effect>;

/// A change that may be done again without doing it twice.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Adds this at the end, unless it is in the file.
    Append(String),
    /// Makes the file, if there is none.
    Create(String),
    Steps(Box<Plan>),
    Tick(String),
}

impl Edit {
    /// `None`: the file stays as it is.
    pub fn apply(&self, before: Option<&str>) -> Option<String> {
        let text = before.unwrap_or_default();
        let after = match self {
            Edit::Append(piece) if text.contains(piece.trim()) => return None,
            Edit::Append(piece) => {
                let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                format!("{text}{gap}{}\n", piece.trim_end())
            }
            Edit::Create(content) if before.is_none() => content.clone(),
            Edit::Create(_) => return None,
            Edit::Steps(plan) => with_steps(text, plan),
            Edit::Tick(id) => with_tick(text, id, true),
        };
        (before != Some(after.as_str())).then_some(after)
    }
}
