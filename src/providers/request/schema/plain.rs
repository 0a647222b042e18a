//! Schemas for providers that take nearly all of JSON Schema: an object at the root, `items` in each array, no words but schemas where
//! schemas are meant.

use std::borrow::Cow;

use super::form::{MAPS, around, root, wire_key};
use super::node::{Node, keep_one_of_each, unpointed};
use super::unsupported::Unsupported;
use crate::answer::ArgumentForm;
use crate::json::writer::{Object, array, string};

/// Keywords that hold one schema, and those that hold a list of them.
const SINGLE: [&str; 7] = ["items", "contains", "not", "if", "then", "else", "propertyNames"];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Where `true` and `false` are at home.
const OPEN: [&str; 4] =
    ["additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems"];

/// Longer schemas of a tuple are not said a second time.
const SHORT: usize = 1_000;

pub(super) fn write(
    node: &Node<'_>,
    form: Option<&ArgumentForm>,
    unsupported: &mut Unsupported,
    out: &mut String,
) {
    let (root, _) = root(node);
    let within = match form {
        Some(ArgumentForm::Within(name)) => Some(name.as_str()),
        _ => None,
    };
    let id = within.and_then(|_| node.get("$id")?.text());
    let mut writer = PlainWriter { form, within, id, unsupported };
    let Some(name) = within else { return writer.root(node, root, out) };
    let mut inner = String::new();
    match node {
        Node::Object(_) => {
            let mut object = Object::new(&mut inner);
            writer.fields(node, &["$schema", "$id", "$defs", "definitions"], &mut object);
            object.end();
        }
        _ => writer.schema(node, &mut inner),
    }
    around(name, &inner, out);
    for key in ["$defs", "definitions"] {
        if let Some(map) = node.get(key) {
            out.push(',');
            string(out, key);
            out.push(':');
            writer.map(map, out);
        }
    }
    out.push('}');
}

struct PlainWriter<'w> {
    form: Option<&'w ArgumentForm>,
    within: Option<&'w str>,
    /// The name by which a schema refers to itself, which does not hold inside another one.
    id: Option<Cow<'w, str>>,
    unsupported: &'w mut Unsupported,
}

