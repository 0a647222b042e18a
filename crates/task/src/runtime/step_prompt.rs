//! What a step works with: its prompt, and its tools.

use std::sync::Arc;

use crate::layout::{self, WorkspacePath};
use crate::prompt::{
    Ingredients, Section, StepPrompt, context_files, history, seeds_of_files, seeds_of_lines, without_context,
};
use crate::runtime::running::Running;
use crate::runtime::session_source::gone;
use crate::runtime::step_store::StepStore;
use crate::runtime::tool_files::ToolFiles;
use crate::runtime::tools::{TaskTool, built_in};
use crate::runtime::workspace::{read_known, read_text};
use crate::text::pretty;
use crate::{HistoryMode, HistoryPolicy, SkillBundle, StepOutput, StepSpec, TaskError, known_again};
use glove_wasm::json::codec::from_text;
use glove_wasm::message::Message;
use glove_wasm::ports::{StoreAdapter, Tool};

/// Asked of a verification where a channel of the memory learns.
const LEARN: &str = "\nAdd \"learned\": [{\"fact\": \"…\", \"source\": \"…\"}] with what this task found out that will hold for later tasks: \
     each fact a sentence that stands for itself, with the file or the address that it comes from. Leave it empty where there is nothing.";

/// Whether a step may use a tool: its phase must, and the step itself where it names its tools.
fn allowed(step: &StepSpec, tool: &str, is_for: impl Fn(&str) -> bool) -> bool {
    let is_phase = ["gather", "plan", "act", "verify"].contains(&step.name.as_str());
    // A step of a loop of one's own acts.
    let fits = is_for(&step.name) || (!is_phase && is_for("act"));
    fits && step.tools.as_ref().is_none_or(|names| names.iter().any(|wanted| wanted == tool))
}

impl Running {
    /// What the step reads: as it was written down when it first began.
    pub(super) async fn prompt_of(&self, step: &StepSpec) -> Result<StepPrompt, TaskError> {
        let files = &*self.shared.files;
        let path = layout::of_step(&step.id, "prompt.json");
        if let Some(text) = read_text(files, &path).await?
            && let Ok(prompt) = from_text::<StepPrompt>(&text)
        {
            return Ok(prompt);
        }
        let state = self.with_task(|task| task.state().clone());
        let (sections, read) = self.context().await?;
        let inputs = files.list(&WorkspacePath::known(layout::TASK)).await?;
        let inputs: Vec<String> =
            inputs.into_iter().map(|entry| format!("{} ({} bytes)", entry.path, entry.size)).collect();
        let history = self.history(step.history.as_ref(), &sections).await?;
        let skills = self.skills()?;
        let skills: Vec<Section> =
            skills.into_iter().map(|skill| Section::new(skill.name.clone(), skill.text())).collect();
        let remembered = self.recall_for(step, &state).await?;
        let mut instructions = step.instructions.clone();
        if step.output == StepOutput::Verdict && self.learns(&state) {
            instructions.push_str(LEARN);
        }
        let mut prompt = StepPrompt::assemble(&Ingredients {
            persona: &self.shared.parts.identity(),
            skills: &skills,
            pinned: &remembered.pinned,
            context: &sections,
            inputs: &inputs,
            recall: &remembered.recall,
            history: &history,
            goal: &state.spec.goal,
            instructions: &instructions,
        });
        prompt.tools = self.tools_of(step)?.into_iter().map(|tool| tool.name().to_owned()).collect();
        prompt.tools.extend(self.hosted_of(step)?);
        prompt.context_read = read;
        files.write(&path, pretty(&prompt).into_bytes()).await?;
        Ok(prompt)
    }

    /// What each step reads of the files of the task, and their paths.
    async fn context(&self) -> Result<(Vec<Section>, Vec<String>), TaskError> {
        let files = &*self.shared.files;
        let mut sections = Vec::new();
        let mut read = Vec::new();
        let mut paths: Vec<String> = context_files().map(str::to_owned).to_vec();
        for entry in files.list(&WorkspacePath::known(layout::CONTEXT)).await? {
            paths.push(entry.path.as_str().to_owned());
        }
        for path in paths {
            if let Some(text) = read_known(files, &path).await?.filter(|text| !text.trim().is_empty()) {
                sections.push(Section::new(path.clone(), text));
                read.push(path);
            }
        }
        Ok((sections, read))
    }

