//! What bodies say: a task that is wanted, files for it, an edit, and a decision.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::multipart;
use crate::failures::invalid;
use glove_wasm::endpoint::Refusal;
use glove_wasm::json::codec::from_text;
use glove_wasm::providers::base64::bytes_of;
use glove_wasm_task::{
    Budgets, ClientUse, HistoryMode, HistoryPolicy, Said, TaskError, TaskErrorKind, TaskSpec, WorkspacePath,
};

/// A client that could say these would approve its own calls, or speak for others.
const THEIRS: [&str; 6] = ["goal", "budgets", "history", "ext", "files", "require_plan_approval"];
const NOT_THEIRS: [&str; 5] = ["approvals", "user_id", "seed_messages", "seed_from_sessions", "id"];

pub(super) type Files = BTreeMap<String, SentFile>;

/// A text, or bytes as base64.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum SentFile {
    Text(String),
    Base64(Base64),
    #[serde(skip)]
    Bytes(Vec<u8>),
}

#[derive(Deserialize)]
pub(super) struct Base64 {
    base64: String,
}

#[derive(Deserialize)]
struct Wanted {
    goal: String,
    #[serde(default)]
    budgets: BudgetEdit,
    #[serde(default)]
    history: WantedHistory,
    ext: Option<Box<RawValue>>,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    require_plan_approval: bool,
}

