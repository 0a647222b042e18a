//! What a page may ask of a session: what a tab may ask of the one that runs it.

use serde::Deserialize;
use serde_json::Value;

use super::failures::{invalid, refusal};
use super::others::unreachable_now;
use super::page;
use super::reply::{self, Reply};
use super::sessions::Live;
use super::written::written;
use crate::display::DisplayError;
use crate::endpoint::Refusal;
use crate::json::Json;
use crate::json::codec::{Read, from_text, to_text};
use crate::native::RandomIds;
use crate::ports::IdSource;
use crate::runtime::{Prompt, Session};
use crate::wire::prompt::PromptInput;

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

pub(super) async fn ask(live: &Live, Ask { id, method, args, seen }: Ask) -> Result<Reply, Refusal> {
    let Live { session, page, .. } = live;
    if matches!(method.as_str(), "request" | "resume") {
        live.release();
    }
    let id = checked_id(id)?;
    if seen.is_some_and(|seen| page.log.number(&seen).is_none()) {
        let message =
            "The server was started anew before it answered; the outcome is unknown. Check the conversation.";
        return Err(Refusal::new(409, "SESSION_MOVED", message));
    }
    let text = |at: usize| args.get(at).and_then(Value::as_str).ok_or_else(|| misasked(&method));
    let whole = || args.first().and_then(Value::as_u64).ok_or_else(|| misasked(&method));
    let is_current = |request: &str| session.with_run(|run| run.request() == Some(request));
    let done = match method.as_str() {
        "request" => {
            let mut prompt = Prompt::from(read::<PromptInput>(text(0)?)?);
            let request = prompt.id.map_or_else(|| Ok(RandomIds.fresh()), checked_id)?;
            prompt.id = Some(request.clone());
            let outcome = page.begin(id, |session| session.request(prompt));
            return match written(session, &request, page::ended(&outcome)).await {
                Ok(()) | Err(true) => Ok(page::begun(&outcome)),
                Err(false) => Err(unreachable_now("another server has the session now")),
            };
        }
        "resume" => return Ok(page::begun(&page.begin(id, Session::resume))),
        "undo" => {
            let steps = u32::try_from(whole()?).map_err(|_| misasked(&method))?;
            return Ok(page::begun(&page.begin(id, |session| session.undo(steps))));
        }
        "switchBranch" => {
            let message = text(0)?;
            return Ok(page::begun(&page.begin(id, |session| session.switch_branch(message))));
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
        "answer" => session.answer(text(0)?, read(text(1)?)?),
        "resolveSlot" => {
            let value = Json::parse(text(1)?).map_err(|error| invalid(&error.to_string()))?;
            settle(session, text(0)?, Ok(value))?
        }
        "rejectSlot" => {
            let reason = args.get(1).and_then(Value::as_str).map(str::to_owned);
            settle(session, text(0)?, Err(DisplayError::Rejected { reason }))?
        }
        "removeSlot" => session.display().remove_slot(text(0)?),
        "clearStack" => {
            session.display().clear_stack();
            true
        }
        _ => return Err(invalid(&format!("There is no method `{method}`."))),
    };
    Ok(reply::json(200, done.to_string()))
}

fn settle(session: &Session, id: &str, answer: Result<Json, DisplayError>) -> Result<bool, Refusal> {
    session.answer_slot(id, answer).map_err(|error| Refusal::new(422, error.code(), error.to_string()))
}

fn read<T: Read>(text: &str) -> Result<T, Refusal> {
    from_text(text).map_err(|fault| invalid(&fault.to_string()))
}

fn misasked(method: &str) -> Refusal {
    invalid(&format!("`{method}` was called with the wrong arguments."))
}
