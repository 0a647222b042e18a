//! Which request is for what.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::authorize::user_of;
use super::body::{Body, posted};
use super::catalog::{begin, delete, import, known, list, live};
use super::chat_route;
use super::commands;
use super::failures::{refusal, transcript_refusal};
use super::forward::{NotLocal, forward_request, was_forwarded};
use super::metrics::add;
use super::peers::unreachable_now;
use super::reply::{self, Reply, refused};
use super::session_owners::{in_letters, owned};
use super::sessions::{Audience, LOOK, Live, Sessions};
use super::shared::Caller;
use super::tasks::Follower;
use glove_wasm::display::DisplayError;
use glove_wasm::endpoint::Refusal;
use glove_wasm::error::Error;
use glove_wasm::json::Json;
use glove_wasm::ports::IdSource;
use glove_wasm::system::RandomIds;

/// For a server that does not answer: its sessions come free in less time.
const PATIENCE: Duration = Duration::from_secs(10);

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
            if refusal.status >= 500 || refusal.model.is_some() {
                (shared.log)(&refusal.log_line());
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
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
    let query = head.uri.query().unwrap_or_default().to_owned();
    let (method, path) = (head.method.as_str().to_owned(), head.uri.path().to_owned());
    let caller = Caller { method, path, headers: headers.collect(), address };
    if caller.path == "/healthz" {
        return Ok(reply::text(200, "ok\n".to_owned()));
    }
    let path: Vec<&str> = caller.path.split('/').skip(1).collect();
    if let Some(tasks) = &shared.tasks
        && let Some(Follower { user, until }) = super::tasks::follower(shared, tasks, &caller, &path, &query)
    {
        let rest = path.get(1..).unwrap_or_default();
        return super::tasks::route(shared, tasks, (user.as_str(), Some(until)), &caller, &query, rest, body)
            .await;
    }
    let name = user_of(shared, &caller).await?;
    let user = in_letters(&name);
    if let (Some(tasks), ["agent", rest @ ..]) = (&shared.tasks, path.as_slice()) {
        return super::tasks::route(shared, tasks, (user.as_str(), None), &caller, &query, rest, body).await;
    }
    let mut body = Body::new(body);
    let until = Instant::now() + PATIENCE;
    loop {
        let away = match local(sessions, &name, &user, &caller, &mut body).await {
            Ok(reply) => return Ok(reply),
            Err(NotLocal::Refused(refusal)) => return Err(refusal),
            Err(NotLocal::At(address)) => address,
        };
        if was_forwarded(&caller) {
            return Err(unreachable_now("the session is on its way from one server to another"));
        }
        let content = match caller.method.as_str() {
            "POST" => Some(body.text(shared, &caller).await?.to_owned()),
            _ => None,
        };
        if let Some(reply) = forward_request(shared, &away, &caller, &target, content).await? {
            add(&shared.metrics.passed_on, 1);
            return Ok(reply);
        }
        if Instant::now() >= until {
            return Err(unreachable_now(&format!("{away} does not answer")));
        }
        sleep(LOOK).await;
    }
}

/// What this server can answer itself.
async fn local(
    sessions: &Arc<Sessions>,
    name: &str,
    user: &str,
    caller: &Caller,
    body: &mut Body,
) -> Result<Reply, NotLocal> {
    let shared = &sessions.shared;
    let path: Vec<&str> = caller.path.split('/').skip(1).collect();
    match (caller.method.as_str(), path.as_slice()) {
        ("GET", ["metrics"]) => Ok(reply::text(200, shared.metrics.text())),
        ("GET", ["api", "chat"]) if shared.chat_tools.is_some() => Ok(chat_route::listed(shared, name)?),
        ("POST", ["api", "chat"]) => {
            Ok(chat_route::posted(shared, &sessions.answers, name, caller, body).await?)
        }
        ("GET", ["api", "sessions"]) => Ok(list(shared, user).await?),
        ("POST", ["api", "sessions"]) => begin(sessions, user, body.text(shared, caller).await?).await,
        ("POST", ["api", "sessions", "import"]) => {
            Ok(import(shared, user, body.text(shared, caller).await?).await?)
        }
        (_, ["api", "sessions", id, rest @ ..]) => {
            let id = owned(user, id);
            known(sessions, user, &id).await?;
            of_session(sessions, caller, &id, rest, body).await
        }
        _ => Err(nothing(caller).into()),
    }
}

