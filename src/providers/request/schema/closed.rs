//! Schemas whose objects list all their keys, as OpenAI's and Anthropic's structured outputs take them. A limit of a value that they do not
//! know is said in words, and the answer is checked by the schema itself. What changes the form of an answer has no place in them.

use super::node::Node;
use crate::json::writer::{Object, array, string};

/// Azure takes no more: OpenAI twice as many levels, and fifty times as many keys.
const DEEPEST: usize = 5;
const MAX_KEYS: usize = 100;
/// Anthropic's limits of what makes its grammars large.
const MAX_OPTIONAL: usize = 24;
const MAX_UNIONS: usize = 16;
/// Of the whole schema.
const LONGEST: usize = 15_000;
const MAX_STEPS: usize = 1_000;

/// What limits a value within its type.
const LIMITS: [&str; 12] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
];
/// What says nothing of a value.
const NOTES: [&str; 9] =
    ["title", "default", "examples", "deprecated", "readOnly", "$comment", "$schema", "$id", "$defs"];
/// What every whole number of JavaScript fits.
const SAFE: [&str; 2] = ["9007199254740991", "-9007199254740991"];

/// `all_required`: an object has each of its keys. `None`: the schema cannot be said so.
pub(super) fn write(root: &Node<'_>, all_required: bool) -> Option<String> {
    if !root.get("type")?.types().iter().eq(["object"].iter()) || !all_required && is_circle(root) {
        return None;
    }
    let mut writer = ClosedWriter { root, all_required, keys: 0, optional: 0, unions: 0 };
    let mut out = String::new();
    writer.schema(root, 0, &mut out)?;
    if let Some(definitions) = root.get("$defs").map(Node::fields) {
        out.pop();
        out.push_str(r#","$defs":"#);
        let mut map = Object::new(&mut out);
        for (name, node) in definitions {
            writer.schema(node, 1, map.key(name))?;
        }
        map.end();
        out.push('}');
    }
    (out.len() <= LONGEST).then_some(out)
}

struct ClosedWriter<'n, 'a> {
    root: &'n Node<'a>,
    all_required: bool,
    keys: usize,
    optional: usize,
    unions: usize,
}

impl ClosedWriter<'_, '_> {
    /// `depth`: how many objects it stands in.
    fn schema(&mut self, node: &Node<'_>, depth: usize, out: &mut String) -> Option<()> {
        let Node::Object(fields) = node else { return None };
        let mut object = Object::new(out);
        if let Some(reference) = node.get("$ref") {
            let reference = reference.text()?;
            let pointer = reference.strip_prefix('#')?;
            let leads = pointer.is_empty() || pointer.starts_with("/$defs/") && !pointer.contains(['~', '%']);
            let is_alone = fields
                .iter()
                .all(|(key, _)| key == "$ref" || key == "description" || NOTES.contains(&key.as_ref()));
            if !leads || !is_alone || pointer.matches('/').count() > 2 {
                return None;
            }
            self.root.at(pointer)?;
            object.text("$ref", &reference);
            object.end();
            return Some(());
        }
        let branches = node.get("anyOf").or_else(|| node.get("oneOf"));
        let mut known = vec!["description"];
        if let Some(branches) = branches {
            known.extend(["anyOf", "oneOf"]);
            self.union(depth)?;
            let items = branches.items();
            if items.is_empty() || node.get("anyOf").is_some() && node.get("oneOf").is_some() {
                return None;
            }
            let place = object.key("anyOf");
            place.push('[');
            for (at, branch) in items.iter().enumerate() {
                if at > 0 {
                    place.push(',');
                }
                self.schema(branch, depth, place)?;
            }
            place.push(']');
        } else {
            known.extend(["type", "enum", "const"]);
            let types = self.types(node)?;
            match types.as_slice() {
                [one] => drop(object.text("type", one)),
                all => {
                    self.union(depth)?;
                    array(object.key("type"), all, |out, kind| string(out, kind));
                }
            }
            if let Some(values) = values(node) {
                array(object.key("enum"), values, |out, value| value.write(out));
            }
            if types.iter().any(|kind| kind == "object") {
                known.extend(["properties", "required", "additionalProperties"]);
                self.keys(node, depth, &mut object)?;
            }
            if types.iter().any(|kind| kind == "array") {
                known.push("items");
                self.schema(node.get("items")?, depth, object.key("items"))?;
            }
        }
        let mut limits = Vec::new();
        for (key, value) in fields {
            let key = key.as_ref();
            if known.contains(&key) || NOTES.contains(&key) {
                continue;
            }
            let Node::Other(raw) = value else { return None };
            if !LIMITS.contains(&key) {
                return None;
            }
            // A format says it better than the pattern of its texts.
            let is_said = key == "pattern" && node.get("format").is_some();
            if !SAFE.contains(raw) && !is_said {
                limits.push(format!("{key} {raw}"));
            }
        }
        let said = node.get("description").and_then(Node::text).unwrap_or_default();
        let limits = limits.join(", ");
        let text = match (said.is_empty(), limits.is_empty()) {
            (true, true) => None,
            (false, true) => Some(said.into_owned()),
            (true, false) => Some(limits),
            (false, false) => Some(format!("{said} ({limits})")),
        };
        if let Some(text) = text {
            object.text("description", &text);
        }
        object.end();
        Some(())
    }

    fn keys(&mut self, node: &Node<'_>, depth: usize, object: &mut Object<'_>) -> Option<()> {
        let properties = node.get("properties").map(Node::fields).filter(|all| !all.is_empty())?;
        let is_open = node.get("additionalProperties").is_some_and(|more| !more.is("false"));
        let required: Vec<_> =
            node.get("required").map_or(&[][..], Node::items).iter().filter_map(Node::text).collect();
        self.keys += properties.len();
        if is_open || depth >= DEEPEST || self.keys > MAX_KEYS {
            return None;
        }
        let mut map = Object::new(object.key("properties"));
        for (key, inner) in properties {
            if !required.contains(key) {
                self.optional += 1;
                if self.all_required || self.optional > MAX_OPTIONAL {
                    return None;
                }
            }
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            if key.is_empty() || key.len() > 64 || !key.chars().all(plain) {
                return None;
            }
            self.schema(inner, depth + 1, map.key(key))?;
        }
        map.end();
        // One that has no schema could not be there.
        if required.iter().any(|key| !properties.iter().any(|(known, _)| known == key)) {
            return None;
        }
        array(object.key("required"), &required, |out, key| string(out, key));
        object.raw("additionalProperties", "false");
        Some(())
    }

    fn union(&mut self, depth: usize) -> Option<()> {
        self.unions += 1;
        (depth > 0 && self.unions <= MAX_UNIONS).then_some(())
    }

    /// The types of a value: those that are named, or those of the values that it may be.
    fn types(&self, node: &Node<'_>) -> Option<Vec<String>> {
        let mut types: Vec<String> = Vec::new();
        if let Some(named) = node.get("type") {
            types.extend(named.types().into_iter().map(std::borrow::Cow::into_owned));
        } else {
            for value in values(node)? {
                let Node::Other(raw) = value else { return None };
                let kind = match raw.as_bytes().first()? {
                    b'"' => "string",
                    b't' | b'f' => "boolean",
                    b'n' => "null",
                    _ => "number",
                };
                if !types.iter().any(|known| known == kind) {
                    types.push(kind.to_owned());
                }
            }
        }
        let is_plain = || values(node).is_none_or(|all| all.iter().all(|one| matches!(one, Node::Other(_))));
        (!types.is_empty() && is_plain()).then_some(types)
    }
}

/// The values that a schema allows, where it lists them.
fn values<'n, 'a>(node: &'n Node<'a>) -> Option<&'n [Node<'a>]> {
    node.get("const").map(std::slice::from_ref).or_else(|| node.get("enum").map(Node::items))
}

