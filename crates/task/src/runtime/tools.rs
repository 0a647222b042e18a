//! The tools that every task has: its files, and a check of JSON.

use std::sync::Arc;

use futures_util::future::ready;

use crate::layout::{self, WorkspacePath};
use crate::runtime::workspace::Workspace;
use glove_wasm::json::codec::{Read, from_text, to_text};
use glove_wasm::json::{self, Json};
use glove_wasm::message::ToolResultData;
use glove_wasm::portable::{MaybeSend, MaybeSync};
use glove_wasm::ports::{IntoOutcome, Tool, ToolFailure};
use glove_wasm::run::input::{Issue, ToolOutcome};

/// More of a file is read piece by piece.
const MAX_READ: usize = 60_000;
const MAX_LISTED: usize = 1_000;
const MAX_WRITTEN: usize = 5_000_000;

pub(super) const FS_WRITE: &str = "fs_write";

/// A tool, and the phases that may use it.
#[derive(Clone)]
pub(super) struct TaskTool {
    pub(super) tool: Tool,
    /// All but `plan` where `None`.
    pub(super) phases: Option<Vec<String>>,
}

impl TaskTool {
    pub(super) fn is_for(&self, phase: &str) -> bool {
        self.phases.as_ref().map_or(phase != "plan", |phases| phases.iter().any(|name| name == phase))
    }
}

#[derive(Read)]
struct Glob {
    pattern: Option<String>,
}

#[derive(Read)]
struct ReadFile {
    path: String,
    offset: Option<usize>,
}

#[derive(Read)]
struct WriteFile {
    path: String,
    content: String,
}

#[derive(Read)]
struct JsonValidate {
    text: String,
}

pub(super) fn built_in(files: &Arc<dyn Workspace>) -> Vec<TaskTool> {
    let everywhere = [file_glob(files), file_read(files), json_validate()];
    let mut tools: Vec<TaskTool> =
        everywhere.into_iter().map(|tool| TaskTool { tool, phases: None }).collect();
    tools.push(TaskTool { tool: fs_write(files), phases: Some(vec!["act".to_owned()]) });
    tools
}

/// A tool whose result is a text. In a page serde has no part in it.
fn tool<I: Read, R>(
    name: &str,
    about: &str,
    schema: &str,
    work: impl Fn(I) -> R + MaybeSend + MaybeSync + 'static,
) -> Tool
where
    R: Future<Output = Result<String, ToolFailure>> + MaybeSend + 'static,
{
    let schema = json::written(schema.to_owned());
    Tool::of_json(name.to_owned(), about.to_owned(), schema, move |(input, _)| {
        let working = match from_text::<I>(input.as_str()) {
            Ok(input) => work(input),
            Err(fault) => {
                let issue = Issue { path: Vec::new(), message: fault.to_string() };
                return Box::pin(ready(ToolOutcome::Invalid(vec![issue])));
            }
        };
        Box::pin(async move {
            match working.await {
                Ok(text) => ToolResultData::success(json::written(to_text(&text))).into_outcome(),
                Err(ToolFailure::Failed(why)) => ToolOutcome::Threw(why),
                Err(ToolFailure::Rejected(why)) => ToolOutcome::Rejected(why),
            }
        })
    })
}

fn file_glob(files: &Arc<dyn Workspace>) -> Tool {
    let schema = r#"{"type":"object","properties":{"pattern":{"type":"string","description":"Like task/**/*.md; all files without it"}}}"#;
    let files = Arc::clone(files);
    let about = "Lists files of the task with their sizes. `*` stands for anything within a name, `**` also for folders.";
    tool("file_glob", about, schema, move |input: Glob| {
        let files = Arc::clone(&files);
        async move {
            let pattern = input.pattern.unwrap_or_else(|| "**".to_owned());
            let mut lines = Vec::new();
            for folder in [layout::TASK, layout::PROGRESS, layout::SKILLS] {
                let entries = files.list(&WorkspacePath::known(folder)).await?;
                let found = entries.iter().filter(|entry| matches(&pattern, entry.path.as_str()));
                lines.extend(found.map(|entry| format!("{} ({} bytes)", entry.path, entry.size)));
            }
            if lines.len() > MAX_LISTED {
                let more = lines.len() - MAX_LISTED;
                lines.truncate(MAX_LISTED);
                lines.push(format!("(and {more} more; give a narrower pattern)"));
            }
            Ok(if lines.is_empty() { "(no files)".to_owned() } else { lines.join("\n") })
        }
    })
    .parallel()
    .idempotent(0)
}

