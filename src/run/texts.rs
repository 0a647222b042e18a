//! Every sentence that the framework says to a model. The original's are kept word for word.

use crate::event::Rule;
use crate::json::codec::{Write, from_checked};
use crate::json::scan::joined;
use crate::json::{Json, MAX_DEPTH};
use crate::message::InboxItem;
use crate::run::input::{Carry, Issue};
use crate::tool::ToolSpec;

pub(crate) const TOOL_RESULTS: &str = "tool results";
pub(crate) const ABORTED: &str = "Tool execution was aborted by the user.";
pub(crate) const UNREADABLE: &str = "[A message that cannot be read.]";
pub(crate) const MULTIMODAL: &str = "[multimodal message]";
pub(crate) const NOTHING_TO_UNDO: &str = "There is no action to take back.";
pub(crate) const INVALID_INPUT: &str = "TOOL_INPUT_INVALID";

/// Names in an error are for choosing one; more than these would only fill the context.
const ANSWER_BYTES: usize = 1_000;

/// What a model reads in the place of media.
pub(crate) fn left_out(kind: &str) -> String {
    format!("[{kind} left out: it was too large to send]")
}

/// The same where a provider refused it.
pub(crate) fn refused(kind: &str) -> String {
    format!("[{kind} left out: the model cannot read it]")
}

/// What a person is told when a request was refused for its size, or for what it carried.
pub(crate) fn media_left_out(why: &str, refused: bool) -> String {
    let (why, send) = (why.trim_end_matches('.'), if refused { "others" } else { "smaller ones" });
    format!("{why}. The pictures and files so far are not sent again: send {send}, or go on without.")
}

pub(crate) fn unknown_tool(name: &str, tools: &[ToolSpec]) -> String {
    let head = name.get(..name.floor_char_boundary(100)).unwrap_or_default();
    let mut text = format!("No tool called {head} exists.");
    let near = near_names(head, tools);
    if !near.is_empty() {
        text.push_str(&format!(" Did you mean {}?", joined(&near, " or ")));
    }
    if tools.is_empty() {
        text.push_str(" No tools are registered.");
        return text;
    }
    let (mut names, mut left) = (String::new(), tools.len());
    let room = ANSWER_BYTES.saturating_sub(text.len() + " Available tools:  and 00000 more.".len());
    for tool in tools {
        if names.len() + tool.name.len() + 2 > room {
            break;
        }
        if !names.is_empty() {
            names.push_str(", ");
        }
        names.push_str(&tool.name);
        left -= 1;
    }
    text.push_str(&format!(" Available tools: {names}"));
    text.push_str(&if left == 0 { ".".to_owned() } else { format!(" and {left} more.") });
    text
}

/// The best first. A handful at most, so they are picked one by one.
fn near_names<'a>(name: &str, tools: &'a [ToolSpec]) -> Vec<&'a str> {
    let name = name.to_ascii_lowercase();
    let mut near = Vec::new();
    for tool in tools {
        if tool.name.len() <= 100 {
            let lower = tool.name.to_ascii_lowercase();
            let distance = strsim::levenshtein(&name, &lower);
            if lower.starts_with(&name) || distance * 5 <= 2 * name.len().max(lower.len()) {
                near.push((distance, tool.name.as_str()));
            }
        }
    }
    let mut best = Vec::new();
    while best.len() < 5 && !near.is_empty() {
        let (mut at, mut least) = (0, usize::MAX);
        for (index, (distance, _)) in near.iter().enumerate() {
            if *distance < least {
                (at, least) = (index, *distance);
            }
        }
        best.push(near.remove(at).1);
    }
    best
}

pub(crate) fn permission_denied(tool: &str, reason: Option<&str>) -> String {
    let (says, reason) = match reason {
        Some(reason) if !reason.is_empty() => (" They say: ", reason),
        _ => ("", ""),
    };
    format!(
        "Permission denied for tool \"{tool}\". The user has not granted permission to run this tool.{says}{reason}"
    )
}

