//! What the agents of tasks have, in a folder and on a server alike: memory, the web, a sandbox, skills, commands and tests.

use std::path::Path;
use std::sync::Arc;

use glove_wasm::ports::ModelAdapter;
use glove_wasm::system::{RandomIds, SystemClock};
use glove_wasm_coding::Workspace;
use glove_wasm_native::{TaskFolder, Traces};
use glove_wasm_sandbox::{MountRight, Sandbox};
use glove_wasm_sqlite::SqliteMemory;
use glove_wasm_task::layout::ARTIFACTS;
use glove_wasm_task::memory::{MemoryBinding, ScopeKind};
use glove_wasm_task::runtime::{AgentMemory, TaskAgentBuilder};
use glove_wasm_task::{Budgets, SkillBundle};

use crate::args::Powers;
use crate::config::Config;
use crate::failure::Failure;
use crate::web::{self, Credential};

/// Tests take longer than other tools.
const COMMAND_SECONDS: u64 = 600;

/// Read once, when the program begins: what is wrong with it is said then.
pub(crate) struct TaskPowers {
    options: Powers,
    credentials: Vec<Credential>,
    skills: Vec<SkillBundle>,
    memory: Option<SqliteMemory>,
    /// What commands find in their environment beside ordinary variables.
    variables: Vec<(String, String)>,
}

impl TaskPowers {
    pub(crate) fn new(
        config: &Config,
        options: &Powers,
        variables: Vec<(String, String)>,
    ) -> Result<Self, Failure> {
        let skills =
            options.skill.iter().map(glove_wasm_native::open_skill).collect::<Result<Vec<_>, _>>()?;
        Ok(TaskPowers {
            credentials: web::credentials(config, options)?,
            skills,
            memory: options.memory.as_ref().map(SqliteMemory::open).transpose()?,
            options: options.clone(),
            variables,
        })
    }

    /// The one that works on the task of this folder. `user` is empty where there are no users.
    pub(crate) fn agent(
        &self,
        model: Arc<dyn ModelAdapter>,
        folder: &Path,
        user: &str,
    ) -> Result<TaskAgentBuilder, Failure> {
        let options = &self.options;
        let builder = TaskAgentBuilder::new(model, Arc::new(SystemClock), Arc::new(RandomIds))
            .traces(Traces::of_tasks())
            .persona("You work carefully on what you are given, and say what you do not know.");
        let mut builder = web::tools(builder, options)?;
        let sandbox = web::reach(Sandbox::new(), options, &self.credentials)?;
        let mut sandboxed = Vec::new();
        if options.sandbox {
            // Code of the model, which reaches the inputs and what the task makes.
            let files = sandbox.clone().files(TaskFolder::open(folder)?);
            let files = files.mount("task", MountRight::Read)?.mount(ARTIFACTS, MountRight::Write)?;
            let tool = files.exec();
            sandboxed.push(tool.name().to_owned());
            builder = builder.tool_for(["act"], tool);
        }
        for skill in &self.skills {
            sandboxed.extend(skill.tools.iter().map(|tool| tool.name.clone()));
            builder = builder.skill(skill.clone()).skill_runner(sandbox.clone());
        }
        if !self.credentials.is_empty() {
            builder = web::with_credentials(builder, self.credentials.clone(), sandboxed)?;
        }
        if options.shell || options.test.is_some() {
            let failed = |error: std::io::Error| Failure::new(format!("`{}`: {error}", folder.display()));
            // Where the model is told to write, and commands make no folders by themselves.
            std::fs::create_dir_all(folder.join(ARTIFACTS)).map_err(failed)?;
            let workspace = Workspace::open(folder).map_err(failed)?;
            for (name, value) in &self.variables {
                workspace.set_variable(name, value);
            }
            if options.shell {
                builder = builder.tool_for(["act"], workspace.shell());
            }
            if let Some(command) = &options.test {
                let tests = workspace.test_runner(command, "", COMMAND_SECONDS);
                builder = builder.tool_for(["act", "verify"], tests);
            }
        }
        builder = builder.default_budgets(usual_budgets(options));
        Ok(match &self.memory {
            Some(memory) => builder.memory(remembering(memory.clone(), user)),
            None => builder,
        })
    }
}

/// What a task may use that says nothing else: commands may take longer than other tools.
pub(crate) fn usual_budgets(options: &Powers) -> Budgets {
    let usual = Budgets::default();
    let commands = options.shell || options.test.is_some();
    let most = commands.then_some((COMMAND_SECONDS + 30) * 1_000);
    Budgets { step_tool_timeout_ms: most.or(usual.step_tool_timeout_ms), ..usual }
}

/// What a task came to is remembered for its user alone, or for all tasks where there are no users.
fn remembering(memory: SqliteMemory, user: &str) -> AgentMemory {
    let memory = AgentMemory::new(memory);
    let kind = if user.is_empty() { ScopeKind::Agent } else { ScopeKind::User };
    memory.attach(MemoryBinding::new(kind, "").learns());
    memory
}
