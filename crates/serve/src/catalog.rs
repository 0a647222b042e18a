//! The sessions of a caller: listed, begun, imported, opened, deleted.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::body::posted;
use super::failures::{invalid, refusal, transcript_refusal};
use super::forward::NotLocal;
use super::page::{HELD_BACK, INTERRUPTED};
use super::reply::{self, Reply};
use super::session_owners::{checked_id, is_of, new_id};
use super::sessions::{Live, Sessions, is_held_back};
use super::shared::Shared;
use glove_wasm::endpoint::Refusal;
use glove_wasm::error::Error;
use glove_wasm::json::codec::from_text;
use glove_wasm::ports::IdSource;
use glove_wasm::store::Transcript;
use glove_wasm::system::RandomIds;
use glove_wasm_native::ImportOptions;

#[derive(Deserialize)]
struct Begin {
    /// The client's own; the same session for whoever says it again.
    id: Option<String>,
    text: Option<String>,
    /// What it begins with.
    messages: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Import {
    transcript: String,
    id: Option<String>,
    #[serde(default)]
    with_run: bool,
}

pub(super) async fn list(shared: &Shared, user: &str) -> Result<Reply, Refusal> {
    let sessions = shared.database.sessions().await.map_err(|error| refusal(&Error::Store(error)))?;
    let own = sessions.iter().filter(|session| is_of(user, &session.id)).map(|session| {
        let mut listed = json!({
            "id": session.id, "name": session.name, "title": session.title, "messages": session.messages,
            "createdAt": session.created_at, "updatedAt": session.updated_at, "phase": session.phase,
            "asks": session.asks,
        });
        if let (Some(why), Some(listed)) = (is_held_back(session), listed.as_object_mut()) {
            listed.insert("phase".to_owned(), INTERRUPTED.into());
            listed.insert("error".to_owned(), json!({ "code": HELD_BACK, "message": why }));
        }
        listed
    });
    Ok(reply::json(200, Value::from(own.collect::<Vec<_>>()).to_string()))
}

pub(super) async fn begin(sessions: &Sessions, user: &str, body: &str) -> Result<Reply, NotLocal> {
    let Begin { id, text, messages } = posted(body)?;
    let id = id.map_or_else(|| Ok(new_id(user)), |id| checked_id(user, &id))?;
    if let Some(messages) = messages {
        let messages = from_text(messages.get()).map_err(|fault| invalid(&fault.to_string()))?;
        // An id that is in use would be replaced by another one.
        let options = ImportOptions { id: Some(id.clone()), with_run: false };
        let transcript = Transcript { messages, ..Transcript::default() };
        sessions.shared.database.import(transcript, options).await.map_err(transcript_refusal)?;
    }
    let live = live(sessions, &id).await?;
    let request = text.as_ref().map(|_| RandomIds.fresh());
    if let (Some(text), Some(request)) = (&text, &request)
        && let Err(error) = live.say(text, request).await
    {
        return Err(match sessions.unsaid(&id, &live, &error).await {
            // Asked for the same there, it would be said under another id.
            NotLocal::At(_) => refusal(&error).into(),
            refused => refused,
        });
    }
    Ok(reply::json(201, json!({ "id": id, "request": request }).to_string()))
}

pub(super) async fn import(shared: &Shared, user: &str, body: &str) -> Result<Reply, Refusal> {
    let Import { transcript, id, with_run } = posted(body)?;
    let mut transcript = Transcript::read(&transcript).map_err(transcript_refusal)?;
    let id = id.map(|id| checked_id(user, &id)).transpose()?;
    // Its own id, as a session of the caller.
    transcript.id = checked_id(user, &transcript.id).unwrap_or_else(|_| new_id(user));
    let taken = shared.database.contains(&transcript.id).await;
    if taken.map_err(|error| refusal(&Error::Store(error)))? {
        transcript.id = new_id(user);
    }
    let options = ImportOptions { id, with_run };
    let id = shared.database.import(transcript, options).await.map_err(transcript_refusal)?;
    Ok(reply::json(201, json!({ "id": id }).to_string()))
}

/// That there is such a session, and that it is the caller's, which is the same to anybody else.
pub(super) async fn known(sessions: &Sessions, user: &str, id: &str) -> Result<(), Refusal> {
    let is_there = is_of(user, id)
        && (sessions.is_open(id) || {
            sessions.shared.database.contains(id).await.map_err(|error| refusal(&Error::Store(error)))?
        });
    match is_there {
        true => Ok(()),
        false => Err(Refusal::new(404, "SESSION_UNKNOWN", "There is no such session.")),
    }
}

pub(super) async fn live(sessions: &Sessions, id: &str) -> Result<Arc<Live>, NotLocal> {
    if *sessions.shared.ending.borrow() {
        let message = "The server is about to end. Try again.";
        return Err(Refusal { retryable: true, ..Refusal::new(503, "SERVER_ENDS", message) }.into());
    }
    sessions.get(id).await
}

pub(super) async fn delete(sessions: &Sessions, id: &str) -> Result<Reply, NotLocal> {
    if !sessions.is_open(id)
        && let Some(address) = sessions.shared.session_holder(id).await?
    {
        return Err(NotLocal::At(address));
    }
    let live = sessions.forget(id);
    if let Some(live) = &live {
        live.close().await;
    }
    sessions.shared.database.delete(id).await.map_err(|error| refusal(&Error::Store(error)))?;
    if let Some(live) = live {
        live.page.tell_deleted();
    }
    Ok(reply::json(200, "{}".to_owned()))
}
