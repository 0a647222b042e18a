//! The body of a request as a model takes it that refused one: without a parameter, under another name, or lower.

use crate::json::reader::{Broken, Reader};
use crate::json::scan::word_at;

/// What stands on messages and tools, beside what they say.
pub(super) const MARKS: [&str; 4] = ["cache_control", "reasoning_content", "reasoning_details", "strict"];

/// The fields that hold messages and tools.
pub(super) const LISTS: [&str; 5] = ["messages", "system", "tools", "contents", "input"];

/// Fields whose value is somebody else's: arguments, results and schemas.
const FOREIGN: [&str; 9] = [
    "input",
    "arguments",
    "args",
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "response",
    "output",
    "text",
];

/// How deep marks are looked for.
pub(super) const DEEPEST: u8 = 6;

/// What is different in the requests to a model that refused one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Without(&'static str),
    Renamed(&'static str, &'static str),
    Lowered(&'static str, u64),
    /// An answer with a schema comes by a tool: it was asked for as a text in that form.
    AnswerByTool,
    /// The thoughts of this conversation do not go back: they are bound to what came before, or to who made them.
    WithoutThoughts,
}

impl Change {
    /// Its name among the others.
    fn path(&self) -> &'static str {
        match self {
            Change::Without(path) | Change::Renamed(path, _) | Change::Lowered(path, _) => path,
            // No field of a body is called so.
            Change::AnswerByTool | Change::WithoutThoughts => "",
        }
    }

    /// It holds for all requests to the model, and not for one conversation alone.
    pub(crate) fn is_lasting(&self) -> bool {
        *self != Change::WithoutThoughts
    }

    /// What the developer is told.
    pub(crate) fn notice(&self, reason: &str) -> (&'static str, String) {
        let (code, done) = match self {
            Change::Without("stream") => {
                ("PARAMETER_LEFT_OUT", "`stream` is left out, so answers arrive all at once".to_owned())
            }
            Change::Without("tool_choice") => {
                let done = "`tool_choice` is left out (with `none`, the tools are too)";
                ("PARAMETER_LEFT_OUT", done.to_owned())
            }
            Change::Without(path) => ("PARAMETER_LEFT_OUT", format!("`{path}` is left out")),
            Change::Renamed(path, name) => ("PARAMETER_CHANGED", format!("`{path}` is sent as `{name}`")),
            Change::Lowered(path, most) => ("PARAMETER_CHANGED", format!("`{path}` is sent as {most}")),
            Change::WithoutThoughts => {
                ("PARAMETER_LEFT_OUT", "the model's earlier thoughts are left out".to_owned())
            }
            Change::AnswerByTool => {
                let done = "the answer with a schema is taken by a tool, not as a text in that form";
                ("PARAMETER_CHANGED", done.to_owned())
            }
        };
        (code, format!("{done}, because the model's provider refused the request with it: {reason}"))
    }
}

/// The body with all that was learned, in its order.
pub(crate) fn changed(mut body: String, changes: &[Change]) -> String {
    for change in changes {
        let mut out = String::with_capacity(body.len());
        if object(&body, "", change, &mut out).is_ok() {
            body = out;
        }
    }
    body
}

