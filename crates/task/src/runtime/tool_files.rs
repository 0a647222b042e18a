//! The files of a task as its tools have them: with those of its skills beside them, and written without the secrets of calls.

use std::sync::Arc;

use futures_util::future::ready;

use crate::layout::{SKILLS, WorkspacePath};
use crate::runtime::credentials::Secrets;
use crate::runtime::workspace::{Entry, Lease, Workspace};
use crate::{SkillBundle, SkillTool, TaskError, TaskErrorKind};
use glove_wasm::portable::{BoxFuture, MaybeSend, MaybeSync};
use glove_wasm::ports::Tool;

/// What runs the tools of skills: `glove_wasm_sandbox::Sandbox`, for example.
pub trait SkillRunner: MaybeSend + MaybeSync {
    /// A tool that reaches these files below its mounts alone.
    fn tool(&self, tool: &SkillTool, files: Arc<dyn Workspace>) -> Tool;
}

/// The files of skills are read only.
pub(super) struct ToolFiles {
    files: Arc<dyn Workspace>,
    mounted: Vec<(WorkspacePath, String)>,
    secrets: Arc<Secrets>,
}

impl ToolFiles {
    pub(super) fn of(
        files: &Arc<dyn Workspace>,
        secrets: &Arc<Secrets>,
        skills: &[&SkillBundle],
    ) -> Arc<dyn Workspace> {
        let mut mounted = Vec::new();
        for skill in skills {
            mounted.extend_from_slice(&skill.files);
        }
        Arc::new(ToolFiles { files: Arc::clone(files), mounted, secrets: Arc::clone(secrets) })
    }

    /// What is no text stays as it is.
    fn clean(&self, content: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(content) {
            Ok(text) => self.secrets.text(&text).into_bytes(),
            Err(error) => error.into_bytes(),
        }
    }
}

fn refused(path: &WorkspacePath) -> BoxFuture<'static, Result<(), TaskError>> {
    let message = format!("`{path}` belongs to a skill, whose files are only read");
    Box::pin(ready(Err(TaskError::new(TaskErrorKind::ReadOnly, message))))
}

impl Workspace for ToolFiles {
    fn read(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Option<Vec<u8>>, TaskError>> {
        match path.is_below(SKILLS) {
            true => Box::pin(ready(Ok(self
                .mounted
                .iter()
                .find(|(known, _)| known == path)
                .map(|(_, text)| text.clone().into_bytes())))),
            false => self.files.read(path),
        }
    }

    fn write(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        match path.is_below(SKILLS) {
            true => refused(path),
            false => self.files.write(path, self.clean(content)),
        }
    }

    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        match path.is_below(SKILLS) {
            true => refused(path),
            false => self.files.append(path, self.clean(content)),
        }
    }

    fn list(&self, folder: &WorkspacePath) -> BoxFuture<'static, Result<Vec<Entry>, TaskError>> {
        if !folder.is_below(SKILLS) {
            return self.files.list(folder);
        }
        let below = self.mounted.iter().filter(|(path, _)| path.is_below(folder.as_str()));
        let entries = below.map(|(path, text)| Entry { path: path.clone(), size: text.len() as u64 });
        Box::pin(ready(Ok(entries.collect())))
    }

    fn lease(&self) -> BoxFuture<'static, Result<Lease, TaskError>> {
        self.files.lease()
    }
}
