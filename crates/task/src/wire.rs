//! What a task of a page is made of.

use crate::memory::{MemoryBinding, MemoryStrategy, ScopeKind};
use crate::{
    ApprovalDecision, ApprovalPolicy, Budgets, Decision, ResultView, Said, SkillBundle, SkillTool, TaskError,
    read_policy,
};
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Ts, Write, from_text};
use glove_wasm::message::{Extra, Message};
use glove_wasm::wire::options::{ModelOptions, PageTool};

/// What an agent for tasks is made of, as JSON text for `new CoreTask(options, host, files)`.
#[derive(Debug, Clone, Read, Ts)]
#[json(rename_all = "camelCase")]
#[ts(input)]
pub struct TaskAgentOptions {
    pub id: Option<String>,
    pub name: Option<String>,
    #[json(default)]
    pub persona: String,
    #[json(default)]
    pub capabilities: Vec<String>,
    /// Of tasks that say none.
    pub budgets: Option<Budgets>,
    pub model: ModelOptions,
    #[json(default)]
    pub tools: Vec<PageTool>,
    /// The phases of tools that are not for all but planning.
    #[json(default)]
    pub tool_phases: Vec<ToolPhases>,
    /// The names of steps that the page does itself.
    #[json(default)]
    pub functions: Vec<String>,
    #[json(default)]
    pub seed_messages: Vec<Message>,
    #[json(read_with = read_policy)]
    #[ts(type = "TaskApprovals", optional)]
    pub approvals: Option<ApprovalPolicy>,
    /// A loop of the page instead of the usual one.
    #[json(rename = "loop")]
    pub by: Option<LoopName>,
    pub memory: Option<PageMemory>,
    /// The page is asked for what a call may prove itself with.
    #[json(default)]
    pub credentials: bool,
    /// The page has sessions that a task may take its history from.
    #[json(default)]
    pub sessions: bool,
    /// Their tools are among `tools`.
    #[json(default)]
    pub skills: Vec<PageSkill>,
    pub poll_ms: Option<u64>,
    pub stop_grace_ms: Option<u64>,
}

/// A skill as its files.
#[derive(Debug, Clone, Read, Ts)]
#[ts(name = "TaskSkillFiles", input)]
pub struct PageSkill {
    /// The texts of the bundle by their paths, `skill.json` among them.
    #[ts(type = "Readonly<Record<string, string>>")]
    pub files: Extra,
    /// The hash that the bundle is to have; another one is refused.
    pub sha256: Option<String>,
}

impl PageSkill {
    pub fn bundle(self) -> Result<SkillBundle, TaskError> {
        let text = |content: Json| from_text::<String>(content.as_str()).unwrap_or_default().into_bytes();
        let files = self.files.0.into_iter().map(|(path, content)| (path, text(content)));
        let bundle = SkillBundle::of_files(files)?;
        match &self.sha256 {
            Some(wanted) => bundle.pinned(wanted),
            None => Ok(bundle),
        }
    }
}

/// A skill as the page runs it.
#[derive(Debug, Clone, Ts, Write)]
#[ts(name = "TaskSkillParts")]
pub struct SkillParts {
    pub name: String,
    pub sha256: String,
    pub tools: Vec<SkillToolParts>,
    /// What its mounts show, by the path in the workspace.
    #[ts(type = "readonly (readonly [path: string, text: string])[]")]
    pub files: Vec<(String, String)>,
}

#[derive(Debug, Clone, Ts, Write)]
#[json(rename_all = "camelCase")]
#[ts(inline)]
pub struct SkillToolParts {
    pub name: String,
    pub description: String,
    pub input_schema: Json,
    pub code: String,
    pub phases: Option<Vec<String>>,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
}

impl From<SkillBundle> for SkillParts {
    fn from(bundle: SkillBundle) -> Self {
        let mut files = Vec::new();
        for (path, text) in bundle.files {
            files.push((path.as_str().to_owned(), text));
        }
        let tools = bundle.tools.into_iter().map(SkillToolParts::from).collect();
        SkillParts { name: bundle.name, sha256: bundle.sha256, tools, files }
    }
}

impl From<SkillTool> for SkillToolParts {
    fn from(tool: SkillTool) -> Self {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (folder, writing) in tool.mounts {
            let list = if writing { &mut writes } else { &mut reads };
            list.push(folder.as_str().to_owned());
        }
        let SkillTool { name, description, input_schema, code, phases, .. } = tool;
        SkillToolParts { name, description, input_schema, code, phases, reads, writes }
    }
}

/// Names a loop of the page; both are part of the signature of results.
#[derive(Debug, Clone, Read, Ts)]
#[ts(name = "TaskLoopName", input)]
pub struct LoopName {
    pub name: String,
    pub version: String,
}

/// What the agent remembers with.
#[derive(Debug, Clone, Read, Ts)]
#[json(rename_all = "camelCase")]
#[ts(name = "TaskMemoryOptions", input)]
pub struct PageMemory {
    /// Its own channel and that of the task's user, where it is missing.
    pub view: Option<Vec<PageBinding>>,
    pub patience_ms: Option<u64>,
}

