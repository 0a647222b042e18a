//! Reads the state of a task from its files. Needs no lease and writes nothing.

use crate::layout::{self, WorkspacePath};
use crate::runtime::workspace::{Workspace, read_known, read_text};
use crate::{
    ClientState, Deliverable, ResultView, StepReport, TaskError, TaskErrorKind, TaskResult, TaskState,
};
use glove_wasm::json::codec::from_text;

/// The state of a task, or the one before it where that cannot be read: `resume` takes up the same.
pub async fn state(files: &dyn Workspace) -> Result<TaskState, TaskError> {
    let mut broken = None;
    for path in [layout::STATE, layout::STATE_BEFORE] {
        match read_known(files, path).await?.as_deref().map(TaskState::from_file) {
            Some(Ok(state)) => return Ok(state),
            Some(Err(error)) if error.kind == TaskErrorKind::StateNewer => return Err(error),
            Some(Err(error)) => broken = broken.or(Some(error)),
            None => {}
        }
    }
    let message = || format!("this workspace has no task ({} is missing); start one", layout::STATE);
    Err(broken.unwrap_or_else(|| TaskError::new(TaskErrorKind::Missing, message())))
}

/// What the client of a server may know of where a task stands.
pub async fn client_state(files: &dyn Workspace, running: bool) -> Result<ClientState, TaskError> {
    Ok(ClientState::new(state(files).await?, running))
}

/// What came of a task so far, whoever runs it.
pub async fn result(files: &dyn Workspace, view: ResultView) -> Result<TaskResult, TaskError> {
    result_of(files, state(files).await?, view).await
}

pub(super) async fn result_of(
    files: &dyn Workspace,
    state: TaskState,
    view: ResultView,
) -> Result<TaskResult, TaskError> {
    let mut result = TaskResult {
        agent_id: state.agent_id,
        task_id: state.task_id,
        loop_name: state.loop_name,
        loop_version: state.loop_version,
        loop_signature: state.loop_signature,
        progress_dir: layout::PROGRESS.to_owned(),
        status: state.status,
        finish_reason: state.finish_reason,
        usage: state.used.usage,
        started_at: state.started_at,
        completed_at: state.completed_at,
        approvals: state.pending,
        error: state.error,
        ext: state.spec.ext,
        ..TaskResult::default()
    };
    if view == ResultView::Minimal {
        return Ok(result);
    }
    if let Some(path) = &state.output_ref {
        result.output_text = read_known(files, path).await?.unwrap_or_default();
    }
    for entry in files.list(&WorkspacePath::known(layout::ARTIFACTS)).await? {
        result.deliverables.extend(deliverable(files, &entry.path).await?);
    }
    result.verdict = state.verdict;
    result.warnings = state.warnings;
    if view == ResultView::Full {
        for step in &state.steps {
            let path = layout::of_step(&step.id, "report.json");
            let report = read_text(files, &path).await?;
            match report.as_deref().map(from_text::<StepReport>) {
                Some(Ok(report)) => result.steps.push(report),
                _ => result.warnings.push(format!("{path} is missing or cannot be read")),
            }
        }
    }
    Ok(result)
}

/// A file that the agent made; `None` where it is gone.
pub(super) async fn deliverable(
    files: &dyn Workspace,
    path: &WorkspacePath,
) -> Result<Option<Deliverable>, TaskError> {
    let content = files.read(path).await?;
    Ok(content.map(|content| Deliverable::of(path.as_str(), "artifact", &content)))
}
