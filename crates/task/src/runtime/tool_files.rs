//! The files of a task as its tools have them: with those of its skills beside them, and written without the secrets of calls.

use std::sync::Arc;

use futures_util::future::ready;

use crate::layout::{SKILLS, SOURCES, WorkspacePath};
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

/// The files of skills and of other steps are read only.
pub(super) struct ToolFiles {
    files: Arc<dyn Workspace>,
    /// The step whose tools they are.
    step: String,
    mounted: Vec<(WorkspacePath, String)>,
    secrets: Arc<Secrets>,
}

impl ToolFiles {
    pub(super) fn of(
        files: &Arc<dyn Workspace>,
        step: &str,
        secrets: &Arc<Secrets>,
        skills: &[&SkillBundle],
    ) -> Arc<dyn Workspace> {
        let mut mounted = Vec::new();
        for skill in skills {
            mounted.extend_from_slice(&skill.files);
        }
        let step = step.to_owned();
        Arc::new(ToolFiles { files: Arc::clone(files), step, mounted, secrets: Arc::clone(secrets) })
    }

    /// Why a tool may not write here.
    fn refusal(&self, path: &WorkspacePath) -> Option<TaskError> {
        let message = match () {
            () if path.is_below(SKILLS) => format!("`{path}` belongs to a skill, whose files are only read"),
            () if !path.is_own_of(&self.step) => {
                format!(
                    "`{path}` is not of this step, and what a step has kept stays; write below progress/artifacts/"
                )
            }
            () => return None,
        };
        Some(TaskError::new(TaskErrorKind::ReadOnly, message))
    }

    /// What is no text stays as it is.
    fn clean(&self, content: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(content) {
            Ok(text) => self.secrets.text(&text).into_bytes(),
            Err(error) => error.into_bytes(),
        }
    }
}

fn is_break(byte: &u8) -> bool {
    *byte == b'\n'
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
        if let Some(refused) = self.refusal(path) {
            return Box::pin(ready(Err(refused)));
        }
        let content = self.clean(content);
        if path.as_str() != SOURCES {
            return self.files.write(path, content);
        }
        let (files, path) = (Arc::clone(&self.files), path.clone());
        Box::pin(async move {
            let before = files.read(&path).await?;
            let cited = |line: &&[u8]| content.split(is_break).any(|known| known == *line);
            if before.iter().flat_map(|before| before.split(is_break)).all(|line| cited(&line)) {
                return files.write(&path, content).await;
            }
            let message =
                format!("`{path}` only grows; write it with the lines that are there, and yours below");
            Err(TaskError::new(TaskErrorKind::ReadOnly, message))
        })
    }

    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        match self.refusal(path) {
            Some(refused) => Box::pin(ready(Err(refused))),
            None => self.files.append(path, self.clean(content)),
        }
    }

    fn swap(
        &self,
        path: &WorkspacePath,
        before: Option<Vec<u8>>,
        content: Vec<u8>,
    ) -> BoxFuture<'static, Result<bool, TaskError>> {
        match self.refusal(path) {
            Some(refused) => Box::pin(ready(Err(refused))),
            None => self.files.swap(path, before, self.clean(content)),
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
