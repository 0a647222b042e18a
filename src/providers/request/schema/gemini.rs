//! Schemas for Gemini, which takes a part of OpenAPI's: one type to a schema, no references, `anyOf` beside nothing else, texts alone in
//! an `enum`. What has no place in that is said in the description, as JSON Schema.

use std::borrow::Cow;

use super::form::{around, root, wire_key};
use super::node::{Node, keep_one_of_each, unpointed};
use super::unsupported::Unsupported;
use crate::answer::ArgumentForm;
use crate::ids::Ids;
use crate::json::reader::number;
use crate::json::writer::{Object, array, string};

/// A schema stands inside itself this often, then it is cut.
const MAX_INSIDE: usize = 2;
/// Deeper is cut as well.
const DEEPEST: usize = 48;
/// A schema becomes at most this much longer, but for a small one.
const TIMES_LONGER: usize = 4;
const LENGTH_OF_SMALL: usize = 100_000;
/// What is said in a description of what has no other place.
const LONGEST_REST: usize = 600;
/// Longer schemas of a tuple are not said a second time.
const SHORT: usize = 1_000;

/// What a schema may be that says nothing.
const ANY: [&str; 5] = ["string", "number", "boolean", "object", "array"];
/// What a model reads as well in a description.
const WORDS: [&str; 12] = [
    "default",
    "examples",
    "pattern",
    "format",
    "multipleOf",
    "uniqueItems",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "anyOf",
    "const",
    "enum",
];
const NEVER: &str = r#"{"type":"null","description":"No value fits here."}"#;
/// An item of a list that says nothing of its items.
const ANY_ITEM: &str = concat!(
    r#"{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object","properties":{}},"#,
    r#"{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}}]}"#
);
/// What says nothing of the values.
const SILENT: [&str; 10] = [
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$comment",
    "$defs",
    "definitions",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// `None`: the function has no parameters.
pub(super) fn schema(
    node: &Node<'_>,
    form: Option<&ArgumentForm>,
    native: bool,
    unsupported: &mut Unsupported,
) -> Option<String> {
    let mut size = String::new();
    node.write(&mut size);
    let mut writer = GeminiWriter {
        whole: node,
        native,
        most: size.len() * TIMES_LONGER + LENGTH_OF_SMALL,
        spent: 0,
        open_refs: vec!["#".into()],
        depth: 0,
        unsupported,
    };
    let mut out = String::new();
    if let Some(ArgumentForm::Within(name)) = form {
        let mut inner = String::new();
        writer.schema(&[node], &mut inner);
        around(name, &inner, &mut out);
        out.push('}');
        return Some(out);
    }
    let (root, name) = root(node);
    writer.open_refs.extend(name.map(Cow::Owned));
    // What refers to the root says more of it than the root itself.
    let mut combined =
        Combined { description: node.get("description").and_then(Node::text), ..Combined::default() };
    writer.gather(root, &mut combined);
    if combined.properties.is_empty() && combined.required.unlisted.is_empty() {
        return None;
    }
    let mut object = Object::new(&mut out);
    object.text("type", "object");
    writer.object(&mut combined, form, &mut object);
    if let Some(description) = combined.description() {
        object.text("description", &description);
    }
    object.end();
    Some(out)
}

struct GeminiWriter<'n, 'a, 'l> {
    whole: &'n Node<'a>,
    /// In Gemini's own format, which takes a little more.
    native: bool,
    /// How many bytes are written at most, however often schemas refer to each other, and how many were.
    most: usize,
    spent: usize,
    /// The references that led here.
    open_refs: Vec<Cow<'a, str>>,
    depth: usize,
    unsupported: &'l mut Unsupported,
}

