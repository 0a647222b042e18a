//! Checks first, asks with three answers, and then does it once, whatever happens meanwhile.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use serde::Deserialize;
use serde_json::json;

use super::plain;

#[derive(Deserialize)]
struct Deploy {
    service: String,
    environment: String,
}

pub fn deploy(place: &Path) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "service": { "type": "string", "description": "A folder of services/" },
            "environment": { "enum": ["staging", "production"] }
        },
        "required": ["service", "environment"]
    });
    let place = place.to_owned();
    Tool::new(
        "deploy",
        "Deploys a service, after a person agreed",
        schema,
        move |input: Deploy, context: ToolContext| {
            let place = place.clone();
            async move { run(&place, &input, &context).await }
        },
    )
}

async fn run(place: &Path, input: &Deploy, context: &ToolContext) -> Result<String, ToolFailure> {
    let (service, environment) = (plain(&input.service)?, plain(&input.environment)?);
    let from = place.join("services").join(service);
    let to = place.join("deployed").join(environment).join(service);
    let files = files_in(&from).map_err(|error| ToolFailure::new(format!("services/{service}: {error}")))?;
    let checked = format!(
        "{} files, {}",
        files.len(),
        if to.exists() { "replaces what runs" } else { "for the first time" }
    );
    context.display.push_and_forget("info", &json!({ "title": "Checked", "message": checked }))?;
    let question = json!({
        "message": format!("Deploy {service} to {environment}?"),
        "options": ["deploy", "dry run", "cancel"]
    });
    let choice: String = context.display.push_and_wait("confirm", &question).await?;
    match choice.as_str() {
        "deploy" => {
            // If the program dies here, it is not done a second time.
            let count = context.step("copy", || std::future::ready(copy(&files, &to))).await?;
            Ok(format!("Deployed {service} to {environment} ({count} files)."))
        }
        "dry run" => Ok(format!("Would deploy {} files to {environment}; nothing was changed.", files.len())),
        _ => Ok("Cancelled by the person; do not try again.".to_owned()),
    }
}

fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}

fn copy(files: &[PathBuf], to: &Path) -> io::Result<usize> {
    fs::create_dir_all(to)?;
    for file in files {
        fs::copy(file, to.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(files.len())
}
