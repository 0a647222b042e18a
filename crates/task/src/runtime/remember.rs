//! A task and its memory: what a step reads of it, and what is written at the end.

use crate::layout::{self, WorkspacePath};
use crate::memory::{
    Channel, MemoryBinding, MemoryEntry, MemoryQuery, MemoryScope, MemoryStrategy, pinned, recalled, redacted,
};
use crate::prompt::Section;
use crate::runtime::memory_port::AgentMemory;
use crate::runtime::running::Running;
use crate::runtime::workspace::read_known;
use crate::text::{first_line, pretty, sha256, shortened};
use crate::{
    Consent, Fact, FinishReason, Input, Journal, MemoryAccess, MemoryWish, Source, StepSpec, TaskError,
    TaskErrorKind, TaskState, TaskStatus,
};
use glove_wasm::json::codec::{Read, Write, from_text, to_text};
use glove_wasm::json::{self, Json};

/// More pinned entries than that have no room.
const MAX_PINNED: usize = 50;
const LONGEST_QUERY: usize = 500;
const LONGEST_FACT: usize = 500;
const LONGEST_TITLE: usize = 200;
const MOST_FACTS: usize = 20;

/// What stands in a prompt.
#[derive(Default)]
pub(super) struct Remembered {
    pub(super) pinned: Vec<Section>,
    pub(super) recall: Vec<Section>,
}

/// How much a step read, kept beside its prompt.
#[derive(Default, Read, Write)]
struct Account {
    #[json(default)]
    channels: Vec<ChannelCount>,
    #[json(default, skip_if_default)]
    failed: String,
}

#[derive(Read, Write)]
struct ChannelCount {
    scope: String,
    pinned: usize,
    recalled: usize,
}

/// How much was written.
#[derive(Write)]
struct Written {
    scopes: Vec<String>,
    entries: usize,
}

fn failed(what: &str, scope: &MemoryScope, why: &str) -> String {
    format!("the memory {} could not be {what}: {why}", scope.name())
}

impl Running {
    fn channels(&self, memory: &AgentMemory, state: &TaskState) -> Vec<(MemoryScope, MemoryBinding)> {
        let mut found: Vec<(MemoryScope, MemoryBinding)> = Vec::new();
        for binding in memory.view().into_iter().filter(|binding| binding.enabled) {
            let scope = binding.resolved(&state.agent_id, state.spec.user_id.as_deref(), &state.task_id);
            if let Some(scope) = scope
                && !found.iter().any(|(known, _)| *known == scope)
            {
                found.push((scope, binding));
            }
        }
        found
    }

    /// Whether what this task learns is written anywhere.
    pub(super) fn learns(&self, state: &TaskState) -> bool {
        let memory = self.shared.parts.memory.as_ref();
        memory.is_some_and(|memory| self.channels(memory, state).iter().any(|(_, binding)| binding.learns))
    }

    /// What a step reads that begins now. Fails where a channel is down that the task cannot do without.
    pub(super) async fn recall_for(
        &self,
        step: &StepSpec,
        state: &TaskState,
    ) -> Result<Remembered, TaskError> {
        let Some(memory) = &self.shared.parts.memory else { return Ok(Remembered::default()) };
        let mut words = shortened(&state.spec.goal, LONGEST_QUERY);
        if let Some(id) = &step.plan_step {
            words.push_str(&format!(" {id}"));
        }
        let (mut to_pin, mut to_recall, mut account) = (Vec::new(), Vec::new(), Account::default());
        for (scope, binding) in self.channels(memory, state) {
            let may_read = Consent::of(&state.consents, &scope.name(), MemoryAccess::Read, &Json::null());
            if binding.approve_read && !may_read.is_some_and(|consent| consent.allowed) {
                if binding.required {
                    let why = failed("read", &scope, "a person did not allow it");
                    return Err(TaskError::new(TaskErrorKind::Memory, why));
                }
                continue;
            }
            let top_k = binding.strategy.top_k(&step.name);
            let pins = if binding.strategy.pinned_tokens > 0 { MAX_PINNED } else { 0 };
            for (name, text, top_k, pinned) in
                [("pinned", "", pins, true), (step.name.as_str(), words.as_str(), top_k, false)]
            {
                if top_k == 0 {
                    continue;
                }
                let MemoryStrategy { pinned_tokens, recall_tokens, tags, filter, .. } = &binding.strategy;
                let query = MemoryQuery {
                    name: name.to_owned(),
                    text: text.to_owned(),
                    top_k,
                    pinned,
                    max_tokens: if pinned { *pinned_tokens } else { *recall_tokens },
                    tags: tags.clone(),
                    filter: filter.clone(),
                };
                let asking = memory.provider.query(scope.clone(), query);
                match memory.in_time(&*self.shared.parts.clock, asking).await {
                    Ok(mut entries) => {
                        entries.truncate(top_k);
                        let to = if pinned { &mut to_pin } else { &mut to_recall };
                        to.push(Channel { scope: scope.clone(), binding: binding.clone(), entries });
                    }
                    Err(error) => {
                        let why = failed("read", &scope, &error.message);
                        if binding.required {
                            return Err(TaskError::new(TaskErrorKind::Memory, why));
                        }
                        account.failed = why;
                        // Its other query would wait as long.
                        break;
                    }
                }
            }
        }
        // What is pinned is not recalled once more.
        for channel in &mut to_recall {
            channel.entries.retain(|entry| !entry.pinned);
        }
        let mut remembered = Remembered::default();
        for (which, (scope, count, section)) in pinned(to_pin)
            .into_iter()
            .map(|found| (true, found))
            .chain(recalled(to_recall).into_iter().map(|found| (false, found)))
        {
            let name = scope.name();
            let at = account.channels.iter().position(|known| known.scope == name);
            if at.is_none() {
                account.channels.push(ChannelCount { scope: name.clone(), pinned: 0, recalled: 0 });
            }
            if let Some(known) = account.channels.iter_mut().find(|known| known.scope == name) {
                *(if which { &mut known.pinned } else { &mut known.recalled }) += count;
            }
            (if which { &mut remembered.pinned } else { &mut remembered.recall }).push(section);
        }
        let path = layout::of_step(&step.id, "memory.json");
        self.shared.files.write(&path, pretty(&account).into_bytes()).await?;
        Ok(remembered)
    }

