//! What an application decides about a run.

use crate::json::codec::{Read, Write, through_codec};
use crate::message::dollars;
use crate::tool::{ToolSpec, UNDO_TOOL};

#[derive(Debug, Clone, Default, PartialEq, Read, Write)]
pub struct Settings {
    #[json(default)]
    pub tools: Vec<ToolSpec>,
    #[json(default)]
    pub compaction: Compaction,
    #[json(default)]
    pub limits: Limits,
    #[json(default)]
    pub budgets: Budgets,
}

impl Settings {
    /// The same settings with the tool for taking actions back, where there is something to take back.
    pub(crate) fn complete(mut self) -> Self {
        while let Some(at) = self.tools.iter().position(|tool| tool.name == UNDO_TOOL) {
            self.tools.remove(at);
        }
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

#[derive(Debug, Clone, PartialEq, Eq, Read, Write)]
#[json(default)]
pub struct Compaction {
    pub instructions: String,
    /// Summarise before a model call once the last prompt had this many tokens.
    pub context_limit: u64,
    /// Summarise also after this many model calls since the last summary.
    #[json(write_null)]
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

#[derive(Debug, Clone, PartialEq, Eq, Read, Write)]
#[json(default)]
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
#[derive(Debug, Clone, Default, PartialEq, Read, Write)]
pub struct Budgets {
    #[json(write_null)]
    pub turns: Option<u32>,
    #[json(write_null)]
    pub tool_calls: Option<u32>,
    /// Tokens in and out.
    #[json(write_null)]
    pub tokens: Option<u64>,
    /// US dollars.
    #[json(write_null)]
    pub cost: Option<f64>,
    /// Working time in milliseconds; waiting for a person does not count.
    #[json(write_null)]
    pub wall_clock_ms: Option<u64>,
    /// Ask a person whether to go on, instead of pausing.
    #[json(default)]
    pub ask: bool,
}

through_codec! { Settings, Compaction, Limits, Budgets }
