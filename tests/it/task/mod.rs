//! Tasks: the machine, its files, and what does it.

mod approvals;
mod bad_input;
mod budgets;
mod credentials;
mod design;
#[cfg(target_os = "linux")]
mod disk;
mod examples;
mod imports;
mod killed;
mod loops;
mod memory;
mod paths;
mod prompts;
mod results;
mod runs;
mod sessions;
mod skills;
mod stops;
mod survival;

use std::sync::Arc;

use glove_wasm::message::{Message, Sender};
use glove_wasm::ports::{Tool, ToolContext};
use glove_wasm::testing::{FakeClock, Line, ScriptedModel, Seen, SequentialIds};
use glove_wasm_task::runtime::{MemoryWorkspace, TaskAgent, TaskAgentBuilder};
use glove_wasm_task::{Journal, TaskSpec};
use serde_json::{Value, json};

pub const NOON: u64 = 1_735_732_800_000;
pub const BRIEF: &str = "Write one.md and two.md.";

pub fn spec() -> TaskSpec {
    TaskSpec { id: Some("t1".to_owned()), ..TaskSpec::new("Make both files") }
}

pub fn workspace() -> MemoryWorkspace {
    MemoryWorkspace::new().with("task/brief.md", BRIEF).unwrap()
}

/// An agent at noon, with ids that count.
pub fn builder(model: &ScriptedModel) -> TaskAgentBuilder {
    at(model, FakeClock::at(NOON))
}

pub fn at(model: &ScriptedModel, clock: FakeClock) -> TaskAgentBuilder {
    TaskAgentBuilder::new(Arc::new(model.clone()), Arc::new(clock), Arc::new(SequentialIds::new("id")))
        .id("agent-1")
        .persona("You are exact.")
}

pub fn agent(model: &ScriptedModel) -> TaskAgent {
    builder(model).build().unwrap()
}

/// The request of the step, and how many rounds of tools have ended since.
pub fn asked(seen: &Seen) -> (String, usize) {
    let from = seen
        .messages
        .iter()
        .rposition(|message| message.sender == Sender::User && message.tool_results.is_none());
    let from = from.unwrap();
    let rounds = seen.messages.iter().skip(from).filter(|message| message.tool_results.is_some()).count();
    (seen.messages[from].text.clone(), rounds)
}

pub fn plan() -> Value {
    json!({
        "objective": "Both files",
        "steps": [{ "id": "s1", "title": "Write one" }, { "id": "s2", "title": "Write two" }],
        "acceptance": [{ "criterion": "Both files are there", "steps": ["s1", "s2"] }]
    })
}

pub fn write(name: &str, call: &str) -> Line {
    let path = format!("progress/artifacts/{name}.md");
    Line::call("fs_write", call, json!({ "path": path, "content": format!("# {name}\n") }))
}

/// What a good model does with the task.
pub fn worker(seen: &Seen) -> Line {
    let (request, rounds) = asked(seen);
    let line = match rounds {
        0 if request.contains("Phase: gather") => {
            Line::call("file_read", "g1", json!({ "path": "task/brief.md" }))
        }
        _ if request.contains("Phase: gather") => Line::text("Two files are wanted (task/brief.md)."),
        _ if request.contains("Phase: plan") => Line::text(format!("```json\n{}\n```", plan())),
        0 if request.contains("(s1)") => write("one", "a1"),
        0 if request.contains("(s2)") => write("two", "a2"),
        _ if request.contains("Phase: act") => Line::text("Written."),
        _ if request.contains("Phase: verify") => {
            Line::text(r#"{"pass": true, "reasons": ["both are there"]}"#)
        }
        _ => panic!("nobody asks this: {request}"),
    };
    line.tokens(10, 5)
}

pub fn working_model() -> ScriptedModel {
    ScriptedModel::by(|_, seen| worker(seen))
}

/// Kind, step and message of each event.
pub fn events(files: &MemoryWorkspace) -> Vec<String> {
    let journal = Journal::read(&files.text("progress/events.ndjson").unwrap_or_default());
    assert_eq!(journal.broken, "");
    for (at, event) in journal.events.iter().enumerate() {
        assert_eq!(event.number(), at as u64 + 1, "events are numbered without a gap");
    }
    let line = |event: &glove_wasm_task::TaskEvent| {
        format!("{} {} {}", event.kind, event.step, event.message).trim().to_owned()
    };
    journal.events.iter().map(line).collect()
}

pub fn kinds(files: &MemoryWorkspace) -> Vec<String> {
    events(files).iter().map(|event| event.split(' ').next().unwrap().to_owned()).collect()
}

/// A tool of the application that returns its name.
pub fn plain_tool(name: &'static str) -> Tool {
    Tool::new(name, "Does something", json!({ "type": "object" }), move |_: Value, _: ToolContext| {
        std::future::ready(name)
    })
}

pub fn message_texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.text.as_str()).collect()
}
