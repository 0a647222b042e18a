//! What an agent for tasks is made of.

use std::fmt;
use std::sync::Arc;

use crate::prompt::StepPrompt;
use crate::runtime::credentials::CredentialBroker;
use crate::runtime::memory_port::AgentMemory;
use crate::runtime::session_source::SessionSource;
use crate::runtime::tool_files::SkillRunner;
use crate::runtime::tools::TaskTool;
use crate::runtime::traced::TaskTraces;
use crate::runtime::workspace::Workspace;
use crate::{ApprovalPolicy, Plan, SkillBundle, StepSpec, TaskLoop};
use glove_wasm::message::Message;
use glove_wasm::portable::{BoxFuture, MaybeSend, MaybeSync};
use glove_wasm::ports::{Clock, IdSource, ModelAdapter, Tool, ToolFailure, ToolHost};

pub(super) struct Parts {
    pub(super) id: String,
    pub(super) persona: String,
    pub(super) model: Arc<dyn ModelAdapter>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) tools: Vec<TaskTool>,
    pub(super) file_tools: Vec<(Arc<dyn MakesTool>, Vec<String>)>,
    pub(super) hosted: Option<Hosted>,
    pub(super) approvals: ApprovalPolicy,
    pub(super) by: Arc<dyn TaskLoop>,
    pub(super) functions: Vec<(String, Arc<dyn StepFunction>)>,
    pub(super) seeds: Vec<Message>,
    pub(super) sessions: Option<Arc<dyn SessionSource>>,
    pub(super) skills: Vec<SkillBundle>,
    /// Runs the tools of skills, unless a host does.
    pub(super) skill_runner: Option<Arc<dyn SkillRunner>>,
    pub(super) broker: Option<Arc<dyn CredentialBroker>>,
    pub(super) memory: Option<AgentMemory>,
    pub(super) traces: Option<Arc<dyn TaskTraces>>,
    pub(super) poll_ms: u64,
    /// How long a model may be silent after a stop.
    pub(super) grace_ms: u64,
}

/// Makes a tool for the files of a task.
pub(super) trait MakesTool: MaybeSend + MaybeSync {
    fn tool(&self, files: Arc<dyn Workspace>) -> Tool;
}

impl<F: Fn(Arc<dyn Workspace>) -> Tool + MaybeSend + MaybeSync> MakesTool for F {
    fn tool(&self, files: Arc<dyn Workspace>) -> Tool {
        self(files)
    }
}

/// Tools that somebody else runs, such as a page.
#[derive(Clone)]
pub(super) struct Hosted {
    pub(super) host: Arc<dyn ToolHost>,
    /// The phases of those that are not for all but `plan`, by the name of the tool.
    pub(super) phases: Vec<(String, Vec<String>)>,
}

impl Hosted {
    pub(super) fn is_for(&self, tool: &str, phase: &str) -> bool {
        let own = self.phases.iter().find(|(name, _)| name == tool);
        own.map_or(phase != "plan", |(_, phases)| phases.iter().any(|name| name == phase))
    }
}

/// What a step that is a function gets.
#[derive(Clone)]
pub struct StepContext {
    pub step: StepSpec,
    pub goal: String,
    pub plan: Option<Plan>,
    /// What a model would read.
    pub prompt: StepPrompt,
    pub files: Arc<dyn Workspace>,
    pub model: Arc<dyn ModelAdapter>,
}

pub(super) trait StepFunction: MaybeSend + MaybeSync {
    fn run(&self, context: StepContext) -> BoxFuture<'static, Result<String, String>>;
}

pub(super) struct Closure<F>(pub(super) F);

impl<F, R, E> StepFunction for Closure<F>
where
    F: Fn(StepContext) -> R + MaybeSend + MaybeSync,
    R: Future<Output = Result<String, E>> + MaybeSend + 'static,
    E: Into<ToolFailure>,
{
    fn run(&self, context: StepContext) -> BoxFuture<'static, Result<String, String>> {
        let running = (self.0)(context);
        Box::pin(async move { running.await.map_err(|error| error.into().message()) })
    }
}

impl fmt::Debug for StepContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepContext").field("step", &self.step.id).finish_non_exhaustive()
    }
}
