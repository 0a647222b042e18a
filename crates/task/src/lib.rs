//! Tasks: a goal that an agent works through under control, decided here and done by [`crate::runtime`].
//!
//! [`Task`] is a state machine like [`glove_wasm::run::Run`]: what happened goes in, what is to be done comes out. It reads no clock
//! and no files; what stands in the workspace is an input. Each step of a task is a run of its own.

// Ports are shared by `Arc` for the threads of native programs; a page has one thread.
#![cfg_attr(target_arch = "wasm32", allow(clippy::arc_with_non_send_sync))]
#![cfg_attr(not(test), deny(clippy::use_debug))]

// The derives name it so.
use glove_wasm::json;

mod approval;
mod budgets;
mod client;
mod default_loop;
mod error;
mod events;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod front_matter;
pub mod layout;
mod machine;
pub mod memory;
mod plan;
pub mod prompt;
mod refusal;
mod report;
pub mod runtime;
mod skill;
mod source;
mod spec;
mod state;
mod steps;
pub(crate) mod text;
pub mod time;
#[doc(hidden)]
pub mod wire;

pub use approval::{ApprovalDecision, ApprovalKind, ApprovalRequest, Decision, MemoryAccess, Said};
pub use client::{ClientState, ClientTask, ClientUse};
pub use default_loop::{DefaultLoop, Phase};
pub use error::{Failure, TaskError, TaskErrorKind};
pub use events::{Journal, TaskEvent};
pub use layout::WorkspacePath;
pub use machine::{Begin, Edit, Effect, Input, MemoryWish, Observed, StepEnd, StepOutcome, Task};
pub use plan::{Criterion, Fact, Plan, PlanStep, Verdict};
pub use report::{Deliverable, FinishReason, StepReport, StepStatus, TaskResult, TaskStatus, ToolCallReport};
pub(crate) use skill::known_again;
pub use skill::{SkillBundle, SkillTool, SkillUse};
pub use source::{Fetched, Source};
// A page reads it, natively the tests of its types alone.
pub use budgets::Budgets;
#[cfg_attr(not(test), allow(unused_imports))]
pub(crate) use spec::read_policy;
pub use spec::{ApprovalPolicy, HistoryMode, HistoryPolicy, LONGEST_GOAL, ResultView, TaskSpec};
pub use state::{Consent, Decided, Outgoing, PlanState, TaskState, Used};
pub use steps::{CustomLoop, LoopView, Next, StepOutput, StepSpec, StepSummary, TaskLoop, loop_signature};
pub use text::sha256;
