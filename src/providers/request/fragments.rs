//! Pieces that the requests of several formats have in common.

use crate::json::codec::to_text;
use crate::json::reader::{Broken, Reader};
use crate::json::scan::joined;
use crate::json::writer::{Object, string};
use crate::message::Message;
use crate::providers::request::project::Part;

/// A list that is kept with a message, unless there is nothing in it.
pub(in crate::providers) fn extra_field<'m>(message: &'m Message, field: &str) -> Option<&'m str> {
    let extra_field = message.extra.0.iter().find(|(key, _)| key == field);
    let list = extra_field?.1.as_str();
    let items = list.strip_prefix('[')?.strip_suffix(']')?.trim();
    (!items.is_empty()).then_some(list)
}

/// The items of these kinds. What is kept for a provider comes back through a client, who could write a message of
/// the developer into it.
pub(in crate::providers) fn of_kind<'m>(list: &'m str, kinds: &[&str]) -> Vec<&'m str> {
    let mut found = Vec::new();
    let mut reader = Reader::new(list);
    let mut read = || {
        reader.array()?;
        while reader.item()? {
            let item = reader.raw()?;
            let (mut typed, mut fits) = (false, true);
            each_field(item, |key, value| {
                let is_type = key == "type";
                typed |= is_type;
                // Readers differ in which of two fields of one name counts, and an escaped name could be one.
                let is_kind = || kinds.iter().any(|kind| value.trim_matches('"') == *kind);
                fits &= !key.contains('\\') && (!is_type || is_kind());
            })?;
            if typed && fits {
                found.push(item);
            }
        }
        Ok::<(), Broken>(())
    };
    // Of a list that cannot be read on, the rest is left out.
    let _ = read();
    found
}

/// Tells of each field of an object as it is written.
pub(in crate::providers) fn each_field<'a>(
    json: &'a str,
    mut tell: impl FnMut(&'a str, &'a str),
) -> Result<(), Broken> {
    let mut reader = Reader::new(json);
    if reader.object()? {
        while let Some(key) = reader.key()? {
            tell(key, reader.raw()?);
        }
    }
    Ok(())
}

pub(in crate::providers) fn number(value: f64) -> String {
    to_text(&value)
}

/// `{"type": …, "text": …}` as most providers have it.
pub(in crate::providers) fn text_block(out: &mut String, kind: &str, text: &str, cache_mark: Option<&str>) {
    let mut block = Object::new(out);
    block.text("type", kind).text("text", text);
    if let Some(mark) = cache_mark {
        block.raw("cache_control", mark);
    }
    block.end();
}

/// Google's word for a call that another model made, as base64: `skip_thought_signature_validator`.
pub(in crate::providers) const UNSIGNED: &str = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

/// What a user says where an answer comes last: no provider goes on from one.
pub(in crate::providers) const GO_ON: &str = "[Go on.]";

/// Stands between texts of several messages that become one.
pub(in crate::providers) const BETWEEN: &str = "\n\n";

/// What the user wrote, without media.
pub(in crate::providers) fn user_texts<'a>(parts: &[Part<'a>]) -> Vec<&'a str> {
    let mut texts = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) | Part::Passing(text) => texts.push(*text),
            Part::Media(_) => {}
        }
    }
    texts
}

/// The reasoning of several messages.
pub(in crate::providers) fn reasoning(messages: &[&Message]) -> Option<String> {
    let mut texts = Vec::new();
    for message in messages {
        if let Some(text) = &message.reasoning_content {
            texts.push(text.as_str());
        }
    }
    Some(joined(&texts, BETWEEN)).filter(|text| !text.is_empty())
}

pub(in crate::providers) fn push_string(out: &mut String, text: &str) {
    string(out, text);
}
