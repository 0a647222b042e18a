//! What the machine and the model know of a tool. How it runs is the host's business.

use crate::error::ToolDefinitionError;
use crate::json::Json;
use crate::json::codec::{Read, Ts, Write, through_codec};
use crate::json::reader::{Broken, Reader, unescape};

/// The tool that the framework adds when any tool can be undone.
pub const UNDO_TOOL: &str = "undo_last_action";

/// The tool by which a model gives an answer that has a schema; there while one is wanted.
pub const ANSWER_TOOL: &str = "give_answer";

/// To a model that answered in words where an answer with a schema is wanted.
pub(crate) const GIVE_ANSWER: &str = "Give the answer by calling give_answer.";

/// What a model is told of a tool.
#[derive(Debug, Clone, PartialEq, Read, Write)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Json,
}

/// Whether something is asked before a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum Gate {
    #[default]
    Never,
    Always,
    /// The host decides, looking at the arguments.
    ByInput,
}

/// What becomes of a call that was running when its process died.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum OnInterrupted {
    Rerun,
    /// A person decides, knowing that the outcome is unknown.
    #[default]
    Ask,
    /// The model is told that the outcome is unknown.
    Fail,
}

/// What the machine needs to know of a tool to decide about its calls.
#[derive(Debug, Clone, Default, PartialEq, Read, Ts, Write)]
#[ts(input)]
pub struct ToolSpec {
    #[json(default)]
    #[ts(required)]
    pub name: String,
    #[json(skip_if_default)]
    pub permission: Gate,
    #[json(skip_if_default)]
    pub approval: Gate,
    /// May run at the same time as its neighbours that say so too.
    #[json(skip_if_default)]
    pub parallel: bool,
    /// Running it again does no harm.
    #[json(skip_if_default)]
    pub idempotent: bool,
    /// How often a failed run is repeated; heeded only where `idempotent`.
    #[json(skip_if_default)]
    pub retries: u32,
    /// Runs to its end also when the user stops the run.
    #[json(skip_if_default)]
    pub un_abortable: bool,
    /// Working time after which a run is stopped, 0 for any time; waiting for a person does not count.
    pub timeout_ms: Option<u64>,
    /// A successful run can be taken back.
    #[json(skip_if_default)]
    pub undo: bool,
    /// The host adds it before a model call; in a session that is opened again it is there until then.
    #[json(skip_if_default)]
    pub added: bool,
    /// A part of the page brings it and takes it away: a call of it waits while it is not there.
    #[json(skip_if_default)]
    pub comes_and_goes: bool,
    /// It is one of those, and is not there: it stands here for its calls.
    #[json(skip_if_default)]
    pub away: bool,
    /// Unless given: `rerun` where `idempotent`, else `ask`.
    pub on_interrupted: Option<OnInterrupted>,
}

through_codec! { ToolDefinition, Gate, OnInterrupted, ToolSpec }

impl ToolSpec {
    pub fn new(name: impl Into<String>) -> Self {
        ToolSpec { name: name.into(), ..ToolSpec::default() }
    }

    pub fn when_interrupted(&self) -> OnInterrupted {
        match self.on_interrupted {
            Some(choice) => choice,
            None if self.idempotent => OnInterrupted::Rerun,
            None => OnInterrupted::Ask,
        }
    }

    pub fn retries(&self) -> u32 {
        if self.idempotent { self.retries } else { 0 }
    }
}

/// Refuses what no model or lookup could work with. `taken` are the names that are there already.
pub fn check_definition<'a>(
    definition: &ToolDefinition,
    taken: impl IntoIterator<Item = &'a str>,
) -> Result<(), ToolDefinitionError> {
    let name = definition.name.trim();
    // Requests with a schema have that tool beside those of the application, and make the model use it.
    let is_taken = |other: &str| other.eq_ignore_ascii_case(name);
    check(definition, name, is_taken(ANSWER_TOOL) || taken.into_iter().any(is_taken))
}

fn check(definition: &ToolDefinition, name: &str, is_taken: bool) -> Result<(), ToolDefinitionError> {
    if name.is_empty() {
        return Err(ToolDefinitionError::EmptyName);
    }
    if is_taken {
        return Err(ToolDefinitionError::DuplicateName(name.to_owned()));
    }
    let bad = |why: &str| ToolDefinitionError::BadSchema { tool: name.to_owned(), why: why.to_owned() };
    let not_read = |_: Broken| bad("it cannot be read");
    let mut reader = Reader::new(definition.schema.as_str());
    if !reader.object().map_err(not_read)? {
        return Err(bad("it must be a JSON object like {\"type\":\"object\",\"properties\":{}}"));
    }
    while let Some(key) = reader.key().map_err(not_read)? {
        let value = reader.raw().map_err(not_read)?;
        match unescape(key).as_ref() {
            "type" if value != "\"object\"" => {
                return Err(bad("models send arguments as an object, so its `type` must be \"object\""));
            }
            "properties" if !value.starts_with('{') => return Err(bad("`properties` must be an object")),
            _ => {}
        }
    }
    Ok(())
}

/// Finds a tool as a model spells it: the exact name, else the only one that differs in case.
pub fn find<'a>(tools: &'a [ToolSpec], name: &str) -> Option<&'a ToolSpec> {
    tools.iter().find(|tool| tool.name == name).or_else(|| {
        let mut same = tools.iter().filter(|tool| tool.name.eq_ignore_ascii_case(name));
        match (same.next(), same.next()) {
            (Some(tool), None) => Some(tool),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(name: &str, schema: &str) -> ToolDefinition {
        ToolDefinition {
            name: name.to_owned(),
            description: String::new(),
            schema: Json::parse(schema).unwrap(),
        }
    }

    #[test]
    fn definitions_that_no_model_could_use_are_refused() {
        let table = [
            ("", "{}", "TOOL_NAME_EMPTY"),
            ("  ", "{}", "TOOL_NAME_EMPTY"),
            ("Weather", "{}", "TOOL_NAME_TAKEN"),
            (ANSWER_TOOL, "{}", "TOOL_NAME_TAKEN"),
            ("a", "[]", "TOOL_SCHEMA_INVALID"),
            ("a", "\"object\"", "TOOL_SCHEMA_INVALID"),
            ("a", r#"{"type":"string"}"#, "TOOL_SCHEMA_INVALID"),
            ("a", r#"{"properties":[]}"#, "TOOL_SCHEMA_INVALID"),
        ];
        for (name, schema, code) in table {
            let error = check_definition(&definition(name, schema), ["weather"]).unwrap_err();
            assert_eq!(error.code(), code, "{name:?} {schema}");
        }
        assert_eq!(check_definition(&definition("__proto__", r#"{"type":"object"}"#), ["weather"]), Ok(()));
    }

    #[test]
    fn an_exact_name_wins_and_case_is_forgiven_only_when_one_tool_fits() {
        let tools = ["read", "Read", "write"].map(ToolSpec::new);
        let found = |name| find(&tools, name).map(|tool| tool.name.as_str());
        assert_eq!(
            (found("Read"), found("READ"), found("WRITE"), found("rm")),
            (Some("Read"), None, Some("write"), None)
        );
    }
}
