//! What is printed: calls, results and failures in a few lines, without what could control the terminal.

use std::io::{self, Write, stderr, stdin};
use std::panic;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use glove_wasm::display::Slot;
use glove_wasm::message::{ToolResultData, ToolStatus};
use glove_wasm::run::views::timeline::{EntryStatus, ToolEntry, error_text};
use glove_wasm::visible_text::{isolated, visible, visible_name};
use glove_wasm_coding::{FileChange, FileFound};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::parts::pages;

/// Lines around a change that say where it is.
const AROUND_CHANGE: usize = 3;
/// A comparison of long files that takes longer is made coarser.
const COMPARE_MS: u64 = 500;
const RESULT_LINES: usize = 6;
const LONGEST_LINE: usize = 400;
const LONGEST_CALL: usize = 160;

/// What the model reads of a call that plan mode does not run.
pub const PLAN: &str = "the user has turned on plan mode, in which nothing is changed and no command runs. Read what you need, then say what you would do";

/// What a person decides about, and names: a terminal finds nothing in it to obey, and what could make it look like another text stands
/// as an escape.
pub fn clean(text: &str) -> String {
    visible(text)
}

/// The same in one line.
pub fn clean_name(text: &str) -> String {
    visible_name(text)
}

/// A name or value that something follows in its line: its direction is its own.
pub fn isolated_name(text: &str) -> String {
    isolated(&in_line(text))
}

/// Escapes untrusted text of several lines, so that right-to-left marks do not affect text beside a line.
pub fn untrusted_lines(text: &str) -> String {
    clean(text).split('\n').map(isolated).collect::<Vec<_>>().join("\n")
}

/// An answer, which comes in pieces: without what a terminal obeys, and what would turn its text.
pub fn safe_text(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_bidi(*c))).collect()
}

/// As a part of a line: what would begin another one is a space.
pub fn in_line(text: &str) -> String {
    clean(text).replace("\r\n", " ").replace(['\n', '\t'], " ")
}

/// Marks that show text in another order than it has.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// The terminal as it was before anything was asked in it.
static BEFORE: OnceLock<Termios> = OnceLock::new();

pub fn remember_terminal() {
    if let Ok(modes) = tcgetattr(stdin()) {
        let _ = BEFORE.set(modes);
    }
}

/// The program ends: nobody takes the terminal any more.
static GIVEN_BACK: AtomicBool = AtomicBool::new(false);

pub fn is_given_back() -> bool {
    GIVEN_BACK.load(Ordering::SeqCst)
}

/// A panic ends the program at once, and is told in a terminal as it was before.
pub fn restore_on_panic() {
    let tells = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        restore_terminal();
        tells(about);
    }));
}

/// For whoever ends the program while something is asked.
pub fn restore_terminal() {
    GIVEN_BACK.store(true, Ordering::SeqCst);
    pages::give_back();
    if let Some(modes) = BEFORE.get() {
        let _ = tcsetattr(stdin(), OptionalActions::Now, modes);
        let _ = write!(stderr(), "\x1b[?25h\x1b[?2004l");
    }
}

/// What is typed does not stand in the terminal for as long as this is held.
#[derive(Debug)]
pub struct Unseen(Option<Termios>);

impl Unseen {
    pub fn begin() -> Self {
        let before = BEFORE.get().cloned().or_else(|| tcgetattr(stdin()).ok());
        if let Some(modes) = &before {
            let mut modes = modes.clone();
            modes.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(stdin(), OptionalActions::Now, &modes);
        }
        Unseen(before)
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        if let Some(modes) = &self.0 {
            let _ = tcsetattr(stdin(), OptionalActions::Now, modes);
        }
    }
}

/// What a call does, to its end: nobody allows what they cannot read. A change of a file is shown as one, where it is known.
pub fn call_details(tool: &str, input: &Value, change: Option<&FileChange>) -> Vec<String> {
    call_parts(tool, input, change, false).0
}

