//! More tools than a provider takes: which of them go out.

use crate::ids::Ids;
use crate::message::Message;
use crate::providers::format::Format;
use crate::providers::request::Notices;
use crate::providers::request::options::ToolChoice;
use crate::tool::{ANSWER_TOOL, ToolDefinition, UNDO_TOOL};

/// OpenAI, Groq and Gemini refuse a request with more, and servers that speak their formats follow them.
const MOST: usize = 128;

/// The tools that go out where there are too many, and the system prompt that says so: the one that the model is to use, glove's own,
/// those that were called, then the first ones. `None`: all of them may.
pub fn fewer_tools<'m>(
    format: Format,
    choice: Option<&ToolChoice>,
    tools: &[ToolDefinition],
    system: &str,
    messages: impl FnOnce() -> Vec<&'m Message>,
    notices: &Notices,
) -> Option<(Vec<ToolDefinition>, String)> {
    if tools.len() <= MOST || matches!(format.spoken(), Format::Anthropic | Format::Endpoint) {
        return None;
    }
    let mut called = Ids::default();
    for call in messages().into_iter().flat_map(|message| message.calls()) {
        called.insert(&call.tool_name);
    }
    let is_chosen =
        |tool: &ToolDefinition| matches!(choice, Some(ToolChoice::Tool(name)) if *name == tool.name);
    let is_first = |tool: &ToolDefinition| {
        is_chosen(tool)
            || tool.name == UNDO_TOOL
            || tool.name.starts_with("glove_")
            || tool.name == ANSWER_TOOL
            || called.contains(&tool.name)
    };
    let first = tools.iter().filter(|tool| is_first(tool)).count();
    let mut chosen = usize::from(tools.iter().any(is_chosen));
    let (mut room, mut optional_room) = (MOST, MOST.saturating_sub(first));
    let (mut selected, mut dropped) = (Vec::new(), Vec::new());
    for tool in tools {
        let place = if is_first(tool) { None } else { Some(&mut optional_room) };
        if is_chosen(tool) {
            chosen = 0;
        }
        let fits = room > chosen && place.as_ref().is_none_or(|optional_room| **optional_room > 0);
        if fits {
            room -= 1;
            if let Some(optional_room) = place {
                *optional_room -= 1;
            }
            selected.push(tool.clone());
        } else {
            dropped.push(format!("`{}`", tool.name));
        }
    }
    let count = dropped.len();
    dropped.truncate(20);
    notices.add(
        "TOOLS_LEFT_OUT",
        format!(
            "The provider accepts at most {MOST} tools, but there are {}; the request leaves out {}{}. Give each session only the \
             tools it needs, or combine some of them.",
            tools.len(),
            dropped.join(", "),
            if count > dropped.len() { " and others" } else { "" }
        ),
    );
    let note = format!(
        "{count} further tools of this application cannot be used in this conversation. Say so when one would be needed."
    );
    Some((selected, if system.is_empty() { note } else { format!("{system}\n\n{note}") }))
}
