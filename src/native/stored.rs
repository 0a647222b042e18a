//! What the databases of sessions have in common.

use crate::error::{StoreError, StoreErrorKind};
#[cfg(any(feature = "postgres", feature = "redis"))]
use crate::json::codec::to_text;
#[cfg(any(feature = "postgres", feature = "redis"))]
use crate::message::{Message, Sender};
#[cfg(any(feature = "postgres", feature = "redis"))]
use crate::native::RandomIds;
#[cfg(any(feature = "postgres", feature = "redis"))]
use crate::portable::BoxFuture;
#[cfg(any(feature = "postgres", feature = "redis"))]
use crate::ports::IdSource;
use crate::ports::{Loaded, StoreAdapter};
use crate::run::Run;
use crate::store::{Transcript, TranscriptError};

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
}

/// What is imported of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Under another id than its own.
    pub id: Option<String>,
    /// Its run too, if it has not ended: tools whose calls were under way may run here.
    pub with_run: bool,
}

const LONGEST_TITLE: usize = 120;

pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_TITLE {
        return line;
    }
    let mut cut: String = line.chars().take(LONGEST_TITLE - 1).collect();
    cut.push('…');
    cut
}

/// What the first of these that a person wrote makes of a title.
#[cfg(any(feature = "postgres", feature = "redis"))]
pub(super) fn title_of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let said = messages.into_iter().find(|message| {
        message.sender == Sender::User && message.tool_results.is_none() && !message.text.trim().is_empty()
    });
    // A text of a database cannot have it, and a title can do without.
    said.map(|message| one_line(&message.text)).unwrap_or_default().replace('\0', "")
}

/// A session outside of its database. It stays as it is.
pub(super) async fn exported(
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
pub(super) fn imported_run(
    transcript: &Transcript,
    options: &ImportOptions,
) -> Result<Option<Run>, TranscriptError> {
    match (options.with_run, &transcript.checkpoint) {
        (true, Some(_)) => Ok(Some(transcript.run()?)),
        _ => Ok(None),
    }
}

/// A session that comes into a database.
#[cfg(any(feature = "postgres", feature = "redis"))]
pub(super) struct NewSession {
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

#[cfg(any(feature = "postgres", feature = "redis"))]
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
            inbox: transcript.inbox.iter().map(|item| (item.id.clone(), to_text(item))).collect(),
        }
    }
}

/// A new session by `insert`, which is false where there is such a session already. Gives its id: the transcript's own, or a new one where
/// that is used already.
#[cfg(any(feature = "postgres", feature = "redis"))]
pub(super) async fn imported(
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

/// What is stored is as much as was written: otherwise no step could ever follow on it.
pub(super) fn whole(loaded: &Loaded, written: usize, seq: u64) -> Result<(), StoreError> {
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