/// The same, and how many lines at its beginning are the change. Where no change is known although the folder is, there is none.
pub fn call_parts(
    tool: &str,
    input: &Value,
    change: Option<&FileChange>,
    is_folder_known: bool,
) -> (Vec<String>, usize) {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let (mut lines, mut changed) = (Vec::new(), 0);
    let shown: &[&str] = match (tool, change, text("command"), text("path")) {
        ("bash" | "shell", _, Some(command), _) => {
            lines.extend(prefixed("$ ", "  ", command));
            &["command"]
        }
        ("write_file" | "fs_write" | "edit_file", Some(change), ..) => {
            lines.extend(change_lines(change));
            changed = lines.len();
            &["path", "file_path", "content", "old", "old_string", "new", "new_string"]
        }
        ("write_file" | "fs_write", None, _, Some(path)) if text("content").is_some() => {
            lines.push(name(path));
            lines.extend(prefixed("+ ", "+ ", text("content").unwrap_or_default()));
            &["path", "content"]
        }
        ("edit_file", None, _, Some(path)) if text("old").is_some() && text("new").is_some() => {
            let path = name(path);
            lines.push(match is_folder_known {
                true => format!("{path} (this piece is not in it exactly once: nothing would be changed)"),
                false => path,
            });
            lines.extend(prefixed("- ", "- ", text("old").unwrap_or_default()));
            lines.extend(prefixed("+ ", "+ ", text("new").unwrap_or_default()));
            &["path", "old", "new"]
        }
        _ => &[],
    };
    match input {
        Value::Object(fields) => {
            for (field, value) in fields.iter().filter(|(field, _)| !shown.contains(&field.as_str())) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                lines.extend(prefixed(&format!("{}: ", isolated_name(field)), "  ", &value));
            }
        }
        other => lines.extend(prefixed("", "", &other.to_string())),
    }
    (lines, changed)
}

/// A path or a name as it is: whatever would end its line is an escape.
pub fn name(text: &str) -> String {
    isolated(&clean_name(text))
}

/// All lines that change, and a few around them.
pub fn change_lines(change: &FileChange) -> Vec<String> {
    let FileChange { path, before, after } = change;
    let (about, before) = match before {
        FileFound::Text(text) => ("", text.as_str()),
        FileFound::Nothing => (" (a new file)", ""),
        FileFound::Other => (" (what is there is no text, or too large, and is replaced)", ""),
    };
    let mut lines = vec![format!("{}{about}", name(path))];
    if matches!(change.before, FileFound::Text(_)) && before == after {
        lines.push("(nothing changes)".to_owned());
        return lines;
    }
    let compared =
        TextDiff::configure().timeout(Duration::from_millis(COMPARE_MS)).diff_lines(before, after.as_str());
    if let (FileFound::Text(_), Some(heading)) = (&change.before, lines.first_mut()) {
        let count = |tag| compared.iter_all_changes().filter(|change| change.tag() == tag).count();
        heading.push_str(&format!(" (+{} -{})", count(ChangeTag::Insert), count(ChangeTag::Delete)));
    }
    let compared = compared.unified_diff().context_radius(AROUND_CHANGE).to_string();
    // Its first character says what becomes of a line.
    let line = |line: &str| match line.split_at_checked(1) {
        Some((sign, text)) => format!("{sign}{}", untrusted_lines(text)),
        None => untrusted_lines(line),
    };
    lines.extend(compared.split_terminator('\n').map(line));
    if before.is_empty() && after.is_empty() {
        lines.push("(an empty file)".to_owned());
    }
    lines
}

/// What others wrote, each line behind what we say of it. An empty text is a line too, and so is an empty line at its end.
pub fn prefixed(first: &str, others: &str, text: &str) -> Vec<String> {
    let line = |(at, line): (usize, &str)| {
        format!("{}{}", if at == 0 { first } else { others }, untrusted_lines(line))
    };
    text.strip_suffix('\n').unwrap_or(text).split('\n').enumerate().map(line).collect()
}

/// The beginning and the end: what a command came to stands in its last lines.
fn few(lines: Vec<String>, most: usize) -> Vec<String> {
    let (count, first) = (lines.len(), most.div_ceil(2));
    let (last, is_cut) = (count.saturating_sub(most - first), count > most + 1);
    let mut out = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        if !is_cut || at < first || at >= last {
            out.push(isolated(&cut(&clean(&line), LONGEST_LINE)));
        } else if at == first {
            out.push(format!("… {} more lines", last - first));
        }
    }
    out
}