    /// Tells how much the step read, also where it is taken up.
    pub(super) async fn tell_recall(&self, step: &StepSpec) -> Result<(), TaskError> {
        if self.shared.parts.memory.is_none() {
            return Ok(());
        }
        let path = layout::of_step(&step.id, "memory.json");
        let text = read_known(&*self.shared.files, path.as_str()).await?;
        let Some(Ok(account)) = text.as_deref().map(from_text::<Account>) else { return Ok(()) };
        let counts = json::written(to_text(&Account { failed: String::new(), ..account }));
        let failed = text.as_deref().and_then(|text| from_text::<Account>(text).ok());
        let failed = failed.map(|account| account.failed).unwrap_or_default();
        self.accept(Input::Recalled { counts, failed }).await.map(drop)
    }

    /// Writes what a task has learned, once it has ended. A process that dies meanwhile does it again, which changes nothing.
    pub(super) async fn learn(&self) -> Result<(), TaskError> {
        let Some(memory) = &self.shared.parts.memory else { return Ok(()) };
        let state = self.with_task(|task| task.state().clone());
        let ends = [FinishReason::Completed, FinishReason::VerifyFailed];
        if !state.finish_reason.is_some_and(|reason| ends.contains(&reason)) {
            return Ok(());
        }
        let channels: Vec<_> =
            self.channels(memory, &state).into_iter().filter(|(_, binding)| binding.learns).collect();
        if channels.is_empty() {
            return Ok(());
        }
        let files = &*self.shared.files;
        let journal = read_known(files, layout::EVENTS).await?.unwrap_or_default();
        let told = |event: &crate::TaskEvent| event.kind == "memory.write" && event.error.is_empty();
        if Journal::read(&journal).events.iter().any(told) {
            return Ok(());
        }
        let entries = self.learned(&state).await?;
        let as_asked = json::written(to_text(&entries));
        let (mut scopes, mut why_not) = (Vec::new(), String::new());
        for (scope, binding) in channels {
            let consent = Consent::of(&state.consents, &scope.name(), MemoryAccess::Write, &as_asked);
            if entries.is_empty()
                || (binding.approve_write && !consent.is_some_and(|consent| consent.allowed))
            {
                continue;
            }
            let mut written = Ok(());
            for entry in &entries {
                let putting = memory.provider.put(scope.clone(), entry.clone());
                written = memory.in_time(&*self.shared.parts.clock, putting).await;
                if written.is_err() {
                    break;
                }
            }
            match written {
                Ok(()) => scopes.push(scope.name()),
                Err(error) => why_not = failed("written", &scope, &error.message),
            }
        }
        let entries = if scopes.is_empty() { 0 } else { entries.len() };
        let counts = json::written(to_text(&Written { scopes, entries }));
        self.accept(Input::Remembered { counts, failed: why_not }).await.map(drop)
    }

