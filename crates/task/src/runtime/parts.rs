//! What an agent for tasks is made of.

use std::fmt;
use std::sync::Arc;

use crate::layout::GIVES_OUTPUT;
use crate::prompt::StepPrompt;
use crate::runtime::credentials::CredentialBroker;
use crate::runtime::memory::MemoryWorkspace;
use crate::runtime::memory_port::AgentMemory;
use crate::runtime::session_source::SessionSource;
use crate::runtime::tool_files::SkillRunner;
use crate::runtime::tools::TaskTool;
use crate::runtime::traced::TaskTraces;
use crate::runtime::workspace::Workspace;
use crate::{
    ApprovalPolicy, Budgets, Plan, ResultView, SkillBundle, SkillTool, StepSpec, TaskError, TaskErrorKind,
    TaskLoop,
};
use glove_wasm::message::Message;
use glove_wasm::portable::{BoxFuture, MaybeSend, MaybeSync};
use glove_wasm::ports::{Clock, IdSource, ModelAdapter, Tool, ToolFailure, ToolHost};

#[derive(Clone)]
pub(super) struct Parts {
    pub(super) id: String,
    /// What people call it.
    pub(super) name: String,
    pub(super) persona: String,
    pub(super) capabilities: Vec<String>,
    pub(super) model: Arc<dyn ModelAdapter>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdSource>,
    pub(super) tools: Vec<TaskTool>,
    pub(super) file_tools: Vec<(Arc<dyn MakesTool>, Vec<String>)>,
    pub(super) hosted: Option<Hosted>,
    pub(super) approvals: ApprovalPolicy,
    /// Of tasks that say none.
    pub(super) budgets: Budgets,
    pub(super) view: ResultView,
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
    /// What stands in files decides nothing, unless this process wrote it.
    pub(super) decided_here: bool,
    pub(super) poll_ms: u64,
    /// How long a model may be silent after a stop.
    pub(super) grace_ms: u64,
}

impl Parts {
    /// Fails where two tools or two skills have the same name, or nothing runs the tools of a skill.
    pub(super) fn check(&self) -> Result<(), TaskError> {
        let reserved = ["file_glob", "file_read", "fs_write", "json_validate"];
        let mut names: Vec<String> = reserved.map(str::to_owned).to_vec();
        let mut more: Vec<String> = self.tools.iter().map(|entry| entry.tool.name().to_owned()).collect();
        // One of a workspace that is empty has the same name.
        for (make, _) in &self.file_tools {
            more.push(make.tool(Arc::new(MemoryWorkspace::new())).name().to_owned());
        }
        let hosted = self.hosted.iter().flat_map(|hosted| hosted.host.definitions());
        let hosted: Vec<String> = hosted.map(|definition| definition.name).collect();
        self.check_skills(&hosted)?;
        more.extend(hosted);
        if self.skill_runner.is_some() {
            more.extend(self.skills.iter().flat_map(|skill| &skill.tools).map(|tool| tool.name.clone()));
        }
        for name in more {
            let name = name.to_ascii_lowercase();
            if names.contains(&name) {
                let message = format!(
                    "there are two tools named `{name}`; every task has file_glob, file_read, fs_write and json_validate"
                );
                return Err(TaskError::new(TaskErrorKind::Config, message));
            }
            names.push(name);
        }
        Ok(())
    }

    /// Whether a task of this agent is to give a value.
    pub(super) fn gives_output(&self) -> bool {
        let made = || self.file_tools.iter().map(|(make, _)| make.tool(Arc::new(MemoryWorkspace::new())));
        let hosted = || self.hosted.iter().flat_map(|hosted| hosted.host.definitions());
        self.tools.iter().any(|entry| entry.tool.name() == GIVES_OUTPUT)
            || made().any(|tool| tool.name() == GIVES_OUTPUT)
            || hosted().any(|definition| definition.name == GIVES_OUTPUT)
    }

    fn check_skills(&self, hosted: &[String]) -> Result<(), TaskError> {
        let mut names: Vec<String> = Vec::new();
        for skill in &self.skills {
            let name = skill.name.to_lowercase();
            if names.contains(&name) {
                let message = format!("there are two skills named \"{}\"", skill.name);
                return Err(TaskError::new(TaskErrorKind::Config, message));
            }
            names.push(name);
            let run = |tool: &SkillTool| self.skill_runner.is_some() || hosted.contains(&tool.name);
            if let Some(tool) = skill.tools.iter().find(|tool| !run(tool)) {
                let message = format!(
                    "nothing runs `{}` of the skill \"{}\"; give the agent a `skill_runner`",
                    tool.name, skill.name
                );
                return Err(TaskError::new(TaskErrorKind::Config, message));
            }
        }
        Ok(())
    }

    /// Who the agent is, as each prompt begins.
    pub(super) fn identity(&self) -> String {
        let mut parts = Vec::new();
        if !self.name.is_empty() {
            parts.push(format!("Your name is {}.", self.name));
        }
        if !self.persona.is_empty() {
            parts.push(self.persona.clone());
        }
        if !self.capabilities.is_empty() {
            parts.push(format!("What you can do: {}.", self.capabilities.join("; ")));
        }
        parts.join("\n\n")
    }
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
