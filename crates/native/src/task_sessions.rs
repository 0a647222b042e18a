//! Exported sessions as the history of a task.

use std::sync::Arc;

use glove_wasm::message::Message;
use glove_wasm::store::{Transcript, TranscriptError};
use glove_wasm_task::{TaskError, TaskErrorKind};

/// The record of a session that was exported for a task; a session that nobody wrote to is empty.
pub fn record_for_task(
    session: &str,
    exported: Result<Transcript, TranscriptError>,
) -> Result<Vec<Arc<Message>>, TaskError> {
    match exported {
        Ok(transcript) => Ok(transcript.messages),
        Err(TranscriptError::Unknown(_)) => Ok(Vec::new()),
        Err(error) => {
            let message = format!("the session \"{session}\" cannot be read: {error}");
            Err(TaskError::new(TaskErrorKind::History, message))
        }
    }
}
