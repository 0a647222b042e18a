//! Lets a client that can send no headers, such as the `EventSource` of browsers, follow one task: a token in the address of its events.

use glove_wasm::endpoint::{TICKET, Tickets};
use glove_wasm::json::codec::from_text;
use glove_wasm::message::ToolCall;
use glove_wasm::ports::{Clock, IdSource};
use glove_wasm::system::{RandomIds, SystemClock};

use crate::shared::{Caller, Shared};

/// No tool can have this name, so no ticket of a call is a token.
const PURPOSE: &str = "the events of a task";
/// A day, as long as a person has to decide.
const LASTS_MS: f64 = 24.0 * 60.0 * 60.0 * 1_000.0;

fn tickets(shared: &Shared, user: &str) -> Tickets {
    Tickets {
        secret: shared.tool_secret.clone(),
        owner: user.to_owned(),
        tools: vec![PURPOSE.to_owned()],
        now: SystemClock.now().to_string(),
        lasts: LASTS_MS,
    }
}

/// For the events of this task of the user's, and nothing else.
pub(super) fn stream_token(shared: &Shared, user: &str, id: &str) -> String {
    let mut call = ToolCall { tool_name: PURPOSE.to_owned(), id: Some(id.to_owned()), ..ToolCall::default() };
    tickets(shared, user).sign(&mut call, &RandomIds.fresh());
    let ticket = call.extra.0.into_iter().find(|(field, _)| field == TICKET);
    let ticket = ticket.and_then(|(_, ticket)| from_text::<String>(ticket.as_str()).ok()).unwrap_or_default();
    // Names of users have no dot here.
    format!("{user}.{ticket}")
}

/// Whose task is followed, where the address of its events has a token that holds.
pub(crate) fn follower(shared: &Shared, caller: &Caller, path: &[&str], query: &str) -> Option<String> {
    let ("GET", ["agent", "tasks", id, "events"]) = (caller.method.as_str(), path) else { return None };
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_, token) = pairs.find(|(name, _)| name == "stream_token")?;
    let (user, ticket) = token.split_once('.')?;
    tickets(shared, user).holds(ticket, id, PURPOSE, &ToolCall::default().input_args).then(|| user.to_owned())
}