/// Whether a schema stands inside itself, or is too tangled to tell.
fn is_circle(root: &Node<'_>) -> bool {
    let (mut steps, mut open) = (0, Vec::new());
    leads_back(root, root, &mut open, &mut steps)
}

fn leads_back<'n, 'a>(
    node: &'n Node<'a>,
    root: &'n Node<'a>,
    open: &mut Vec<*const Node<'a>>,
    steps: &mut usize,
) -> bool {
    *steps += 1;
    if *steps > MAX_STEPS {
        return true;
    }
    let reference = node.get("$ref").and_then(Node::text);
    if let Some(target) = reference.and_then(|text| root.at(text.strip_prefix('#')?)) {
        let place: *const Node<'a> = target;
        if std::ptr::eq(place, root) || open.contains(&place) {
            return true;
        }
        open.push(place);
        let back = leads_back(target, root, open, steps);
        open.pop();
        return back;
    }
    let inner = node.fields().iter().filter(|(key, _)| key != "$defs").map(|(_, inner)| inner);
    inner.chain(node.items()).any(|inner| leads_back(inner, root, open, steps))
}

#[cfg(test)]
mod tests {
    use super::super::form::read;
    use super::*;
    use crate::json::Json;
    use serde_json::{Value, json};

    fn written(schema: &Value, all_required: bool) -> Option<Value> {
        let schema = Json::from(schema.clone());
        write(&read(&schema), all_required).map(|text| serde_json::from_str(&text).unwrap())
    }

