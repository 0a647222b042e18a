//! Shows what is to be done and asks for it. Taking a migration back loses data, so its name has to be typed as well.

use std::fs;
use std::io;
use std::path::Path;

use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use serde::Deserialize;
use serde_json::json;

/// The names of the migrations that the database has, one a line.
const APPLIED: &str = "applied.txt";

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Up,
    Down,
}

#[derive(Deserialize)]
struct Migrate {
    direction: Direction,
}

pub fn db_migrate(place: &Path) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": { "direction": { "enum": ["up", "down"], "description": "down takes the last one back" } },
        "required": ["direction"]
    });
    let place = place.to_owned();
    let about = "Brings the database up to date, or takes the last migration back";
    Tool::new("db_migrate", about, schema, move |input: Migrate, context: ToolContext| {
        let place = place.clone();
        async move {
            match input.direction {
                Direction::Up => up(&place, &context).await,
                Direction::Down => down(&place, &context).await,
            }
        }
    })
}

async fn up(place: &Path, context: &ToolContext) -> Result<String, ToolFailure> {
    let done = applied(place)?;
    let mut pending: Vec<String> = Vec::new();
    for entry in fs::read_dir(place.join("migrations"))? {
        let name = entry?.file_name().to_string_lossy().trim_end_matches(".sql").to_owned();
        if !done.contains(&name) {
            pending.push(name);
        }
    }
    pending.sort();
    if pending.is_empty() {
        return Ok("The database is up to date.".to_owned());
    }
    if !agreed(context, &format!("Apply {}?", pending.join(", "))).await? {
        return Ok("Nothing was applied.".to_owned());
    }
    for name in &pending {
        // Each is a step of its own: after a crash, the work goes on with the next one.
        context
            .step(name, || std::future::ready(set_applied(place, |applied| applied.push(name.clone()))))
            .await?;
    }
    Ok(format!("Applied {}.", pending.join(", ")))
}

async fn down(place: &Path, context: &ToolContext) -> Result<String, ToolFailure> {
    let Some(last) = applied(place)?.pop() else { return Ok("There is nothing to take back.".to_owned()) };
    if !agreed(context, &format!("Take {last} back? What is in its tables is lost.")).await? {
        return Ok("Nothing was taken back.".to_owned());
    }
    let again = json!({ "message": format!("Type `{last}` to take it back:") });
    let typed: String = context.display.push_and_wait("input", &again).await?;
    if typed.trim() != last {
        return Ok(format!("Nothing was taken back: the name that was typed is not `{last}`."));
    }
    let back = || std::future::ready(set_applied(place, |applied| applied.retain(|name| *name != last)));
    context.step("take back", back).await?;
    Ok(format!("Took {last} back."))
}

async fn agreed(context: &ToolContext, question: &str) -> Result<bool, ToolFailure> {
    let answer: String = context.display.push_and_wait("confirm", &json!({ "message": question })).await?;
    Ok(answer == "yes")
}

fn applied(place: &Path) -> io::Result<Vec<String>> {
    match fs::read_to_string(place.join(APPLIED)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        text => Ok(text?.lines().map(str::to_owned).collect()),
    }
}

fn set_applied(place: &Path, change: impl FnOnce(&mut Vec<String>)) -> io::Result<()> {
    let mut names = applied(place)?;
    change(&mut names);
    fs::write(place.join(APPLIED), names.iter().map(|name| format!("{name}\n")).collect::<String>())
}