/// All that schemas say which hold together: what they refer to and what stands in their `allOf` is in it.
#[derive(Default, Clone)]
struct Combined<'n, 'a> {
    /// No value fits.
    never: bool,
    /// `None`: any.
    types: Option<Vec<Cow<'a, str>>>,
    title: Option<Cow<'a, str>>,
    description: Option<Cow<'a, str>>,
    /// The values that it may be.
    values: Option<Vec<&'n Node<'a>>>,
    union: Option<&'n [Node<'a>]>,
    properties: Vec<(&'n str, Vec<&'n Node<'a>>)>,
    known: Ids,
    required: Required,
    additional: Option<&'n Node<'a>>,
    /// The schemas of all items, and those of the first ones.
    items: Vec<&'n Node<'a>>,
    first: &'n [Node<'a>],
    closed: bool,
    /// Numbers that have the same name for Gemini.
    limits: Vec<(&'static str, Cow<'n, str>)>,
    format: Option<&'n Node<'a>>,
    /// What it has no word for.
    rest: Vec<(&'n str, String)>,
    /// The references in it.
    references: Vec<Cow<'a, str>>,
    cut: Option<Cut<'a>>,
}

/// Why not all is told.
#[derive(Clone)]
enum Cut<'a> {
    /// It stands inside what this refers to.
    Circle(Cow<'a, str>),
    Size,
}

impl Cut<'_> {
    fn note(&self) -> String {
        let Cut::Circle(reference) = self else { return "(More stands here than can be told.)".to_owned() };
        let pointer = reference.trim_start_matches(['#', '/']);
        match pointer
            .strip_prefix("$defs/")
            .or_else(|| pointer.strip_prefix("definitions/"))
            .unwrap_or(pointer)
        {
            "" => "(Of the form of the arguments as a whole.)".to_owned(),
            name => format!("(Of the form of `{}` above.)", unpointed(name)),
        }
    }
}