/// Writes the object of a path as the change has it.
fn object(text: &str, path: &str, change: &Change, out: &mut String) -> Result<(), Broken> {
    let mut reader = Reader::new(text);
    if !reader.object()? {
        return Err(Broken);
    }
    let wanted = change.path();
    let (outer, name) = wanted.split_once('.').unwrap_or(("", wanted));
    // Where no tool may be used, none is there: without a word about it, the model would choose.
    let no_tools = path.is_empty()
        && *change == Change::Without("tool_choice")
        && value_of(text, "tool_choice")?
            .is_some_and(|choice| ["\"none\"", r#"{"type":"none"}"#].contains(&choice));
    out.push('{');
    let start = out.len();
    while let Some(key) = reader.key()? {
        let value = reader.raw()?;
        let is_it = path == outer && key == name;
        let goes_along = *change == Change::Without("stream") && key == "stream_options"
            || no_tools && ["tools", "parallel_tool_calls"].contains(&key);
        if goes_along || is_it && matches!(change, Change::Without(_)) {
            continue;
        }
        if out.len() > start {
            out.push(',');
        }
        let written = match change {
            Change::Renamed(_, to) if is_it => to,
            _ => key,
        };
        out.push('"');
        out.push_str(written);
        out.push_str("\":");
        match change {
            Change::Lowered(_, most) if is_it && number(value).is_none_or(|value| value > *most) => {
                out.push_str(&most.to_string());
            }
            _ if path.is_empty() && LISTS.contains(&key) && *change == Change::WithoutThoughts => {
                without_thoughts(value, 0, out)?;
            }
            _ if path.is_empty() && LISTS.contains(&key) && MARKS.contains(&wanted) => {
                unmarked(value, wanted, 0, out)?;
            }
            _ if path.is_empty() && !outer.is_empty() && key == outer && value.starts_with('{') => {
                object(value, outer, change, out)?;
            }
            _ => out.push_str(value),
        }
    }
    out.push('}');
    Ok(())
}

/// What thoughts are called among the items of the lists, and the field of a message that holds some.
const THOUGHTS: [&str; 3] = [r#""thinking""#, r#""redacted_thinking""#, r#""reasoning""#];
const DETAILS: &str = "reasoning_details";

/// Messages without what a model thought: items of their own, blocks of what they say, or a field.
fn without_thoughts(text: &str, depth: u8, out: &mut String) -> Result<(), Broken> {
    let mut reader = Reader::new(text);
    if !text.starts_with('[') || !reader.array()? {
        out.push_str(text);
        return Ok(());
    }
    out.push('[');
    let start = out.len();
    while reader.item()? {
        let item = reader.raw()?;
        let kind = if item.starts_with('{') { value_of(item, "type")? } else { None };
        if kind.is_some_and(|kind| THOUGHTS.contains(&kind)) {
            continue;
        }
        if out.len() > start {
            out.push(',');
        }
        if depth > 0 || !item.starts_with('{') {
            out.push_str(item);
            continue;
        }
        let mut fields = Reader::new(item);
        fields.object()?;
        out.push('{');
        let start = out.len();
        while let Some(key) = fields.key()? {
            let value = fields.raw()?;
            if key == DETAILS {
                continue;
            }
            if out.len() > start {
                out.push(',');
            }
            out.push_str(&format!("\"{key}\":"));
            match key {
                "content" => without_thoughts(value, depth + 1, out)?,
                _ => out.push_str(value),
            }
        }
        out.push('}');
    }
    out.push(']');
    Ok(())
}

/// Messages or tools without one of their marks.
fn unmarked(text: &str, mark: &str, depth: u8, out: &mut String) -> Result<(), Broken> {
    let mut reader = Reader::new(text);
    match text.bytes().next() {
        Some(b'[') if depth < DEEPEST => {
            reader.array()?;
            out.push('[');
            let start = out.len();
            while reader.item()? {
                if out.len() > start {
                    out.push(',');
                }
                unmarked(reader.raw()?, mark, depth + 1, out)?;
            }
            out.push(']');
        }
        Some(b'{') if depth < DEEPEST => {
            reader.object()?;
            out.push('{');
            let start = out.len();
            while let Some(key) = reader.key()? {
                let value = reader.raw()?;
                if key == mark {
                    continue;
                }
                if out.len() > start {
                    out.push(',');
                }
                out.push('"');
                out.push_str(key);
                out.push_str("\":");
                match FOREIGN.contains(&key) {
                    true => out.push_str(value),
                    false => unmarked(value, mark, depth + 1, out)?,
                }
            }
            out.push('}');
        }
        _ => out.push_str(text),
    }
    Ok(())
}

pub(super) fn is_in(body: &str, path: &str) -> bool {
    if MARKS.contains(&path) {
        return word_at(body, &format!("\"{path}\":")).is_some();
    }
    let (outer, name) = path.split_once('.').unwrap_or(("", path));
    let within = |text: &str| has_key(text, name).unwrap_or_default();
    match outer {
        "" => within(body),
        outer => value_of(body, outer).ok().flatten().is_some_and(within),
    }
}

fn has_key(object: &str, name: &str) -> Result<bool, Broken> {
    Ok(value_of(object, name)?.is_some())
}

pub(super) fn value_of<'a>(object: &'a str, name: &str) -> Result<Option<&'a str>, Broken> {
    let mut reader = Reader::new(object);
    if !reader.object()? {
        return Ok(None);
    }
    while let Some(key) = reader.key()? {
        let value = reader.raw()?;
        if key == name {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

pub(super) fn number(text: &str) -> Option<u64> {
    let digits = text.trim_start_matches(['`', '\'']);
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}
