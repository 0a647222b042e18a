//! What is printed: calls, results and failures in a few lines, without what could control the terminal.

use std::io::{self, Write, stderr};

use glove_wasm::error::Error;
use glove_wasm::event::ToolUseResult;
use glove_wasm::message::ToolStatus;
use glove_wasm::runtime::Response;
use glove_wasm::task::Plan;
use serde_json::Value;

/// Lines of a call's arguments that a person reads before it runs: all that fit on a screen.
const DETAIL_LINES: usize = 30;
const RESULT_LINES: usize = 6;
const LONGEST_LINE: usize = 400;

/// What a person decides about, and names: a terminal finds nothing in it to obey, and what could make it look like another text stands
/// as an escape.
pub(crate) fn clean(text: &str) -> String {
    glove_wasm::visible_text::visible(text)
}

/// The same in one line.
pub(crate) fn clean_name(text: &str) -> String {
    glove_wasm::visible_text::visible_name(text)
}

/// An answer, which comes in pieces: without what a terminal obeys, and what would turn its text.
pub(crate) fn spoken(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_bidi(*c))).collect()
}

/// Marks that show text in another order than it has.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

pub(crate) fn complain(message: &str) {
    if !message.is_empty() {
        let _ = writeln!(stderr(), "glove: {}", clean(message));
    }
}

/// After something else has left it in raw mode.
pub(crate) fn restore_terminal() {
    let _ = termimad::crossterm::terminal::disable_raw_mode();
    let _ = write!(stderr(), "\x1b[?25h\x1b[?2004l");
}

/// What a call does, in lines.
pub(crate) fn call_details(tool: &str, input: &Value) -> Vec<String> {
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    let mut lines = Vec::new();
    match (tool, text("command"), text("path")) {
        // All of it: nobody allows what they cannot read.
        ("bash", Some(command), _) => {
            lines.extend(prefixed("$ ", "  ", command));
            if let Some(folder) = text("folder").filter(|folder| !folder.is_empty()) {
                lines.push(format!("  in {folder}"));
            }
            return lines.iter().map(|line| clean(line)).collect();
        }
        ("write_file" | "fs_write", _, Some(path)) => {
            lines.push(path.to_owned());
            lines.extend(prefixed("+ ", "+ ", text("content").unwrap_or_default()));
        }
        ("edit_file", _, Some(path)) => {
            lines.push(path.to_owned());
            lines.extend(prefixed("- ", "- ", text("old").unwrap_or_default()));
            lines.extend(prefixed("+ ", "+ ", text("new").unwrap_or_default()));
        }
        _ => match input {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    lines.extend(prefixed(&format!("{name}: "), "  ", &value));
                }
            }
            other => lines.push(other.to_string()),
        },
    }
    few(lines, DETAIL_LINES)
}

/// A plan, to its end: nobody approves what they cannot read.
pub(crate) fn plan_lines(plan: &Plan) -> Vec<String> {
    let mut lines = prefixed("", "", &plan.objective);
    for step in &plan.steps {
        lines.extend(prefixed(&format!("{}: ", step.id), "    ", &step.title));
        lines.extend(prefixed("    ", "    ", &step.instructions));
    }
    for constraint in &plan.constraints {
        lines.extend(prefixed("within: ", "    ", constraint));
    }
    for wanted in &plan.acceptance {
        lines.extend(prefixed("must hold: ", "    ", &wanted.criterion));
    }
    lines.iter().map(|line| clean(line)).collect()
}

fn prefixed(first: &str, others: &str, text: &str) -> Vec<String> {
    let line = |(at, line): (usize, &str)| format!("{}{line}", if at == 0 { first } else { others });
    text.lines().enumerate().map(line).collect()
}

fn few(mut lines: Vec<String>, most: usize) -> Vec<String> {
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    for line in &mut lines {
        *line = cut(&clean(line), LONGEST_LINE);
    }
    if more > 0 {
        lines.push(format!("… {more} more lines"));
    }
    lines
}