/// Of what a task may use; what is not named stays.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetEdit {
    max_wall_clock_ms: Option<u64>,
    max_steps: Option<u32>,
    max_consecutive_tool_steps: Option<u32>,
    max_steps_without_progress: Option<u32>,
    step_tool_timeout_ms: Option<u64>,
    verify_percent: Option<u32>,
    refinements: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedHistory {
    mode: Option<WantedMode>,
    #[serde(default)]
    n: u32,
    #[serde(default)]
    max_tokens: u32,
    #[serde(default)]
    include_tools: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum WantedMode {
    None,
    SeedOnly,
    LastN,
    Summary,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decided {
    pub(super) task_id: Option<String>,
    pub(super) decision: Verdict,
    pub(super) reason: Option<String>,
    /// As files of decisions have them.
    id: Option<String>,
    approved_by: Option<String>,
    timestamp: Option<String>,
}

impl Decided {
    /// What the client says itself of a decision about this request.
    pub(super) fn said(&mut self, request: &str) -> Result<Said, Refusal> {
        if self.id.as_ref().is_some_and(|id| id != request) {
            return Err(invalid("`id` is another request than the address names"));
        }
        let (approved_by, timestamp) = (self.approved_by.take(), self.timestamp.take());
        Ok(Said { approved_by: approved_by.unwrap_or_default(), timestamp: timestamp.unwrap_or_default() })
    }
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Approved,
    Denied,
    Expired,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Uploaded {
    files: Files,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edited {
    content: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stopped {
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Resumed {
    budgets: Option<BudgetEdit>,
}

/// JSON that is none has a code of its own.
fn object<T: for<'a> Deserialize<'a>>(body: &str) -> Result<T, Refusal> {
    match serde_json::from_str::<T>(body) {
        Ok(value) if body.trim_start().starts_with('{') => Ok(value),
        Ok(_) => Err(Refusal::new(400, "REQUEST_INVALID", "The request body must be a JSON object.")),
        Err(error) if error.is_syntax() || error.is_eof() => {
            Err(Refusal::new(400, "BODY_NOT_JSON", "The request body is not valid JSON."))
        }
        Err(error) => Err(invalid(&error.to_string())),
    }
}

pub(super) fn wanted(body: &str) -> Result<(TaskSpec, Files), Refusal> {
    for name in object::<Map<String, Value>>(body)?.keys().map(String::as_str) {
        if NOT_THEIRS.contains(&name) {
            let message = format!("Clients cannot set `{name}`: the server does.");
            return Err(Refusal::new(400, "TASK_FIELD_REFUSED", message));
        }
        if !THEIRS.contains(&name) {
            return Err(invalid(&format!(
                "there is no option `{name}`; the options are {}",
                THEIRS.join(", ")
            )));
        }
    }
    let Wanted { goal, budgets, history, ext, files, require_plan_approval } = object(body)?;
    let ext = ext.map(|ext| from_text(ext.get())).transpose().map_err(|fault| invalid(&fault.to_string()))?;
    let spec = TaskSpec {
        budgets: budgets.over(&Budgets::default()),
        history: HistoryPolicy {
            mode: match history.mode {
                Some(WantedMode::None) => HistoryMode::None,
                Some(WantedMode::SeedOnly) | None => HistoryMode::SeedOnly,
                Some(WantedMode::LastN) => HistoryMode::LastN,
                Some(WantedMode::Summary) => HistoryMode::Summary,
            },
            n: usize::try_from(history.n).unwrap_or_default(),
            max_tokens: usize::try_from(history.max_tokens).unwrap_or_default(),
            include_tools: history.include_tools,
        },
        ext: ext.unwrap_or_default(),
        require_plan_approval,
        ..TaskSpec::new(goal)
    };
    Ok((spec, files))
}

impl BudgetEdit {
    pub(super) fn over(&self, now: &Budgets) -> Budgets {
        Budgets {
            max_wall_clock_ms: self.max_wall_clock_ms.or(now.max_wall_clock_ms),
            max_steps: self.max_steps.unwrap_or(now.max_steps),
            max_consecutive_tool_steps: self
                .max_consecutive_tool_steps
                .unwrap_or(now.max_consecutive_tool_steps),
            max_steps_without_progress: self
                .max_steps_without_progress
                .unwrap_or(now.max_steps_without_progress),
            step_tool_timeout_ms: self.step_tool_timeout_ms.or(now.step_tool_timeout_ms),
            verify_percent: self.verify_percent.unwrap_or(now.verify_percent),
            refinements: self.refinements.unwrap_or(now.refinements),
        }
    }
}

pub(super) fn decision(body: &str) -> Result<Decided, Refusal> {
    object(body)
}

pub(super) fn uploaded(body: &str) -> Result<Files, Refusal> {
    object(body).map(|Uploaded { files }| files)
}

/// Files of a form.
pub(super) fn sent(body: &[u8], boundary: &str) -> Result<Files, Refusal> {
    let files = multipart::files(body, boundary)?.into_iter();
    Ok(files.map(|(path, content)| (path, SentFile::Bytes(content))).collect())
}

pub(super) fn edited(body: &str) -> Result<String, Refusal> {
    object(body).map(|Edited { content }| content)
}

pub(super) fn reason(body: &str) -> Result<Option<String>, Refusal> {
    optional(body).map(|Stopped { reason }| reason)
}

pub(super) fn budgets(body: &str) -> Result<Option<BudgetEdit>, Refusal> {
    optional(body).map(|Resumed { budgets }| budgets)
}

/// A body that may be left away.
fn optional<T: Default + for<'a> Deserialize<'a>>(body: &str) -> Result<T, Refusal> {
    if body.trim().is_empty() { Ok(T::default()) } else { object(body) }
}

/// Files that a client sends go to the inputs of the task, and nowhere else.
pub(super) fn inputs(files: Files) -> Result<Vec<(WorkspacePath, Vec<u8>)>, Refusal> {
    let mut inputs = Vec::new();
    for (given, content) in files {
        let path = WorkspacePath::parse(&given)?;
        path.allows(ClientUse::Upload)?;
        let content = match content {
            SentFile::Text(text) => text.into_bytes(),
            SentFile::Bytes(bytes) => bytes,
            SentFile::Base64(Base64 { base64 }) => bytes_of(&base64).ok_or_else(|| {
                invalid(&format!("the content of `{given}` is neither a text nor {{ base64 }}"))
            })?,
        };
        inputs.push((path, content));
    }
    let all: HashSet<&str> = inputs.iter().map(|(path, _)| path.as_str()).collect();
    for (path, _) in &inputs {
        let mut above = path.as_str();
        while let Some((folder, _)) = above.rsplit_once('/') {
            if all.contains(folder) {
                return Err(in_the_way(path, folder, "a file").into());
            }
            above = folder;
        }
    }
    Ok(inputs)
}

/// Where a client's file cannot be, because of another one.
pub(super) fn in_the_way(path: &WorkspacePath, other: &str, kind: &str) -> TaskError {
    let message = format!("`{}` cannot be written: `{other}` is {kind}", path.as_str());
    TaskError::new(TaskErrorKind::Path, message)
}