pub fn cut(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// What a tool for files and commands does, in a word; other tools have their names.
fn verb(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "bash" | "shell" => "Run",
        "read_file" | "file_read" => "Read",
        "edit_file" => "Edit",
        "write_file" | "fs_write" => "Write",
        "list_dir" => "List",
        "search" => "Search",
        "ask_user" => "Ask",
        _ => return None,
    })
}

/// What is asked before a call runs. What it does stands above the question, to its end.
pub fn call_question(tool: &str, input: &Value) -> String {
    let path = ["path", "file_path"].into_iter().find_map(|name| input.get(name)?.as_str());
    match (verb(tool), path) {
        (Some("Run"), _) if input.get("command").is_some() => "Run this command?".to_owned(),
        (Some(verb @ ("Edit" | "Write")), Some(path)) => {
            format!("{verb} {}?", isolated(&cut(&clean_name(path), LONGEST_CALL)))
        }
        _ => format!("Run {}?", isolated_name(tool)),
    }
}

/// A call in one line.
pub fn call_line(tool: &str, input: &Value) -> String {
    let first = ["command", "path", "file_path", "pattern", "message"]
        .into_iter()
        .find_map(|name| input.get(name)?.as_str());
    let about = match (first, input) {
        (Some(first), _) => first.to_owned(),
        (None, Value::Object(fields)) if fields.is_empty() => String::new(),
        (None, other) => other.to_string(),
    };
    let about = about.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let tool = cut(&clean_name(verb(tool).unwrap_or(tool)), LONGEST_CALL);
    let about = cut(&clean(&about), LONGEST_CALL.saturating_sub(tool.chars().count()));
    format!("{} {}", isolated(&tool), isolated(&about)).trim_end().to_owned()
}

/// What came of a call.
pub fn result_lines(result: &ToolResultData) -> Vec<String> {
    let data = || result.data.to_text().unwrap_or_else(|| result.data.to_string());
    let error = error_text(result).map(str::to_owned);
    // Of arguments that do not fit, the message is a code: what is wrong stands in the data.
    let is_in_data = result.outcome.as_deref() == Some("invalid") && !result.data.is_null();
    match result.status {
        ToolStatus::Success | ToolStatus::Pending => output_lines(&data()),
        ToolStatus::Error if is_in_data => failure_lines(result.outcome.as_deref(), &data()),
        ToolStatus::Error => failure_lines(result.outcome.as_deref(), &error.unwrap_or_else(data)),
        ToolStatus::Aborted => stopped_lines(result.outcome.as_deref(), error.as_deref().unwrap_or_default()),
    }
}

/// The same of what is recalled.
pub fn entry_lines(entry: &ToolEntry) -> Vec<String> {
    let output = entry.output.as_deref().unwrap_or_default();
    let mut lines = match entry.status {
        EntryStatus::Success => output_lines(output),
        EntryStatus::Error => failure_lines(entry.outcome.as_deref(), output),
        EntryStatus::Aborted => stopped_lines(entry.outcome.as_deref(), output),
        EntryStatus::Running | EntryStatus::Pending => vec!["(not finished)".to_owned()],
    };
    if entry.undone {
        lines.push("(taken back)".to_owned());
    }
    lines
}

/// What the person stopped themselves needs no more words, unless something has been done before.
fn stopped_lines(outcome: Option<&str>, why: &str) -> Vec<String> {
    const BY_THE_PERSON: &str = "Tool execution was aborted by the user.";
    match (outcome, why.trim()) {
        (None, "" | BY_THE_PERSON) => failure_lines(None, "stopped"),
        (outcome, why) => failure_lines(outcome, if why.is_empty() { "stopped" } else { why }),
    }
}

fn output_lines(text: &str) -> Vec<String> {
    let mut lines = few(text.lines().map(without_colours).collect(), RESULT_LINES);
    if lines.is_empty() {
        lines.push("(nothing)".to_owned());
    }
    lines
}

/// All lines of what a program printed.
pub fn all_output_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| format!("  {}", isolated(&clean(&without_colours(line))))).collect()
}

