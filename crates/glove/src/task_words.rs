//! The events of a task in words for a person. `--json` and the journal have them as they are.

use glove_wasm_task::TaskEvent;
use serde_json::Value;

use crate::terminal_text::{isolated_name, untrusted_lines};

/// One event in a line.
pub(crate) fn event_line(event: &TaskEvent) -> String {
    let data: Value = event.data.read().unwrap_or_default();
    let data = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
    let message = untrusted_lines(&event.message);
    let of = |what: &str| if message.is_empty() { what.to_owned() } else { format!("{what}: {message}") };
    match event.kind.as_str() {
        "task.start" => of("Task"),
        "task.stop" => of("Stopped"),
        "task.resume" => of("Goes on"),
        "phase.start" => of(&step_name(&event.step)),
        "phase.finish" => format!("{}: {message}", step_name(&event.step)),
        "plan.proposed" => format!("Plan written ({message})"),
        "plan.edited" => of("Plan edited"),
        "plan.approved" => "Plan approved".to_owned(),
        "plan.denied" => of("Plan denied"),
        "approval.requested" if message.is_empty() => "? Approval of the plan".to_owned(),
        "approval.requested" => format!("  ? Approval of {message}"),
        "approval.decided" => {
            let sign = if data("decision") == "approved" { "✓ Approved" } else { "✗ Not approved" };
            let what = if message.is_empty() { String::new() } else { format!(": {message}") };
            let by = match data("approved_by") {
                "" => String::new(),
                by => format!(", by {}", isolated_name(by)),
            };
            let indent = if message.is_empty() { "" } else { "  " };
            format!("{indent}{sign}{what}{by}")
        }
        "approval.ignored" => of("A decision was ignored"),
        "tool.call" => format!("  ● {message}"),
        "tool.result" if event.error.is_empty() => format!("  ✓ {message}"),
        "tool.result" => format!("  ✗ {message}: {}", untrusted_lines(&event.error)),
        "verify.pass" => "✓ Verification passed".to_owned(),
        "verify.fail" => of("✗ Verification failed"),
        "memory.read" => of("Memory read"),
        "memory.write" => of("Memory written"),
        "context.pushed" => "Something to read was added".to_owned(),
        "budget.hit" => of("Budget reached"),
        "output.missing" => format!("! {message}"),
        "error" => format!("✗ {message} ({})", isolated_name(&event.error)),
        "finish" => of("Ended"),
        kind => of(&isolated_name(kind)),
    }
}

/// `act-1-s1` is the first time that `act` works, at the step s1 of the plan, which the event names.
fn step_name(step: &str) -> String {
    let number = step.match_indices('-').find(|(at, _)| {
        step.get(at + 1..).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
    });
    let name = number.and_then(|(at, _)| step.get(..at)).unwrap_or(step);
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => isolated_name(&format!("{}{}", first.to_uppercase(), letters.as_str())),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, step: &str, message: &str) -> TaskEvent {
        TaskEvent {
            kind: kind.to_owned(),
            step: step.to_owned(),
            message: message.to_owned(),
            ..TaskEvent::default()
        }
    }

    #[test]
    fn an_event_is_told_in_words() {
        assert_eq!(event_line(&event("phase.start", "act-1-s1", "s1")), "Act: s1");
        assert_eq!(event_line(&event("phase.start", "gather-1", "")), "Gather");
        assert_eq!(event_line(&event("phase.start", "verify-2", "")), "Verify");
        assert_eq!(event_line(&event("tool.result", "act-1-s1", "fs_write")), "  ✓ fs_write");
        let mut failed = event("tool.result", "act-1-s1", "fs_write");
        failed.error = "no\u{1b}[2J".to_owned();
        assert_eq!(event_line(&failed), "  ✗ fs_write: no\\u001B[2J");
        let mut decided = event("approval.decided", "act-1-s1", "fs_write");
        decided.data = serde_json::json!({ "decision": "approved", "approved_by": "ada" }).into();
        assert_eq!(event_line(&decided), "  ✓ Approved: fs_write, by ada");
        assert_eq!(event_line(&event("of.tomorrow", "", "x")), "of.tomorrow: x");
    }
}
