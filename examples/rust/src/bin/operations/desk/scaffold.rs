//! Asks for three details and for a confirmation of them all, and then makes the folder.

use std::fs;
use std::io;
use std::path::Path;

use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use serde_json::{Value, json};

use super::plain;

pub fn scaffold_project(place: &Path) -> Tool {
    let schema = json!({ "type": "object", "properties": {} });
    let place = place.to_owned();
    let about = "Makes a new project; the person is asked for its details";
    Tool::new("scaffold_project", about, schema, move |_: Value, context: ToolContext| {
        let place = place.clone();
        async move { run(&place, &context).await }
    })
}

async fn run(place: &Path, context: &ToolContext) -> Result<String, ToolFailure> {
    let display = &context.display;
    let name: String = display.push_and_wait("input", &json!({ "message": "The project's name?" })).await?;
    let folder = place.join(plain(name.trim())?);
    if folder.exists() {
        return Err(ToolFailure::new(format!("there is a folder `{name}` already; choose another name")));
    }
    let language =
        json!({ "message": "In which language?", "options": ["Rust", "TypeScript"], "default": "Rust" });
    let language: String = display.push_and_wait("select", &language).await?;
    let about: String = display
        .push_and_wait("input", &json!({ "message": "What does it do?", "default": "Nothing yet" }))
        .await?;
    let sure = json!({ "message": format!("Make `{name}` in {language}: {about}?") });
    let sure: String = display.push_and_wait("confirm", &sure).await?;
    if sure != "yes" {
        return Ok("Nothing was made.".to_owned());
    }
    let (file, text) = match language.as_str() {
        "TypeScript" => ("index.ts", "console.log(\"Hello\");\n"),
        _ => ("main.rs", "fn main() {\n    println!(\"Hello\");\n}\n"),
    };
    let files = [
        ("README.md".to_owned(), format!("# {name}\n\n{about}\n")),
        (format!("src/{file}"), text.to_owned()),
    ];
    context.step("make", || std::future::ready(make(&folder, &files))).await?;
    Ok(format!("Made {name} with README.md and src/{file}."))
}

fn make(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    fs::create_dir_all(folder.join("src"))?;
    files.iter().try_for_each(|(file, text)| fs::write(folder.join(file), text))
}
