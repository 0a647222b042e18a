//! A session as one JSON text: exported, kept elsewhere, imported again. Pages have the same form in `js/src/store/transcript.ts`, and
//! `tests/fixtures/transcripts` holds the two together.

use std::sync::Arc;

use crate::error::{StoreError, StoreErrorKind};
use crate::json::Json;
use crate::json::codec::{Read, Write, from_text, object};
use crate::message::{InboxItem, Message, Task};
use crate::run::Run;
use crate::run::checkpoint::{RestoreError, Unsaved};
use crate::run::journal::Record;
use crate::run::replay::{self, ReplayError};
use crate::run::settings::Settings;

const FORMAT: &str = "glove-session";
/// A newer one is refused.
const VERSION: u64 = 1;

/// A session outside of any store. Permissions are not part of it: a person gave them on one device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    pub id: String,
    /// What a person named it.
    pub title: Option<String>,
    /// In milliseconds since 1970.
    pub created_at: u64,
    pub updated_at: u64,
    pub messages: Vec<Arc<Message>>,
    pub tasks: Vec<Task>,
    pub inbox: Vec<InboxItem>,
    /// Its run, if it goes along.
    pub checkpoint: Option<String>,
    pub records: Vec<Record>,
}

/// Why a text is not imported, or a session not exported. Nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TranscriptError {
    #[error("This is not an exported session: {0}. Pass what was exported.")]
    Invalid(String),
    #[error("This session was exported by a newer version; update the program to import it.")]
    Newer,
    #[error("A session \"{0}\" already exists; delete it first, or import under another id.")]
    Exists(String),
    #[error("There is no session \"{0}\".")]
    Unknown(String),
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl TranscriptError {
    pub fn code(&self) -> &'static str {
        match self {
            TranscriptError::Invalid(_) => "SESSION_IMPORT_INVALID",
            TranscriptError::Newer => StoreErrorKind::Newer.code(),
            TranscriptError::Exists(_) => "SESSION_EXISTS",
            TranscriptError::Unknown(_) => "SESSION_UNKNOWN",
            TranscriptError::Store(error) => error.kind.code(),
        }
    }
}

/// As it is written. What is checked one by one is not read with the rest, so that it can be named.
#[derive(Read)]
struct Parts {
    #[json(default)]
    format: Json,
    #[json(default)]
    version: Json,
    #[json(default)]
    id: Json,
    #[json(default)]
    title: Json,
    #[json(default, rename = "createdAt")]
    created_at: Json,
    #[json(default, rename = "updatedAt")]
    updated_at: Json,
    messages: Option<Json>,
    #[json(keep_null)]
    tasks: Option<Json>,
    #[json(keep_null)]
    inbox: Option<Json>,
    #[json(keep_null)]
    records: Option<Json>,
    #[json(keep_null)]
    checkpoint: Option<Json>,
}

/// A message has a text, though the record takes one without.
#[derive(Read)]
struct HasText {
    #[json(rename = "text")]
    _text: String,
}

#[derive(Write)]
struct Tokens {
    tokens_in: u64,
    tokens_out: u64,
}

