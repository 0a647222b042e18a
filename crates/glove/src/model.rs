//! The model that `--model` names.

use std::fs;
use std::sync::Arc;

use glove_wasm::http::Http;
use glove_wasm::message::ContentPart;
use glove_wasm::ports::ModelAdapter;
use glove_wasm::providers::table;
use glove_wasm::testing::{Line, ScriptedModel, Seen};
use glove_wasm_native::{NativeHttp, ProviderModel};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::config::Config;
use crate::failure::Failure;
use crate::priced::{Priced, prices};

const MODEL: &str = "GLOVE_MODEL";
const SCRIPTED: &str = "scripted";

/// Finds models by what a person calls them.
pub(crate) struct Models {
    config: Config,
    /// The address that was given, and the provider that it was given for: the one that was asked for first.
    base_url: Option<String>,
    at_base_url: Option<&'static str>,
    http: Option<Arc<dyn Http>>,
}

impl Models {
    pub(crate) fn new(config: Config, base_url: Option<String>) -> Self {
        Models { config, base_url, at_base_url: None, http: None }
    }

    /// The model that was asked for, or else is configured, or whose key is there; and what it costs.
    pub(crate) fn choose(&mut self, requested: Option<&str>) -> Result<Arc<dyn ModelAdapter>, Failure> {
        let prices = prices(&self.config)?;
        Ok(Arc::new(Priced { model: self.found(requested)?, prices }))
    }

    fn found(&mut self, requested: Option<&str>) -> Result<Arc<dyn ModelAdapter>, Failure> {
        let name = match requested.map(str::to_owned).or_else(|| self.config.get(MODEL)) {
            Some(name) => name,
            None => self.with_key().ok_or_else(no_model)?,
        };
        let (provider, model) = match name.split_once(':') {
            Some((provider, model)) => (provider, Some(model)),
            None => (name.as_str(), None),
        };
        if provider == SCRIPTED {
            return Ok(Arc::new(match model {
                Some(file) => script(file)?,
                None => ScriptedModel::by(demonstrate),
            }));
        }
        let known = table::find(provider)?;
        let mut chosen = ProviderModel::new(provider);
        if let Some(model) = model {
            chosen = chosen.model(model);
        }
        // The key of another provider has no business at this address.
        if let Some(url) = &self.base_url
            && *self.at_base_url.get_or_insert(known.id) == known.id
        {
            chosen = chosen.base_url(url);
        }
        if let Some(key) = self.config.get(known.env_var) {
            chosen = chosen.provider_key(key);
        }
        let http = match &self.http {
            Some(http) => Arc::clone(http),
            None => Arc::clone(self.http.insert(Arc::new(NativeHttp::new()?))),
        };
        Ok(Arc::new(chosen.over(http)?))
    }

    /// Models that a person can choose from: of each provider whose key is there the usual one first.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for provider in table::PROVIDERS.iter().filter(|provider| self.has_key(provider)) {
            names.push(format!("{}:{}", provider.id, provider.default_model));
            let others = provider.models.iter().filter(|model| **model != provider.default_model);
            names.extend(others.map(|model| format!("{}:{model}", provider.id)));
        }
        names
    }

    /// The key of the model's provider: a secret that all servers of an application have, and nobody else.
    pub(crate) fn key(&self, requested: Option<&str>) -> Option<String> {
        let name =
            requested.map(str::to_owned).or_else(|| self.config.get(MODEL)).or_else(|| self.with_key())?;
        let provider = table::find(name.split(':').next().unwrap_or_default()).ok()?;
        self.config.get(provider.env_var)
    }

    fn with_key(&self) -> Option<String> {
        let found = table::PROVIDERS.iter().find(|provider| self.has_key(provider));
        found.map(|provider| provider.id.to_owned())
    }

    fn has_key(&self, provider: &table::Provider) -> bool {
        let variable = provider.env_var;
        provider.format.is_some() && !variable.is_empty() && self.config.get(variable).is_some()
    }
}

