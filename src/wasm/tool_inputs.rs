//! The arguments of calls that a model is still writing, read once and told to the page as patches.

use std::mem::take;

use crate::json::codec::{Write, object};
use crate::json::partial::{Kind, Op, PartialJson, Patch};
use crate::json::writer::{array, string};

#[derive(Default)]
pub(super) struct Inputs {
    open: Vec<Input>,
}

struct Input {
    id: String,
    name: String,
    parser: PartialJson,
    /// What the page has not been told.
    patches: Vec<Patch>,
}

impl Inputs {
    pub(super) fn read(&mut self, id: &str, name: &str, text: &str) {
        let known = self.open.iter().position(|input| input.id == id && input.name == name);
        let at = known.unwrap_or_else(|| {
            let (id, name) = (id.to_owned(), name.to_owned());
            self.open.push(Input { id, name, parser: PartialJson::new(), patches: Vec::new() });
            self.open.len() - 1
        });
        if let Some(Input { parser, patches, .. }) = self.open.get_mut(at) {
            parser.push(text, patches);
        }
    }

    /// The answer is whole, or will never be.
    pub(super) fn end(&mut self) {
        self.open.clear();
    }

    pub(super) fn tell(&mut self, batch: &mut Vec<String>) {
        for Input { id, name, patches, .. } in &mut self.open {
            if !patches.is_empty() {
                let patches = Patches(take(patches));
                let mut out = String::new();
                object(&mut out, &[("kind", &"input"), ("id", id), ("name", name), ("patches", &patches)]);
                batch.push(out);
            }
        }
    }
}

struct Patches(Vec<Patch>);

impl Write for Patches {
    /// Each as `[path, mark, value]`: `=` begins with an empty value, `+` adds text, `!` is a whole value, `.` an end.
    fn write(&self, out: &mut String) {
        array(out, &self.0, |out, Patch { path, op }| {
            let (mark, value) = match op {
                Op::Start { kind: Kind::Object } => ("=", "{}"),
                Op::Start { kind: Kind::Array } => ("=", "[]"),
                Op::Start { kind: Kind::Text } => ("=", "\"\""),
                Op::Append { .. } => ("+", ""),
                Op::Set { value } => ("!", value.as_str()),
                Op::Complete => (".", "0"),
            };
            out.push('[');
            string(out, path);
            out.push_str(",\"");
            out.push_str(mark);
            out.push_str("\",");
            out.push_str(value);
            if let Op::Append { text } = op {
                string(out, text);
            }
            out.push(']');
        });
    }
}
