//! The agent that works on tasks: who it is, what it may use, how it goes about it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::memory::{MemoryBinding, MemoryEntry, MemoryQuery, MemoryScope, MemoryStrategy, ScopeKind};
use crate::runtime::credentials::{Asking, CredentialBroker, CredentialRequest};
use crate::runtime::handle::{RunOptions, TaskHandle};
use crate::runtime::memory_port::AgentMemory;
use crate::runtime::parts::{Closure, Hosted, Parts, StepContext};
use crate::runtime::session_source::SessionSource;
use crate::runtime::tool_files::SkillRunner;
use crate::runtime::tools::TaskTool;
use crate::runtime::traced::TaskTraces;
use crate::runtime::workspace::Workspace;
use crate::{
    ApprovalPolicy, Budgets, DefaultLoop, ResultView, SkillBundle, TaskError, TaskErrorKind, TaskLoop,
    TaskResult, TaskSpec,
};
use glove_wasm::message::Message;
use glove_wasm::portable::{MaybeSend, MaybeSync};
use glove_wasm::ports::{Clock, Credentials, IdSource, ModelAdapter, Tool, ToolFailure, ToolHost};

/// How often files are looked at while a step runs or a person is waited for.
const POLL_MS: u64 = 500;
const GRACE_MS: u64 = 5_000;

/// An agent for tasks. Clones are the same agent; it may run many tasks at once, each in a workspace of its own.
#[derive(Clone)]
pub struct TaskAgent {
    /// What tasks that are opened next are worked on with; those that are open keep what they were opened with.
    parts: Arc<Mutex<Arc<Parts>>>,
}

/// Builds an agent for tasks.
pub struct TaskAgentBuilder {
    parts: Parts,
}

impl TaskAgentBuilder {
    /// For hosts that bring their own clock and randomness; native programs use `TaskAgent::builder`.
    pub fn new(model: Arc<dyn ModelAdapter>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        TaskAgentBuilder {
            parts: Parts {
                id: "agent".to_owned(),
                name: String::new(),
                persona: String::new(),
                capabilities: Vec::new(),
                model,
                clock,
                ids,
                tools: Vec::new(),
                file_tools: Vec::new(),
                hosted: None,
                approvals: ApprovalPolicy::default(),
                budgets: Budgets::default(),
                view: ResultView::default(),
                by: Arc::new(DefaultLoop::new()),
                functions: Vec::new(),
                seeds: Vec::new(),
                sessions: None,
                skills: Vec::new(),
                skill_runner: None,
                broker: None,
                memory: None,
                traces: None,
                decided_here: false,
                poll_ms: POLL_MS,
                grace_ms: GRACE_MS,
            },
        }
    }