    /// What the task wants of channels that need consent: at any time to read them, and to write once it has learned something.
    pub(super) async fn wishes(&self) -> Result<Vec<MemoryWish>, TaskError> {
        let Some(memory) = &self.shared.parts.memory else { return Ok(Vec::new()) };
        let state = self.with_task(|task| task.state().clone());
        let mut wishes = Vec::new();
        if state.status == TaskStatus::Finished {
            return Ok(wishes);
        }
        let mut entries = None;
        for (scope, binding) in self.channels(memory, &state) {
            if binding.approve_read && binding.strategy.reads() {
                let (channel, access) = (scope.name(), MemoryAccess::Read);
                wishes.push(MemoryWish { channel, access, entries: Json::null() });
            }
            let ends = state.current.is_none() && !state.steps.is_empty();
            if binding.approve_write && binding.learns && ends {
                if entries.is_none() {
                    entries = Some(self.learned(&state).await?);
                }
                if let Some(entries) = entries.as_ref().filter(|entries| !entries.is_empty()) {
                    let (channel, access) = (scope.name(), MemoryAccess::Write);
                    wishes.push(MemoryWish { channel, access, entries: json::written(to_text(entries)) });
                }
            }
        }
        Ok(wishes)
    }

    /// The facts that hold beyond the task, each with where it comes from: those that the verification names, or else what the task has
    /// found. The same files give the same entries.
    async fn learned(&self, state: &TaskState) -> Result<Vec<MemoryEntry>, TaskError> {
        let files = &*self.shared.files;
        let named = state.verdict.as_ref().and_then(|verdict| verdict.learned());
        let facts = match named {
            Some(facts) => facts,
            None => facts_in(&read_known(files, layout::FINDINGS).await?.unwrap_or_default()),
        };
        let cited = sources_in(&read_known(files, layout::SOURCES).await?.unwrap_or_default());
        let goal = redacted(&first_line(&state.spec.goal, LONGEST_TITLE));
        let passed = state.verdict.as_ref().is_some_and(|verdict| verdict.pass);
        let mut entries: Vec<MemoryEntry> = Vec::new();
        for Fact { fact, source } in facts {
            let text = redacted(&shortened(fact.trim(), LONGEST_FACT));
            if text.is_empty()
                || entries.iter().any(|known| known.text == text)
                || entries.len() >= MOST_FACTS
            {
                continue;
            }
            let number = entries.len() + 1;
            let named = |number: usize, name: &str, between: &str, after: &str| match number {
                1 => name.to_owned(),
                number => format!("{name}{between}{number}{after}"),
            };
            let from = self.provenance(&source, &cited).await?;
            let mut sources = vec![format!("task {}", state.task_id)];
            sources.extend(from.as_ref().map(|(place, _)| place.clone()));
            let (place, checksum) = from.unwrap_or_default();
            entries.push(MemoryEntry {
                id: named(number, &format!("task-{}", state.task_id), "-", ""),
                title: named(number, &goal, " (", ")"),
                text,
                data: json::written(to_text(&Provenance {
                    task: state.task_id.clone(),
                    source: place,
                    checksum,
                    verified: passed,
                })),
                tags: vec!["learned".to_owned(), if passed { "verified" } else { "unverified" }.to_owned()],
                source: sources.join(", "),
                ..MemoryEntry::default()
            });
        }
        Ok(entries)
    }

    /// Where a fact comes from, and the checksum of that: a page that the task has cited, or a file that it has. What a model merely says is
    /// no source.
    async fn provenance(
        &self,
        source: &str,
        cited: &[Source],
    ) -> Result<Option<(String, String)>, TaskError> {
        let source = source.trim();
        if let Some(page) =
            cited.iter().find(|page| page.url == source || (!source.is_empty() && page.path == source))
        {
            return Ok(Some((page.url.clone(), page.checksum.clone())));
        }
        let Ok(path) = WorkspacePath::parse(source) else { return Ok(None) };
        if !path.is_below(layout::TASK) && !path.is_below(layout::PROGRESS) {
            return Ok(None);
        }
        let content = self.shared.files.read(&path).await?;
        Ok(content.map(|content| (path.as_str().to_owned(), format!("sha256:{}", sha256(&content)))))
    }
}

/// Where an entry comes from, as its `data`.
#[derive(Write)]
struct Provenance {
    task: String,
    #[json(skip_if_default)]
    source: String,
    #[json(skip_if_default)]
    checksum: String,
    verified: bool,
}

fn sources_in(lines: &str) -> Vec<Source> {
    let mut found = Vec::new();
    for line in lines.lines() {
        found.extend(from_text::<Source>(line).ok());
    }
    found
}

/// The facts of `findings.md`: each line that says something, without the marks of Markdown.
fn facts_in(findings: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut in_block = false;
    for line in findings.lines().map(str::trim) {
        if line.starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let fact = line.trim_start_matches(['-', '*', '+', ' ']);
        if in_block || line.starts_with(['#', '|', '<']) || !fact.chars().any(char::is_alphabetic) {
            continue;
        }
        facts.push(Fact { fact: fact.to_owned(), source: layout::FINDINGS.to_owned() });
    }
    facts
}
