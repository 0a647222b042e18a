//! What a page may ask of a session: what a tab may ask of the one that runs it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use super::acknowledge::{moved, written};
use super::failures::{invalid, refusal};
use super::forward::NotLocal;
use super::page::{self, Outcome};
use super::peers::unreachable_now;
use super::reply::{self, Reply};
use super::sessions::{Live, Sessions};
use glove_wasm::display::DisplayError;
use glove_wasm::endpoint::Refusal;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Read, from_text, to_text};
use glove_wasm::ports::IdSource;
use glove_wasm::runtime::{Prompt, Session};
use glove_wasm::system::RandomIds;
use glove_wasm::wire::prompt::PromptInput;

/// What a page asks. The methods and their arguments are those that tabs ask each other.
#[derive(Deserialize)]
pub(super) struct Ask {
    id: String,
    method: String,
    #[serde(default)]
    args: Vec<Value>,
    /// The last event that the page has seen, where it does not know whether it was heard before: what is done only once is not asked of
    /// another process.
    seen: Option<String>,
}

/// Ids are kept and told to all who follow: one of any length would fill the memory.
const MAX_ID: usize = 256;

/// An id that a client made up for what it asks.
pub(super) fn checked_id(id: String) -> Result<String, Refusal> {
    match (1..=MAX_ID).contains(&id.len()) {
        true => Ok(id),
        false => Err(invalid(&format!("An id must have 1 to {MAX_ID} bytes, got {}.", id.len()))),
    }
}

pub(super) async fn ask(
    sessions: &Sessions,
    session_id: &str,
    live: &Arc<Live>,
    Ask { id, method, args, seen }: Ask,
) -> Result<Reply, NotLocal> {
    let Live { session, page, .. } = &**live;
    if matches!(method.as_str(), "request" | "resume") {
        live.release().await.map_err(|error| refusal(&error))?;
    }
    let id = checked_id(id)?;
    if seen.is_some_and(|seen| page.log.number(&seen).is_none()) {
        let message =
            "The server was started anew before it answered; the outcome is unknown. Check the conversation.";
        return Err(Refusal::new(409, "SESSION_MOVED", message).into());
    }
    let text = |at: usize| args.get(at).and_then(Value::as_str).ok_or_else(|| misasked(&method));
    let whole = || args.first().and_then(Value::as_u64).ok_or_else(|| misasked(&method));
    let is_current = |request: &str| session.with_run(|run| run.request() == Some(request));
    let done = match method.as_str() {
        "request" => {
            let mut prompt = Prompt::from(read::<PromptInput>(text(0)?)?);
            let request = prompt.id.take().map_or_else(|| Ok(RandomIds.fresh()), checked_id)?;
            let (request, outcome) = page.request(id, prompt, request);
            return match written(session, &request, page::ended(&outcome)).await {
                Ok(()) | Err(true) => Ok(page::outcome_reply(&outcome)),
                Err(false) => Err(unreachable_now("another server has the session now").into()),
            };
        }
        "resume" => {
            return reply_when_stored(sessions, session_id, live, &page.begin(id, Session::resume)).await;
        }
        "undo" => {
            let steps = u32::try_from(whole()?).map_err(|_| misasked(&method))?;
            let last = args.get(1).and_then(Value::as_str).map(str::to_owned);
            let outcome = page.begin(id, |session| session.undo_from(steps, last));
            return reply_when_stored(sessions, session_id, live, &outcome).await;
        }
        "switchBranch" => {
            let message = text(0)?;
            let outcome = page.begin(id, |session| session.switch_branch(message));
            return reply_when_stored(sessions, session_id, live, &outcome).await;
        }
        "messages" => {
            let from = usize::try_from(whole()?).unwrap_or(usize::MAX);
            let read = session.with_run(|run| to_text(&run.messages().get(from..).unwrap_or_default()));
            return Ok(reply::json(200, read));
        }
        "prompts" => {
            let since = text(0)?;
            return Ok(reply::json(200, session.with_run(|run| to_text(&run.prompts_since(since)))));
        }
        "fork" => {
            let messages = session.fork(text(0)?).map_err(|error| refusal(&error))?;
            return Ok(reply::json(200, to_text(&messages)));
        }
        "abort" => {
            // Not the next one, when the one that was meant has ended meanwhile.
            let ends = args.first().is_none_or(Value::is_null) || is_current(text(0)?);
            if ends {
                session.abort();
            }
            ends
        }
        "cancelQueued" => {
            let request = text(0)?;
            let waits = session.with_run(|run| run.queued().any(|queued| queued.id == request));
            session.cancel_queued(request);
            if !waits && is_current(request) {
                session.abort();
            }
            waits
        }
        "moveQueued" => {
            let before = args.get(1).and_then(Value::as_str);
            let waits = |id: &str| session.with_run(|run| run.queued().any(|queued| queued.id == id));
            let waits = waits(text(0)?) && before.is_none_or(waits);
            if waits {
                session.move_queued(text(0)?, before);
            }
            waits
        }
        "answer" => session.answer(text(0)?, read(text(1)?)?),
        "resolveSlot" => {
            let value = Json::parse(text(1)?).map_err(|error| invalid(&error.to_string()))?;
            settled(sessions, session_id, live, text(0)?, Ok(value)).await?
        }
        "rejectSlot" => {
            let reason = args.get(1).and_then(Value::as_str).map(str::to_owned);
            let rejected = Err(DisplayError::Rejected { reason });
            settled(sessions, session_id, live, text(0)?, rejected).await?
        }
        "removeSlot" => session.display().remove_slot(text(0)?),
        "clearStack" => {
            session.display().clear_stack();
            true
        }
        _ => return Err(invalid(&format!("There is no method `{method}`.")).into()),
    };
    sessions.keep(session_id, live).await?;
    Ok(reply::json(200, done.to_string()))
}

