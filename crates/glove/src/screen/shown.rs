//! What is drawn of what happens, and of what has happened before.

use glove_wasm::display::Slot;
use glove_wasm::event::{Event, ToolUseResult};
use glove_wasm::json::Json;
use glove_wasm::message::ToolStatus;

use super::{Screen, Waiting};
use crate::calls::Shown;
use crate::display::Block;
use crate::failure::Failure;
use crate::pages;
use crate::reading::Reading;
use crate::status::status;
use crate::terminal_text;
use crate::visibility::{Recalled, is_hidden, is_of_answer, recalled};

/// So much of a change is shown that nobody was asked about.
const CHANGE_LINES: usize = 20;
/// What stands before what came of a call.
const INDENT: &str = "  ";

impl Screen<'_> {
    /// What was used, when that has changed.
    pub(super) fn tell_status(&mut self) -> Result<(), Failure> {
        // How much fits is another matter until the summary is there that was asked for.
        if self.summary_is_due {
            return Ok(());
        }
        let status = self.status();
        if status != self.told_status {
            if let Some(status) = &status {
                self.status_rows += pages::rows(std::slice::from_ref(status), pages::size().0).len();
                self.display.print_lines(std::slice::from_ref(status), true)?;
            }
            self.told_status = status;
        }
        Ok(())
    }

    pub(super) fn status(&self) -> Option<String> {
        let limit = self.usual_compaction.as_ref().map(|usual| usual.context_limit);
        status(self.open_agent.agent.session(), self.modes.now(), limit)
    }

    /// The end of what was said before.
    pub(super) fn recall(&mut self) -> Result<(), Failure> {
        for entry in recalled(self.open_agent.agent.session()) {
            match entry {
                Recalled::Person(text) => {
                    let lines =
                        text.lines().map(|line| format!("> {}", terminal_text::untrusted_lines(line)));
                    self.display.person(&lines.collect::<Vec<_>>())?;
                }
                Recalled::Agent(text) => self.display.markdown(&text)?,
                Recalled::Call(call) => self.show_calls(vec![call])?,
                Recalled::Note(note) => self.display.lines(&[note], true)?,
            }
        }
        Ok(())
    }

    /// What is being done from now on, if that has changed.
    pub(super) fn on_event(&mut self, event: &Event) -> Result<Option<String>, Failure> {
        if let Event::CompactionEnd { .. } = event
            && std::mem::take(&mut self.summary_is_due)
            && let Some(usual) = self.usual_compaction.clone()
        {
            self.open_agent.agent.session().set_compaction(usual);
        }
        if let Event::RequestStarted { request } = event {
            self.hides = is_hidden(self.open_agent.agent.session(), Some(request));
            if let Some(at) = self.waiting.iter().position(|waiting| waiting.id == *request) {
                let Waiting { text, .. } = self.waiting.remove(at);
                let lines = text.lines().map(|line| format!("> {}", terminal_text::untrusted_lines(line)));
                self.display.person(&lines.collect::<Vec<_>>())?;
            }
        }
        if let Some(text) = self.said.unseen(event).filter(|_| !self.hides) {
            self.display.markdown(text)?;
        }
        Ok(match event {
            _ if self.hides && is_of_answer(event) => None,
            Event::TextDelta { text } => {
                self.display.add(text)?;
                Some("writing".to_owned())
            }
            Event::ReasoningDelta { .. } => Some("thinking".to_owned()),
            Event::ToolInputDelta { name, .. } => {
                Some(format!("preparing {}", terminal_text::isolated_name(name)))
            }
            Event::ToolUse { id, name, input } => {
                self.calls.called(id, name, input);
                None
            }
            Event::ToolUseResult(result) => {
                let input = self.open_agent.input_of(&result.call_id);
                let change = self.unseen_change(result, input.as_ref());
                let ended = self.calls.ended(result, input.as_ref(), change);
                self.show_calls(ended)?;
                Some(self.calls.running().unwrap_or_else(|| "thinking".to_owned()))
            }
            Event::ModelRetry { code, wait_ms, .. } => Some(terminal_text::waiting(code, *wait_ms)),
            Event::CompactionStart { current_token_consumption } => {
                self.before_summary = *current_token_consumption;
                Some("summarising what was said".to_owned())
            }
            Event::CompactionEnd { current_token_consumption, summary_message: Some(_) } => {
                let told = terminal_text::summarised(self.before_summary, *current_token_consumption);
                self.display.lines(&[format!("! {told}")], true)?;
                Some("thinking".to_owned())
            }
            Event::ModelResponse(_) | Event::ModelResponseComplete(_) => {
                self.display.finish()?;
                let begun = self.calls.begun();
                self.show_calls(begun)?;
                self.calls.running()
            }
            Event::Guard { message, .. }
            | Event::Error { message, .. }
            | Event::ModelNotice { message, .. } => {
                self.display
                    .print_lines(&[format!("! {}", terminal_text::untrusted_lines(message))], true)?;
                None
            }
            _ => None,
        })
    }

    pub(super) fn show_calls(&mut self, shown: Vec<Shown>) -> Result<(), Failure> {
        for Shown { call, result, change } in shown {
            let has_failed = result.first().is_some_and(|line| line.starts_with('✗'));
            self.display.apart(Block::Calls)?;
            if let Some(call) = call {
                self.display.call(&call, has_failed)?;
            }
            let rows = result_rows(&result, pages::size().0);
            match has_failed {
                true => self.display.failed_rows(&rows)?,
                false => self.display.print_lines(&rows, true)?,
            }
            self.display.print_lines(&change, false)?;
        }
        Ok(())
    }

    /// What a call has changed of a file, where nobody was asked about it before.
    pub(super) fn unseen_change(&mut self, result: &ToolUseResult, input: Option<&Json>) -> Vec<String> {
        let was_seen = std::mem::take(&mut self.was_asked);
        let change = match input {
            Some(input) if !was_seen && result.result.status == ToolStatus::Success => {
                self.open_agent.workspace.change_by(&result.tool_name, input)
            }
            _ => None,
        };
        let Some(change) = change else { return Vec::new() };
        let mut lines = terminal_text::change_lines(&change);
        let more = lines.len().saturating_sub(CHANGE_LINES);
        lines.truncate(CHANGE_LINES);
        let changed = 1..lines.len();
        let mut reading = Reading::with_change(lines, &changed);
        if more > 0 {
            reading
                .extend(Reading::plain([format!("… {more} more lines; /diff shows all that was changed")]));
        }
        reading.indented("  ").lines()
    }

    /// Shows what nobody waits for, once.
    pub(super) fn notice(&mut self, slot: &Slot) -> Result<(), Failure> {
        if !self.noticed.contains(&slot.id) {
            self.noticed.push(slot.id.clone());
            self.display.print_lines(&terminal_text::notice_lines(slot), false)?;
        }
        Ok(())
    }
}

/// What came of a call below it: a line of a result is one row, and why there is none is told to its end.
fn result_rows(result: &[String], width: usize) -> Vec<String> {
    let width = width.saturating_sub(INDENT.len());
    let is_whole = result.first().is_some_and(|line| line.starts_with('✗'));
    let rows = |line: &String| {
        let mut rows = pages::rows(&[line], width);
        if rows.len() > 1 && !is_whole {
            rows = pages::rows(&[line], width.saturating_sub(1));
            rows.truncate(1);
            rows.iter_mut().for_each(|row| row.push('…'));
        }
        rows.into_iter().map(|row| format!("{INDENT}{row}"))
    };
    result.iter().flat_map(rows).collect()
}