impl Transcript {
    /// Reads what was exported here or by a page.
    pub fn read(text: &str) -> Result<Self, TranscriptError> {
        let parts: Parts = from_text(text).map_err(|_| invalid("it is not a JSON object"))?;
        if parts.format.to_text().as_deref() == Some(replay::FORMAT) {
            return Transcript::at_end_of_run(text);
        }
        if parts.format.to_text().as_deref() != Some(FORMAT) {
            return Err(invalid(&format!("it has no \"format\": \"{FORMAT}\"")));
        }
        if parts.version.read::<f64>().map_or(true, |version| version > VERSION as f64) {
            return Err(TranscriptError::Newer);
        }
        let id = parts.id.to_text().filter(|id| !id.is_empty()).ok_or_else(|| invalid("it has no id"))?;
        let checkpoint = match &parts.checkpoint {
            Some(checkpoint) => {
                let text = checkpoint.to_text();
                Some(text.ok_or_else(|| invalid("its `checkpoint` is not a string"))?)
            }
            None => None,
        };
        let Some(messages) = &parts.messages else {
            return Err(invalid("its `messages` is not an array of messages"));
        };
        drop(list::<HasText>(messages, "messages")?);
        Ok(Transcript {
            id,
            title: parts.title.to_text(),
            created_at: time(&parts.created_at),
            updated_at: time(&parts.updated_at),
            messages: list(messages, "messages")?,
            tasks: parts.tasks.as_ref().map_or(Ok(Vec::new()), |tasks| list(tasks, "tasks"))?,
            inbox: parts.inbox.as_ref().map_or(Ok(Vec::new()), |inbox| list(inbox, "inbox"))?,
            records: parts.records.as_ref().map_or(Ok(Vec::new()), |records| list(records, "records"))?,
            checkpoint,
        })
    }

    /// A recorded run as the session that it ends with.
    fn at_end_of_run(text: &str) -> Result<Self, TranscriptError> {
        let end = replay::end_of(text).map_err(|error| match error {
            ReplayError::Newer => TranscriptError::Newer,
            other => invalid(&other.to_string()),
        })?;
        let mut times = end.messages.iter().filter_map(|message| message.at);
        let created_at = times.next().unwrap_or_default();
        Ok(Transcript {
            id: "recorded-run".to_owned(),
            created_at,
            updated_at: times.next_back().unwrap_or(created_at),
            checkpoint: Some(end.checkpoint.as_str().to_owned()),
            messages: end.messages,
            ..Transcript::default()
        })
    }

    /// The run that goes along, as it was when it was exported; without one, a run that begins after the messages.
    pub fn run(&self) -> Result<Run, TranscriptError> {
        let Some(checkpoint) = &self.checkpoint else {
            return Ok(Run::new(Settings::default(), self.messages.clone()));
        };
        Run::restore(checkpoint, self.messages.clone(), self.records.clone()).map_err(|error| match error {
            RestoreError::Newer { .. } => TranscriptError::Newer,
            other => invalid(&other.to_string()),
        })
    }

    pub fn to_text(&self) -> Result<String, TranscriptError> {
        let run = self.run()?;
        let Unsaved { seq, .. } = run.unsaved();
        let turns = run.turns();
        let tokens = Tokens { tokens_in: run.usage().tokens_in, tokens_out: run.usage().tokens_out };
        let mut fields: Vec<(&str, &dyn Write)> =
            vec![("format", &FORMAT), ("version", &VERSION), ("id", &self.id)];
        if let Some(title) = &self.title {
            fields.push(("title", title));
        }
        fields.extend::<[(&str, &dyn Write); 9]>([
            ("createdAt", &self.created_at),
            ("updatedAt", &self.updated_at),
            ("turns", &turns),
            ("tokens", &tokens),
            ("seq", &seq),
            ("messages", &self.messages),
            ("tasks", &self.tasks),
            ("inbox", &self.inbox),
            ("records", &self.records),
        ]);
        if let Some(checkpoint) = &self.checkpoint {
            fields.push(("checkpoint", checkpoint));
        }
        let mut text = String::new();
        object(&mut text, &fields);
        Ok(text)
    }
}

fn invalid(why: &str) -> TranscriptError {
    TranscriptError::Invalid(why.to_owned())
}

/// 0 for what is no time.
fn time(value: &Json) -> u64 {
    let time = value.read::<f64>().unwrap_or_default();
    if time.is_finite() { time as u64 } else { 0 }
}

fn list<T: Read>(value: &Json, name: &str) -> Result<Vec<T>, TranscriptError> {
    from_text(value.as_str()).map_err(|fault| invalid(&format!("its `{name}` cannot be read: {fault}")))
}
