//! Asks for a secret, which neither the model reads nor the conversation keeps.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use serde::Deserialize;
use serde_json::json;

use super::plain;

#[derive(Deserialize)]
struct Inject {
    name: String,
}

pub fn inject_secret(place: &Path) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string", "description": "Of the variable, like STRIPE_KEY" } },
        "required": ["name"]
    });
    let file = place.join("secrets.env");
    let about = "Asks the person for a secret and gives it to the services; you do not see it";
    Tool::new("inject_secret", about, schema, move |input: Inject, context: ToolContext| {
        let file = file.clone();
        async move { run(&file, plain(&input.name)?, &context).await }
    })
}

async fn run(file: &Path, name: &str, context: &ToolContext) -> Result<String, ToolFailure> {
    let question = json!({ "message": format!("The value of {name}?"), "key_name": name });
    let value: String = context.display.push_and_wait("secret", &question).await?;
    if value.is_empty() || value.contains(['\n', '\r', '\0']) {
        return Err(ToolFailure::new("a secret is one line of text, and not empty"));
    }
    set(file, name, &value)?;
    Ok(format!("{name} is set to {} ({} characters).", "*".repeat(8), value.chars().count()))
}

fn set(file: &Path, name: &str, value: &str) -> io::Result<()> {
    let before = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let beside = file.with_extension("new");
    // One that a dead program left has other rights, perhaps.
    let _ = fs::remove_file(&beside);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut out = options.open(&beside)?;
    let is_other = |line: &&str| line.split_once('=').is_none_or(|(known, _)| known != name);
    for line in before.lines().filter(is_other) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{name}={value}")?;
    out.sync_all()?;
    fs::rename(&beside, file)
}