impl PlainWriter<'_> {
    fn root(&mut self, node: &Node<'_>, root: &Node<'_>, out: &mut String) {
        let mut object = Object::new(out);
        let renamed = self.form.is_some();
        let is_moved = !std::ptr::eq(node, root);
        let has_own = is_moved && node.get("description").is_some();
        for (key, value) in root.fields() {
            match key.as_ref() {
                "$schema" => {}
                "description" if has_own => {}
                "type" => {
                    object.text("type", "object");
                }
                "properties" => {
                    let mut properties = Object::new(object.key(key));
                    for (key, value) in value.fields() {
                        let wire = wire_key(self.form, key);
                        let place = properties.key(wire);
                        if wire == key { self.schema(value, place) } else { self.named(key, value, place) }
                    }
                    properties.end();
                }
                "required" if renamed => self.keys(value, object.key(key)),
                "dependentRequired" if renamed => {
                    let mut map = Object::new(object.key(key));
                    for (key, value) in value.fields() {
                        self.keys(value, map.key(wire_key(self.form, key)));
                    }
                    map.end();
                }
                _ => self.field(key, value, &mut object),
            }
        }
        if is_moved {
            for key in ["$defs", "definitions", "description"] {
                let is_said = root.get(key).is_some() && key != "description";
                if let Some(value) = node.get(key).filter(|_| !is_said) {
                    self.field(key, value, &mut object);
                }
            }
        }
        if root.get("type").is_none() {
            object.text("type", "object");
        }
        if root.get("properties").is_none() {
            object.raw("properties", "{}");
        }
        object.end();
    }

    /// A property that has another name on the wire says its own first.
    fn named(&mut self, key: &str, node: &Node<'_>, out: &mut String) {
        let mut object = Object::new(out);
        let said = node.get("description").and_then(Node::text).unwrap_or_default();
        object.text("description", format!("{key}: {said}").trim_end_matches([':', ' ']));
        if node.is("false") {
            object.raw("not", "{}");
        }
        self.fields(node, &["description"], &mut object);
        object.end();
    }

    fn keys(&self, list: &Node<'_>, out: &mut String) {
        array(out, list.items(), |out, item| match item.text() {
            Some(key) => string(out, wire_key(self.form, &key)),
            None => item.write(out),
        });
    }

    fn schema(&mut self, node: &Node<'_>, out: &mut String) {
        match node {
            Node::Object(_) => {
                let mut object = Object::new(out);
                self.fields(node, &[], &mut object);
                object.end();
            }
            Node::Other("false") => out.push_str(r#"{"not":{}}"#),
            Node::Other(_) | Node::Array(_) => out.push_str("{}"),
        }
    }

    fn fields(&mut self, node: &Node<'_>, without: &[&str], object: &mut Object<'_>) {
        let tuple = Tuple::of(node);
        for (key, value) in node.fields() {
            let is_told = tuple.is_some()
                && ["items", "prefixItems", "additionalItems", "maxItems"].contains(&key.as_ref());
            if !is_told && !without.contains(&key.as_ref()) {
                self.field(key, value, object);
            }
        }
        if let Some(tuple) = tuple {
            self.tuple(node, &tuple, object);
        }
    }

    fn field(&mut self, key: &str, value: &Node<'_>, object: &mut Object<'_>) {
        match (key, value) {
            ("$ref" | "$dynamicRef", Node::Other(_)) => match value.text() {
                Some(reference) => {
                    object.text(key, &self.reference(&reference));
                }
                None => value.write(object.key(key)),
            },
            (_, Node::Object(_)) if MAPS.contains(&key) => self.map(value, object.key(key)),
            (_, Node::Array(list)) if LISTS.contains(&key) => {
                array(object.key(key), list, |out, item| self.schema(item, out));
            }
            (_, Node::Object(_)) if OPEN.contains(&key) => self.schema(value, object.key(key)),
            (_, Node::Object(_) | Node::Other("true" | "false")) if SINGLE.contains(&key) => {
                self.schema(value, object.key(key));
            }
            _ => value.write(object.key(key)),
        }
    }

    fn map(&mut self, map: &Node<'_>, out: &mut String) {
        let mut object = Object::new(out);
        for (key, value) in map.fields() {
            self.schema(value, object.key(key));
        }
        object.end();
    }

    /// An array that would have no `items`, or ones that are no schema.
    fn tuple(&mut self, node: &Node<'_>, tuple: &Tuple<'_, '_>, object: &mut Object<'_>) {
        let mut items = Vec::new();
        for item in tuple.items {
            let mut text = String::new();
            self.schema(item, &mut text);
            items.push(text);
        }
        if !items.is_empty() {
            array(object.key("prefixItems"), &items, |out, item| out.push_str(item));
        }
        let most = node.get("maxItems");
        match tuple.rest {
            Some(Node::Other("false")) => {
                // No further item may come, so what they would have to be changes nothing, and helps those who do not know tuples.
                let length: usize = items.iter().map(String::len).sum();
                keep_one_of_each(&mut items);
                let place = object.key("items");
                match items.as_slice() {
                    [one] if length < SHORT => place.push_str(one),
                    [] => place.push_str("{}"),
                    _ if length < SHORT => {
                        place.push_str(r#"{"anyOf":"#);
                        array(place, &items, |out, item| out.push_str(item));
                        place.push('}');
                    }
                    _ => place.push_str("{}"),
                }
                let length = tuple.items.len() as u64;
                let most = most.and_then(Node::number).map_or(length, |most| most.min(length));
                object.raw("maxItems", &most.to_string());
                return;
            }
            Some(rest @ Node::Object(_)) => self.schema(rest, object.key("items")),
            _ => {
                object.raw("items", "{}");
                if node.get("unevaluatedItems").is_some() {
                    self.unsupported.word("unevaluatedItems");
                }
            }
        }
        if let Some(most) = most {
            most.write(object.key("maxItems"));
        }
    }

    /// A reference to what has another place or name now.
    fn reference<'r>(&self, reference: &'r str) -> Cow<'r, str> {
        let local = match self.id.as_deref().and_then(|id| reference.strip_prefix(id)) {
            Some("") => "#",
            Some(rest) if rest.starts_with('#') => rest,
            _ => reference,
        };
        let Some(pointer) = local.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/'))
        else {
            return Cow::Borrowed(local);
        };
        let mut steps: Vec<Cow<'_, str>> = pointer.split('/').map(Cow::Borrowed).collect();
        for at in 1..steps.len() {
            let is_place = steps.get(at).is_some_and(|step| step.parse::<usize>().is_ok());
            // Of a list of items became a list of the first ones.
            if let Some(items) = steps.get_mut(at - 1).filter(|step| is_place && *step == "items") {
                *items = Cow::Borrowed("prefixItems");
            }
        }
        match (self.within, steps.get(1).map(Cow::as_ref)) {
            (Some(name), first) if !matches!(first, Some("$defs" | "definitions")) => {
                let rest = steps.get(1..).unwrap_or_default().iter().map(|step| format!("/{step}"));
                return Cow::Owned(format!("#/properties/{name}{}", rest.collect::<String>()));
            }
            (None, Some("properties")) if self.form.is_some() => {
                if let Some(step) = steps.get_mut(2) {
                    let key = unpointed(step).into_owned();
                    let wire = wire_key(self.form, &key);
                    if wire != key {
                        *step = Cow::Owned(wire.to_owned());
                    }
                }
            }
            _ => {}
        }
        Cow::Owned(format!("#{}", steps.join("/")))
    }
}

/// What an array says of its items, where that is no one schema for all.
struct Tuple<'n, 'a> {
    /// The first ones, each with its schema.
    items: &'n [Node<'a>],
    /// Those behind them.
    rest: Option<&'n Node<'a>>,
}

impl<'n, 'a> Tuple<'n, 'a> {
    fn of(node: &'n Node<'a>) -> Option<Self> {
        let (items, first) = (node.get("items"), node.get("prefixItems"));
        let is_array =
            || node.get("type").is_some_and(|kinds| kinds.types().iter().any(|kind| kind == "array"));
        match (items, first) {
            (Some(Node::Array(items)), _) => Some(Tuple { items, rest: node.get("additionalItems") }),
            (Some(Node::Object(_)), _) => None,
            (rest, Some(first)) => Some(Tuple { items: first.items(), rest }),
            (Some(rest), None) => Some(Tuple { items: &[], rest: Some(rest) }),
            (None, None) => is_array().then_some(Tuple { items: &[], rest: None }),
        }
    }
}
