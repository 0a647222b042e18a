//! Which request is for what.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::Request;
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::{Value, json};

use super::chat;
use super::metrics::add;
use super::reply::{self, Reply, refused};
use super::sessions::{Live, Sessions, refusal};
use super::shared::{Caller, Shared};
use crate::display::DisplayError;
use crate::endpoint::Refusal;
use crate::error::Error;
use crate::json::Json;
use crate::native::RandomIds;
use crate::ports::IdSource;

const AUTHORIZE: Duration = Duration::from_secs(30);
/// For a body that comes slowly.
const BODY: Duration = Duration::from_secs(60);

pub(super) async fn route(
    sessions: &Arc<Sessions>,
    request: Request<Incoming>,
    address: SocketAddr,
) -> Reply {
    let shared = &sessions.shared;
    add(&shared.metrics.requests, 1);
    match answer(sessions, request, address).await {
        Ok(reply) => reply,
        Err(refusal) => {
            add(&shared.metrics.refused, 1);
            if refusal.status >= 500 {
                (shared.log)(&format!("{}: {}", refusal.code, refusal.detail));
            }
            refused(&refusal)
        }
    }
}

async fn answer(
    sessions: &Arc<Sessions>,
    request: Request<Incoming>,
    address: SocketAddr,
) -> Result<Reply, Refusal> {
    let shared = &sessions.shared;
    let (head, body) = request.into_parts();
    let headers = head.headers.iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    let (method, path) = (head.method.as_str().to_owned(), head.uri.path().to_owned());
    let caller = Caller { method, path, headers: headers.collect(), address };
    if caller.path == "/healthz" {
        return Ok(reply::text(200, "ok\n".to_owned()));
    }
    let user = user_of(shared, &caller).await?;
    let path: Vec<&str> = caller.path.split('/').skip(1).collect();
    let body = || read(shared, &caller, body);
    match (caller.method.as_str(), path.as_slice()) {
        ("GET", ["metrics"]) => Ok(reply::text(200, shared.metrics.text())),
        ("POST", ["api", "chat"]) => chat::chat(shared, &body().await?).await,
        ("GET", ["api", "sessions"]) => list(shared, &user).await,
        ("POST", ["api", "sessions"]) => begin(sessions, &user, &body().await?).await,
        (method, ["api", "sessions", id, rest @ ..]) => {
            let id = id.to_owned();
            known(sessions, &user, id).await?;
            match (method, rest) {
                ("GET", []) => Ok(reply::json(200, live(sessions, id).await?.snapshot().1.to_string())),
                ("DELETE", []) => delete(sessions, id).await,
                ("GET", ["events"]) => {
                    let last = caller.header("last-event-id");
                    Ok(live(sessions, id).await?.follow(shared, last))
                }
                ("POST", ["messages"]) => {
                    let Message { text, id: request } = posted(&body().await?)?;
                    let request = live(sessions, id).await?.say(&text, request);
                    Ok(reply::json(202, json!({ "request": request }).to_string()))
                }
                ("POST", ["answers"]) => settle(&*live(sessions, id).await?, posted(&body().await?)?),
                ("POST", ["stop"]) => {
                    live(sessions, id).await?.session.abort();
                    Ok(reply::json(202, "{}".to_owned()))
                }
                ("POST", ["resume"]) => {
                    live(sessions, id).await?.begin(|session| session.resume());
                    Ok(reply::json(202, "{}".to_owned()))
                }
                _ => Err(nothing(&caller)),
            }
        }
        _ => Err(nothing(&caller)),
    }
}

fn nothing(caller: &Caller) -> Refusal {
    let known = ["/api/chat", "/api/sessions", "/metrics"];
    if known.contains(&caller.path.as_str()) {
        return Refusal::new(
            405,
            "METHOD_NOT_ALLOWED",
            format!("{} does not take {}.", caller.path, caller.method),
        );
    }
    Refusal::new(404, "NOT_FOUND", format!("There is nothing at {}.", caller.path))
}

/// Who calls, in letters that an id may have. Empty where nobody is asked.
async fn user_of(shared: &Shared, caller: &Caller) -> Result<String, Refusal> {
    let Some(authorize) = &shared.authorize else {
        // A page elsewhere can give a name of its own the address of this machine, and would be let in with it.
        let host = caller.header("host").unwrap_or_default();
        return match is_this_machine(host) {
            true => Ok(String::new()),
            false => {
                Err(Refusal::new(403, "FORBIDDEN", "This server answers under the name of its machine only."))
            }
        };
    };
    match tokio::time::timeout(AUTHORIZE, authorize(caller.clone())).await {
        Ok(Some(user)) => Ok(in_letters(&user)),
        Ok(None) => Err(Refusal::new(401, "UNAUTHORIZED", "Sign in to use this server.")),
        Err(_) => {
            Err(Refusal::new(503, "AUTHORIZE_TIMEOUT", "It could not be found out in time who you are."))
        }
    }
}

fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok()
}

fn in_letters(user: &str) -> String {
    let mut letters = String::new();
    for byte in user.bytes() {
        match byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            true => letters.push(char::from(byte)),
            false => letters.push_str(&format!("~{byte:02x}")),
        }
    }
    letters
}

/// Sessions are their owner's by the first part of their ids. Those of nobody have one part.
fn new_id(user: &str) -> String {
    let fresh = RandomIds.fresh();
    if user.is_empty() { fresh } else { format!("{user}.{fresh}") }
}

