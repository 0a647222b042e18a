//! Schemas of answers that come as text. Nothing of them is renamed or wrapped, and what a provider cannot be told is no form for it: then
//! the answer comes by a tool.

use crate::json::Json;
use crate::providers::facts::Facts;
use crate::providers::format::Format;
use crate::providers::request::schema::closed;
use crate::providers::request::schema::form::{SchemaSubset, form, read, schema_subset};
use crate::providers::request::schema::unsupported::Unsupported;
use crate::providers::request::schema::{gemini, plain};

/// For servers that take nearly all of JSON Schema, or Gemini's part of it.
pub(in crate::providers::request) fn answer(format: Format, facts: &Facts, schema: &Json) -> Option<String> {
    if form(format, facts, schema).is_some() {
        return None;
    }
    let node = read(schema);
    let mut unsupported = Unsupported::default();
    let written = match schema_subset(format, facts) {
        SchemaSubset::Most => {
            let mut out = String::new();
            plain::write(&node, None, &mut unsupported, &mut out);
            out
        }
        SchemaSubset::Little { native } => gemini::schema(&node, None, native, &mut unsupported)?,
    };
    // Half of a form is none.
    (!unsupported.refers_to_itself && !unsupported.is_too_large).then_some(written)
}

/// For servers whose objects have no other keys than those that are listed.
pub(in crate::providers::request) fn closed_answer(
    format: Format,
    facts: &Facts,
    schema: &Json,
) -> Option<String> {
    if form(format, facts, schema).is_some() {
        return None;
    }
    closed::write(&read(schema), format != Format::Anthropic)
}
