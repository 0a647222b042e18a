//! A workspace that a page has exported, put into a folder: its task goes on there.

use std::collections::HashSet;

use super::task_folder::TaskFolder;
use crate::json::Json;
use crate::json::codec::{Read, from_text};
use crate::message::Extra;
use crate::providers::base64::bytes_of;
use crate::task::layout::{PROGRESS, STATE, STATE_BEFORE, TASK, WorkspacePath};
use crate::task::{TaskError, TaskErrorKind};
use crate::task_runtime::Workspace;

/// What `exportWorkspace` of `glove-wasm/tasks` writes.
const FORMAT: &str = "glove-task-workspace";
const VERSION: u32 = 1;
/// A folder has a task when one of these is there: they come last.
const STATES: [&str; 2] = [STATE_BEFORE, STATE];

#[derive(Read)]
struct Export {
    format: String,
    version: u32,
    files: Extra,
}

#[derive(Read)]
struct Bytes {
    base64: String,
}

impl TaskFolder {
    /// Writes the files of an exported workspace. Fails where there is a task already, and writes nothing where the export cannot be read.
    pub async fn import(&self, export: &str) -> Result<(), TaskError> {
        let files = files_of(export).map_err(|why| {
            let message =
                format!("this is not an exported workspace: {why}; give what `exportWorkspace` returned");
            TaskError::new(TaskErrorKind::Export, message)
        })?;
        let _lease = self.lease().await?;
        for state in STATES {
            if self.read(&WorkspacePath::known(state)).await?.is_some() {
                let message = "there is a task in this workspace already; import into an empty folder";
                return Err(TaskError::new(TaskErrorKind::Exists, message));
            }
        }
        let mut files = files;
        files.sort_by_key(|(path, _)| STATES.iter().position(|state| *state == path.as_str()));
        for (path, content) in files {
            self.write(&path, content).await?;
        }
        Ok(())
    }
}

fn files_of(export: &str) -> Result<Vec<(WorkspacePath, Vec<u8>)>, String> {
    let Export { format, version, files } = from_text(export).map_err(|fault| fault.to_string())?;
    if format != FORMAT {
        return Err(format!("its `format` is not \"{FORMAT}\""));
    }
    if version != VERSION {
        return Err(format!("its version is {version}, and this one reads {VERSION}"));
    }
    let mut read = Vec::new();
    let mut known = HashSet::new();
    for (path, content) in &files.0 {
        let parsed = WorkspacePath::parse(path).map_err(|error| error.message)?;
        let below = |folder: &&str| parsed.as_str() != *folder && parsed.is_below(folder);
        if ![TASK, PROGRESS].iter().any(below) {
            return Err(format!("`{path}` is neither below {TASK}/ nor below {PROGRESS}/"));
        }
        if !known.insert(parsed.clone()) {
            return Err(format!("`{parsed}` is there twice"));
        }
        let content = content_of(content).ok_or_else(|| format!("`{path}` is neither a text nor base64"))?;
        read.push((parsed, content));
    }
    Ok(read)
}

fn content_of(content: &Json) -> Option<Vec<u8>> {
    if let Ok(text) = from_text::<String>(content.as_str()) {
        return Some(text.into_bytes());
    }
    bytes_of(&from_text::<Bytes>(content.as_str()).ok()?.base64)
}
