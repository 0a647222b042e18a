//! The program `glove`, for the tests of it.

use std::io::{Write, stdin, stdout};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, abort};
use std::thread::{sleep, spawn};
use std::time::Duration;

use futures_executor::block_on;
use glove_wasm::display::DisplayError;
use glove_wasm::json::Json;
use glove_wasm::ports::{DisplayPort, Show, Tool, ToolContext, ToolFailure};
use glove_wasm::runtime::Glove;
use glove_wasm::testing::{Line, ScriptedModel, Seen};
use glove_wasm_terminal::CliDisplay;
use serde_json::{Value, json};

#[path = "../../examples/rust/src/bin/operations/desk/mod.rs"]
#[allow(dead_code, unreachable_pub)]
mod desk;

/// Two questions outside of a run, the first of which may be answered by nobody at the terminal.
fn asked_by_the_program(agent: &Glove, is_answered_elsewhere: bool, is_long: bool) -> String {
    let ask = |renderer: &str, message: &str| {
        let input = Json::from(json!({ "message": message }));
        agent.display().push_and_wait(Show { renderer: renderer.to_owned(), input, owner: None, check: None })
    };
    let first = if is_long { ask("input", "First,\nand of two lines?") } else { ask("confirm", "First?") };
    let second = ask("confirm", "Second?");
    if is_answered_elsewhere {
        let display = agent.display().clone();
        spawn(move || {
            sleep(Duration::from_secs(1));
            let first = display.stack().into_iter().find(|slot| slot.waits);
            first.map(|first| display.resolve(&first.id, Json::string("elsewhere")))
        });
    }
    let told = |answer: Result<Json, DisplayError>| match answer {
        Ok(answer) => answer.as_str().to_owned(),
        Err(error) => error.code().to_owned(),
    };
    format!("{}, {}", told(block_on(first)), told(block_on(second)))
}

/// A tool that goes on to its end, whoever stops the run.
fn hold() -> Tool {
    let asks = async |_: Value, context: ToolContext| {
        let answer: String = context.display.push_and_wait("confirm", &json!({ "message": "Held?" })).await?;
        Ok::<_, ToolFailure>(answer)
    };
    Tool::new("hold", "Asks", json!({ "type": "object" }), asks).un_abortable()
}

fn answer(at: usize, seen: &Seen) -> Line {
    match seen.messages.last() {
        Some(last) if last.text == "hold" => Line::call("hold", "", json!({})),
        _ => desk::answer(at, seen),
    }
}

/// Ends in the middle of a question, when a file says so.
fn leave(agent: &Glove, place: &Path) {
    let input = Json::from(json!({ "message": "Left?" }));
    let show = Show { renderer: "confirm".to_owned(), input, owner: None, check: None };
    let _asked = agent.display().push_and_wait(show);
    while !place.join("end").exists() {
        sleep(Duration::from_millis(20));
    }
}

fn talk(place: &Path) -> ExitCode {
    let mut builder = Glove::builder(ScriptedModel::by(answer)).fold(hold());
    for tool in desk::tools(place) {
        builder = builder.fold(tool);
    }
    let Ok(agent) = builder.build() else { return ExitCode::FAILURE };
    let _terminal = CliDisplay::new().attach(&agent);
    let mut line = String::new();
    while stdin().read_line(&mut line).is_ok_and(|read| read > 0) {
        let said = std::mem::take(&mut line);
        let told = match said.trim() {
            asks if asks.starts_with("ask ") => asked_by_the_program(
                &agent,
                asks.ends_with("answer elsewhere"),
                asks.contains("in two lines"),
            ),
            leaves if leaves.starts_with("leave") => {
                leave(&agent, place);
                break;
            }
            said => match block_on(agent.process_request(said)) {
                Ok(response) => response.text(),
                Err(error) => error.code().to_owned(),
            },
        };
        let _ = writeln!(stdout(), "= {told}");
    }
    ExitCode::SUCCESS
}

#[expect(clippy::panic, reason = "a panic is what is tested")]
fn main() -> ExitCode {
    // A panic ends the release of the program, and not what is built for tests: a home with this folder says that one comes.
    let panics = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("panics"));
    if let Some(panics) = panics.filter(|panics| panics.is_dir()) {
        spawn(move || {
            while !panics.join("now").exists() {
                sleep(Duration::from_millis(20));
            }
            let _ = catch_unwind(|| panic!("planted"));
            abort();
        });
    }
    // A home with this folder says that somebody talks to the agent of the example, in the display of the library.
    let place = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("operations"));
    if let Some(place) = place.filter(|place| place.is_dir()) {
        return talk(&place);
    }
    glove_wasm_cli::main()
}
