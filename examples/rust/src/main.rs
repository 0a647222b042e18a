//! An expense book in the terminal: two tools, an approval above a limit, and an answer that is printed as it comes.
//! A script stands in for the model.

use std::error::Error;
use std::future::ready;
use std::io::{BufRead, Write, stdin, stdout};
use std::sync::{Arc, Mutex};

use futures_executor::block_on;
use glove_wasm::event::Event;
use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use glove_wasm::message::ToolStatus;
use glove_wasm::runtime::{Glove, Prompt, Response};
use glove_wasm::testing::{Line, ScriptedModel, Seen};
use serde_json::{Value, json};

#[derive(serde::Deserialize)]
struct Expense {
    amount: f64,
    what: String,
}

type Book = Arc<Mutex<Vec<Expense>>>;

fn main() -> Result<(), Box<dyn Error>> {
    let book = Book::default();
    let agent = Glove::builder(ScriptedModel::by(answer))
        .system_prompt("You keep a book of expenses.")
        .fold(add_expense(&book))
        .fold(total(&book))
        .subscriber(|_: Option<&str>, event: &Event| {
            if let Event::TextDelta { text } = event {
                print!("{text}");
                let _ = stdout().flush();
            }
        })
        .build()?;

    println!("Say what you spent (“12 for lunch”, “250 for a chair”), or “total”. An empty line ends it.");
    while let Some(line) = ask("> ")? {
        let mut response = block_on(agent.process_request(Prompt::new(line).leave_when_waiting(true)))?;
        while let Response::Waiting { questions } = &response {
            let Some(question) = questions.first() else { break };
            let reason = question.reason.as_deref().unwrap_or("May it go on?");
            response = match ask(&format!("{reason} [y/n] "))?.as_deref() {
                Some("y") => block_on(agent.approve(&question.id))?,
                _ => block_on(agent.reject(&question.id, Some("The owner said no.".into())))?,
            };
        }
        println!();
    }
    Ok(())
}

fn add_expense(book: &Book) -> Tool {
    let book = Arc::clone(book);
    let schema = json!({
        "type": "object",
        "properties": { "amount": { "type": "number" }, "what": { "type": "string" } },
        "required": ["amount", "what"]
    });
    Tool::new(
        "add_expense",
        "Writes an expense into the book",
        schema,
        move |expense: Expense, _: ToolContext| {
            let mut book = book.lock().unwrap();
            book.push(expense);
            ready(Ok::<_, ToolFailure>(book.len()))
        },
    )
    .approval_if(|expense: &Expense| {
        (expense.amount > 100.0).then(|| format!("{} for {}: is that right?", expense.amount, expense.what))
    })
}

fn total(book: &Book) -> Tool {
    let book = Arc::clone(book);
    let schema = json!({ "type": "object", "properties": {} });
    Tool::new("total", "Adds the expenses up", schema, move |_: Value, _: ToolContext| {
        let sum: f64 = book.lock().unwrap().iter().map(|expense| expense.amount).sum();
        ready(Ok::<_, ToolFailure>(sum))
    })
}

/// Stands in for a model: reads what a model would read, and answers.
fn answer(_: usize, seen: &Seen) -> Line {
    let Some(last) = seen.messages.last() else { return Line::text("Yes?") };
    if let Some(made) = last.tool_results.iter().flatten().next() {
        return match (made.result.status, made.tool_name.as_str()) {
            (ToolStatus::Success, "total") => Line::deltas(["Together: ", made.result.data.as_str()]),
            (ToolStatus::Success, _) => Line::deltas(["It is ", "in the book."]),
            _ => Line::deltas(["It stays ", "out of the book."]),
        };
    }
    match last.text.split_once(" for ").map(|(amount, what)| (amount.parse::<f64>(), what)) {
        Some((Ok(amount), what)) => Line::call("add_expense", "", json!({ "amount": amount, "what": what })),
        _ => Line::call("total", "", json!({})),
    }
}

fn ask(question: &str) -> Result<Option<String>, std::io::Error> {
    print!("{question}");
    stdout().flush()?;
    let mut line = String::new();
    stdin().lock().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}
