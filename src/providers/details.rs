//! OpenRouter's `reasoning_details`: thoughts in the form in which the model's own provider wants them back, put together from pieces.

use crate::answer::{MOST_CALLS, TurnBuilder};
use crate::json::Json;
use crate::json::reader::{Broken, Reader};
use crate::json::writer::Object;
use crate::providers::provider_fields::REASONING_DETAILS;

/// The texts of a piece, which go on with the next one.
const TEXTS: [&str; 2] = ["text", "summary"];

#[derive(Debug, Default)]
pub(crate) struct Details {
    items: Vec<Item>,
    /// Something came since they were kept.
    changed: bool,
}

#[derive(Debug, Default)]
struct Item {
    /// The text under each of `TEXTS`.
    texts: [Option<String>; 2],
    /// All other fields, as they came.
    fields: Vec<(String, String)>,
}

impl Details {
    pub(crate) fn read(&mut self, reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
        if !reader.array()? {
            return Ok(());
        }
        while reader.item()? {
            let mut item = Item::default();
            if !reader.object()? {
                continue;
            }
            while let Some(key) = reader.key()? {
                let text = TEXTS.iter().position(|text| *text == key);
                match text.and_then(|at| item.texts.get_mut(at)) {
                    Some(place) if reader.peek()? == b'"' => *place = Some(reader.text()?.into_owned()),
                    _ => item.fields.push((key.to_owned(), reader.raw()?.to_owned())),
                }
            }
            self.changed = true;
            let count = self.items.len();
            match self.items.last_mut() {
                Some(last) if last.goes_on(&item) => last.take(item),
                // Nobody thinks in so many pieces.
                _ if count == MOST_CALLS => turn.too_many("pieces of reasoning"),
                _ => self.items.push(item),
            }
        }
        Ok(())
    }

    /// Puts what came so far into the message.
    pub(crate) fn keep(&mut self, turn: &mut TurnBuilder) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        let items: Vec<String> = self.items.iter().map(Item::written).collect();
        if let Ok(list) = Json::parse(&format!("[{}]", items.join(","))) {
            turn.extra(REASONING_DETAILS, list);
        }
    }
}

impl Item {
    fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    /// Whether the next piece is more of the same thought.
    fn goes_on(&self, next: &Item) -> bool {
        let same = |key| self.field(key) == next.field(key);
        next.field("data").is_none() && self.field("data").is_none() && same("type") && same("index")
    }

    fn take(&mut self, next: Item) {
        for (text, more) in self.texts.iter_mut().zip(next.texts) {
            if let Some(more) = more {
                text.get_or_insert_default().push_str(&more);
            }
        }
        for (key, value) in next.fields {
            match self.fields.iter_mut().find(|(other, _)| *other == key) {
                Some((_, known)) if value != "null" => *known = value,
                Some(_) => {}
                None => self.fields.push((key, value)),
            }
        }
    }

    fn written(&self) -> String {
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        for (key, value) in &self.fields {
            object.raw(key, value);
        }
        for (key, text) in TEXTS.iter().zip(&self.texts) {
            if let Some(text) = text {
                object.text(key, text);
            }
        }
        object.end();
        out
    }
}
