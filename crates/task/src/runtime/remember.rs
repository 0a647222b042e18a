//! A task and its memory: what a step reads of it, and what is written at the end.

use crate::layout::{self, WorkspacePath};
use crate::memory::{
    Channel, MemoryBinding, MemoryEntry, MemoryQuery, MemoryScope, MemoryStrategy, pinned, recalled, redacted,
};
use crate::prompt::Section;
use crate::runtime::memory_port::AgentMemory;
use crate::runtime::running::Running;
use crate::runtime::workspace::read_known;
use crate::text::{first_line, pretty, shortened};
use crate::{FinishReason, Input, Journal, StepSpec, TaskError, TaskErrorKind, TaskState};
use glove_wasm::json;
use glove_wasm::json::codec::{Read, Write, from_text, to_text};

/// More pinned entries than that have no room.
const MAX_PINNED: usize = 50;
const LONGEST_QUERY: usize = 500;
const LONGEST_LEARNING: usize = 1_000;

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
        let entry = self.learned(&state).await?;
        let (mut scopes, mut why_not) = (Vec::new(), String::new());
        for (scope, _) in channels {
            let putting = memory.provider.put(scope.clone(), entry.clone());
            match memory.in_time(&*self.shared.parts.clock, putting).await {
                Ok(()) => scopes.push(scope.name()),
                Err(error) => why_not = failed("written", &scope, &error.message),
            }
        }
        let counts = json::written(to_text(&Written { scopes }));
        self.accept(Input::Remembered { counts, failed: why_not }).await.map(drop)
    }

    /// What came of the task, in a few lines, and where it stands.
    async fn learned(&self, state: &TaskState) -> Result<MemoryEntry, TaskError> {
        let mut text = Vec::new();
        if let Some(path) = &state.output_ref
            && let Some(output) = read_known(&*self.shared.files, path).await?
        {
            text.push(first_line(&output, LONGEST_LEARNING / 2));
        }
        if let Some(verdict) = &state.verdict {
            let word = if verdict.pass { "passed" } else { "failed" };
            text.push(format!("Verification {word}: {}", verdict.reasons.join("; ")));
        }
        let mut source = vec![format!("task {}", state.task_id)];
        let listed = self.shared.files.list(&WorkspacePath::known(layout::ARTIFACTS)).await?;
        source.extend(listed.iter().take(10).map(|entry| entry.path.as_str().to_owned()));
        Ok(MemoryEntry {
            id: format!("task-{}", state.task_id),
            title: redacted(&first_line(&state.spec.goal, 200)),
            text: redacted(&shortened(&text.join(" "), LONGEST_LEARNING)),
            tags: vec!["learned".to_owned()],
            source: source.join(", "),
            ..MemoryEntry::default()
        })
    }
}