fn file_read(files: &Arc<dyn Workspace>) -> Tool {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string","description":"Like task/brief.md"},"offset":{"type":"integer","minimum":0,"description":"The byte to begin at"}},"required":["path"]}"#;
    let files = Arc::clone(files);
    let about = "Reads a text file of the task, 60000 bytes at once.";
    tool("file_read", about, schema, move |input: ReadFile| {
        let files = Arc::clone(&files);
        async move {
            let path = WorkspacePath::parse(&input.path)?;
            let content = files.read(&path).await?;
            let content = content.ok_or_else(|| ToolFailure::new(format!("`{path}` does not exist")))?;
            let size = content.len();
            let text = String::from_utf8(content).map_err(|_| {
                ToolFailure::new(format!("`{path}` is no text: {size} bytes that are not UTF-8"))
            })?;
            let mut from = input.offset.unwrap_or_default().min(text.len());
            while !text.is_char_boundary(from) {
                from -= 1;
            }
            let mut to = (from + MAX_READ).min(text.len());
            while !text.is_char_boundary(to) {
                to -= 1;
            }
            let piece = text.get(from..to).unwrap_or_default();
            Ok(match to < text.len() {
                true => format!("{piece}\n(bytes {from} to {to} of {size}; go on with offset {to})"),
                false => piece.to_owned(),
            })
        }
    })
    .parallel()
    .idempotent(0)
}

fn fs_write(files: &Arc<dyn Workspace>) -> Tool {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string","description":"Below progress/artifacts/, or progress/findings.md and the like"},"content":{"type":"string"}},"required":["path","content"]}"#;
    let files = Arc::clone(files);
    let about =
        "Creates or replaces a file of the task's results. Its inputs and what governs it cannot be written.";
    tool(FS_WRITE, about, schema, move |input: WriteFile| {
        let files = Arc::clone(&files);
        async move {
            let path = WorkspacePath::parse(&input.path)?;
            path.writable()?;
            let size = input.content.len();
            if size > MAX_WRITTEN {
                return Err(ToolFailure::new(format!(
                    "the content has {size} bytes, and at most {MAX_WRITTEN} are written at once; write it in parts"
                )));
            }
            files.write(&path, input.content.into_bytes()).await?;
            Ok(format!("wrote {path} ({size} bytes)"))
        }
    })
    // The same content again leaves the same file.
    .idempotent(0)
}

fn json_validate() -> Tool {
    let schema = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;
    let about = "Checks whether a text is JSON, and says what is wrong with it.";
    tool("json_validate", about, schema, async |input: JsonValidate| {
        Ok(match Json::parse(&input.text) {
            Ok(_) => "valid".to_owned(),
            Err(error) => format!("not valid: {error}"),
        })
    })
    .parallel()
    .idempotent(0)
}

/// Which file a successful call of `fs_write` wrote.
pub(super) fn written(input: &Json) -> Option<WorkspacePath> {
    let input: WriteFile = from_text(input.as_str()).ok()?;
    WorkspacePath::parse(&input.path).ok()
}

/// `*` is anything but `/`, `**` anything, `?` one letter. Takes time with the product of both lengths at most.
fn matches(pattern: &str, path: &str) -> bool {
    let mut reached: Vec<bool> = vec![false; path.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    let mut pieces = pattern.bytes().peekable();
    let path = path.as_bytes();
    while let Some(piece) = pieces.next() {
        let crosses = piece == b'*' && pieces.next_if_eq(&b'*').is_some();
        if crosses {
            // `**/` is also no folder at all.
            let _ = pieces.next_if_eq(&b'/');
        }
        let mut next = vec![false; reached.len()];
        let mut open = false;
        for (at, here) in reached.iter().enumerate() {
            let letter = path.get(at).copied();
            match piece {
                b'*' => {
                    open |= here;
                    if let (true, Some(slot)) = (open, next.get_mut(at)) {
                        *slot = true;
                    }
                    open &= crosses || letter != Some(b'/');
                }
                _ => {
                    let fits =
                        letter.is_some_and(|letter| letter == piece || (piece == b'?' && letter != b'/'));
                    if let (true, Some(slot)) = (*here && fits, next.get_mut(at + 1)) {
                        *slot = true;
                    }
                }
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_like_those_of_a_shell() {
        let table = [
            ("**", "task/a/b.md", true),
            ("task/*.md", "task/a.md", true),
            ("task/*.md", "task/a/b.md", false),
            ("task/**/*.md", "task/a/b.md", true),
            ("task/**/*.md", "task/b.md", true),
            ("*.md", "task/b.md", false),
            ("task/?.md", "task/b.md", true),
            ("task/b.md", "task/b.md", true),
            ("task/b.md", "task/b.mdx", false),
            ("", "a", false),
        ];
        for (pattern, path, expected) in table {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
        assert!(!matches(&"*a".repeat(500), &"a/".repeat(500)));
    }
}