    fn object(properties: &Value) -> Value {
        let required: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
        json!({ "type": "object", "properties": properties, "required": required })
    }

    fn closed(properties: &Value) -> Value {
        let mut closed = object(properties);
        closed["additionalProperties"] = json!(false);
        closed
    }

    #[test]
    fn objects_are_closed_and_limits_are_said_in_words() {
        let asked = object(&json!({
            "n": { "type": "integer", "minimum": 1, "maximum": 9007199254740991_i64, "description": "How many." },
            "id": { "type": "string", "format": "uuid", "pattern": "^[0-9a-f]+$" },
            "kind": { "const": "a" },
            "some": { "enum": ["a", null, 1] },
            "all": { "type": "array", "minItems": 2, "items": object(&json!({ "x": { "type": "number" } })) },
            "either": { "oneOf": [{ "type": "string" }, { "type": "null" }] },
        }));
        let wanted = closed(&json!({
            "n": { "type": "integer", "description": "How many. (minimum 1)" },
            "id": { "type": "string", "description": "format \"uuid\"" },
            "kind": { "type": "string", "enum": ["a"] },
            "some": { "type": ["string", "null", "number"], "enum": ["a", null, 1] },
            "all": {
                "type": "array",
                "items": closed(&json!({ "x": { "type": "number" } })),
                "description": "minItems 2",
            },
            "either": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
        }));
        assert_eq!(written(&asked, true), Some(wanted.clone()));
        assert_eq!(written(&asked, false), Some(wanted));
    }

    #[test]
    fn what_changes_the_form_of_an_answer_cannot_be_said() {
        for inner in [
            json!({}),
            json!(true),
            json!({ "type": "object" }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"], "additionalProperties": true }),
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a", "b"] }),
            json!({ "type": "array" }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }] }),
            json!({ "allOf": [{ "type": "string" }] }),
            json!({ "type": "string", "not": { "const": "a" } }),
            json!({ "enum": [{ "a": 1 }] }),
            json!({ "anyOf": [] }),
            json!({ "anyOf": [{ "type": "string" }], "type": "string" }),
            json!({ "$ref": "#/properties/x" }),
            json!({ "$ref": "https://elsewhere.example" }),
        ] {
            assert_eq!(written(&object(&json!({ "x": inner })), false), None, "{inner}");
        }
        assert_eq!(written(&json!({ "type": ["object", "null"] }), false), None);
        assert_eq!(written(&object(&json!({ "größe": { "type": "number" } })), true), None);
    }

    #[test]
    fn a_key_may_be_left_out_and_a_schema_stand_in_itself_where_the_provider_says_so() {
        let open = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        assert_eq!(written(&open, true), None);
        let mut wanted = closed(&json!({ "a": { "type": "string" } }));
        wanted["required"] = json!([]);
        assert_eq!(written(&open, false), Some(wanted));

        let leaf = object(&json!({ "x": { "type": "number" } }));
        let refers = |name: &str, inner: &Value| {
            let mut schema = object(&json!({ "a": { "$ref": format!("#/$defs/{name}") } }));
            schema["$defs"] = json!({ name: inner });
            schema
        };
        assert!(written(&refers("p", &leaf), false).is_some());
        let again = object(&json!({ "next": { "anyOf": [{ "$ref": "#/$defs/p" }, { "type": "null" }] } }));
        assert!(written(&refers("p", &again), true).is_some());
        assert_eq!(written(&refers("p", &again), false), None);
    }

    #[test]
    fn a_schema_that_is_too_large_for_them_cannot_be_said() {
        let mut deep = json!({ "type": "string" });
        for _ in 0..DEEPEST {
            deep = object(&json!({ "a": deep }));
        }
        assert!(written(&deep, true).is_some());
        assert_eq!(written(&object(&json!({ "a": deep })), true), None);
        let wide = |count: usize| {
            let keys = (0..count).map(|n| (format!("k{n}"), json!({ "type": "string" })));
            object(&Value::Object(keys.collect()))
        };
        assert!(written(&wide(MAX_KEYS), true).is_some());
        assert_eq!(written(&wide(MAX_KEYS + 1), true), None);
    }
}
