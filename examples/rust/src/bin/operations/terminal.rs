//! Draws the slots of the display in a terminal: each is shown or asked, one at a time, by the name of its renderer.

use std::error::Error;
use std::io::{self, BufRead, IsTerminal, Write, stdin, stdout};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use futures_executor::block_on;
use glove_wasm::display::Slot;
use glove_wasm::json::Json;
use glove_wasm::runtime::Glove;
use inquire::{Password, PasswordDisplayMode};
use serde_json::{Value, json};

enum News {
    Display(Vec<Slot>),
    Done(String),
}

pub fn talk(agent: &Glove) -> Result<(), Box<dyn Error>> {
    let (news, received) = channel();
    let changes = news.clone();
    let _listening = agent.display().subscribe(move |stack: &[Slot]| {
        // Nobody listens when the program ends.
        let _ = changes.send(News::Display(stack.to_vec()));
    });
    let mut shown: Vec<String> = Vec::new();
    while let Some(line) = read("> ")? {
        answer(agent, line, news.clone());
        for news in &received {
            match news {
                News::Done(text) => {
                    println!("{text}");
                    break;
                }
                News::Display(stack) => {
                    for slot in stack {
                        if !shown.contains(&slot.id) {
                            shown.push(slot.id.clone());
                            draw(agent, &slot)?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// On a thread of its own: this one asks meanwhile.
fn answer(agent: &Glove, line: String, news: Sender<News>) {
    let agent = agent.clone();
    thread::spawn(move || {
        let text = match block_on(agent.process_request(line)) {
            Ok(response) => response.text(),
            Err(error) => format!("✗ {error}"),
        };
        let _ = news.send(News::Done(text));
    });
}

fn draw(agent: &Glove, slot: &Slot) -> Result<(), Box<dyn Error>> {
    let input: Value = slot.input.read()?;
    let message = input["message"].as_str().unwrap_or_default();
    if !slot.waits {
        println!("· {} {message}", input["title"].as_str().unwrap_or_default());
        return Ok(());
    }
    let options: Vec<&str> = match (slot.renderer.as_str(), input["options"].as_array()) {
        (_, Some(options)) => options.iter().filter_map(Value::as_str).collect(),
        ("confirm", None) => vec!["yes", "no"],
        _ => Vec::new(),
    };
    let default = input["default"].as_str().unwrap_or_default();
    loop {
        let question = match (options.is_empty(), default) {
            (true, "") => format!("? {message} "),
            (true, default) => format!("? {message} [{default}] "),
            (false, _) => format!("? {message} [{}] ", options.join(" / ")),
        };
        let said = match slot.renderer.as_str() {
            "secret" => read_unseen(&question)?,
            _ => read(&question)?,
        };
        let said = said.unwrap_or_else(|| default.to_owned());
        if options.is_empty() || options.contains(&said.as_str()) {
            agent.display().resolve(&slot.id, Json::from(json!(said)))?;
            return Ok(());
        }
    }
}

/// What is typed does not stand on the screen, nor in what it keeps of it.
fn read_unseen(question: &str) -> Result<Option<String>, Box<dyn Error>> {
    if !stdin().is_terminal() {
        return Ok(read(question)?);
    }
    let asked = Password::new(question.trim()).with_display_mode(PasswordDisplayMode::Hidden).without_confirmation();
    Ok(asked.prompt_skippable()?.filter(|line| !line.is_empty()))
}

fn read(question: &str) -> io::Result<Option<String>> {
    print!("{question}");
    stdout().flush()?;
    let mut line = String::new();
    stdin().lock().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}
