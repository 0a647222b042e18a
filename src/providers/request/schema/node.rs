//! A JSON Schema as a tree over its text, with keys in their order.

use std::borrow::Cow;

use crate::ids::Ids;
use crate::json::reader::{Broken, Reader, unescape};
use crate::json::writer::{Object, array};

#[derive(Debug, PartialEq)]
pub(super) enum Node<'a> {
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
    Array(Vec<Node<'a>>),
    /// A text, a number or a word, as it is written.
    Other(&'a str),
}

impl<'a> Node<'a> {
    /// Goes no deeper than the text does, which was checked when it became a schema.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, Broken> {
        Ok(match reader.peek()? {
            b'{' => {
                reader.step_in();
                let mut fields = Vec::new();
                while let Some(key) = reader.key()? {
                    fields.push((unescape(key), Node::read(reader)?));
                }
                Node::Object(fields)
            }
            b'[' => {
                reader.step_in();
                let mut items = Vec::new();
                while reader.item()? {
                    items.push(Node::read(reader)?);
                }
                Node::Array(items)
            }
            _ => Node::Other(reader.raw()?),
        })
    }

    pub(super) fn fields(&self) -> &[(Cow<'a, str>, Node<'a>)] {
        match self {
            Node::Object(fields) => fields,
            Node::Array(_) | Node::Other(_) => &[],
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.fields().iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub(super) fn items(&self) -> &[Node<'a>] {
        match self {
            Node::Array(items) => items,
            Node::Object(_) | Node::Other(_) => &[],
        }
    }

    pub(super) fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Node::Other(raw) => raw.strip_prefix('"')?.strip_suffix('"').map(unescape),
            Node::Object(_) | Node::Array(_) => None,
        }
    }

    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Node::Other(raw) if *raw == word)
    }

    pub(super) fn number(&self) -> Option<u64> {
        match self {
            Node::Other(raw) => raw.parse().ok(),
            Node::Object(_) | Node::Array(_) => None,
        }
    }

    /// The types that a `type` names: one, or each of a list.
    pub(super) fn types(&self) -> Vec<Cow<'a, str>> {
        match self {
            Node::Array(types) => types.iter().filter_map(Node::text).collect(),
            _ => self.text().into_iter().collect(),
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Node::Object(fields) => {
                let mut object = Object::new(out);
                for (key, node) in fields {
                    node.write(object.key(key));
                }
                object.end();
            }
            Node::Array(items) => array(out, items, |out, item| item.write(out)),
            Node::Other(raw) => out.push_str(raw),
        }
    }

    /// What a pointer of a `$ref` leads to.
    pub(super) fn at(&self, pointer: &str) -> Option<&Node<'a>> {
        let mut node = self;
        for step in pointer.split('/').skip(1) {
            let step = unpointed(step);
            node = match node {
                Node::Object(_) => node.get(&step)?,
                Node::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                Node::Other(_) => return None,
            };
        }
        Some(node)
    }
}

/// A step of a pointer as the key that it means.
pub(super) fn unpointed(step: &str) -> Cow<'_, str> {
    if !step.contains(['~', '%']) {
        return Cow::Borrowed(step);
    }
    let mut bytes = Vec::new();
    let mut rest = step.bytes();
    while let Some(byte) = rest.next() {
        let hex = |text: &str| u8::from_str_radix(text, 16).ok();
        let ahead = rest.clone().take(2).map(char::from).collect::<String>();
        match hex(&ahead).filter(|_| byte == b'%' && ahead.len() == 2) {
            Some(byte) => {
                bytes.push(byte);
                let _ = rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~"))
}

/// Leaves the first of equal texts.
pub(super) fn keep_one_of_each(texts: &mut Vec<String>) {
    let mut known = Ids::default();
    texts.retain(|text| known.insert(text));
}
