//! What an application decides about a run.

use serde::{Deserialize, Serialize};

use crate::message::dollars;
use crate::tool::{ToolSpec, UNDO_TOOL};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub tools: Vec<ToolSpec>,
    pub compaction: Compaction,
    pub limits: Limits,
    pub budgets: Budgets,
}

impl Settings {
    /// The same settings with the tool for taking actions back, where there is something to take back.
    pub(crate) fn complete(mut self) -> Self {
        self.tools.retain(|tool| tool.name != UNDO_TOOL);
        if self.tools.iter().any(|tool| tool.undo) {
            self.tools.push(ToolSpec::new(UNDO_TOOL));
        }
        // What is no amount allows nothing; without end is no limit.
        self.budgets.cost = self
            .budgets
            .cost
            .filter(|cost| *cost != f64::INFINITY)
            .map(|cost| dollars(cost).unwrap_or_default());
        self
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compaction {
    pub instructions: String,
    /// Summarise before a model call once the last prompt had this many tokens.
    pub context_limit: u64,
    /// Summarise also after this many model calls since the last summary.
    pub every_turns: Option<u32>,
}

impl Default for Compaction {
    fn default() -> Self {
        Compaction {
            instructions: "Summarize the conversation. Preserve key context, decisions, and state."
                .to_owned(),
            context_limit: 100_000,
            every_turns: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Model calls in one request.
    pub turns: u32,
    /// Calls that one answer may hold; those beyond are answered with an error.
    pub calls_per_turn: usize,
    /// A longer result is cut, with a notice (at 200 bytes or more, as the notice needs room).
    pub result_bytes: usize,
    /// Rounds with nothing but errors, after which the model is told to stop and explain. 0: never.
    pub error_rounds: u32,
    /// Rounds with the same calls and the same results, after which the run is stopped. 0: never.
    pub same_rounds: u32,
    /// Actions that can be taken back.
    pub undo_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            turns: 120,
            calls_per_turn: 128,
            result_bytes: 256 * 1024,
            error_rounds: 3,
            same_rounds: 3,
            undo_steps: 100,
        }
    }
}

/// What one request may use. A budget is checked before each model call and each tool, so that at most the work
/// in flight goes over it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budgets {
    pub turns: Option<u32>,
    pub tool_calls: Option<u32>,
    /// Tokens in and out.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
    /// Working time in milliseconds; waiting for a person does not count.
    pub wall_clock_ms: Option<u64>,
    /// Ask a person whether to go on, instead of pausing.
    pub ask: bool,
}
