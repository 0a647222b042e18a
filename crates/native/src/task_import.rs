//! A workspace that a page has exported, put into a folder: its task goes on there.

use super::task_folder::TaskFolder;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, from_text};
use glove_wasm::providers::base64::bytes_of;
use glove_wasm_task::export::{STATES, exported_files};
use glove_wasm_task::layout::WorkspacePath;
use glove_wasm_task::runtime::Workspace;
use glove_wasm_task::{TaskError, TaskErrorKind};

#[derive(Read)]
struct Bytes {
    base64: String,
}

impl TaskFolder {
    /// Writes the files of an exported workspace. Fails where there is a task already, and writes nothing where the export cannot be read.
    /// What is written of one that fails on the way is removed.
    pub async fn import(&self, export: &str) -> Result<(), TaskError> {
        let mut files = Vec::new();
        for (path, content) in exported_files(export)? {
            let content = content_of(&content).ok_or_else(|| {
                let message = format!(
                    "this is not an exported workspace: `{path}` is neither a text nor base64; give what `exportWorkspace` returned"
                );
                TaskError::new(TaskErrorKind::Export, message)
            })?;
            files.push((path, content));
        }
        let _lease = self.lease().await?;
        for state in STATES {
            if self.read(&WorkspacePath::known(state)).await?.is_some() {
                let message = "there is a task in this workspace already; import into an empty folder";
                return Err(TaskError::new(TaskErrorKind::Exists, message));
            }
        }
        let mut made = Vec::new();
        let put = self.put_all(files, &mut made).await;
        if put.is_err() {
            for path in made {
                // The first failure is the one to tell.
                let _ = self.remove(&path).await;
            }
        }
        put
    }

    /// `made` has those that were not there before.
    async fn put_all(
        &self,
        files: Vec<(WorkspacePath, Vec<u8>)>,
        made: &mut Vec<WorkspacePath>,
    ) -> Result<(), TaskError> {
        for (path, content) in files {
            let is_new = self.read(&path).await?.is_none();
            self.write(&path, content).await?;
            if is_new {
                made.push(path);
            }
        }
        Ok(())
    }
}

fn content_of(content: &Json) -> Option<Vec<u8>> {
    if let Ok(text) = from_text::<String>(content.as_str()) {
        return Some(text.into_bytes());
    }
    bytes_of(&from_text::<Bytes>(content.as_str()).ok()?.base64)
}