pub(crate) fn cut(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// A call in one line.
pub(crate) fn call_line(tool: &str, input: &Value) -> String {
    let first =
        ["command", "path", "pattern", "message"].into_iter().find_map(|name| input.get(name)?.as_str());
    let about = match (first, input) {
        (Some(first), _) => first.to_owned(),
        (None, Value::Object(fields)) if fields.is_empty() => String::new(),
        (None, other) => other.to_string(),
    };
    let about = about.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    cut(&clean(format!("{tool} {about}").trim_end()), 160)
}

/// What came of a call.
pub(crate) fn result_lines(result: &ToolUseResult) -> Vec<String> {
    let data = &result.result;
    let text = match &data.message {
        Some(message) if data.status != ToolStatus::Success => message.clone(),
        None if data.status != ToolStatus::Success && data.data.is_null() => "stopped".to_owned(),
        _ => data.data.to_text().unwrap_or_else(|| data.data.to_string()),
    };
    let mut lines = few(text.lines().map(without_colours).collect(), RESULT_LINES);
    if lines.is_empty() {
        lines.push("(nothing)".to_owned());
    }
    lines
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

/// What is said at the end of a request beside the answer; `Err` for a failure.
pub(crate) fn ending(done: &Result<Response, Error>) -> Result<Option<String>, String> {
    match done {
        Ok(Response::Completed(_) | Response::Waiting { .. } | Response::Switched) => Ok(None),
        Ok(Response::Dropped) => Ok(Some("not begun: another request is running".to_owned())),
        Ok(Response::Paused { message, .. }) => Ok(Some(format!("paused: {message}"))),
        Ok(Response::Undone { steps, error }) => {
            let steps = match steps {
                0 => "nothing was taken back".to_owned(),
                1 => "1 action was taken back".to_owned(),
                more => format!("{more} actions were taken back"),
            };
            Ok(Some(error.as_ref().map_or_else(|| steps.clone(), |why| format!("{steps}: {why}"))))
        }
        Err(Error::Aborted) => Ok(Some("stopped".to_owned())),
        Err(error) => Err(format!("{error} ({})", error.code())),
    }
}

/// Whoever reads the output may be gone, which ends the program like any other that writes to a closed pipe.
pub(crate) fn line(out: &mut impl Write, line: &str) -> io::Result<()> {
    writeln!(out, "{line}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_call_is_shown_in_the_lines_of_a_screen() {
        let content: String = (0..100).map(|line| format!("line {line}\n")).collect();
        let lines = call_details("write_file", &json!({ "path": "a.txt", "content": content }));
        assert_eq!(lines.len(), DETAIL_LINES + 1);
        assert_eq!(lines[0], "a.txt");
        assert_eq!(lines[1], "+ line 0");
        assert_eq!(lines[DETAIL_LINES], "… 71 more lines");
    }

    #[test]
    fn the_colours_of_what_a_program_printed_leave_no_letters() {
        assert_eq!(without_colours("\u{1b}[1;31mred\u{1b}[0m and \u{1b}[mplain"), "red and plain");
        assert_eq!(without_colours("a [31m and \u{1b}[2Jb"), "a [31m and 2Jb");
    }

    #[test]
    fn a_result_is_shown_without_its_colours() {
        let result = json!({ "tool_name": "bash", "call_id": "c1", "name": "bash", "id": "c1", "result": { "status": "success", "data": "\u{1b}[31mred\u{1b}[0m\u{7}" } });
        let lines = result_lines(&serde_json::from_value(result).unwrap());
        assert_eq!(lines, ["red\\u0007"]);
    }

    #[test]
    fn a_command_is_shown_to_its_end_before_it_is_allowed() {
        let command = format!("echo {}; rm -rf build\n{}last", "a".repeat(500), "true\n".repeat(50));
        let lines = call_details("bash", &json!({ "command": command }));
        assert!(lines[0].ends_with("; rm -rf build"));
        assert_eq!(lines.last().unwrap(), "  last");
    }

    #[test]
    fn text_cannot_control_the_terminal() {
        let text = "a\u{1b}]0;title\u{7}b\rc\u{202e}d\n\te";
        assert_eq!(clean(text), "a\\u001B]0;title\\u0007b\\rc\\u202Ed\n\te");
        assert_eq!(spoken(text), "a]0;titlebcd\n\te");
    }

    #[test]
    fn a_name_is_shown_with_what_would_turn_it() {
        assert_eq!(
            call_line("open", &json!({ "path": "report\u{202e}fdp.exe" })),
            "open report\\u202Efdp.exe"
        );
        assert_eq!(
            call_details("open", &json!({ "path": "a\u{200b}b", "who": "می‌خواهم 👩🏽‍🚀" })),
            ["path: a\\u200Bb", "who: می‌خواهم 👩🏽‍🚀"]
        );
    }
}
