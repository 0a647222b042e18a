//! Where everything of a task stands in its workspace, and which paths there are: none that leads out of it.

use std::fmt;

use crate::error::{TaskError, TaskErrorKind};

/// What comes from outside. The agent only reads it.
pub const TASK: &str = "task";
/// What the agent works in.
pub const PROGRESS: &str = "progress";
pub const BRIEF: &str = "task/brief.md";
pub const HISTORY_LINES: &str = "task/history.jsonl";
pub const HISTORY_TEXT: &str = "task/history.md";
/// The history that the task was given from sessions.
pub const SEEDS: &str = "progress/history.jsonl";
pub const NOTES: &str = "progress/notes.md";
pub const TODO: &str = "progress/todo.md";
pub const STATE: &str = "progress/state.json";
/// The state before the last write: for a `state.json` that was damaged.
pub const STATE_BEFORE: &str = "progress/state.previous.json";
pub const STOP: &str = "progress/STOP";
/// Held by the one who runs the task. In folders, the system lets it go when a process dies.
pub const LOCK: &str = "progress/.lock";
pub const PLAN: &str = "progress/plan/current.json";
pub const FINDINGS: &str = "progress/findings.md";
pub const EVENTS: &str = "progress/events.ndjson";
pub const SOURCES: &str = "progress/sources.jsonl";
pub const ARTIFACTS: &str = "progress/artifacts";
/// A value that the task was asked for, with a schema.
pub const OUTPUT: &str = "progress/artifacts/output.json";
/// The tool that gives the value of a task: `TaskOutput` of Rust and `taskOutput` of JavaScript call it so.
pub const GIVES_OUTPUT: &str = "give_output";
pub const REQUESTS: &str = "progress/approvals/requests";
pub const DECISIONS: &str = "progress/approvals/decisions";
pub const CONTEXT: &str = "progress/context";
/// What belongs to one step, in a folder with its id.
pub const STEPS: &str = "progress/steps";
/// Where the files of skills are shown, read only. They are no files of the workspace itself.
pub const SKILLS: &str = "skills";
/// What was damaged, and could not stay where it was.
pub const RECOVERED: &str = "progress/recovered";

const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 1_024;
/// What Windows takes for devices, with any ending.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

/// A path of a file or folder in a workspace: relative, in plain names with `/` between them, and the same on every system. It
/// cannot lead out of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// Takes a path as a person or a model writes it. `./` in front and doubled slashes are forgiven.
    pub fn parse(path: &str) -> Result<Self, TaskError> {
        let refuse = |why: &str| {
            let shown: String = path.chars().take(80).flat_map(char::escape_default).collect();
            let message = format!("the path \"{shown}\" {why}; give one like progress/artifacts/report.md");
            Err(TaskError::new(TaskErrorKind::Path, message))
        };
        if path.len() > LONGEST_PATH {
            return refuse("is longer than 1,024 bytes");
        }
        if path.starts_with('/') {
            return refuse("is absolute, and paths are relative to the workspace");
        }
        let mut clean = String::with_capacity(path.len());
        for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
            if let Some(why) = refusal(name) {
                return refuse(why);
            }
            if !clean.is_empty() {
                clean.push('/');
            }
            clean.push_str(name);
        }
        match clean.is_empty() {
            true => refuse("names no file"),
            false => Ok(WorkspacePath(clean)),
        }
    }

    /// One of the paths above, or one that is made of them and of names that were checked.
    pub fn known(path: impl Into<String>) -> Self {
        WorkspacePath(path.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this folder or below it.
    pub fn is_below(&self, folder: &str) -> bool {
        self.0.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// What the tools of this step may write below `progress/steps/`: its own notes and artifacts. What another step made, what was kept of
    /// the web and what governs the step stay as they are.
    pub(crate) fn is_own_of(&self, step: &str) -> bool {
        let own = self.0.strip_prefix(STEPS).and_then(|rest| rest.strip_prefix('/')?.strip_prefix(step));
        !self.is_below(STEPS) || (own.is_some_and(|rest| rest.starts_with('/')) && self.is_made_by_step())
    }

    /// Notes and artifacts of one step; what governs the step is beside them.
    pub(crate) fn is_made_by_step(&self) -> bool {
        let inner = self.0.strip_prefix(STEPS).and_then(|rest| rest.strip_prefix('/')?.split_once('/'));
        inner.is_some_and(|(_, inner)| inner == "notes.md" || inner.starts_with("artifacts/"))
    }

    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Where the tools of an agent may write: its artifacts, findings, sources, notes and todo list. What governs it (state, plan,
    /// approvals, STOP) and its inputs are not its own to write.
    pub fn writable(&self) -> Result<(), TaskError> {
        let files = [FINDINGS, SOURCES, NOTES, TODO];
        let own = files.contains(&self.as_str())
            || (self.is_below(ARTIFACTS) && self.as_str() != ARTIFACTS)
            || self.is_made_by_step();
        if own {
            return Ok(());
        }
        let message = format!(
            "`{}` is not for tools to write; write below progress/artifacts/, or to progress/findings.md, progress/sources.jsonl, \
             progress/notes.md or progress/todo.md",
            self.0
        );
        Err(TaskError::new(TaskErrorKind::ReadOnly, message))
    }
}

/// What is wrong with one name of a path.
fn refusal(name: &str) -> Option<&'static str> {
    if name == ".." {
        return Some("leads out of the workspace");
    }
    if name.len() > LONGEST_NAME {
        return Some("has a name longer than 255 bytes");
    }
    // Backslashes separate and colons name drives and streams on Windows; the others no file there can have.
    if name.chars().any(|letter| letter.is_control() || "\\:<>\"|?*".contains(letter)) {
        return Some("has a character that not every system allows in names");
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return Some("has a name with a space or a dot at its edge");
    }
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().any(|port| {
        stem.strip_prefix(port).is_some_and(|rest| {
            rest.chars().count() == 1 && rest.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
        })
    });
    if DEVICES.contains(&stem.as_str()) || numbered {
        return Some("has a name that is a device on some systems");
    }
    // A letter that changes the direction of writing makes a name look like another.
    if name.chars().any(|letter| matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')) {
        return Some("has an invisible character");
    }
    None
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `progress/plan/0001.json`, …
pub fn plan_copy(version: u32) -> WorkspacePath {
    WorkspacePath::known(format!("progress/plan/{version:04}.json"))
}

/// `progress/verify/0001-report.json`, …
pub fn verify_report(number: u32) -> WorkspacePath {
    WorkspacePath::known(format!("progress/verify/{number:04}-report.json"))
}

/// A file of a step; `id` was made by [`step_name`].
pub fn of_step(id: &str, file: &str) -> WorkspacePath {
    WorkspacePath::known(format!("progress/steps/{id}/{file}"))
}

pub fn request(id: &str) -> WorkspacePath {
    WorkspacePath::known(format!("{REQUESTS}/{id}.json"))
}

pub fn decision(id: &str) -> WorkspacePath {
    WorkspacePath::known(format!("{DECISIONS}/{id}.json"))
}

/// A name that a folder can have on every system, from whatever a model or a loop calls its step.
pub fn step_name(text: &str) -> String {
    let mut name = String::new();
    for letter in text.chars() {
        match letter.is_ascii_alphanumeric() || letter == '_' {
            true => name.push(letter.to_ascii_lowercase()),
            false if !name.ends_with('-') => name.push('-'),
            false => {}
        }
        if name.len() >= 60 {
            break;
        }
    }
    let name = name.trim_matches('-');
    if name.is_empty() { "step".to_owned() } else { name.to_owned() }
}
