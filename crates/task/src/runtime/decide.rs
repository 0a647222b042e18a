//! What anybody may do to a task without running it: decide about a request, and stop it. Both are files.

use crate::layout::{self, WorkspacePath};
use crate::runtime::workspace::{Workspace, read_known, read_text};
use crate::text::pretty;
use crate::{ApprovalDecision, ApprovalRequest, Decision, TaskError, TaskErrorKind, TaskState};
use glove_wasm::json::codec::from_text;

/// Decides about a request of a task, whoever runs it; the runner sees it at its next look. `decision` has the id of the request.
pub async fn decide(files: &dyn Workspace, now: u64, decision: &ApprovalDecision) -> Result<(), TaskError> {
    let id = &decision.id;
    let refuse = |kind, message: String| Err(TaskError::new(kind, message));
    let name = WorkspacePath::parse(&format!("{}/{id}.json", layout::REQUESTS));
    // An id is one name: one with a `/` would be another file.
    let path = name.ok().filter(|path| *path == layout::request(id) && !id.contains('/'));
    let found = match &path {
        Some(path) => read_text(files, path).await?,
        None => None,
    };
    let request = match found {
        Some(text) => from_text::<ApprovalRequest>(&text).map_err(|fault| {
            let message = format!("{} cannot be read: {fault}", layout::request(id));
            TaskError::new(TaskErrorKind::ApprovalUnknown, message)
        })?,
        // The state is written before the request's file, so a client may decide before the file exists.
        None => match pending(files, id).await? {
            Some(request) => request,
            None => {
                return refuse(
                    TaskErrorKind::ApprovalUnknown,
                    format!("there is no request `{id}` in this task"),
                );
            }
        },
    };
    if let Some(found) = read_text(files, &layout::decision(id)).await?
        && !decides_nothing(files, id, &found).await?
    {
        return refuse(TaskErrorKind::ApprovalClosed, format!("the request `{id}` is decided already"));
    }
    if request.is_expired(now) && decision.decision != Decision::Expired {
        let message = format!(
            "the request `{id}` expired at {}; resume the task to be asked again",
            request.expires_at
        );
        return refuse(TaskErrorKind::ApprovalClosed, message);
    }
    files.write(&layout::decision(id), pretty(decision).into_bytes()).await
}

/// A request that waits, as the state tells it.
async fn pending(files: &dyn Workspace, id: &str) -> Result<Option<ApprovalRequest>, TaskError> {
    let state = read_known(files, layout::STATE).await?;
    let Some(Ok(state)) = state.as_deref().map(TaskState::from_file) else { return Ok(None) };
    Ok(state.pending.into_iter().find(|open| open.id == id))
}

/// Whether a request waits in spite of the file of its decision: one that cannot be read, or that was there before the request.
async fn decides_nothing(files: &dyn Workspace, id: &str, text: &str) -> Result<bool, TaskError> {
    let state = read_known(files, layout::STATE).await?;
    let Some(Ok(state)) = state.as_deref().map(TaskState::from_file) else { return Ok(false) };
    let waits = state.pending.iter().any(|open| open.id == id);
    Ok(waits && (state.ignores(id, text) || ApprovalDecision::from_file(id, text).is_err()))
}

/// Writes the STOP file: whoever runs the task stops after the call in flight. To go on, delete the file and resume.
pub async fn stop(files: &dyn Workspace, reason: &str) -> Result<(), TaskError> {
    files.write(&WorkspacePath::known(layout::STOP), format!("{reason}\n").into_bytes()).await
}
