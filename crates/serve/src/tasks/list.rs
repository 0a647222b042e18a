//! Which tasks a user has: their folders, the one that was written last first.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::owners;
use glove_wasm::endpoint::Refusal;
use glove_wasm_task::layout::{STATE, STATE_BEFORE};
use glove_wasm_task::{TaskError, TaskErrorKind};

/// Their ids. Looks at names and times alone, and reads no task.
pub(super) async fn newest(base: &Path, user: &str) -> Result<Vec<String>, Refusal> {
    let (base, user) = (base.to_owned(), user.to_owned());
    let failed = |why: String| TaskError::new(TaskErrorKind::Workspace, why);
    let looked = tokio::task::spawn_blocking(move || {
        let mut found: Vec<(SystemTime, String)> = Vec::new();
        let entries = match fs::read_dir(&base) {
            // Made with the first task.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        for entry in entries {
            let name = entry?.file_name();
            let Some(id) = name.to_str().and_then(|name| owners::id_of(&user, name)) else { continue };
            let written = [STATE, STATE_BEFORE].iter().find_map(|state| {
                fs::metadata(base.join(&name).join(state)).and_then(|state| state.modified()).ok()
            });
            found.extend(written.map(|at| (at, id.to_owned())));
        }
        // Of the same time, by name: so the list is the same each time.
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        Ok::<_, std::io::Error>(found.into_iter().map(|(_, id)| id).collect())
    });
    let looked = looked.await.map_err(|error| failed(error.to_string()))?;
    Ok(looked.map_err(|error| failed(error.to_string()))?)
}
