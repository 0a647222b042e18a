//! What an agent remembers over its tasks: channels by subject, what of them a step reads, and within which bounds.

mod compose;
mod redact;

pub use compose::{Channel, pinned, recalled};
pub use redact::redacted;

use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, Ts, Write};

/// Whose memory it is, in the order in which a prompt has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Read, Ts, Write)]
#[ts(name = "MemoryKind")]
pub enum ScopeKind {
    #[default]
    Agent,
    User,
    Org,
    Team,
    Project,
    Task,
}

impl ScopeKind {
    /// Who is right where two channels say different things under one title: the greater one. Of what binds, the agent knows best.
    fn precedence(self, binds: bool) -> u8 {
        match self {
            ScopeKind::Task => 4,
            ScopeKind::User if binds => 1,
            ScopeKind::Agent if binds => 3,
            ScopeKind::User => 3,
            ScopeKind::Org | ScopeKind::Team | ScopeKind::Project => 2,
            ScopeKind::Agent => 1,
        }
    }
}

/// One channel. In a binding, an empty id stands for the agent, the user or the task that is at work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Ts, Write)]
pub struct MemoryScope {
    pub kind: ScopeKind,
    pub id: String,
    /// The channel is this agent's alone: others have one of their own about the same subject.
    pub agent_id: Option<String>,
}

impl MemoryScope {
    pub fn new(kind: ScopeKind, id: impl Into<String>) -> Self {
        MemoryScope { kind, id: id.into(), agent_id: None }
    }

    /// For this agent alone.
    pub fn of_agent(mut self, agent: impl Into<String>) -> Self {
        self.agent_id = Some(agent.into());
        self
    }

    /// `user:42`, or of one agent alone `of:researcher:user:42`, which is no kind of channel.
    pub fn name(&self) -> String {
        let name = format!("{}:{}", self.kind.word(), self.id);
        match &self.agent_id {
            Some(agent) => format!("of:{}:{name}", agent.replace('%', "%25").replace(':', "%3A")),
            None => name,
        }
    }
}

/// Something that is remembered.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(input)]
pub struct MemoryEntry {
    /// Names it in its channel: putting it again replaces it.
    pub id: String,
    #[json(default)]
    pub title: String,
    pub text: String,
    /// Of any shape, for the application. A prompt has the text alone.
    #[json(skip_if_default)]
    pub data: Json,
    /// `constraint` and `capability`: where channels differ, the agent counts before its organisation, and that before the user.
    #[json(default)]
    pub tags: Vec<String>,
    /// Where it comes from, such as the paths of a task.
    #[json(default)]
    pub source: String,
    /// It is read with every step, as far as there is room.
    #[json(default)]
    pub pinned: bool,
}

impl MemoryEntry {
    pub fn new(id: impl Into<String>, title: impl Into<String>, text: impl Into<String>) -> Self {
        MemoryEntry { id: id.into(), title: title.into(), text: text.into(), ..MemoryEntry::default() }
    }

    pub fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }

    pub fn data(mut self, data: impl Into<Json>) -> Self {
        self.data = data.into();
        self
    }

    pub fn tags<'a>(mut self, tags: impl IntoIterator<Item = &'a str>) -> Self {
        self.tags.extend(tags.into_iter().map(str::to_owned));
        self
    }

    /// What holds whatever somebody prefers.
    pub(crate) fn binds(&self) -> bool {
        self.tags.iter().any(|tag| tag == "constraint" || tag == "capability")
    }
}

/// What is looked for in a channel.
#[derive(Debug, Clone, Default, PartialEq, Ts, Write)]
pub struct MemoryQuery {
    /// What it is for: `pinned`, a phase, or the application's own.
    pub name: String,
    /// The words to look for; what is pinned is given without.
    pub text: String,
    pub top_k: usize,
    pub pinned: bool,
    /// About how many tokens are read of what is found; as many as there are with 0.
    #[json(skip_if_default)]
    pub max_tokens: usize,
    /// Only entries that have all of these.
    #[json(skip_if_default)]
    pub tags: Vec<String>,
    /// For a provider of one's own.
    #[json(skip_if_default)]
    pub filter: Json,
}