pub(crate) fn gate_failed(tool: &str, why: &str) -> String {
    format!("The tool \"{tool}\" was not run, because the check before it failed: {why}")
}

pub(crate) fn rejected(reason: Option<&str>) -> String {
    match reason {
        Some(reason) if !reason.is_empty() => format!("The user rejected this: {reason}"),
        _ => "The user rejected this.".to_owned(),
    }
}

pub(crate) fn threw(error: &str, repeated: u32) -> String {
    let repeated = if repeated == 0 { String::new() } else { format!(", after {repeated} retries") };
    format!("Failed to run tool successfully. Tool Errored out with {error}{repeated}.")
}

/// What the tool itself said of its error, for a person.
pub(crate) fn own_error(text: &str) -> &str {
    let preface = "Failed to run tool successfully. Tool Errored out with ".len();
    match text.get(preface..text.len().saturating_sub(1)) {
        Some(own) if text.starts_with("Failed to run tool successfully. Tool ") => own,
        _ => text,
    }
}

pub(crate) fn not_json(raw: &str) -> String {
    let end = raw.char_indices().nth(2_000).map_or(raw.len(), |(at, _)| at);
    let head = raw.get(..end).unwrap_or_default();
    format!(
        "The arguments are not valid JSON, so the tool was not run. Send them again as one JSON object. They were: {head}"
    )
}

pub(crate) fn too_many_calls(limit: usize) -> String {
    format!("Not run: one answer may hold {limit} tool calls. Call this tool again in a later answer.")
}

pub(crate) fn interrupted() -> &'static str {
    "The tool was interrupted while it ran, and it is not known whether it took effect. Check before you call it again."
}

pub(crate) fn timed_out() -> &'static str {
    "The tool was stopped because it took too long, and it is not known whether it took effect. Check before you call it again."
}

/// The same, for the person who decides.
pub(crate) fn cut_off() -> &'static str {
    "It was interrupted while it ran, and may or may not have done its work."
}

pub(crate) fn astray() -> &'static str {
    "The tool was interrupted, and when it was run again it did not ask what it had asked before. Run it from the start?"
}

/// The last action comes first, each with the arguments that the model gave it.
pub(crate) fn undone(taken: &[(&str, &str)], error: Option<&str>) -> String {
    let mut text = match taken.len() {
        1 => "1 action was taken back".to_owned(),
        steps => format!("{steps} actions were taken back"),
    };
    for (at, (tool, input)) in taken.iter().enumerate() {
        let head = input.get(..input.floor_char_boundary(200)).unwrap_or_default();
        let cut = if head.len() < input.len() { "…" } else { "" };
        text.push_str(if at == 0 { ": " } else { ", " });
        text.push_str(&format!("{tool}({head}{cut})"));
    }
    match error {
        None => text.push('.'),
        Some(error) => text.push_str(&format!("; the next one could not be: {error}")),
    }
    text
}

pub(crate) fn undone_by_user(taken: &str) -> String {
    format!("[Undo by the user: {taken} What they did holds no more.]")
}

/// By calls that are of another branch, and what they were told.
pub(crate) fn undone_elsewhere(told: impl Iterator<Item = String>) -> String {
    let mut text = "[Undo. What was taken back holds no more:".to_owned();
    for result in told {
        text.push(' ');
        text.push_str(&result);
    }
    text.push(']');
    text
}

pub(crate) fn cut_notice(head: usize, whole: usize) -> String {
    format!("\n\n[cut: the result has {whole} bytes, these are the first {head}]")
}

pub(crate) fn turn_limit(limit: u32) -> String {
    format!(
        "Reached the maximum number of turns ({limit}) for this request. Please send a new message to continue."
    )
}

/// Told to the model when a rule has stopped the tools.
pub(crate) fn wrap_up(rule: Rule, rounds: u32) -> String {
    match rule {
        Rule::ErrorRounds => format!(
            "Every tool call of the last {rounds} rounds failed. Stop calling tools and explain to the user what went wrong and what they can do."
        ),
        _ => format!(
            "The same tool calls gave the same results {rounds} times in a row. Stop calling tools and answer with what you know."
        ),
    }
}

