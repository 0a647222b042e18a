//! A workspace as one text, by the same rules wherever it is put into a folder or a browser.

use crate::error::{TaskError, TaskErrorKind};
use crate::layout::{LOCK, PROGRESS, STATE, STATE_BEFORE, TASK, WorkspacePath};
use crate::state::TaskState;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, from_text};
use glove_wasm::message::Extra;

/// What `exportWorkspace` of `glove-wasm/tasks` writes.
const FORMAT: &str = "glove-task-workspace";
const VERSION: u32 = 1;
/// A workspace has a task when one of these is there: they come last.
pub const STATES: [&str; 2] = [STATE_BEFORE, STATE];

#[derive(Read)]
struct Export {
    format: String,
    version: u32,
    files: Extra,
}

/// The files of an exported workspace: clean paths, none of which another needs as a folder, and a state that can be taken up. Their
/// contents are texts, or objects with `base64`.
pub fn exported_files(export: &str) -> Result<Vec<(WorkspacePath, Json)>, TaskError> {
    let refused = |why: &[&str]| {
        let mut message = "this is not an exported workspace: ".to_owned();
        message.extend(why.iter().copied());
        message.push_str("; give what `exportWorkspace` returned");
        TaskError::new(TaskErrorKind::Export, message)
    };
    let Export { format, version, files } =
        from_text(export).map_err(|fault| refused(&[&fault.to_string()]))?;
    if format != FORMAT {
        return Err(refused(&["its `format` is not \"", FORMAT, "\""]));
    }
    if version != VERSION {
        return Err(refused(&[
            "its version is ",
            &version.to_string(),
            ", and this one reads ",
            &VERSION.to_string(),
        ]));
    }
    let mut read: Vec<(WorkspacePath, Json)> = Vec::new();
    for (given, content) in files.0 {
        let path = WorkspacePath::parse(&given).map_err(|error| refused(&[&error.message]))?;
        let below = |folder: &str| path.as_str() != folder && path.is_below(folder);
        if !below(TASK) && !below(PROGRESS) {
            return Err(refused(&["`", &given, "` is neither below task/ nor below progress/"]));
        }
        if path.as_str() != LOCK {
            read.push((path, content));
        }
    }
    read.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (at, (path, _)) in read.iter().enumerate() {
        let path = path.as_str();
        if read.get(at + 1).is_some_and(|(next, _)| next.as_str() == path) {
            return Err(refused(&["`", path, "` is there twice"]));
        }
        for folder in path.match_indices('/').filter_map(|(at, _)| path.get(..at)) {
            if read.binary_search_by(|(other, _)| other.as_str().cmp(folder)).is_ok() {
                return Err(refused(&["`", folder, "` is a file and a folder"]));
            }
        }
    }
    // What cannot be taken up is found before anything is written. One of the two is enough.
    let mut broken = None;
    for state in STATES {
        let Some(at) = read.iter().position(|(path, _)| path.as_str() == state) else { continue };
        let (path, content) = read.remove(at);
        let text = from_text::<String>(content.as_str()).unwrap_or_default();
        let found = TaskState::from_file(&text).err();
        // `Some(None)`: this one, or the one before, is whole.
        broken = Some(if broken == Some(None) { None } else { found });
        read.push((path, content));
    }
    match broken.flatten() {
        Some(error) if error.kind == TaskErrorKind::StateBroken => Err(refused(&[&error.message])),
        Some(error) => Err(error),
        None => Ok(read),
    }
}