    /// Names the agent over all its tasks.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.parts.id = id.into();
        self
    }

    /// What people call it; its prompts say so.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.parts.name = name.into();
        self
    }

    /// What it can do, in a few words each: its prompts say so.
    pub fn capabilities<'a>(mut self, capabilities: impl IntoIterator<Item = &'a str>) -> Self {
        self.parts.capabilities.extend(capabilities.into_iter().map(str::to_owned));
        self
    }

    /// Who it is, and how it works: the beginning of every prompt.
    pub fn persona(mut self, persona: impl Into<String>) -> Self {
        self.parts.persona = persona.into();
        self
    }

    /// A tool for acting: the phase `act`, and steps of a loop of one's own.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.parts.tools.push(TaskTool { tool, phases: None });
        self
    }

    /// A tool for these phases alone.
    pub fn tool_for<'a>(mut self, phases: impl IntoIterator<Item = &'a str>, tool: Tool) -> Self {
        let phases = Some(phases.into_iter().map(str::to_owned).collect());
        self.parts.tools.push(TaskTool { tool, phases });
        self
    }

    /// A tool that is made with the files of the task that calls it. What it writes there is struck of the secrets of its call.
    pub fn tool_of_files<'a>(
        mut self,
        phases: impl IntoIterator<Item = &'a str>,
        make: impl Fn(Arc<dyn Workspace>) -> Tool + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        let phases = phases.into_iter().map(str::to_owned).collect();
        self.parts.file_tools.push((Arc::new(make), phases));
        self
    }

    /// Tools that a host runs. `phases` names the phases of those that are not for all but planning, by the name of the tool.
    pub fn tools_of(mut self, host: Arc<dyn ToolHost>, phases: Vec<(String, Vec<String>)>) -> Self {
        self.parts.hosted = Some(Hosted { host, phases });
        self
    }

    pub fn traces(mut self, traces: Arc<dyn TaskTraces>) -> Self {
        self.parts.traces = Some(traces);
        self
    }

    /// What a person approves, unless a task says it itself.
    pub fn approvals(mut self, approvals: ApprovalPolicy) -> Self {
        self.parts.approvals = approvals;
        self
    }

    /// What a task may use that says no budgets itself.
    pub fn default_budgets(mut self, budgets: Budgets) -> Self {
        self.parts.budgets = budgets;
        self
    }

    /// How much `do_task` gives back where it is not said.
    pub fn default_view(mut self, view: ResultView) -> Self {
        self.parts.view = view;
        self
    }

    pub fn task_loop(mut self, by: impl TaskLoop + 'static) -> Self {
        self.parts.by = Arc::new(by);
        self
    }

    /// A function that does the steps of this name instead of the model. After the end of a process it is begun again, so what it
    /// does must bear that. Its text counts as the model's would: a plan and a verdict are JSON.
    pub fn phase<F, R, E>(mut self, name: impl Into<String>, function: F) -> Self
    where
        F: Fn(StepContext) -> R + MaybeSend + MaybeSync + 'static,
        R: Future<Output = Result<String, E>> + MaybeSend + 'static,
        E: Into<ToolFailure> + 'static,
    {
        self.parts.functions.push((name.into(), Arc::new(Closure(function))));
        self
    }

    /// A conversation that came before all tasks.
    pub fn seed_messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.parts.seeds.extend(messages);
        self
    }

    /// Where the sessions are stored that a task may take its history from (`TaskSpec::seed_from_sessions`).
    pub fn sessions(mut self, source: impl SessionSource + 'static) -> Self {
        self.parts.sessions = Some(Arc::new(source));
        self
    }

    /// A skill for all its tasks: its instructions stand in every prompt. Where it has tools, `skill_runner` is needed.
    pub fn skill(mut self, skill: SkillBundle) -> Self {
        self.parts.skills.push(skill);
        self
    }

    /// What runs the tools of skills: `glove_wasm_sandbox::Sandbox`, for example.
    pub fn skill_runner(mut self, runner: impl SkillRunner + 'static) -> Self {
        self.parts.skill_runner = Some(Arc::new(runner));
        self
    }

    /// Asked at each call of a tool for what that call may prove itself with (`ToolContext::credential`). What the call says, records and
    /// writes into files of its task is told without these secrets.
    pub fn credentials<F, R, E>(self, ask: F) -> Self
    where
        F: Fn(CredentialRequest) -> R + MaybeSend + MaybeSync + 'static,
        R: Future<Output = Result<Credentials, E>> + MaybeSend + 'static,
        E: Into<ToolFailure> + 'static,
    {
        self.broker(Asking(ask))
    }

    /// `credentials` for a broker that is a type.
    pub fn broker(mut self, broker: impl CredentialBroker + 'static) -> Self {
        self.parts.broker = Some(Arc::new(broker));
        self
    }

    /// What it remembers over all its tasks.
    pub fn memory(mut self, memory: AgentMemory) -> Self {
        self.parts.memory = Some(memory);
        self
    }

    /// Decisions count only where they are taken by this process (`TaskHandle::decide`, `approve`, `deny`, or the session of a step), and not
    /// from files that somebody else wrote: for agents whose tools run commands as the user, which can write the folder of their task. A file
    /// that decides nothing is told in the journal, and the request waits. A process that ends before it has obeyed a decision asks again.
    pub fn decided_here(mut self) -> Self {
        self.parts.decided_here = true;
        self
    }

    /// How often files are looked at while a step runs or a person is waited for; every 500 ms unless given.
    pub fn poll_ms(mut self, every: u64) -> Self {
        self.parts.poll_ms = every.max(1);
        self
    }

    /// How long a model that says nothing is waited for once the task is to stop; 5 seconds unless given. Its call is then dropped, and made
    /// again when the task goes on. Calls of tools are waited for as long as their own time lasts.
    pub fn stop_grace_ms(mut self, grace: u64) -> Self {
        self.parts.grace_ms = grace;
        self
    }

    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.parts.clock = Arc::new(clock);
        self
    }

    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.parts.ids = Arc::new(ids);
        self
    }

    /// Fails where two tools or two skills have the same name, or nothing runs the tools of a skill.
    pub fn build(self) -> Result<TaskAgent, TaskError> {
        self.parts.check()?;
        Ok(TaskAgent { parts: Arc::new(Mutex::new(Arc::new(self.parts))) })
    }
}

