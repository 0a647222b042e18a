//! A recorded run, played again.

use std::io::{Stdout, stdout};

use glove_wasm::event::Event;
use glove_wasm::run::replay;

use crate::args::Replay;
use crate::failure::Failure;
use crate::sessions::read;
use crate::terminal_text;

pub(crate) fn replay(options: &Replay) -> Result<(), Failure> {
    let text = read(&options.file)?;
    let mut out = stdout();
    let mut printed = Ok(());
    let replayed = replay::replay(&text, &mut |event| {
        if printed.is_ok() {
            printed = print(&mut out, event, options.json);
        }
    })?;
    printed?;
    if !options.json {
        let messages = format!("{} messages", replayed.run.messages().len());
        let told = match replayed.requests {
            0 => messages,
            requests => format!("{messages} and {requests} model requests"),
        };
        terminal_text::line(&mut out, &format!("{told}, to the byte as recorded"))?;
    }
    Ok(())
}

fn print(out: &mut Stdout, event: &Event, json: bool) -> Result<(), Failure> {
    if json {
        let text = serde_json::to_string(event).map_err(|error| Failure::new(error.to_string()))?;
        return Ok(terminal_text::line(out, &text)?);
    }
    match event {
        Event::ModelResponse(answer) | Event::ModelResponseComplete(answer) if !answer.text.is_empty() => {
            terminal_text::line(out, &terminal_text::safe_text(&answer.text))?;
        }
        Event::ToolUse { name, input, .. } => {
            let input = input.read().unwrap_or_default();
            terminal_text::line(out, &format!("* {}", terminal_text::call_line(name, &input)))?;
        }
        Event::ToolUseResult(result) => {
            for line in terminal_text::result_lines(&result.result) {
                terminal_text::line(out, &format!("  {line}"))?;
            }
        }
        _ => {}
    }
    Ok(())
}