/// Why a call has no result, in words for a person.
fn failure_lines(outcome: Option<&str>, error: &str) -> Vec<String> {
    const REJECTED: &str = "The user rejected this";
    const REFUSED: &str = "\" was not run, because the check before it failed: ";
    let words = match outcome {
        Some("denied") => "not allowed".to_owned(),
        Some("rejected") => match error.strip_prefix(REJECTED).and_then(|why| why.strip_prefix(": ")) {
            Some(reason) => format!("turned down: {reason}"),
            None => "turned down".to_owned(),
        },
        Some("invalid") => format!("the arguments do not fit: {}", misfits(error)),
        _ if error.ends_with(PLAN) => "not run: plan mode changes nothing; shift-tab leaves it".to_owned(),
        Some("unknown_tool") => "there is no tool of this name".to_owned(),
        Some("interrupted") => "interrupted; whether it took effect is not known".to_owned(),
        Some("timed_out") => {
            "stopped, because it took too long; whether it took effect is not known".to_owned()
        }
        _ if error.trim().is_empty() => "failed".to_owned(),
        _ => error.split_once(REFUSED).map_or(error, |(_, why)| why).to_owned(),
    };
    let lines = output_lines(&words);
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| format!("{}{line}", if at == 0 { "✗ " } else { "  " }))
        .collect()
}

/// What is wrong in which argument, read from the tree that the model gets.
fn misfits(error: &str) -> String {
    fn collect(path: &str, node: &Value, found: &mut Vec<String>) {
        for error in node.get("errors").and_then(Value::as_array).into_iter().flatten() {
            let error = error.as_str().unwrap_or_default();
            found.push(if path.is_empty() { error.to_owned() } else { format!("{path}: {error}") });
        }
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        for (key, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
            collect(&below(key), child, found);
        }
        for (at, child) in node.get("items").and_then(Value::as_array).into_iter().flatten().enumerate() {
            collect(&below(&at.to_string()), child, found);
        }
    }
    let tree = error.find('{').and_then(|at| serde_json::from_str::<Value>(error.get(at..)?).ok());
    let mut found = Vec::new();
    if let Some(tree) = tree {
        collect("", &tree, &mut found);
    }
    if found.is_empty() { error.to_owned() } else { found.join("; ") }
}

/// Without the orders by which programs colour what they print, which `clean` would show. Only results lose them: what is
/// to be allowed is shown to the last character.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let order = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        out.push_str(order.strip_prefix('m').unwrap_or(piece));
    }
    out
}

/// What a tool shows and nobody waits for: `info` with its title and kind, and whatever else by its fields.
pub fn notice_lines(slot: &Slot) -> Vec<String> {
    let input: Value = slot.input.read().unwrap_or_default();
    let text = |name: &str| input.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let sign = match text("type") {
        Some("success") => "✓",
        Some("warning") => "!",
        Some("error") => "✗",
        _ => "i",
    };
    let mut lines = Vec::new();
    if let Some(title) = text("title") {
        lines.extend(prefixed(&format!("{sign} "), "  ", title));
    }
    match (text("message"), lines.is_empty()) {
        (Some(message), true) => lines.extend(prefixed(&format!("{sign} "), "  ", message)),
        (Some(message), false) => lines.extend(prefixed("  ", "  ", message)),
        (None, false) => {}
        (None, true) => {
            lines.push(format!("{sign} {}", isolated_name(&slot.renderer)));
            lines.extend(call_details("", &input, None).into_iter().map(|line| format!("  {line}")));
        }
    }
    lines
}

