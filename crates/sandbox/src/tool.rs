//! The tools whose work is sandboxed code: that of an application, and that of a model.

use std::sync::Arc;

use super::call::Call;
use super::grants::{Mount, MountRight, Sandbox};
use glove_wasm::json::{self, Json};
use glove_wasm::ports::Tool;
use glove_wasm::run::input::{Issue, ToolOutcome};
use glove_wasm_task::SkillTool;
use glove_wasm_task::runtime::{SkillRunner, Workspace};

impl Sandbox {
    /// `sandbox_exec`: a tool by which a model runs code that it writes.
    #[must_use]
    pub fn exec(self) -> Tool {
        let folders: Vec<String> = self
            .mounts
            .iter()
            .map(|mount| {
                format!(
                    "{} ({})",
                    mount.folder,
                    if mount.right == MountRight::Write { "write" } else { "read" }
                )
            })
            .collect();
        let files = match folders.is_empty() {
            true => "It reaches no files.".to_owned(),
            false => format!(
                "`await files.read(path)`, `await files.list(folder)`, `await files.write(path, text)` below {}.",
                folders.join(", ")
            ),
        };
        let mut network = match &self.web {
            None => "It reaches no network.".to_owned(),
            Some((_, hosts)) => format!("`await fetch(url)` asks {}.", hosts.names()),
        };
        for (name, hosts) in self.credentials.iter().filter(|_| self.web.is_some()) {
            network.push_str(&format!(
                " `{{{{{name}}}}}` in a header of it stands for a credential, at {}.",
                hosts.names()
            ));
        }
        let about = format!(
            "Runs JavaScript in a sandbox, for work that code does better than words: counting, converting, checking. It is the body of an \
             async function with the parameter `input`; `return` gives the result, as JSON. There are no modules and no timers. {files} \
             {network} It ends after {} ms. `console.log` is told beside the result.",
            self.time.as_millis()
        );
        let schema = r#"{"type":"object","properties":{"code":{"type":"string"},"input":{"description":"Any JSON, for the code to read as `input`"}},"required":["code"],"additionalProperties":false}"#;
        self.made("sandbox_exec", &about, json::written(schema.to_owned()), |input| {
            #[derive(serde::Deserialize)]
            struct Exec {
                code: String,
                #[serde(default)]
                input: serde_json::Value,
            }
            let exec = input.read::<Exec>().map_err(|error| error.to_string())?;
            Ok((format!("export default async (input) => {{{}\n}}", exec.code), exec.input.to_string()))
        })
    }

    /// A tool of an application: a module of JavaScript whose default export is called with the input.
    #[must_use]
    pub fn tool(
        self,
        name: &str,
        description: &str,
        schema: impl Into<Json>,
        code: impl Into<String>,
    ) -> Tool {
        let code = code.into();
        self.made(name, description, schema.into(), move |input| {
            Ok((code.clone(), input.as_str().to_owned()))
        })
    }

    fn made(
        self,
        name: &str,
        about: &str,
        schema: Json,
        code_of: impl Fn(&Json) -> Result<(String, String), String> + Send + Sync + 'static,
    ) -> Tool {
        let acts = self.web.is_some() || self.mounts.iter().any(|mount| mount.right == MountRight::Write);
        let tool = Tool::of_json(name.to_owned(), about.to_owned(), schema, move |(input, context)| {
            let (sandbox, given) = (self.clone(), context.credentials());
            match code_of(&input) {
                Ok((code, input)) => {
                    Box::pin(async move { Call::begin(sandbox, code, input, given).outcome().await })
                }
                Err(message) => {
                    let issue = Issue { path: Vec::new(), message };
                    Box::pin(async move { ToolOutcome::Invalid(vec![issue]) })
                }
            }
        });
        // Code that writes nothing and asks nobody has no effects.
        if acts { tool } else { tool.idempotent(0) }
    }
}

impl SkillRunner for Sandbox {
    fn tool(&self, tool: &SkillTool, files: Arc<dyn Workspace>) -> Tool {
        let mut sandbox = self.clone();
        let right = |writes: bool| if writes { MountRight::Write } else { MountRight::Read };
        sandbox.mounts = tool
            .mounts
            .iter()
            .map(|(folder, writes)| Mount { folder: folder.clone(), right: right(*writes) })
            .collect();
        sandbox.files = Some(files);
        Sandbox::tool(sandbox, &tool.name, &tool.description, tool.input_schema.clone(), tool.code.clone())
    }
}