/// The answer in the model's place, when it went on calling tools after `wrap_up`.
pub(crate) fn stopped(rule: Rule, rounds: u32) -> String {
    match rule {
        Rule::ErrorRounds => {
            format!(
                "I stopped, because every tool call of the last {rounds} rounds failed. Please check the tools, then send a new message."
            )
        }
        _ => format!(
            "I stopped, because the same tool calls gave the same results {rounds} times in a row. Please send a new message to continue."
        ),
    }
}

pub(crate) const NOT_RUN_ANY_MORE: &str = "Not run: tool calls were stopped for this request.";

pub(crate) fn budget(rule: Rule) -> String {
    let what = match rule {
        Rule::Turns => "model calls",
        Rule::ToolCalls => "tool calls",
        Rule::Tokens => "tokens",
        Rule::Cost => "money",
        Rule::WallClock => "time",
        Rule::ErrorRounds | Rule::Repetition => "attempts",
    };
    format!(
        "The budget of {what} for this request is used up. The run is kept; it can go on where it stopped."
    )
}

pub(crate) fn inbox_resolved(items: &[&InboxItem]) -> String {
    let mut text = format!("[Inbox: {} item(s) resolved]", items.len());
    for item in items {
        text.push_str(&format!(
            "\n- [{}] Request: \"{}\" -> Response: \"{}\" (resolved {})",
            item.tag,
            item.request,
            item.response.as_deref().unwrap_or_default(),
            item.resolved_at.as_deref().unwrap_or_default(),
        ));
    }
    text
}

/// What begins a prompt that nobody wrote.
pub(crate) fn trigger(reason: &str) -> String {
    format!("[Not written by the user. This prompt began by itself: {reason}]")
}

pub(crate) fn inbox_blocking(items: &[&InboxItem]) -> String {
    let mut text = format!(
        "[Inbox: {} blocking item(s) still pending. Do not go on with work that depends on them.]",
        items.len()
    );
    for item in items {
        text.push_str(&format!("\n- [{}] {}", item.tag, item.request));
    }
    text
}

pub(crate) fn summary(summary: &str, carry: &Carry) -> String {
    let mut text = format!("[Conversation summary from compaction]\n\n{summary}");
    let mut open = String::new();
    for task in &carry.tasks {
        if task.status != "completed" {
            open.push_str(&format!("- [{}] {}\n", task.status, task.content));
        }
    }
    if !open.is_empty() {
        text.push_str("\n\n[Current task list — as of this summary]\n");
        text.push_str(&open);
    }
    let mut pending = String::new();
    for item in &carry.inbox {
        if item.status == "pending" {
            let kind = if item.blocking { "BLOCKING" } else { "non-blocking" };
            pending.push_str(&format!("- [{}] {kind}: {}\n", item.tag, item.request));
        }
    }
    if !pending.is_empty() {
        text.push_str("\n\n[Pending inbox items — being monitored by external services]\n");
        text.push_str(&pending);
    }
    text.push_str("\n\n[End of summary - the conversation continues from here]");
    text
}

/// The original's form of a refused input: a tree of errors in the shape of the value.
pub(crate) fn invalid_input(issues: &[Issue]) -> String {
    let mut root = Tree::default();
    for issue in issues {
        if let Some(node) = root.at(&issue.path) {
            node.errors.push(issue.message.clone());
        }
    }
    let mut text = "Failed to validate the input args provided for the tool: ".to_owned();
    root.write(&mut text);
    text
}

/// An index beyond this would only pad the tree with nulls.
const MAX_ITEMS: usize = 1_000;

#[derive(Default)]
struct Tree {
    errors: Vec<String>,
    properties: Vec<(String, Tree)>,
    items: Vec<(usize, Tree)>,
}

