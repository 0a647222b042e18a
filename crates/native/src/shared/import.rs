//! A session that comes into a database.

use crate::ImportOptions;
use crate::stored::imported_run;
use crate::title::title_of;
use glove_wasm::error::StoreError;
use glove_wasm::json::codec::to_text;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::IdSource;
use glove_wasm::run::Run;
use glove_wasm::store::{Transcript, TranscriptError};
use glove_wasm::system::RandomIds;

/// A session that comes into a database.
#[derive(Debug)]
pub struct NewSession {
    pub name: String,
    pub title: String,
    pub created_at: u64,
    pub updated_at: u64,
    pub messages: Vec<String>,
    pub seq: u64,
    pub checkpoint: Option<String>,
    pub phase: &'static str,
    pub asks: bool,
    pub tasks: String,
    /// With their ids.
    pub inbox: Vec<(String, String)>,
}

impl NewSession {
    fn of(transcript: &Transcript, run: Option<&Run>) -> Self {
        let messages = run.map_or(transcript.messages.as_slice(), Run::messages);
        // What the records add to the checkpoint is in the run already.
        let state = run.map(|run| (run.unsaved(), run.checkpoint()));
        let (seq, phase, asks) = state
            .as_ref()
            .map_or((0, "idle", false), |(unsaved, _)| (unsaved.seq, unsaved.phase.as_str(), unsaved.asks));
        NewSession {
            name: transcript.title.as_deref().unwrap_or_default().replace('\0', ""),
            title: title_of(messages),
            created_at: transcript.created_at,
            updated_at: transcript.updated_at,
            messages: messages.iter().map(|message| to_text(message)).collect(),
            seq,
            phase,
            asks,
            checkpoint: state.map(|(_, checkpoint)| checkpoint),
            tasks: to_text(&transcript.tasks),
            inbox: transcript.inbox.iter().map(|item| (item.id.replace('\0', ""), to_text(item))).collect(),
        }
    }
}

/// A new session by `insert`, which is false where there is such a session already. Gives its id: the transcript's own, or a new one where
/// that is used already.
pub async fn imported(
    transcript: Transcript,
    options: ImportOptions,
    insert: impl Fn(&str, &NewSession) -> BoxFuture<'static, Result<bool, StoreError>>,
) -> Result<String, TranscriptError> {
    let run = imported_run(&transcript, &options)?;
    let session = NewSession::of(&transcript, run.as_ref());
    // A run does not cross to other threads, and is not needed any more.
    drop(run);
    if let Some(id) = options.id {
        return match insert(&id, &session).await? {
            true => Ok(id),
            false => Err(TranscriptError::Exists(id)),
        };
    }
    if insert(&transcript.id, &session).await? {
        return Ok(transcript.id);
    }
    let id = RandomIds.fresh();
    insert(&id, &session).await?;
    Ok(id)
}
