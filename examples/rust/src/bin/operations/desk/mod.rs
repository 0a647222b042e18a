//! The desk of somebody who runs services: its tools, a folder to try them on, and the script in place of a model.

mod deploy;
mod form;
mod migrate;
mod scaffold;
mod secret;

use std::fs;
use std::io;
use std::path::Path;

use glove_wasm::message::ToolStatus;
use glove_wasm::ports::{Tool, ToolFailure};
use glove_wasm::testing::{Line, Seen};
use serde_json::json;

pub const SENTENCES: [&str; 6] = [
    "deploy api to staging",
    "new project",
    "migrate up",
    "migrate down",
    "set STRIPE_KEY",
    "register a visitor",
];

pub fn tools(place: &Path) -> Vec<Tool> {
    vec![
        deploy::deploy(place),
        scaffold::scaffold_project(place),
        migrate::db_migrate(place),
        secret::inject_secret(place),
        form::collect_form(),
    ]
}

/// Something to deploy and to migrate, where nothing is yet.
pub fn prepare(place: &Path) -> io::Result<()> {
    for (file, text) in [
        ("services/api/main.conf", "port = 8080\n"),
        ("migrations/001_users.sql", "CREATE TABLE users (id INTEGER PRIMARY KEY);\n"),
        ("migrations/002_names.sql", "ALTER TABLE users ADD COLUMN name TEXT;\n"),
    ] {
        let file = place.join(file);
        if !file.exists() {
            fs::create_dir_all(file.parent().unwrap_or(place))?;
            fs::write(file, text)?;
        }
    }
    Ok(())
}

/// A name that the model or a person gives becomes part of a path, so it may lead nowhere else.
fn plain(name: &str) -> Result<&str, ToolFailure> {
    let is_plain =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    match is_plain {
        true => Ok(name),
        false => Err(ToolFailure::new(format!("`{name}` is no name: it needs letters, digits, - and _"))),
    }
}

/// Stands in for a model.
pub fn answer(_: usize, seen: &Seen) -> Line {
    let Some(last) = seen.messages.last() else { return Line::text("Yes?") };
    if let Some(done) = last.tool_results.iter().flatten().next() {
        let result = &done.result;
        return Line::text(match result.status {
            ToolStatus::Success => result.data.to_text().unwrap_or_else(|| result.data.to_string()),
            _ => format!("That did not work: {}", result.message.as_deref().unwrap_or("nobody says why")),
        });
    }
    let words: Vec<&str> = last.text.split_whitespace().collect();
    match words[..] {
        ["deploy", service, "to", environment] => {
            Line::call("deploy", "", json!({ "service": service, "environment": environment }))
        }
        ["new", "project"] => Line::call("scaffold_project", "", json!({})),
        ["migrate", direction] => Line::call("db_migrate", "", json!({ "direction": direction })),
        ["set", name] => Line::call("inject_secret", "", json!({ "name": name })),
        ["register", ..] => Line::call("collect_form", "", visitor()),
        _ => Line::text(format!("Say one of: {}", SENTENCES.join("; "))),
    }
}

fn visitor() -> serde_json::Value {
    json!({
        "title": "A visitor",
        "fields": [
            { "name": "name", "label": "Name" },
            { "name": "day", "label": "Day", "options": ["today", "tomorrow"] },
            { "name": "note", "label": "Note", "required": false }
        ]
    })
}