fn no_model() -> Failure {
    Failure::new(
        "no model is chosen, and no provider's key is set. Set a key such as ANTHROPIC_API_KEY, or use `--model ollama:NAME` for a model on this machine, or `--model scripted` to try the program",
    )
}

/// One answer of a script.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<ScriptedCall>,
    /// Of the prompt and of the answer.
    #[serde(default)]
    tokens: (u64, u64),
    /// It comes whole, as from providers that do not stream.
    #[serde(default)]
    whole: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    tool: String,
    #[serde(default)]
    id: String,
    input: Value,
}

fn script(file: &str) -> Result<ScriptedModel, Failure> {
    let text = fs::read_to_string(file).map_err(|error| Failure::new(format!("`{file}`: {error}")))?;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let answer: Answer = serde_json::from_str(line).map_err(|error| {
            Failure::new(format!("line {} of the script `{file}` is not an answer: {error}", at + 1))
        })?;
        let (prompt, answered) = answer.tokens;
        let said = if answer.whole { Line::text(&answer.text) } else { in_pieces(&answer.text) };
        let mut scripted = said.tokens(prompt, answered);
        for call in answer.calls {
            scripted = scripted.and_call(&call.tool, &call.id, call.input);
        }
        lines.push(scripted);
    }
    Ok(ScriptedModel::new(lines))
}

/// In words, as models stream.
fn in_pieces(text: &str) -> Line {
    Line::deltas(text.split_inclusive(' '))
}

const ABOUT: &str = "I am a **script**, not a model: I show what this program does, without a key.\n\n\
    | say | what happens |\n|---|---|\n\
    | `run COMMAND` | runs a command, after you allowed it |\n\
    | `read FILE` | reads a file of the folder |\n\
    | `list` | lists the folder |\n\
    | `ask confirm`, `ask input`, `ask select`, `ask secret`, `ask form` | asks you something |\n\n\
    For a real model set a key, such as `ANTHROPIC_API_KEY`, or use `--model ollama:NAME`.";

/// Does what it is told in the simplest words.
fn demonstrate(number: usize, seen: &Seen) -> Line {
    let Some(last) = seen.messages.last() else { return in_pieces(ABOUT) };
    if !last.results().is_empty() {
        let results = last.results().iter().map(|result| {
            let data = &result.result.data;
            let text = data.to_text().unwrap_or_else(|| data.to_string());
            let text = result.result.message.clone().unwrap_or(text);
            format!("`{}` gave:\n\n```\n{}\n```\n", result.tool_name, text.trim_end())
        });
        return in_pieces(&results.collect::<Vec<_>>().join("\n"));
    }
    let text = match last.content.as_deref() {
        Some([ContentPart { text: Some(text), .. }, ..]) => text.as_str(),
        _ => last.text.as_str(),
    };
    let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let (tool, input) = match word {
        "run" => ("bash", json!({ "command": rest })),
        "read" => ("read_file", json!({ "path": rest })),
        "list" => ("list_dir", json!({})),
        "ask" => ("ask_user", asked(rest)),
        _ => return in_pieces(ABOUT),
    };
    Line::text("").and_call(tool, &format!("call_{number}"), input)
}

fn asked(kind: &str) -> Value {
    match kind.trim() {
        "input" => json!({ "kind": "input", "message": "What is it called?", "default": "glove" }),
        "select" => {
            json!({ "kind": "select", "message": "Which one?", "options": ["the first", "the second"] })
        }
        "secret" => {
            json!({ "kind": "secret", "message": "The token of the service?", "variable": "SERVICE_TOKEN" })
        }
        "form" => json!({ "kind": "form", "message": "Where does it go?", "fields": [
            { "name": "street" }, { "name": "town", "options": ["Bern", "Oslo"] }
        ] }),
        _ => json!({ "kind": "confirm", "message": "Shall it be so?" }),
    }
}