/// A channel that an agent reads.
#[derive(Debug, Clone, Read, Ts)]
#[json(rename_all = "camelCase")]
#[ts(name = "MemoryBinding", input)]
pub struct PageBinding {
    pub kind: ScopeKind,
    /// The agent, the user or the task at work where it is empty.
    #[json(default)]
    pub id: String,
    /// The channel is this agent's alone: others have one of their own about the same subject.
    #[json(rename = "agent_id")]
    pub agent_id: Option<String>,
    /// Of two entries with one title, the one of the greater weight is read, before all precedence. 1 unless given.
    pub weight: Option<f64>,
    /// The task waits while this channel cannot be read, instead of going on without it.
    #[json(default)]
    pub required: bool,
    /// What a task has learned is written here at its end.
    #[json(default)]
    pub learns: bool,
    /// A person is asked before a task reads it.
    #[json(default)]
    pub approve_read: bool,
    /// A person is asked before what was learned is written, and reads it word for word.
    #[json(default)]
    pub approve_write: bool,
    /// About how many tokens of pinned entries; none with 0. What is usual for the kind where it is missing, as the others below.
    pub pinned_tokens: Option<usize>,
    /// Addresses, numbers and the like are struck out of pinned entries; true unless given.
    pub redact: Option<bool>,
    /// How many entries each phase recalls.
    pub recall: Option<Vec<PhaseRecall>>,
    /// About how many tokens a phase recalls.
    pub recall_tokens: Option<usize>,
    /// Only entries that have all of these tags are read.
    #[json(default)]
    pub tags: Vec<String>,
    /// Goes along with each query, for a provider of your own.
    #[json(default)]
    pub filter: Json,
    /// What stands above pinned entries, with `{channel}` for the kind of the channel.
    pub template: Option<String>,
    /// Of entries with one text, or with one title, one is read; both are true unless given.
    pub dedupe: Option<PageDedupe>,
}

/// When two entries are one.
#[derive(Debug, Clone, Read, Ts)]
#[json(rename_all = "camelCase")]
#[ts(inline, input)]
pub struct PageDedupe {
    pub by_hash: Option<bool>,
    pub by_title: Option<bool>,
}

/// How many entries a phase recalls.
#[derive(Debug, Clone, Read, Ts)]
#[ts(inline, input)]
pub struct PhaseRecall {
    pub phase: String,
    pub most: usize,
}

impl From<PageBinding> for MemoryBinding {
    fn from(page: PageBinding) -> Self {
        let mut binding = MemoryBinding::new(page.kind, page.id);
        binding.scope.agent_id = page.agent_id;
        binding.strategy.tags = page.tags;
        binding.strategy.filter = page.filter;
        let MemoryStrategy {
            pinned_tokens,
            redact,
            recall,
            recall_tokens,
            template,
            dedupe_by_hash,
            dedupe_by_title,
            ..
        } = &mut binding.strategy;
        if let Some(page) = page.template {
            *template = page;
        }
        if let Some(PageDedupe { by_hash, by_title }) = page.dedupe {
            *dedupe_by_hash = by_hash.unwrap_or(true);
            *dedupe_by_title = by_title.unwrap_or(true);
        }
        *pinned_tokens = page.pinned_tokens.unwrap_or(*pinned_tokens);
        *redact = page.redact.unwrap_or(*redact);
        *recall_tokens = page.recall_tokens.unwrap_or(*recall_tokens);
        if let Some(page) = page.recall {
            *recall = page.into_iter().map(|PhaseRecall { phase, most }| (phase, most)).collect();
        }
        binding.weight = page.weight.map_or(binding.weight, |weight| weight as f32);
        binding.required = page.required;
        binding.learns = page.learns;
        (binding.approve_read, binding.approve_write) = (page.approve_read, page.approve_write);
        binding
    }
}

#[derive(Debug, Clone, Read, Ts)]
#[ts(inline, input)]
pub struct ToolPhases {
    pub tool: String,
    pub phases: Vec<String>,
}

/// How a task is run.
#[derive(Debug, Clone, Default, Read, Ts)]
#[json(rename_all = "camelCase", default)]
#[ts(input)]
pub struct TaskRunOptions {
    /// How much the result holds; `summary` by default.
    pub view: ResultView,
    /// Comes back as soon as a person is to decide, instead of waiting for them.
    pub leave_when_waiting: bool,
}

#[derive(Debug, Clone, Read)]
pub struct PolicyChange {
    #[json(read_with = read_policy)]
    pub approvals: Option<ApprovalPolicy>,
}

/// A decision that a person takes on the screen.
#[derive(Debug, Clone, Read)]
pub struct PageDecision {
    pub id: String,
    pub decision: Decision,
    #[json(default)]
    pub by: String,
    pub reason: Option<String>,
    /// Of the client of a server, whose caller is `by`.
    pub said: Option<Said>,
}

impl PageDecision {
    pub fn at(self, now: u64) -> Result<ApprovalDecision, TaskError> {
        let PageDecision { id, decision, by, reason, said } = self;
        let mut taken = match said {
            Some(said) => ApprovalDecision::of_client(&id, decision, &by, said, now)?,
            None => ApprovalDecision::new(&id, decision, &by, now),
        };
        taken.reason = reason;
        Ok(taken)
    }
}
