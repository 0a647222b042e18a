//! The arguments of calls that a model is still writing, read once and told to the page as patches.

use std::mem::take;

use super::event::{CoreEvent, Patches};
use super::listed::Listed;
use crate::json::partial::{PartialJson, Patch};

#[derive(Debug, Default)]
pub(crate) struct Inputs {
    open: Vec<Input>,
}

#[derive(Debug)]
struct Input {
    id: String,
    name: String,
    parser: PartialJson,
    /// What the page has not been told.
    patches: Vec<Patch>,
}

impl Inputs {
    pub(crate) fn read(&mut self, id: &str, name: &str, text: &str) {
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
    pub(crate) fn end(&mut self) {
        self.open.clear();
    }

    pub(super) fn tell(&mut self, batch: &mut Listed) {
        for Input { id, name, patches, .. } in &mut self.open {
            if !patches.is_empty() {
                batch.push(&CoreEvent::Input { id, name, patches: Patches(take(patches)) });
            }
        }
    }
}
