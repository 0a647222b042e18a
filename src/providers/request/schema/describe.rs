//! What a provider is told of a tool.

use crate::json::writer::Object;
use crate::providers::request::parts::RequestParts;
use crate::providers::request::schema::form::{SchemaSubset, read, schema_subset};
use crate::providers::request::schema::unsupported::Unsupported;
use crate::providers::request::schema::{gemini, plain};
use crate::tool::ToolDefinition;

impl RequestParts<'_> {
    /// What a provider is told of a tool. `key`: what it calls the schema.
    pub(in crate::providers) fn describe_tool(&self, tool: &ToolDefinition, key: &str, out: &mut Object<'_>) {
        out.text("name", &self.names.on_wire(&tool.name));
        // Some take no empty description, and all do without one.
        if !tool.description.trim().is_empty() {
            out.text("description", &tool.description);
        }
        let node = read(&tool.schema);
        let form = self.names.form(&tool.name);
        let mut unsupported = Unsupported::default();
        match schema_subset(self.format, &self.options.facts) {
            SchemaSubset::Most => plain::write(&node, form, &mut unsupported, out.key(key)),
            SchemaSubset::Little { native } => {
                // A function without parameters has none: an object without properties is refused.
                if let Some(schema) = gemini::schema(&node, form, native, &mut unsupported) {
                    out.raw(key, &schema);
                }
            }
        }
        if let Some(unsupported) = unsupported.reasons() {
            let message = format!(
                "The schema of the tool `{}` {unsupported}. The model receives it in words or in part; calls are still checked against the whole schema.",
                tool.name
            );
            self.notices.add("SCHEMA_SIMPLIFIED", message);
        }
    }
}