/// The node below with this key, in the order of keys.
fn child<K: Ord>(nodes: &mut Vec<(K, Tree)>, key: K) -> Option<&mut Tree> {
    let at = nodes.partition_point(|(known, _)| *known < key);
    if nodes.get(at).is_none_or(|(known, _)| *known != key) {
        nodes.insert(at, (key, Tree::default()));
    }
    nodes.get_mut(at).map(|(_, node)| node)
}

impl Tree {
    /// The node at a path, made where it is missing.
    fn at(&mut self, path: &[Json]) -> Option<&mut Tree> {
        let mut node = self;
        for step in path.iter().take(MAX_DEPTH) {
            node = match step.to_text() {
                Some(key) => child(&mut node.properties, key)?,
                None => child(
                    &mut node.items,
                    from_checked::<usize>(step.as_str()).unwrap_or_default().min(MAX_ITEMS),
                )?,
            };
        }
        Some(node)
    }

    fn write(&self, out: &mut String) {
        out.push_str("{\"errors\":");
        self.errors.write(out);
        if !self.properties.is_empty() {
            out.push_str(",\"properties\":{");
            for (n, (key, child)) in self.properties.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                out.push_str(Json::string(key).as_str());
                out.push(':');
                child.write(out);
            }
            out.push('}');
        }
        if !self.items.is_empty() {
            out.push_str(",\"items\":[");
            let mut next = 0;
            for (index, child) in &self.items {
                for _ in next..*index {
                    out.push_str("null,");
                }
                child.write(out);
                out.push(',');
                next = index + 1;
            }
            out.pop();
            out.push(']');
        }
        out.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(names: &[&str]) -> Vec<ToolSpec> {
        names.iter().copied().map(ToolSpec::new).collect()
    }

    #[test]
    fn an_unknown_tool_is_answered_with_near_names_and_all_names() {
        assert_eq!(
            unknown_tool("get_wether", &tools(&["get_weather", "send_mail"])),
            "No tool called get_wether exists. Did you mean get_weather? Available tools: get_weather, send_mail."
        );
        assert_eq!(unknown_tool("x", &[]), "No tool called x exists. No tools are registered.");
    }

    #[test]
    fn an_unknown_tool_is_answered_in_under_a_kilobyte() {
        let many: Vec<String> = (0..500).map(|n| format!("a_rather_long_tool_name_{n}")).collect();
        let many: Vec<ToolSpec> = many.into_iter().map(ToolSpec::new).collect();
        let text = unknown_tool(&"a_rather_long_tool_name_".repeat(1_000), &many);
        assert!(text.len() <= 1_024, "{}", text.len());
    }

    #[test]
    fn invalid_input_has_the_shape_of_the_value() {
        let issue = |path: &str, message: &str| Issue {
            path: serde_json::from_str(path).unwrap(),
            message: message.to_owned(),
        };
        let text = invalid_input(&[
            issue(r#"["city"]"#, "Required"),
            issue(r#"["stops",1,"__proto__"]"#, "Too small"),
            issue("[]", "Odd"),
        ]);
        assert_eq!(
            text,
            concat!(
                "Failed to validate the input args provided for the tool: ",
                r#"{"errors":["Odd"],"properties":{"city":{"errors":["Required"]},"stops":{"errors":[],"items":[null,{"errors":[],"properties":{"__proto__":{"errors":["Too small"]}}}]}}}"#
            )
        );
    }

    #[test]
    fn a_summary_takes_pending_tasks_and_inbox_along() {
        let carry: Carry = serde_json::from_str(
            r#"{"tasks":[{"id":"1","content":"Book","activeForm":"Booking","status":"pending"},{"id":"2","content":"Done","status":"completed"}],
                "inbox":[{"id":"i","tag":"mail","request":"Wait for Ann","status":"pending","blocking":true}]}"#,
        )
        .unwrap();
        assert_eq!(
            summary("S", &carry),
            "[Conversation summary from compaction]\n\nS\n\n[Current task list — as of this summary]\n- [pending] Book\n\n\n[Pending inbox items — being monitored by external services]\n- [mail] BLOCKING: Wait for Ann\n\n\n[End of summary - the conversation continues from here]"
        );
    }
}
