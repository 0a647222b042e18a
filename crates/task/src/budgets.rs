//! What a task may use: its limits and their defaults. `machine/budget.rs` decides when they are used up.

use glove_wasm::json::codec::{Read, Ts, Write};

/// What a task may use. At most the call in flight goes over it.
#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[json(default)]
#[ts(name = "TaskBudgets", input)]
pub struct Budgets {
    /// Working time in milliseconds; waiting for a person does not count.
    #[json(write_null)]
    pub max_wall_clock_ms: Option<u64>,
    /// Steps of the loop: a phase, or one step of the plan.
    pub max_steps: u32,
    /// Answers in one step that only call tools.
    pub max_consecutive_tool_steps: u32,
    /// Steps one after another that failed.
    pub max_steps_without_progress: u32,
    /// How long one call of a tool may take.
    #[json(write_null)]
    pub step_tool_timeout_ms: Option<u64>,
    /// How much of the time and the steps only the verification may use, in percent.
    pub verify_percent: u32,
    /// How often the plan is refined after a verification that failed.
    pub refinements: u32,
}

impl Default for Budgets {
    fn default() -> Self {
        Budgets {
            max_wall_clock_ms: None,
            max_steps: 50,
            max_consecutive_tool_steps: 40,
            max_steps_without_progress: 3,
            step_tool_timeout_ms: Some(120_000),
            verify_percent: 20,
            refinements: 1,
        }
    }
}
