//! The port to stored sessions, from which a task may take its history.

use std::sync::Arc;

use crate::layout::SEEDS;
use crate::{TaskError, TaskErrorKind};
use glove_wasm::message::Message;
use glove_wasm::portable::{BoxFuture, MaybeSend, MaybeSync};
use glove_wasm::run::Run;

/// Where sessions are stored.
pub trait SessionSource: MaybeSend + MaybeSync {
    /// The record of a session; empty where there is none.
    fn record(&self, session: String) -> BoxFuture<'static, Result<Vec<Arc<Message>>, TaskError>>;
}

/// The conversations of these sessions, as a model would read them: the branch that is shown, from its last summary on.
pub(super) async fn conversations(
    source: Option<&dyn SessionSource>,
    sessions: &[String],
) -> Result<Vec<Message>, TaskError> {
    let mut all = Vec::new();
    for session in sessions {
        let source = source.ok_or_else(|| {
            let message =
                "this agent has no `sessions` that a task could take its history from; give it a store (`createStore` in JavaScript)";
            TaskError::new(TaskErrorKind::Config, message)
        })?;
        let record = source.record(session.clone()).await?;
        if record.is_empty() {
            let message =
                format!("there is no session \"{session}\" to take the history from; it may be deleted");
            return Err(TaskError::new(TaskErrorKind::HistoryMissing, message));
        }
        let run = Run::reading(record);
        let view = run.model_request();
        all.extend(view.iter().take(view.settled()).cloned());
        // Providers refuse calls without a result, so remove the open calls.
        if let Some(last) = all.last_mut().filter(|last| last.tool_calls.is_some()) {
            last.tool_calls = None;
        }
    }
    Ok(all)
}

pub(super) fn gone() -> TaskError {
    let message = format!(
        "{SEEDS} is missing; the task keeps its history in it. Restore the file, or start the task again"
    );
    TaskError::new(TaskErrorKind::History, message)
}
