//! How the arguments of a tool differ on the wire, and what the root of its schema is.

use crate::answer::{ArgumentForm, KeyNames};
use crate::ids::Ids;
use crate::json::Json;
use crate::json::reader::Reader;
use crate::json::writer::string;
use crate::providers::facts::{Facts, Schemas};
use crate::providers::format::Format;
use crate::providers::request::schema::node::Node;

/// Keywords that hold schemas by names of the application's.
pub(super) const MAPS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// What a schema says beside what it takes.
const NOTES: [&str; 11] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
];

/// Keywords that tell of keys by their names, so that a key cannot be called another way.
const BY_NAME: [&str; 7] =
    ["patternProperties", "propertyNames", "dependentSchemas", "dependencies", "if", "then", "else"];

/// More steps than this from one root to another are a circle.
const MAX_STEPS: usize = 16;

/// Of a property's name, and what is kept in it for a number.
const LONGEST_KEY: usize = 64;
const ROOM_FOR_NUMBER: usize = 8;

/// How much of JSON Schema a provider takes.
pub(super) enum SchemaSubset {
    /// All but some words at the root.
    Most,
    /// Gemini's part of it; a little more in its own format than in the one of others.
    Little { native: bool },
}

pub(super) fn schema_subset(format: Format, facts: &Facts) -> SchemaSubset {
    match (format, facts.schemas) {
        (Format::Gemini, _) => SchemaSubset::Little { native: true },
        (_, Some(Schemas::OpenApi)) => SchemaSubset::Little { native: false },
        _ => SchemaSubset::Most,
    }
}

/// How the arguments of a tool have to differ on the wire; `None` where they need not.
pub(in crate::providers::request) fn form(
    format: Format,
    facts: &Facts,
    schema: &Json,
) -> Option<ArgumentForm> {
    let node = read(schema);
    let (root, _) = root(&node);
    let fits: fn(&str) -> bool = match (format, schema_subset(format, facts)) {
        (Format::Anthropic, _) => |key| is_key(key, "_.-"),
        (_, SchemaSubset::Little { .. }) => {
            |key| is_key(key, "_") && !key.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => |_| true,
    };
    let keys = root.get("properties").map_or(&[][..], Node::fields);
    let unfit = keys.iter().any(|(key, _)| !fits(key));
    let is_odd = !is_object(root)
        || matches!(schema_subset(format, facts), SchemaSubset::Little { .. }) && is_map(root);
    if is_odd || unfit && names_matter(&node, root) {
        return Some(ArgumentForm::Within(free_name(&node)));
    }
    if !unfit {
        return None;
    }
    let mut taken = Taken::default();
    for (key, _) in keys.iter().filter(|(key, _)| fits(key)) {
        taken.names.insert(key);
    }
    let mut renamed = Vec::new();
    let mut met = Ids::default();
    for (key, _) in keys.iter().filter(|(key, _)| !fits(key)) {
        if met.insert(key) {
            renamed.push((fitting(key, fits, &mut taken), key.clone().into_owned()));
        }
    }
    Some(ArgumentForm::Renamed(KeyNames::new(renamed)))
}

/// A schema that cannot be read, or is none, takes any arguments.
pub(super) fn read(schema: &Json) -> Node<'_> {
    match Node::read(&mut Reader::new(schema.as_str())) {
        Ok(node @ Node::Object(_)) => node,
        Ok(node) if node.is("false") => node,
        _ => Node::Object(Vec::new()),
    }
}

/// The schema that a root stands for which only refers to another one, and the name by which it does.
pub(super) fn root<'n, 'a>(node: &'n Node<'a>) -> (&'n Node<'a>, Option<String>) {
    let (mut root, mut name) = (node, None);
    for _ in 0..MAX_STEPS {
        let only_refers = root.fields().iter().all(|(key, _)| key == "$ref" || NOTES.contains(&key.as_ref()));
        let Some(reference) = root.get("$ref").filter(|_| only_refers).and_then(Node::text) else { break };
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| node.at(pointer)) else { break };
        if std::ptr::eq(target, root) {
            break;
        }
        (root, name) = (target, Some(reference.into_owned()));
    }
    (root, name)
}

/// Whether every provider takes this for the root of a schema.
fn is_object(root: &Node<'_>) -> bool {
    let refused = ["anyOf", "oneOf", "allOf", "enum", "const", "not", "$ref", "$dynamicRef", "$recursiveRef"];
    let types = root.get("type").map(Node::types);
    matches!(root, Node::Object(_))
        && types.is_none_or(|types| types.iter().any(|kind| kind == "object"))
        && !root.fields().iter().any(|(key, _)| refused.contains(&key.as_ref()))
}

