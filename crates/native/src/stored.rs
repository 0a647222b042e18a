//! What the databases of sessions have in common.

use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::ports::{Loaded, StoreAdapter};
use glove_wasm::run::Run;
use glove_wasm::store::{Transcript, TranscriptError};

/// A session in the list of its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    pub id: String,
    /// What a person named it; empty before.
    pub name: String,
    /// What a person wrote first, in one line.
    pub title: String,
    pub working_dir: String,
    pub messages: u64,
    /// In milliseconds since 1970.
    pub created_at: u64,
    pub updated_at: u64,
    /// What its run was doing when it was last written: `idle`, `waiting`, `tools`, …
    pub phase: String,
    /// A person is asked something.
    pub asks: bool,
    /// So many processes in a row ended while they worked on it.
    pub deaths: u64,
}

/// What is imported of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Under another id than its own.
    pub id: Option<String>,
    /// Its run too, if it has not ended: tools whose calls were under way may run here.
    pub with_run: bool,
}

/// A session outside of its database. It stays as it is.
pub async fn exported(
    known: Option<StoredSession>,
    store: impl StoreAdapter,
) -> Result<Transcript, TranscriptError> {
    let known = known.ok_or_else(|| TranscriptError::Unknown(store.identifier()))?;
    let loaded = store.load().await?;
    Ok(Transcript {
        id: known.id,
        title: (!known.name.is_empty()).then_some(known.name),
        created_at: known.created_at,
        updated_at: known.updated_at,
        messages: loaded.messages,
        tasks: store.tasks().await?,
        inbox: store.inbox().await?,
        checkpoint: loaded.checkpoint,
        records: loaded.records,
    })
}

/// The run that comes along, if it is wanted and has not ended.
pub fn imported_run(
    transcript: &Transcript,
    options: &ImportOptions,
) -> Result<Option<Run>, TranscriptError> {
    match (options.with_run, &transcript.checkpoint) {
        (true, Some(_)) => Ok(Some(transcript.run()?)),
        _ => Ok(None),
    }
}

/// What is stored is as much as was written: otherwise no step could ever follow on it.
pub fn whole(loaded: &Loaded, written: usize, seq: u64) -> Result<(), StoreError> {
    let (messages, last) = (loaded.messages.len(), loaded.records.last().map(|record| record.seq));
    let records_miss = match (&loaded.checkpoint, last) {
        (Some(_), None) => false,
        (Some(_), Some(last)) => last != seq,
        (None, _) => loaded.records.len() as u64 != seq,
    };
    let what = if messages != written {
        format!("{messages} messages are stored, and {written} were written")
    } else if records_miss {
        "the state of its run is not the one that was written".to_owned()
    } else {
        return Ok(());
    };
    Err(StoreError::new(StoreErrorKind::Corrupt, format!("the stored session is damaged: {what}")))
}
