//! What an application decides about a run.

use std::ops::Deref;

use crate::json::codec::{Done, Read, Ts, Write, through_codec, to_text};
use crate::json::reader::Reader;
use crate::message::dollars;
use crate::tool::{ToolSpec, UNDO_TOOL};

/// The rules of a run.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(name = "RunSettings", input)]
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
        if self.limits.undo_steps > 0 && self.tools.iter().any(|tool| tool.undo) {
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

/// The settings of a run with their text, which seldom changes and is in each checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settled {
    settings: Settings,
    text: String,
}

impl From<Settings> for Settled {
    fn from(settings: Settings) -> Self {
        Settled { text: to_text(&settings), settings }
    }
}

impl Deref for Settled {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl Write for Settled {
    fn write(&self, out: &mut String) {
        out.push_str(&self.text);
    }
}

impl Read for Settled {
    fn blank() -> Self {
        Settled { settings: Settings::blank(), text: String::new() }
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Done {
        self.settings.read(from)?;
        self.text = to_text(&self.settings);
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[json(default)]
#[ts(inline, input)]
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

/// What no request may exceed.
#[derive(Debug, Clone, PartialEq, Eq, Read, Ts, Write)]
#[json(default)]
#[ts(input)]
pub struct Limits {
    /// Model calls in one request; 120 unless given.
    pub turns: u32,
    /// Calls that one answer may hold, 128 unless given; those beyond are answered with an error.
    pub calls_per_turn: usize,
    /// A longer tool result is cut, with a notice; 256 kB (262,144) unless given.
    pub result_bytes: usize,
    /// Rounds with nothing but errors, after which the model is told to stop and explain; 3 unless given, 0 for never.
    pub error_rounds: u32,
    /// Rounds with the same calls and results, after which the model is told to stop and explain; 3 unless given, 0 for never.
    pub same_rounds: u32,
    /// Actions that can be taken back; 100 unless given. With 0 none can, and the model has no `undo_last_action`.
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

/// What one request may use before it is paused, or (with `ask`) a person is asked. At most the work in flight goes over it.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(input)]
pub struct Budgets {
    /// Model calls.
    #[json(write_null)]
    pub turns: Option<u32>,
    /// Calls of tools.
    #[json(write_null)]
    pub tool_calls: Option<u32>,
    /// Tokens in and out.
    #[json(write_null)]
    pub tokens: Option<u64>,
    /// US dollars, where the model tells what it costs.
    #[json(write_null)]
    pub cost: Option<f64>,
    /// Working time in milliseconds; waiting for a person does not count. A tool that runs longer is stopped, unless it is
    /// `unAbortable`.
    #[json(write_null)]
    pub wall_clock_ms: Option<u64>,
    /// Ask a person whether to go on, instead of pausing.
    #[json(default)]
    pub ask: bool,
}

through_codec! { Settings, Compaction, Limits, Budgets }