/// Whether an object says nothing of its keys by their names, but may have some.
fn is_map(root: &Node<'_>) -> bool {
    let holds_any =
        |key| root.get(key).is_some_and(|schema| schema.is("true") || matches!(schema, Node::Object(_)));
    let has_patterns = root.get("patternProperties").is_some_and(|patterns| !patterns.fields().is_empty());
    let names_none = root.get("properties").is_none_or(|properties| properties.fields().is_empty())
        && root.get("required").is_none_or(|names| names.items().is_empty());
    names_none && (has_patterns || holds_any("additionalProperties") || holds_any("unevaluatedProperties"))
}

/// Whether keys at the root cannot be called another way: something tells of them by their names, or the root stands inside itself.
fn names_matter(node: &Node<'_>, root: &Node<'_>) -> bool {
    let by_name = root.fields().iter().any(|(key, _)| BY_NAME.contains(&key.as_ref()));
    let id = node.get("$id").and_then(Node::text);
    let is_inside = |key: &str, inner: &Node<'_>| match key {
        "$ref" => inner.text().is_some_and(|reference| {
            let reference = reference.trim_end_matches('#');
            reference.is_empty() || id.as_deref() == Some(reference)
        }),
        "$dynamicRef" | "$recursiveRef" => true,
        _ => false,
    };
    by_name || any_field(node, is_inside)
}

/// Whether any object of a schema, however deep, has such a field.
fn any_field<'n, 'a>(node: &'n Node<'a>, mut is: impl FnMut(&'n str, &'n Node<'a>) -> bool) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        for (key, inner) in node.fields() {
            if is(key, inner) {
                return true;
            }
            open.push(inner);
        }
        open.extend(node.items());
    }
    false
}

fn is_key(key: &str, signs: &str) -> bool {
    (1..=64).contains(&key.len()) && key.chars().all(|c| c.is_ascii_alphanumeric() || signs.contains(c))
}

/// A name for the one property around all arguments, which none of them has.
fn free_name(node: &Node<'_>) -> String {
    let mut taken = Taken::default();
    any_field(node, |key, inner| {
        let properties = if key == "properties" { inner.fields() } else { &[] };
        for (name, _) in properties {
            taken.names.insert(name);
        }
        false
    });
    taken.numbered("input".to_owned())
}

fn fitting(key: &str, fits: fn(&str) -> bool, taken: &mut Taken) -> String {
    let mut made: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(LONGEST_KEY).collect();
    if !fits(&made) {
        made.insert(0, '_');
        made.truncate(LONGEST_KEY);
    }
    taken.numbered(made)
}

/// Names that are taken, and the last number given to each start of a name.
#[derive(Default)]
struct Taken {
    names: Ids,
    starts: Ids,
    numbers: Vec<usize>,
}

impl Taken {
    /// The name, or one with a number behind it that is not taken. All long names with one start count on together, so that no number is
    /// tried twice.
    fn numbered(&mut self, name: String) -> String {
        if self.names.insert(&name) {
            return name;
        }
        let start: String = name.chars().take(LONGEST_KEY - ROOM_FOR_NUMBER).collect();
        let at = self.starts.get(&start).unwrap_or_else(|| {
            self.starts.add(&start, self.numbers.len());
            self.numbers.push(1);
            self.numbers.len() - 1
        });
        let Some(number) = self.numbers.get_mut(at) else { return name };
        loop {
            *number += 1;
            let numbered = format!("{start}_{number}");
            if self.names.insert(&numbered) {
                return numbered;
            }
        }
    }
}

/// The name of a property on the wire.
pub(super) fn wire_key<'k>(form: Option<&'k ArgumentForm>, key: &'k str) -> &'k str {
    match form {
        Some(ArgumentForm::Renamed(keys)) => keys.wire(key).unwrap_or(key),
        _ => key,
    }
}

/// The root of a schema around the one property that holds all arguments.
pub(super) fn around(name: &str, inner: &str, out: &mut String) {
    out.push_str(r#"{"type":"object","properties":{"#);
    string(out, name);
    out.push(':');
    out.push_str(inner);
    out.push_str(r#"},"required":["#);
    string(out, name);
    out.push(']');
}