/// That something was begun is said when its beginning is stored.
async fn reply_when_stored(
    sessions: &Sessions,
    id: &str,
    live: &Arc<Live>,
    outcome: &Outcome,
) -> Result<Reply, NotLocal> {
    match sessions.keep(id, live).await {
        // Why it was not stored may be its outcome.
        Err(_) if page::ended(outcome).await => {}
        kept => kept?,
    }
    Ok(page::outcome_reply(outcome))
}

/// Answers a question. Comes back when the answer is stored, also where its tool is about to ask that again.
pub(super) async fn settled(
    sessions: &Sessions,
    id: &str,
    live: &Arc<Live>,
    question: &str,
    answer: Result<Json, DisplayError>,
) -> Result<bool, NotLocal> {
    let (session, longest) = (&live.session, sessions.shared.limits.asked_again);
    // A session that was just opened is about to ask what it had asked: its tools do so as soon as it goes on.
    let is_asked = || {
        session.with_run(|run| run.question(question).is_none())
            || session.display().stack().iter().any(|slot| slot.id == question)
    };
    let _ = timeout(longest, moved(session, is_asked)).await;
    let answered = session
        .answer_slot(question, answer)
        .map_err(|error| Refusal::new(422, error.code(), error.to_string()))?;
    let waits = moved(session, || !session.is_answered_early(question));
    let asked_again = timeout(longest, waits).await;
    // One that was heard before may not be stored either.
    sessions.keep(id, live).await?;
    if asked_again.is_err() {
        let message = "The answer is stored when its tool asks again, which has not happened yet. Resume the session, and answer again.";
        let refusal = Refusal::new(503, "ANSWER_NOT_STORED", message);
        return Err(Refusal { retryable: true, ..refusal }.into());
    }
    Ok(answered)
}

fn read<T: Read>(text: &str) -> Result<T, Refusal> {
    from_text(text).map_err(|fault| invalid(&fault.to_string()))
}

fn misasked(method: &str) -> Refusal {
    invalid(&format!("`{method}` was called with the wrong arguments."))
}
