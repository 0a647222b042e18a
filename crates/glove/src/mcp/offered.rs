//! What clients are offered: the agent as a tool, and the tools for files and commands.

use std::path::Path;
use std::sync::Arc;

use glove_wasm::tool::ToolDefinition;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::guard::reads;

/// The agent, as clients call it.
pub(super) const AGENT: &str = "ask_agent";

pub(super) fn agent(folder: &Path) -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "message": { "type": "string", "description": "What is said to the agent." },
            "conversation": {
                "type": "string",
                "description": "Goes on with an earlier conversation: the `conversation` of its answer."
            }
        },
        "required": ["message"]
    });
    let output = json!({
        "type": "object",
        "properties": {
            "answer": { "type": "string" },
            "conversation": { "type": "string" },
            "not_allowed": {
                "type": "array", "items": { "type": "string" },
                "description": "What the agent could not do, because nobody allowed it."
            }
        },
        "required": ["answer", "conversation"]
    });
    let description = format!(
        "Says something to a coding agent that works in the folder `{}`: it reads, searches and changes files there and runs commands, \
         asks a person before it changes or runs anything, and answers when it is done.",
        folder.display()
    );
    Tool::new(AGENT, description, object(input)).with_raw_output_schema(object(output))
}

/// A tool of the agent, which a client calls itself.
pub(super) fn direct(definition: &ToolDefinition) -> Result<Tool, Failure> {
    let ToolDefinition { name, description, schema } = definition;
    let schema: Value = schema.read().map_err(|error| Failure::new(format!("{name}: {error}")))?;
    let annotations = ToolAnnotations::new().read_only(reads(name)).open_world(false);
    Ok(Tool::new(name.clone(), description.clone(), object(schema)).with_annotations(annotations))
}

fn object(schema: Value) -> Arc<JsonObject> {
    Arc::new(match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    })
}
