//! What the machine and the model know of a tool. How it runs is the host's business.

use serde::Serialize;

use crate::json::Json;

/// What a model is told of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Json,
}