fn is_of(user: &str, id: &str) -> bool {
    match id.split_once('.') {
        Some((owner, _)) => owner == user,
        None => user.is_empty(),
    }
}

async fn read(shared: &Shared, caller: &Caller, body: Incoming) -> Result<String, Refusal> {
    let kind = caller.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
    if !kind.trim().eq_ignore_ascii_case("application/json") {
        let message = "The request body must be JSON, with the content type application/json.";
        return Err(Refusal::new(415, "CONTENT_TYPE", message));
    }
    let limit = shared.limits.body_bytes;
    let too_large = || {
        let detail =
            format!("A request body exceeded {limit} bytes; `body_bytes` of the limits allows more.");
        let message = "The request is too large: send a smaller picture or file.";
        Refusal { detail, ..Refusal::new(413, "BODY_TOO_LARGE", message) }
    };
    let read = tokio::time::timeout(BODY, Limited::new(body, limit).collect()).await;
    let bytes = match read {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => return Err(too_large()),
        Ok(Err(_)) => return Err(Refusal::new(400, "BODY_NOT_JSON", "The request body broke off.")),
        Err(_) => return Err(Refusal::new(408, "BODY_TIMEOUT", "The request body came too slowly.")),
    };
    String::from_utf8(bytes.to_vec())
        .map_err(|_| Refusal::new(400, "BODY_NOT_JSON", "The request body is not valid UTF-8."))
}

#[derive(Deserialize)]
struct Message {
    text: String,
    id: Option<String>,
}

#[derive(Deserialize)]
struct Begin {
    text: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    id: String,
    #[serde(default)]
    value: Value,
    /// Turned down, for this reason if there is one.
    #[serde(default)]
    reject: bool,
    reason: Option<String>,
}

fn posted<T: for<'a> Deserialize<'a>>(body: &str) -> Result<T, Refusal> {
    serde_json::from_str(body)
        .map_err(|error| Refusal::new(400, "REQUEST_INVALID", format!("The request is not valid: {error}")))
}

async fn live(sessions: &Sessions, id: &str) -> Result<Arc<Live>, Refusal> {
    if *sessions.shared.ending.borrow() {
        let message = "The server is about to end. Try again.";
        return Err(Refusal { retryable: true, ..Refusal::new(503, "SERVER_ENDS", message) });
    }
    sessions.get(id).await
}

/// That there is such a session, and that it is the caller's, which is the same to anybody else.
async fn known(sessions: &Sessions, user: &str, id: &str) -> Result<(), Refusal> {
    let is_there = is_of(user, id)
        && (sessions.is_open(id) || {
            sessions.shared.database.contains(id).await.map_err(|error| refusal(&Error::Store(error)))?
        });
    match is_there {
        true => Ok(()),
        false => Err(Refusal::new(404, "SESSION_UNKNOWN", "There is no such session.")),
    }
}

async fn list(shared: &Shared, user: &str) -> Result<Reply, Refusal> {
    let sessions = shared.database.sessions().await.map_err(|error| refusal(&Error::Store(error)))?;
    let own = sessions.iter().filter(|session| is_of(user, &session.id)).map(|session| {
        json!({
            "id": session.id, "name": session.name, "title": session.title, "messages": session.messages,
            "createdAt": session.created_at, "updatedAt": session.updated_at, "phase": session.phase,
            "asks": session.asks,
        })
    });
    Ok(reply::json(200, Value::from(own.collect::<Vec<_>>()).to_string()))
}

async fn begin(sessions: &Sessions, user: &str, body: &str) -> Result<Reply, Refusal> {
    let Begin { text } = posted(body)?;
    let id = new_id(user);
    let live = live(sessions, &id).await?;
    let request = text.map(|text| live.say(&text, None));
    Ok(reply::json(201, json!({ "id": id, "request": request }).to_string()))
}

fn settle(live: &Live, Answer { id, value, reject, reason }: Answer) -> Result<Reply, Refusal> {
    let answer = if reject { Err(DisplayError::Rejected { reason }) } else { Ok(Json::from(value)) };
    match live.session.answer_slot(&id, answer) {
        Ok(true) => Ok(reply::json(200, "{}".to_owned())),
        Ok(false) => Err(Refusal::new(404, "QUESTION_UNKNOWN", "This question is not open (any more).")),
        Err(error) => Err(Refusal::new(422, error.code(), error.to_string())),
    }
}

async fn delete(sessions: &Sessions, id: &str) -> Result<Reply, Refusal> {
    if let Some(live) = sessions.forget(id) {
        live.close().await;
    }
    sessions.shared.database.delete(id).await.map_err(|error| refusal(&Error::Store(error)))?;
    Ok(reply::json(200, "{}".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_the_sessions_that_begin_with_the_name_and_no_others() {
        let id = new_id(&in_letters("ada@example.com"));
        assert!(id.starts_with("ada~40example~2ecom."), "{id}");
        assert!(is_of("ada~40example~2ecom", &id));
        for (user, id) in [("", "ada.x"), ("ada", "ada"), ("ada", "adam.x"), ("ad", "ada.x"), ("ada", "")] {
            assert!(!is_of(user, id), "{user} {id}");
        }
        assert!(is_of("", &new_id("")));
    }

    #[test]
    fn a_name_of_somebody_else_is_not_this_machine() {
        for host in ["localhost", "localhost:8787", "127.0.0.1:8787", "[::1]:8787", "192.168.1.5"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", ""] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
