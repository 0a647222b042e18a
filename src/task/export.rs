//! A workspace as one text, by the same rules wherever it is put into a folder or a browser.

use std::collections::HashSet;

use crate::json::Json;
use crate::json::codec::{Read, from_text};
use crate::message::Extra;
use crate::task::error::{TaskError, TaskErrorKind};
use crate::task::layout::{LOCK, PROGRESS, STATE, STATE_BEFORE, TASK, WorkspacePath};
use crate::task::state::TaskState;

/// What `exportWorkspace` of `glove-wasm/tasks` writes.
const FORMAT: &str = "glove-task-workspace";
const VERSION: u32 = 1;
/// A workspace has a task when one of these is there: they come last.
pub(crate) const STATES: [&str; 2] = [STATE_BEFORE, STATE];

#[derive(Read)]
struct Export {
    format: String,
    version: u32,
    files: Extra,
}

/// The files of an exported workspace: clean paths, none of which another needs as a folder, and a state that can be taken up. Their
/// contents are texts, or objects with `base64`.
pub(crate) fn exported_files(export: &str) -> Result<Vec<(WorkspacePath, Json)>, TaskError> {
    let refused = |why: String| {
        let message = ["this is not an exported workspace: ", &why, "; give what `exportWorkspace` returned"];
        TaskError::new(TaskErrorKind::Export, message.concat())
    };
    let Export { format, version, files } = from_text(export).map_err(|fault| refused(fault.to_string()))?;
    if format != FORMAT {
        return Err(refused(format!("its `format` is not \"{FORMAT}\"")));
    }
    if version != VERSION {
        return Err(refused(format!("its version is {version}, and this one reads {VERSION}")));
    }
    let mut read: Vec<(WorkspacePath, Json)> = Vec::new();
    let mut states = Vec::new();
    let (mut known, mut folders) = (HashSet::new(), HashSet::new());
    for (given, content) in files.0 {
        let path = WorkspacePath::parse(&given).map_err(|error| refused(error.message))?;
        let below = |folder: &str| path.as_str() != folder && path.is_below(folder);
        if !below(TASK) && !below(PROGRESS) {
            return Err(refused(format!("`{given}` is neither below {TASK}/ nor below {PROGRESS}/")));
        }
        if path.as_str() == LOCK {
            continue;
        }
        if !known.insert(path.as_str().to_owned()) {
            return Err(refused(format!("`{path}` is there twice")));
        }
        let slashes = path.as_str().match_indices('/').map(|(at, _)| path.as_str().get(..at));
        folders.extend(slashes.flatten().map(str::to_owned));
        if STATES.contains(&path.as_str()) {
            let text = from_text::<String>(content.as_str()).unwrap_or_default();
            states.push(TaskState::from_file(&text).map(drop));
        }
        read.push((path, content));
    }
    if let Some((path, _)) = read.iter().find(|(path, _)| folders.contains(path.as_str())) {
        return Err(refused(format!("`{path}` is a file and a folder")));
    }
    // What cannot be taken up is found before anything is written. One of the two is enough.
    if let Some(Err(error)) = states.iter().find(|state| state.is_ok()).or(states.last()) {
        return Err(match error.kind {
            TaskErrorKind::StateBroken => refused(error.message.clone()),
            _ => error.clone(),
        });
    }
    read.sort_by_key(|(path, _)| STATES.iter().position(|state| *state == path.as_str()));
    Ok(read)
}