/// How much of a channel is read.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryStrategy {
    /// About how many tokens of pinned entries; none with 0.
    pub pinned_tokens: usize,
    /// Addresses, numbers and the like are struck out of pinned entries.
    pub redact: bool,
    /// How many entries each phase recalls.
    pub recall: Vec<(String, usize)>,
    /// About how many tokens a phase recalls.
    pub recall_tokens: usize,
    /// Only entries that have all of these tags are read.
    pub tags: Vec<String>,
    /// Goes along with each query, for a provider of one's own.
    pub filter: Json,
    /// What stands above pinned entries, with `{channel}` for the kind of the channel.
    pub template: String,
    /// Of entries with one text, one is read.
    pub dedupe_by_hash: bool,
    /// Of entries with one title, one is read.
    pub dedupe_by_title: bool,
}

/// What stands above pinned entries unless a strategy says otherwise.
const TEMPLATE: &str = "Memory ({channel})";

impl MemoryStrategy {
    /// What is usual for such a channel.
    pub fn of(kind: ScopeKind) -> Self {
        let (pinned_tokens, recall): (_, &[(&str, usize)]) = match kind {
            ScopeKind::Agent => (80, &[("gather", 4), ("plan", 3), ("verify", 2)]),
            ScopeKind::User => (60, &[("gather", 3), ("plan", 3)]),
            ScopeKind::Org | ScopeKind::Team | ScopeKind::Project => (60, &[("gather", 2), ("verify", 3)]),
            ScopeKind::Task => (0, &[]),
        };
        MemoryStrategy {
            pinned_tokens,
            redact: true,
            recall: recall.iter().map(|(phase, k)| ((*phase).to_owned(), *k)).collect(),
            recall_tokens: 400,
            tags: Vec::new(),
            filter: Json::null(),
            template: TEMPLATE.to_owned(),
            dedupe_by_hash: true,
            dedupe_by_title: true,
        }
    }

    /// Whether any step reads anything of it.
    pub(crate) fn reads(&self) -> bool {
        self.pinned_tokens > 0 || self.recall.iter().any(|(_, k)| *k > 0)
    }

    /// How many entries a step of this name recalls.
    pub fn top_k(&self, phase: &str) -> usize {
        self.recall.iter().find(|(name, _)| name == phase).map_or(0, |(_, k)| *k)
    }
}

/// A channel in the view of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryBinding {
    pub scope: MemoryScope,
    pub strategy: MemoryStrategy,
    /// Of two entries with one title, the one of the greater weight is read, before all precedence.
    pub weight: f32,
    pub enabled: bool,
    /// The task waits while this channel cannot be read, instead of going on without it.
    pub required: bool,
    /// What a task has learned is written here at its end.
    pub learns: bool,
    /// A person is asked before a task reads it.
    pub approve_read: bool,
    /// A person is asked before what was learned is written, and reads it word for word.
    pub approve_write: bool,
}

impl MemoryBinding {
    /// With the usual strategy.
    pub fn new(kind: ScopeKind, id: impl Into<String>) -> Self {
        MemoryBinding {
            scope: MemoryScope::new(kind, id),
            strategy: MemoryStrategy::of(kind),
            weight: 1.0,
            enabled: true,
            required: false,
            learns: false,
            approve_read: false,
            approve_write: false,
        }
    }

    pub fn strategy(mut self, strategy: MemoryStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub fn learns(mut self) -> Self {
        self.learns = true;
        self
    }

    pub fn approve_read(mut self) -> Self {
        self.approve_read = true;
        self
    }

    pub fn approve_write(mut self) -> Self {
        self.approve_write = true;
        self
    }

    /// The channel of a task of this agent and user. `None`: it is somebody else's, and this task does not read it.
    pub fn resolved(&self, agent: &str, user: Option<&str>, task: &str) -> Option<MemoryScope> {
        let MemoryScope { kind, id, .. } = &self.scope;
        let own = match kind {
            ScopeKind::Agent => Some(agent),
            ScopeKind::User => user,
            ScopeKind::Task => Some(task),
            ScopeKind::Org | ScopeKind::Team | ScopeKind::Project => Some(id.as_str()),
        };
        let id = match (id.is_empty(), own) {
            (true, own) => own.filter(|own| !own.is_empty())?,
            // The memory of one user is not read for another.
            (false, Some(user)) if *kind == ScopeKind::User && user != id => return None,
            (false, _) => id,
        };
        Some(MemoryScope { agent_id: self.scope.agent_id.clone(), ..MemoryScope::new(*kind, id) })
    }
}