    /// What came before, as the policy of the step says it, or that of the task.
    async fn history(
        &self,
        policy: Option<&HistoryPolicy>,
        context: &[Section],
    ) -> Result<Vec<Message>, TaskError> {
        let files = &*self.shared.files;
        let state = self.with_task(|task| task.state().clone());
        let policy = policy.unwrap_or(&state.spec.history);
        let lines = read_known(files, layout::HISTORY_LINES).await?;
        let text = read_known(files, layout::HISTORY_TEXT).await?;
        let mut seeds = self.shared.parts.seeds.clone();
        seeds.extend(state.spec.seed_messages.iter().cloned());
        if !state.spec.seed_from_sessions.is_empty() {
            let kept = read_known(files, layout::SEEDS).await?.ok_or_else(gone)?;
            seeds.extend(seeds_of_lines(layout::SEEDS, Some(&kept))?);
        }
        seeds.extend(seeds_of_files(lines.as_deref(), text.as_deref())?);
        let mut before = Vec::new();
        if policy.mode == HistoryMode::LastN {
            for earlier in &state.steps {
                let path = layout::of_step(&earlier.id, "session.ndjson");
                let own = read_text(files, &layout::of_step(&earlier.id, "prompt.json")).await?;
                let own = own.and_then(|text| from_text::<StepPrompt>(&text).ok()).unwrap_or_default();
                let loaded = StepStore::new(Arc::clone(&self.shared.files), path).load().await;
                let messages = loaded.map(|loaded| loaded.messages).unwrap_or_default();
                before.extend(messages.into_iter().skip(own.messages.len()).map(Arc::unwrap_or_clone));
            }
        }
        Ok(without_context(history(policy, &seeds, &before, &state.steps), context))
    }

    /// The messages that the next step would read of what came before.
    pub(super) async fn history_now(&self) -> Result<Vec<Message>, TaskError> {
        let (context, _) = self.context().await?;
        self.history(None, &context).await
    }

    /// Those that the task began with.
    pub(super) fn skills(&self) -> Result<Vec<&SkillBundle>, TaskError> {
        let used = self.with_task(|task| task.state().skills.clone());
        known_again(&used, &self.shared.parts.skills)
    }

    pub(super) fn tools_of(&self, step: &StepSpec) -> Result<Vec<Tool>, TaskError> {
        let skills = self.skills()?;
        let files = ToolFiles::of(&self.shared.files, &step.id, &self.shared.secrets, &skills);
        let mut all: Vec<TaskTool> = built_in(&files);
        all.extend(self.shared.parts.tools.iter().cloned());
        for (make, phases) in &self.shared.parts.file_tools {
            all.push(TaskTool { tool: make.tool(Arc::clone(&files)), phases: Some(phases.clone()) });
        }
        if let Some(runner) = &self.shared.parts.skill_runner {
            let tools = skills.iter().flat_map(|skill| &skill.tools);
            all.extend(tools.map(|tool| TaskTool {
                tool: runner.tool(tool, Arc::clone(&files)),
                phases: tool.phases.clone(),
            }));
        }
        all.retain(|tool| allowed(step, tool.tool.name(), |phase| tool.is_for(phase)));
        Ok(all.into_iter().map(|tool| tool.tool).collect())
    }

    /// The names of the host's tools that the step may use.
    pub(super) fn hosted_of(&self, step: &StepSpec) -> Result<Vec<String>, TaskError> {
        let Some(hosted) = &self.shared.parts.hosted else { return Ok(Vec::new()) };
        let used = self.skills()?;
        let others =
            self.shared.parts.skills.iter().filter(|skill| !used.iter().any(|own| own.name == skill.name));
        let others: Vec<&str> =
            others.flat_map(|skill| &skill.tools).map(|tool| tool.name.as_str()).collect();
        let mut names: Vec<String> = hosted.host.definitions().into_iter().map(|tool| tool.name).collect();
        names.retain(|name| {
            allowed(step, name, |phase| hosted.is_for(name, phase)) && !others.contains(&name.as_str())
        });
        Ok(names)
    }
}