impl<'n, 'a> GeminiWriter<'n, 'a, '_> {
    /// What was written or copied, counted once it was.
    fn spend(&mut self, bytes: usize) {
        self.spent = self.spent.saturating_add(bytes);
    }

    /// Whether no more is written. What is left out then is told to the developer.
    fn is_full(&mut self) -> bool {
        let is_full = self.spent >= self.most;
        self.unsupported.is_too_large |= is_full;
        is_full
    }

    fn gather(&mut self, node: &'n Node<'a>, combined: &mut Combined<'n, 'a>) {
        self.spend(node.fields().len());
        combined.never |= node.is("false");
        // Before those of what it refers to, wherever they stand.
        combined.title = combined.title.take().or_else(|| node.get("title")?.text());
        combined.description = combined.description.take().or_else(|| node.get("description")?.text());
        for (key, value) in node.fields() {
            self.word(key, value, node, combined);
        }
    }

    fn word(
        &mut self,
        key: &'n str,
        value: &'n Node<'a>,
        node: &'n Node<'a>,
        combined: &mut Combined<'n, 'a>,
    ) {
        match key {
            "$ref" | "$dynamicRef" => self.follow(key, value, combined),
            "allOf" => {
                for part in value.items() {
                    self.gather(part, combined);
                }
            }
            "type" => {
                let mut types = value.types();
                if node.get("nullable").is_some_and(|nullable| nullable.is("true")) {
                    types.push("null".into());
                }
                combined.narrow(types);
            }
            "nullable" | "title" | "description" => {}
            "const" if combined.values.is_none() => combined.values = Some(vec![value]),
            "enum" if combined.values.is_none() => combined.values = Some(value.items().iter().collect()),
            "anyOf" | "oneOf" if combined.union.is_none() && !only_requires(value.items()) => {
                combined.union = Some(value.items());
            }
            "properties" => {
                for (name, schema) in value.fields() {
                    if let Some(nodes) = combined.property(name) {
                        nodes.push(schema);
                    }
                }
            }
            "required" => {
                for name in value.items().iter().filter_map(Node::text) {
                    combined.require(&name);
                }
            }
            "additionalProperties" if combined.additional.is_none() => combined.additional = Some(value),
            "prefixItems" if combined.first.is_empty() => combined.first = value.items(),
            "items" => match value {
                Node::Array(first) => combined.first = first,
                Node::Object(_) => combined.items.push(value),
                Node::Other(_) => combined.closed |= value.is("false"),
            },
            "additionalItems" if matches!(node.get("items"), Some(Node::Array(_))) => match value {
                Node::Object(_) => combined.items.push(value),
                _ => combined.closed |= value.is("false"),
            },
            "minItems" => combined.limit("minItems", value),
            "maxItems" => combined.limit("maxItems", value),
            "minLength" => combined.limit("minLength", value),
            "maxLength" => combined.limit("maxLength", value),
            "minimum" => combined.limit("minimum", value),
            "maximum" => combined.limit("maximum", value),
            "exclusiveMinimum" | "exclusiveMaximum" => match beside(key, value, node) {
                Some((limit, number)) if combined.limit_of(limit).is_none() => {
                    combined.limits.push((limit, number.into()));
                }
                _ => combined.tell(key, value),
            },
            "format" if combined.format.is_none() => combined.format = Some(value),
            _ if SILENT.contains(&key) => {}
            _ => self.rest(key, value, combined),
        }
    }

    fn rest(&mut self, key: &'n str, value: &'n Node<'a>, combined: &mut Combined<'n, 'a>) {
        if !WORDS.contains(&key) {
            self.unsupported.word(key);
        }
        // Keys are texts as they are.
        if key != "propertyNames"
            || !value.get("type").is_some_and(|kind| kind.is(r#""string""#))
            || value.fields().len() > 1
        {
            combined.tell(key, value);
        }
    }

    fn follow(&mut self, key: &'n str, value: &'n Node<'a>, combined: &mut Combined<'n, 'a>) {
        let reference = value.text().unwrap_or_default();
        let whole = self.whole;
        let id = whole.get("$id").and_then(Node::text).unwrap_or_default();
        let local = reference.strip_prefix(id.as_ref()).filter(|_| !id.is_empty()).unwrap_or(&reference);
        let pointer = local.strip_prefix('#');
        let target = match pointer {
            None if local.is_empty() => Some(whole),
            Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => whole.at(pointer),
            _ => None,
        };
        let Some(target) = target else { return self.rest(key, value, combined) };
        let name: Cow<'a, str> = if local.is_empty() { "#".into() } else { Cow::Owned(local.to_owned()) };
        if combined.references.contains(&name) {
            return;
        }
        let often = self.open_refs.iter().filter(|known| **known == name).count();
        let is_circle = often >= MAX_INSIDE;
        if !is_circle && self.depth < DEEPEST {
            combined.references.push(name);
            self.gather(target, combined);
            return;
        }
        self.unsupported.refers_to_itself |= is_circle;
        self.unsupported.is_too_large |= !is_circle;
        combined.cut = Some(if is_circle { Cut::Circle(name) } else { Cut::Size });
        if let Some(types) = target.get("type") {
            combined.narrow(types.types());
        }
        combined.description =
            combined.description.take().or_else(|| target.get("description").and_then(Node::text));
    }

    /// Schemas that hold together, as one.
    fn schema(&mut self, nodes: &[&'n Node<'a>], out: &mut String) {
        let mut combined = Combined::default();
        for node in nodes {
            self.gather(node, &mut combined);
        }
        self.write(combined, out);
    }

    fn write(&mut self, mut combined: Combined<'n, 'a>, out: &mut String) {
        let before = self.open_refs.len();
        self.open_refs.append(&mut combined.references);
        self.depth += 1;
        let (begun, spent) = (out.len(), self.spent);
        if self.is_full() || self.depth > DEEPEST {
            self.unsupported.is_too_large = true;
            (combined.union, combined.properties, combined.items, combined.first) =
                (None, Vec::new(), Vec::new(), &[]);
            combined.required = Required::default();
            combined.cut = Some(Cut::Size);
        }
        match combined.union.take() {
            Some(branches) => self.union(&combined, branches, out),
            None => self.kinds(combined, out),
        }
        // What stands inside it was counted already.
        self.spent = self.spent.max(spent.saturating_add(out.len() - begun));
        self.depth -= 1;
        self.open_refs.truncate(before);
    }

    /// A union stands alone, so what holds beside it holds in each branch.
    fn union(&mut self, combined: &Combined<'n, 'a>, branches: &'n [Node<'a>], out: &mut String) {
        let outer = combined.description();
        // Each branch is a copy of all beside it, so there are never more of them than the one that waits for a second one.
        let mut only: Option<Combined<'n, 'a>> = None;
        let mut all = String::new();
        for branch in branches {
            let is_full = self.is_full();
            let mut both = if is_full { combined.cut_short() } else { combined.beside_union() };
            if !is_full {
                self.spend(both.weight());
                self.gather(branch, &mut both);
            }
            if both.is_never() {
                continue;
            }
            if let Some(before) = only.replace(both) {
                self.write(before, &mut all);
                all.push(',');
            }
            if is_full {
                // It stands for all that would follow.
                break;
            }
        }
        let Some(mut last) = only else {
            out.push_str(NEVER);
            return;
        };
        if all.is_empty() {
            last.description = outer.map(Cow::Owned).or(last.description);
            self.write(last, out);
            return;
        }
        self.write(last, &mut all);
        let mut object = Object::new(out);
        if let Some(outer) = outer {
            object.text("description", &outer);
        }
        object.raw("anyOf", &format!("[{all}]"));
        object.end();
    }

    fn kinds(&mut self, mut combined: Combined<'n, 'a>, out: &mut String) {
        let kinds = combined.kinds();
        if kinds.is_empty() {
            out.push_str(NEVER);
            return;
        }
        let mut object = Object::new(out);
        if let [kind] = kinds.as_slice() {
            object.text("type", kind);
            self.kind(kind, &mut combined, &mut object);
        } else {
            array(object.key("anyOf"), &kinds, |out, kind| {
                let mut object = Object::new(out);
                object.text("type", kind);
                self.kind(kind, &mut combined, &mut object);
                object.end();
            });
        }
        if let Some(description) = combined.description() {
            object.text("description", &description);
        }
        object.end();
    }

    /// What holds for values of one type.
    fn kind(&mut self, kind: &str, combined: &mut Combined<'n, 'a>, out: &mut Object<'_>) {
        match kind {
            "object" => self.object(combined, None, out),
            "array" => self.array(combined, out),
            "string" => text(combined, out),
            "number" | "integer" => self.number(combined, out),
            "boolean" if combined.values_of(kind).len() != 2 => combined.tell_values(kind),
            _ => {}
        }
        if matches!(kind, "object" | "array") {
            combined.tell_values(kind);
        }
    }

    fn object(&mut self, combined: &mut Combined<'n, 'a>, form: Option<&ArgumentForm>, out: &mut Object<'_>) {
        let mut required = Vec::new();
        let mut properties = Object::new(out.key("properties"));
        let mut is_whole = true;
        for (name, nodes) in std::mem::take(&mut combined.properties) {
            if self.is_full() {
                is_whole = false;
                break;
            }
            let mut inner = Combined::default();
            for node in nodes {
                self.gather(node, &mut inner);
            }
            let wire = wire_key(form, name);
            if combined.required.contains_id(name) {
                required.push(wire.to_owned());
            } else if inner.is_never() {
                continue;
            }
            if wire != name {
                let combined = inner.description.take().unwrap_or_default();
                let both = format!("{name}: {combined}");
                inner.description = Some(Cow::Owned(both.trim_end_matches([':', ' ']).to_owned()));
            }
            self.write(inner, properties.key(wire));
        }
        // Only what is a property can be required.
        for name in std::mem::take(&mut combined.required.unlisted) {
            if !combined.known.contains(&name) {
                if self.is_full() {
                    is_whole = false;
                    break;
                }
                let inner: &[&Node<'_>] = combined.additional.as_slice();
                self.schema(inner, properties.key(&name));
                required.push(name);
            }
        }
        properties.end();
        if !required.is_empty() {
            array(out.key("required"), &required, |out, name| string(out, name));
        }
        if !is_whole {
            combined.cut = Some(Cut::Size);
            return;
        }
        match combined.additional {
            Some(schema @ Node::Object(_)) if self.native => {
                self.schema(&[schema], out.key("additionalProperties"));
            }
            Some(schema @ Node::Object(fields)) if !fields.is_empty() => {
                combined.tell("additionalProperties", schema);
            }
            Some(Node::Other(word)) if self.native => {
                out.raw("additionalProperties", word);
            }
            _ => {}
        }
    }

    fn array(&mut self, combined: &mut Combined<'n, 'a>, out: &mut Object<'_>) {
        let (first, items) = (combined.first, std::mem::take(&mut combined.items));
        let length = first.len();
        let mut most = combined.limit_of("maxItems");
        if combined.closed {
            let known = most.as_deref().and_then(|most| most.parse::<usize>().ok());
            most = Some(Cow::Owned(known.map_or(length, |most| most.min(length)).to_string()));
        }
        for (name, limit) in [("minItems", combined.limit_of("minItems")), ("maxItems", most)] {
            if let Some(limit) = limit {
                out.raw(name, &limit);
            }
        }
        let mut texts: Vec<String> = Vec::new();
        let mut is_whole = true;
        for item in first {
            if self.is_full() {
                is_whole = false;
                combined.cut = Some(Cut::Size);
                break;
            }
            let mut text = String::new();
            self.schema(&[item], &mut text);
            texts.push(text);
        }
        if self.native && !first.is_empty() {
            array(out.key("prefixItems"), &texts, |out, text| out.push_str(text));
        } else if !first.is_empty() {
            let mut order = String::new();
            array(&mut order, first, |out, item| item.write(out));
            combined.rest.push(("prefixItems", order));
        }
        if !is_whole {
            texts = vec![ANY_ITEM.to_owned()];
        } else if !items.is_empty() {
            let mut text = String::new();
            self.schema(&items, &mut text);
            texts.push(text);
        } else if !combined.closed || first.is_empty() {
            texts.push(ANY_ITEM.to_owned());
        }
        // Each item is one of the first ones or, where there may be more, one of those.
        keep_one_of_each(&mut texts);
        let length: usize = texts.iter().map(String::len).sum();
        let place = out.key("items");
        match texts.as_slice() {
            // Beside the first ones it is only a help.
            _ if self.native && !first.is_empty() && combined.closed && length >= SHORT => {
                place.push_str(ANY_ITEM);
            }
            [one] => place.push_str(one),
            texts => {
                place.push_str(r#"{"anyOf":"#);
                array(place, texts, |out, text| out.push_str(text));
                place.push('}');
            }
        }
    }

    fn number(&mut self, combined: &mut Combined<'n, 'a>, out: &mut Object<'_>) {
        let values = combined.values_of("number");
        let mut limits = [combined.limit_of("minimum"), combined.limit_of("maximum")];
        if combined.values.is_some() && self.native {
            array(out.key("enum"), values, |out, value| value.write(out));
        } else if combined.values.is_some() {
            let mut numbers = Vec::new();
            for value in values {
                let mut raw = String::new();
                value.write(&mut raw);
                numbers.push((number(&raw).unwrap_or_default(), raw));
            }
            if numbers.len() > 1 {
                combined.tell_values("number");
            }
            let least = numbers.iter().min_by(|(a, _), (b, _)| a.total_cmp(b));
            let most = numbers.iter().max_by(|(a, _), (b, _)| a.total_cmp(b));
            limits = [least, most].map(|end| end.map(|(_, raw)| Cow::Owned(raw.clone())));
        }
        for (name, limit) in ["minimum", "maximum"].into_iter().zip(limits) {
            if let Some(limit) = limit {
                out.raw(name, &limit);
            }
        }
        if let Some(format) = combined.format.take() {
            match format.text().as_deref() {
                Some(known @ ("int32" | "int64" | "float" | "double")) => {
                    out.text("format", known);
                }
                _ => combined.tell("format", format),
            }
        }
    }
}

fn text(combined: &mut Combined<'_, '_>, out: &mut Object<'_>) {
    if combined.values.is_some() {
        let values = combined.values_of("string");
        if values.iter().any(|value| value.is(r#""""#)) {
            // An empty text is refused there.
            combined.tell_values("string");
        } else {
            array(out.key("enum"), values, |out, value| value.write(out));
        }
    }
    for name in ["minLength", "maxLength"] {
        if let Some(limit) = combined.limit_of(name) {
            out.raw(name, &limit);
        }
    }
    if let Some(format) = combined.format.take() {
        if format.is(r#""date-time""#) {
            out.text("format", "date-time");
        } else {
            combined.tell("format", format);
        }
    }
}

/// The names that are required: each once, in order.
#[derive(Default, Clone)]
struct Required {
    known: Ids,
    unlisted: Vec<String>,
}

impl Required {
    fn contains_id(&self, name: &str) -> bool {
        self.known.contains(name)
    }
}

impl<'n, 'a> Combined<'n, 'a> {
    fn property(&mut self, name: &'n str) -> Option<&mut Vec<&'n Node<'a>>> {
        let at = self.known.get(name).unwrap_or_else(|| {
            self.properties.push((name, Vec::new()));
            self.known.add(name, self.properties.len() - 1);
            self.properties.len() - 1
        });
        self.properties.get_mut(at).map(|(_, nodes)| nodes)
    }

    fn require(&mut self, name: &str) {
        if self.required.known.insert(name) {
            self.required.unlisted.push(name.to_owned());
        }
    }

    fn narrow(&mut self, types: Vec<Cow<'a, str>>) {
        self.types = Some(match self.types.take() {
            None => types,
            Some(known) => {
                let both = |kind: &Cow<'a, str>| {
                    types.contains(kind) || kind == "integer" && types.iter().any(|other| other == "number")
                };
                let mut kept: Vec<_> = known.iter().filter(|kind| both(kind)).cloned().collect();
                if known.iter().any(|kind| kind == "number") && !kept.iter().any(|kind| kind == "number") {
                    kept.extend(types.into_iter().filter(|kind| kind == "integer"));
                }
                kept
            }
        });
    }

    fn limit(&mut self, name: &'static str, value: &'n Node<'a>) {
        let mut raw = String::new();
        value.write(&mut raw);
        match self.limit_of(name) {
            None => self.limits.push((name, Cow::Owned(raw))),
            Some(known) if known == raw => {}
            Some(_) => self.rest.push((name, raw)),
        }
    }

    fn limit_of(&self, name: &str) -> Option<Cow<'n, str>> {
        self.limits.iter().find(|(known, _)| *known == name).map(|(_, limit)| limit.clone())
    }

    fn tell(&mut self, key: &'n str, value: &Node<'_>) {
        let mut raw = String::new();
        value.write(&mut raw);
        self.rest.push((key, raw));
    }

    /// Says in words which values of a type there may be.
    fn tell_values(&mut self, kind: &str) {
        let values = self.values_of(kind);
        if self.values.is_some() && !self.rest.iter().any(|(key, _)| *key == "enum") && !values.is_empty() {
            let mut all = String::new();
            array(&mut all, self.values.iter().flatten(), |out, value| value.write(out));
            self.rest.push(("enum", all));
        }
    }

    fn values_of(&self, kind: &str) -> Vec<&'n Node<'a>> {
        let is =
            |value: &&&Node<'_>| kind_of(value) == kind || kind == "integer" && kind_of(value) == "number";
        self.values.iter().flatten().filter(is).copied().collect()
    }

    fn kinds(&self) -> Vec<Cow<'a, str>> {
        let has = |names: &[&str]| self.limits.iter().any(|(name, _)| names.contains(name));
        let mut kinds: Vec<Cow<'a, str>> = match (&self.types, &self.values) {
            (Some(types), _) => types.clone(),
            (None, Some(_)) => {
                ["string", "number", "boolean", "null", "object", "array"].map(Cow::Borrowed).into()
            }
            _ if !self.properties.is_empty()
                || !self.required.unlisted.is_empty()
                || self.additional.is_some() =>
            {
                vec!["object".into()]
            }
            _ if !self.first.is_empty() || !self.items.is_empty() || self.closed => vec!["array".into()],
            _ if has(&["minItems", "maxItems"]) => vec!["array".into()],
            _ if has(&["minLength", "maxLength"]) || self.format.is_some() => vec!["string".into()],
            _ if self.rest.iter().any(|(key, _)| *key == "pattern") => vec!["string".into()],
            _ if has(&["minimum", "maximum"]) => vec!["number".into()],
            _ => ANY.map(Cow::Borrowed).into(),
        };
        if kinds.iter().any(|kind| kind == "number") {
            kinds.retain(|kind| kind != "integer");
        }
        kinds.retain(|kind| !self.never && (self.values.is_none() || !self.values_of(kind).is_empty()));
        kinds
    }

    fn is_never(&self) -> bool {
        self.union.is_none() && self.kinds().is_empty()
    }

    /// What holds in each branch of a union that stands beside it.
    fn beside_union(&self) -> Self {
        let (rest, references) = (Vec::new(), Vec::new());
        Combined { rest, references, title: None, description: None, union: None, cut: None, ..self.clone() }
    }

    /// What holds for all branches of a union that are not told.
    fn cut_short(&self) -> Self {
        Combined { types: self.types.clone(), cut: Some(Cut::Size), ..Combined::default() }
    }

    /// About how many bytes a copy has.
    fn weight(&self) -> usize {
        let values = self.values.as_ref().map_or(0, Vec::len);
        let entries = self.properties.len() + self.required.unlisted.len() + values;
        entries * size_of::<usize>()
    }

    /// The description with what has no other place.
    fn description(&self) -> Option<String> {
        let mut combined = self
            .description
            .as_ref()
            .or(self.title.as_ref())
            .map_or_else(String::new, |combined| combined.to_string());
        if !self.rest.is_empty() {
            let mut rest = String::new();
            let mut object = Object::new(&mut rest);
            for (key, value) in &self.rest {
                object.raw(key, value);
            }
            object.end();
            let more = match rest.len() {
                0..=LONGEST_REST => format!("(JSON Schema: {rest})"),
                _ => "(More rules hold, which calls are checked by.)".to_owned(),
            };
            combined = format!("{combined} {more}");
        }
        if let Some(cut) = &self.cut {
            combined = format!("{combined} {}", cut.note());
        }
        let combined = combined.trim();
        (!combined.is_empty()).then(|| combined.to_owned())
    }
}

fn kind_of(value: &Node<'_>) -> &'static str {
    match value {
        Node::Object(_) => "object",
        Node::Array(_) => "array",
        Node::Other("null") => "null",
        Node::Other("true" | "false") => "boolean",
        Node::Other(raw) if raw.starts_with('"') => "string",
        Node::Other(_) => "number",
    }
}

/// Branches that only say which keys are needed: words say that better than each branch with all properties in it.
fn only_requires(branches: &[Node<'_>]) -> bool {
    branches.iter().all(|branch| {
        let fields = branch.fields();
        !fields.is_empty()
            && fields.iter().all(|(key, _)| key == "required" || key == "type")
            && branch.get("required").is_some()
    })
}

/// The number beside one that is excluded, where only whole ones count.
fn beside(key: &str, value: &Node<'_>, node: &Node<'_>) -> Option<(&'static str, String)> {
    let Node::Other(raw) = value else { return None };
    let number: i64 =
        raw.parse().ok().filter(|_| node.get("type").is_some_and(|kind| kind.is(r#""integer""#)))?;
    Some(match key {
        "exclusiveMinimum" => ("minimum", number.checked_add(1)?.to_string()),
        _ => ("maximum", number.checked_sub(1)?.to_string()),
    })
}