impl TaskAgent {
    fn parts(&self) -> Arc<Parts> {
        // Nothing panics while it is held.
        Arc::clone(&self.parts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes what tasks that are opened later are worked on with, or nothing at all.
    fn change(&self, change: impl FnOnce(&mut Parts)) -> Result<(), TaskError> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Parts::clone(&parts);
        change(&mut changed);
        changed.check()?;
        *parts = Arc::new(changed);
        Ok(())
    }

    /// Adds a tool for acting, for tasks that are started or resumed later. Fails where there is one with its name.
    pub fn register_tool(&self, tool: Tool) -> Result<(), TaskError> {
        self.change(|parts| parts.tools.push(TaskTool { tool, phases: None }))
    }

    /// Adds a skill for tasks that are started later. A task that is resumed needs those that it began with.
    pub fn register_skill(&self, skill: SkillBundle) -> Result<(), TaskError> {
        self.change(|parts| parts.skills.push(skill))
    }

    /// Adds to the conversation that came before, for tasks that are started or resumed later.
    pub fn seed_history(&self, messages: impl IntoIterator<Item = Message>) {
        // No history makes an agent that could not be built.
        let _ = self.change(|parts| parts.seeds.extend(messages));
    }

    /// Tasks that are started or resumed later have no conversation of the agent's before them; their own stays.
    pub fn clear_history(&self) {
        let _ = self.change(|parts| parts.seeds.clear());
    }

    /// Begins a task, runs it to its end or to a stop, and gives what came of it; without a view, as much as the agent usually gives. It
    /// waits for people as long as their requests do.
    pub async fn do_task(
        &self,
        files: impl Workspace + 'static,
        spec: TaskSpec,
        view: impl Into<Option<ResultView>>,
    ) -> Result<TaskResult, TaskError> {
        let view = view.into().unwrap_or(self.parts().view);
        let task = self.start_task(files, spec).await?;
        task.run(RunOptions { view, ..RunOptions::default() }).await
    }

    /// Begins a task in a workspace that has none yet. Nothing runs before `run` or `step_once`.
    pub async fn start_task(
        &self,
        files: impl Workspace + 'static,
        spec: TaskSpec,
    ) -> Result<TaskHandle, TaskError> {
        TaskHandle::start(self.parts(), Arc::new(files), spec).await
    }

    fn memory(&self) -> Result<AgentMemory, TaskError> {
        let none =
            || TaskError::new(TaskErrorKind::Config, "this agent has no memory; give it one with `memory`");
        self.parts().memory.clone().ok_or_else(none)
    }

    /// Writes an entry into a channel.
    pub async fn remember(&self, scope: MemoryScope, entry: MemoryEntry) -> Result<(), TaskError> {
        let memory = self.memory()?;
        memory.in_time(&*self.parts().clock, memory.provider.put(scope, entry)).await
    }

    /// Looks for entries in a channel.
    pub async fn recall(
        &self,
        scope: MemoryScope,
        query: MemoryQuery,
    ) -> Result<Vec<MemoryEntry>, TaskError> {
        let memory = self.memory()?;
        memory.in_time(&*self.parts().clock, memory.provider.query(scope, query)).await
    }

    /// False where there was none.
    pub async fn forget(&self, scope: MemoryScope, id: &str) -> Result<bool, TaskError> {
        let memory = self.memory()?;
        memory.in_time(&*self.parts().clock, memory.provider.delete(scope, id.to_owned())).await
    }

    /// The memory of this user is read by tasks that are theirs, or nobody's.
    pub fn attach_user(&self, user: &str, strategy: MemoryStrategy) -> Result<(), TaskError> {
        self.memory()?.attach(MemoryBinding::new(ScopeKind::User, user).strategy(strategy));
        Ok(())
    }

    /// False where the user was not attached.
    pub fn detach_user(&self, user: &str) -> Result<bool, TaskError> {
        Ok(self.memory()?.detach(&MemoryScope::new(ScopeKind::User, user)))
    }

    /// Steps that begin later read these channels alone.
    pub fn set_memory_view(&self, view: Vec<MemoryBinding>) -> Result<(), TaskError> {
        self.memory()?.set_view(view);
        Ok(())
    }

    /// Takes up the task of a workspace: one that was stopped, that waits, or whose process has ended.
    pub async fn resume(&self, files: impl Workspace + 'static) -> Result<TaskHandle, TaskError> {
        TaskHandle::resume(self.parts(), Arc::new(files)).await
    }
}

impl fmt::Debug for TaskAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskAgent").field("id", &self.parts().id).finish_non_exhaustive()
    }
}

impl fmt::Debug for TaskAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskAgentBuilder").field("id", &self.parts.id).finish_non_exhaustive()
    }
}
