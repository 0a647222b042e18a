//! Searching files by a regular expression.

use grep_regex::RegexMatcherBuilder;
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use serde::Deserialize;
use serde_json::json;

use super::files::LARGEST;
use super::workspace::{Workspace, on_thread};
use glove_wasm::ports::{Tool, ToolContext, ToolFailure};

const MATCHES: usize = 200;
/// A line that is longer is cut.
const LONGEST: usize = 300;

#[derive(Deserialize)]
struct Search {
    pattern: String,
    #[serde(default)]
    path: String,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
}

pub(super) fn search(workspace: &Workspace) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "pattern": { "type": "string", "minLength": 1, "description": "A regular expression (Rust syntax)" },
            "path": { "type": "string", "description": "A folder; default is the working folder" },
            "glob": { "type": "string", "description": "Which files, like *.rs" },
            "ignore_case": { "type": "boolean" }
        },
        "required": ["pattern"]
    });
    let about = "Searches the lines of text files. Leaves out .git and what .gitignore names.";
    let workspace = workspace.clone();
    Tool::new("search", about, schema, move |input: Search, context: ToolContext| {
        let workspace = workspace.clone();
        on_thread(move || find(&workspace, &input, &|| context.abort.is_aborted()))
    })
    .parallel()
    .idempotent(0)
}

fn find(workspace: &Workspace, input: &Search, stopped: &dyn Fn() -> bool) -> Result<String, ToolFailure> {
    let matcher = RegexMatcherBuilder::new()
        .case_insensitive(input.ignore_case)
        .size_limit(10_000_000)
        .build(&input.pattern)
        .map_err(|error| ToolFailure::new(format!("the pattern is no regular expression: {error}")))?;
    let folder = workspace.real_folder(&workspace.below(&input.path)?)?;
    let mut walk = WalkBuilder::new(&folder);
    walk.hidden(false)
        .require_git(false)
        .max_filesize(Some(LARGEST))
        .filter_entry(|entry| entry.file_name() != ".git" && entry.file_name() != "node_modules")
        .sort_by_file_name(|a, b| a.cmp(b));
    if let Some(glob) = &input.glob {
        let overrides = OverrideBuilder::new(&folder).add(glob).and_then(|builder| builder.build());
        walk.overrides(
            overrides.map_err(|error| ToolFailure::new(format!("the glob is not valid: {error}")))?,
        );
    }
    let mut searcher =
        SearcherBuilder::new().binary_detection(BinaryDetection::quit(0)).line_number(true).build();
    let mut found = Vec::new();
    for entry in walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        if found.len() > MATCHES || stopped() {
            break;
        }
        let Ok(relative) = entry.path().strip_prefix(workspace.path()) else { continue };
        // Opened below the folder: a link that was put in its place meanwhile leads nowhere else.
        let Ok(file) = workspace.open_file(relative) else { continue };
        let sink = Lossy(|number, line| {
            let line: String = line.trim_end().chars().take(LONGEST).collect();
            found.push(format!("{}:{number}: {line}", relative.display()));
            Ok(found.len() <= MATCHES)
        });
        // A file that cannot be read has no lines that match.
        let _ = searcher.search_file(&matcher, &file.into_std(), sink);
    }
    if found.is_empty() {
        return Ok("(nothing found)".to_owned());
    }
    let more = found.len() > MATCHES;
    found.truncate(MATCHES);
    if more {
        found.push(format!("(more than {MATCHES} lines match; search for less, or in a folder below)"));
    }
    Ok(found.join("\n"))
}