/// Writes a line. If the reader of the output is gone, the program ends, like other programs with a closed pipe.
pub fn line(out: &mut impl Write, line: &str) -> io::Result<()> {
    writeln!(out, "{line}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_that_a_call_does_is_shown_whatever_its_tool() {
        let content: String = (0..100).map(|line| format!("line {line}\n")).collect();
        let lines = call_details("write_file", &json!({ "path": "a.txt", "content": content }), None);
        assert_eq!((lines.len(), lines[0].as_str(), lines[100].as_str()), (101, "a.txt", "+ line 99"));
        let last = format!("{}deleteEverything()", " ".repeat(20_000));
        let lines = call_details(
            "deploy",
            &json!({ "script": format!("{}{last}", "true\n".repeat(200)), "force": true, "note": "" }),
            None,
        );
        assert!(
            lines.contains(&format!("  {last}")) && lines.contains(&"force: true".to_owned()),
            "{}",
            lines.len()
        );
        assert!(lines.contains(&"note: ".to_owned()), "an empty value is one");
        let lines = call_details("bash", &json!({ "command": "ls", "folder": "src", "seconds": 3600 }), None);
        assert_eq!(lines, ["$ ls", "folder: src", "seconds: 3600"]);
    }

    #[test]
    fn an_edit_is_shown_as_all_that_changes() {
        let before: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let after = before.replace("line 7\n", "line seven\n").replace("line 150\n", "");
        let change = FileChange { path: "a.txt".to_owned(), before: FileFound::Text(before), after };
        let lines = call_details(
            "write_file",
            &json!({ "path": "a.txt", "content": "", "create_dirs": true }),
            Some(&change),
        );
        let changed: Vec<&str> =
            lines.iter().map(String::as_str).filter(|line| line.starts_with(['+', '-'])).collect();
        assert_eq!(changed, ["-line 7", "+line seven", "-line 150"]);
        assert!(lines.len() < 25 && lines.contains(&"create_dirs: true".to_owned()), "{lines:?}");
        let all: String = (0..500).map(|line| format!("{line}\n")).collect();
        let change = FileChange { before: FileFound::Nothing, after: all, ..change };
        let lines = call_details("write_file", &json!({ "path": "a.txt", "content": "" }), Some(&change));
        assert_eq!(lines[0], "a.txt (a new file)");
        assert_eq!(lines.iter().filter(|line| line.starts_with('+')).count(), 500);
        let change =
            FileChange { before: FileFound::Text("gone\n".to_owned()), after: String::new(), ..change };
        let lines = call_details("edit_file", &json!({}), Some(&change));
        assert!(lines.contains(&"-gone".to_owned()), "{lines:?}");
    }

    #[test]
    fn the_colours_of_what_a_program_printed_leave_no_letters() {
        assert_eq!(without_colours("\u{1b}[1;31mred\u{1b}[0m and \u{1b}[mplain"), "red and plain");
        assert_eq!(without_colours("a [31m and \u{1b}[2Jb"), "a [31m and 2Jb");
    }

    #[test]
    fn a_result_is_shown_without_its_colours() {
        let result = json!({ "status": "success", "data": "\u{1b}[31mred\u{1b}[0m\u{7}" });
        let lines = result_lines(&serde_json::from_value(result).unwrap());
        assert_eq!(lines, ["red\\u0007"]);
    }

    #[test]
    fn a_notice_has_its_title_its_kind_and_all_of_its_text() {
        let lines = |renderer: &str, input: Value| {
            let slot = json!({ "id": "s1", "renderer": renderer, "input": input, "created_at": 0 });
            notice_lines(&serde_json::from_value(slot).unwrap())
        };
        assert_eq!(lines("info", json!({ "message": "All is well." })), ["i All is well."]);
        let input = json!({ "title": "Before\u{1b}[2J", "message": "one\ntwo", "type": "warning" });
        assert_eq!(lines("info", input), ["! Before\\u001B[2J", "  one", "  two"]);
        assert_eq!(lines("info", json!({ "title": "Done", "type": "success" })), ["✓ Done"]);
        assert_eq!(lines("chart", json!({ "points": [1, 2] })), ["i chart", "  points: [1,2]"]);
    }

    #[test]
    fn why_a_call_has_no_result_is_told_in_words_for_a_person() {
        let lines = |outcome: &str, message: &str| {
            let result = json!({ "status": "error", "data": null, "outcome": outcome, "message": message });
            result_lines(&serde_json::from_value(result).unwrap())
        };
        let denied =
            "Permission denied for tool \"bash\". The user has not granted permission to run this tool.";
        assert_eq!(lines("denied", denied), ["✗ not allowed"]);
        assert_eq!(lines("rejected", "The user rejected this: too late"), ["✗ turned down: too late"]);
        assert_eq!(lines("rejected", "The user rejected this."), ["✗ turned down"]);
        let tree = r#"{"errors":["Odd"],"properties":{"city":{"errors":["Required"]},"stops":{"errors":[],"items":[null,{"errors":["Too small"]}]}}}"#;
        let invalid = format!("Failed to validate the input args provided for the tool: {tree}");
        assert_eq!(
            lines("invalid", &invalid),
            ["✗ the arguments do not fit: Odd; city: Required; stops.1: Too small"]
        );
        let failed = "Failed to run tool successfully. Tool Errored out with one\ntwo.";
        assert_eq!(lines("failed", failed), ["✗ one", "  two"]);
        let aborted = json!({ "status": "aborted", "data": null, "message": "Tool execution was aborted by the user." });
        assert_eq!(result_lines(&serde_json::from_value(aborted).unwrap()), ["✗ stopped"]);
    }

    #[test]
    fn of_a_long_output_the_beginning_and_the_end_are_shown() {
        let output = |count: usize| {
            let text: String = (0..count).map(|line| format!("{line}\n")).collect();
            output_lines(&text).join(" ")
        };
        assert_eq!(output(7), "0 1 2 3 4 5 6", "a line in place of one is no gain");
        assert_eq!(output(8), "0 1 2 … 2 more lines 5 6 7");
        assert_eq!(output(100), "0 1 2 … 94 more lines 97 98 99");
        assert_eq!(output(0), "(nothing)");
    }

    #[test]
    fn what_does_not_fit_is_told_where_the_message_is_a_code() {
        let data = r#"Failed to validate: {"errors":[],"properties":{"path":{"errors":["Required"]}}}"#;
        let result =
            json!({ "status": "error", "data": data, "outcome": "invalid", "message": "TOOL_INPUT_INVALID" });
        let lines = result_lines(&serde_json::from_value(result).unwrap());
        assert_eq!(lines, ["✗ the arguments do not fit: path: Required"]);
    }

    #[test]
    fn a_command_is_shown_to_its_end_before_it_is_allowed() {
        let command = format!("echo {}; rm -rf build\n{}last", "a".repeat(500), "true\n".repeat(50));
        let lines = call_details("bash", &json!({ "command": command }), None);
        assert!(lines[0].ends_with("; rm -rf build"));
        assert_eq!(lines.last().unwrap(), "  last");
    }

    #[test]
    fn text_cannot_control_the_terminal() {
        let text = "a\u{1b}]0;title\u{7}b\rc\u{202e}d\n\te";
        assert_eq!(clean(text), "a\\u001B]0;title\\u0007b\\rc\\u202Ed\n\te");
        assert_eq!(safe_text(text), "a]0;titlebcd\n\te");
    }

    #[test]
    fn a_name_is_shown_with_what_would_turn_it() {
        assert_eq!(
            call_line("open", &json!({ "path": "report\u{202e}fdp.exe" })),
            "open report\\u202Efdp.exe"
        );
        assert_eq!(
            call_details("open", &json!({ "path": "a\u{200b}b", "who": "می‌خواهم 👩🏽‍🚀" }), None),
            ["path: a\\u200Bb", "who: \u{2068}می‌خواهم 👩🏽‍🚀\u{2069}"]
        );
    }

    #[test]
    fn what_is_written_from_the_right_turns_nothing_beside_it_in_the_details_of_a_call() {
        let own = |text: &str| format!("\u{2068}{text}\u{2069}");
        let input = json!({ "path": "שלום.txt", "content": "אחת\ntwo\n", "שם": "1\nשתיים" });
        assert_eq!(
            call_details("write_file", &input, None),
            [
                own("שלום.txt"),
                format!("+ {}", own("אחת")),
                "+ two".to_owned(),
                format!("{}: 1", own("שם")),
                format!("  {}", own("שתיים"))
            ]
        );
        let change = FileChange {
            path: "שלום.txt".to_owned(),
            before: FileFound::Text("אחת\n".to_owned()),
            after: "שתיים\n".to_owned(),
        };
        let lines = call_details("edit_file", &json!({}), Some(&change));
        assert_eq!(lines[0], format!("{} (+1 -1)", own("שלום.txt")));
        assert!(lines.contains(&format!("-{}", own("אחת"))) && lines.contains(&format!("+{}", own("שתיים"))));
        assert_eq!(
            call_details("bash", &json!({ "command": "rm שלום" }), None),
            [format!("$ {}", own("rm שלום"))]
        );
        assert_eq!(
            call_line("קרא", &json!({ "path": "שלום.txt" })),
            format!("{} {}", own("קרא"), own("שלום.txt"))
        );
        // What a text brings along itself ends none of the marks, and a path is one line.
        let hostile = json!({ "path": "א\u{2069}\nb", "content": "" });
        assert_eq!(call_details("write_file", &hostile, None)[0], own("א\\u2069\\nb"));
    }
}
