//! What anybody may do to a task without running it: decide about a request, and stop it. Both are files.

use crate::layout::{self, WorkspacePath};
use crate::runtime::workspace::{Workspace, read_known, read_text};
use crate::text::{first_line, pretty};
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
    if request.is_expired(now) && decision.decision != Decision::Expired {
        closed_before(files, id).await?;
        let message = format!(
            "the request `{id}` expired at {}; resume the task to be asked again",
            request.expires_at
        );
        return refuse(TaskErrorKind::ApprovalClosed, message);
    }
    let content = pretty(decision).into_bytes();
    for _ in 0..TRIES {
        // The first decision wins: whoever is second finds it here, also where both looked at once.
        let before = closed_before(files, id).await?;
        if files.swap(&layout::decision(id), before, content.clone()).await? {
            return overruled(files, decision).await;
        }
    }
    let message = format!("{} changes again and again; the request still waits", layout::decision(id));
    refuse(TaskErrorKind::Workspace, message)
}

/// Writes a decision that was carried out already. Gives what stands there instead, where that says otherwise and counts: a file tells what was
/// done, so it is to be set aside first.
pub(super) async fn write_first(
    files: &dyn Workspace,
    path: &WorkspacePath,
    content: &str,
    is_ignored: impl Fn(&str, &str) -> bool,
) -> Result<Option<String>, TaskError> {
    let id = path.name().strip_suffix(".json").unwrap_or_default();
    let decision = |text: &str| ApprovalDecision::from_file(id, text).ok().map(|found| found.decision);
    for _ in 0..TRIES {
        let found = files.read(path).await?;
        let text = found.as_deref().map(String::from_utf8_lossy);
        if let Some(text) = text.filter(|text| decision(text).is_some() && !is_ignored(id, text)) {
            // Whoever said the same first stays named in it.
            return Ok((decision(&text) != decision(content)).then(|| text.into_owned()));
        }
        if files.swap(path, found, content.as_bytes().to_vec()).await? {
            return Ok(None);
        }
    }
    let message = format!("{path} changes again and again, so what was decided could not be written there");
    Err(TaskError::new(TaskErrorKind::Workspace, message))
}

/// How often a file that decides nothing may become another one meanwhile.
const TRIES: usize = 10;

/// Fails where whoever runs the task had carried out another answer in the same instant.
async fn overruled(files: &dyn Workspace, decision: &ApprovalDecision) -> Result<(), TaskError> {
    let path = layout::decision(&decision.id);
    let state = read_known(files, layout::STATE).await?;
    let Some(Ok(state)) = state.as_deref().map(TaskState::from_file) else { return Ok(()) };
    let done = state.outgoing.iter().filter(|file| file.unless_decided && file.path == path.as_str());
    let mut done = done.filter_map(|file| ApprovalDecision::from_file(&decision.id, &file.content).ok());
    match done.find(|done| done.decision != decision.decision) {
        None => Ok(()),
        Some(done) => Err(TaskError::new(TaskErrorKind::ApprovalClosed, is_decided(&done))),
    }
}

/// What stands in the file of a decision and decides nothing. Fails where the request is decided, and says by whom.
async fn closed_before(files: &dyn Workspace, id: &str) -> Result<Option<Vec<u8>>, TaskError> {
    let found = files.read(&layout::decision(id)).await?;
    let text = found.as_deref().map(String::from_utf8_lossy);
    let state = read_known(files, layout::STATE).await?;
    let state = state.as_deref().map(TaskState::from_file).and_then(Result::ok);
    let waits = state.as_ref().is_none_or(|state| state.pending.iter().any(|open| open.id == id));
    let by = text.as_deref().and_then(|text| ApprovalDecision::from_file(id, text).ok());
    let is_void = |text: &str| by.is_none() || state.as_ref().is_some_and(|state| state.ignores(id, text));
    match (&text, &by) {
        (None, _) if waits => return Ok(None),
        // One that cannot be read, or that was there before the request.
        (Some(text), _) if waits && state.is_some() && is_void(text) => return Ok(found.clone()),
        _ => {}
    }
    let message = match &by {
        None => format!("the request `{id}` waits for no decision any more"),
        Some(by) if by.decision == Decision::Expired => {
            format!("the request `{id}` has expired; resume the task to be asked again")
        }
        Some(by) => is_decided(by),
    };
    Err(TaskError::new(TaskErrorKind::ApprovalClosed, message))
}

pub(super) fn is_decided(by: &ApprovalDecision) -> String {
    let ApprovalDecision { id, decision, approved_by, timestamp, .. } = by;
    let when = if timestamp.is_empty() { "" } else { ", " };
    let (who, timestamp) = (first_line(approved_by, 100), first_line(timestamp, 40));
    format!("the request `{id}` is decided already: {} by \"{who}\"{when}{timestamp}", decision.word())
}

/// A request that waits, as the state tells it.
async fn pending(files: &dyn Workspace, id: &str) -> Result<Option<ApprovalRequest>, TaskError> {
    let state = read_known(files, layout::STATE).await?;
    let Some(Ok(state)) = state.as_deref().map(TaskState::from_file) else { return Ok(None) };
    Ok(state.pending.into_iter().find(|open| open.id == id))
}

/// Writes the STOP file: whoever runs the task stops after the call in flight. To go on, delete the file and resume.
pub async fn stop(files: &dyn Workspace, reason: &str) -> Result<(), TaskError> {
    files.write(&WorkspacePath::known(layout::STOP), format!("{reason}\n").into_bytes()).await
}