async fn of_session(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    id: &str,
    rest: &[&str],
    body: &mut Body,
) -> Result<Reply, NotLocal> {
    let shared = &sessions.shared;
    match (caller.method.as_str(), rest) {
        ("GET", []) => Ok(reply::json(200, live(sessions, id).await?.snapshot().1.to_string())),
        ("DELETE", []) => delete(sessions, id).await,
        ("GET", ["events"]) => {
            let last = caller.header("last-event-id");
            Ok(live(sessions, id).await?.follow(shared, Audience::Programs, last))
        }
        ("GET", ["feed"]) => {
            let last = caller.header("last-event-id");
            Ok(live(sessions, id).await?.follow(shared, Audience::Pages, last))
        }
        ("GET", ["export"]) => {
            let session = shared.database.export(id).await.map_err(transcript_refusal)?;
            Ok(reply::json(200, session.to_text().map_err(transcript_refusal)?))
        }
        ("POST", ["name"]) => {
            let Name { name } = posted(body.text(shared, caller).await?)?;
            let renamed = shared.database.store(id).set_name(&name).await;
            renamed.map_err(|error| refusal(&Error::Store(error)))?;
            Ok(reply::json(200, "{}".to_owned()))
        }
        ("POST", ["ask"]) => {
            let live = live(sessions, id).await?;
            live.traces.called_by(&caller.headers);
            commands::ask(sessions, id, &live, posted(body.text(shared, caller).await?)?).await
        }
        ("POST", ["messages"]) => {
            let live = live(sessions, id).await?;
            let Message { text, id: request } = posted(body.text(shared, caller).await?)?;
            live.traces.called_by(&caller.headers);
            let request = request.map_or_else(|| Ok(RandomIds.fresh()), commands::checked_id)?;
            if let Err(error) = live.say(&text, &request).await {
                // Under its id it is said once, should it be there already.
                body.replace(json!({ "text": text, "id": request }).to_string());
                return Err(sessions.unsaid(id, &live, &error).await);
            }
            Ok(reply::json(202, json!({ "request": request }).to_string()))
        }
        ("POST", ["answers"]) => {
            let live = live(sessions, id).await?;
            settle(sessions, id, &live, posted(body.text(shared, caller).await?)?).await
        }
        ("POST", ["stop"]) => {
            let live = live(sessions, id).await?;
            live.session.abort();
            sessions.keep(id, &live).await?;
            Ok(reply::json(202, "{}".to_owned()))
        }
        ("POST", ["resume"]) => {
            let live = live(sessions, id).await?;
            live.release().await.map_err(|error| refusal(&error))?;
            live.begin(|session| session.resume());
            sessions.keep(id, &live).await?;
            Ok(reply::json(202, "{}".to_owned()))
        }
        _ => Err(nothing(caller).into()),
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

#[derive(Deserialize)]
struct Message {
    text: String,
    id: Option<String>,
}

#[derive(Deserialize)]
struct Name {
    name: String,
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

async fn settle(
    sessions: &Sessions,
    session: &str,
    live: &Arc<Live>,
    Answer { id, value, reject, reason }: Answer,
) -> Result<Reply, NotLocal> {
    let answer = if reject { Err(DisplayError::Rejected { reason }) } else { Ok(Json::from(value)) };
    match commands::settled(sessions, session, live, &id, answer).await? {
        true => Ok(reply::json(200, "{}".to_owned())),
        false => Err(Refusal::new(404, "QUESTION_UNKNOWN", "This question is not open (any more).").into()),
    }
}
