//! Lets a client that can send no headers, such as the `EventSource` of browsers, follow one task: a token in the address of its events.

use glove_wasm::endpoint::{TICKET, Tickets};
use glove_wasm::json::codec::from_text;
use glove_wasm::message::ToolCall;
use glove_wasm::ports::{Clock, IdSource};
use glove_wasm::system::{RandomIds, SystemClock};

use super::running_tasks::Tasks;
use crate::shared::{Caller, Shared};

/// No tool can have this name, so no ticket of a call is a token.
const PURPOSE: &str = "the events of a task";
/// Who follows a task by a token, and when the right to it ends.
pub(crate) struct Follower {
    pub(crate) user: String,
    pub(crate) until: u64,
}

fn tickets(shared: &Shared, tasks: &Tasks, user: &str) -> Tickets {
    Tickets {
        secret: shared.tool_secret.clone(),
        owner: user.to_owned(),
        tools: vec![PURPOSE.to_owned()],
        now: SystemClock.now().to_string(),
        lasts: tasks.served.stream_token_ms as f64,
    }
}

/// For the events of this task of the user's, and nothing else.
pub(super) fn stream_token(shared: &Shared, tasks: &Tasks, user: &str, id: &str) -> String {
    let mut call = ToolCall { tool_name: PURPOSE.to_owned(), id: Some(id.to_owned()), ..ToolCall::default() };
    tickets(shared, tasks, user).sign(&mut call, &RandomIds.fresh());
    let ticket = call.extra.0.into_iter().find(|(field, _)| field == TICKET);
    let ticket = ticket.and_then(|(_, ticket)| from_text::<String>(ticket.as_str()).ok()).unwrap_or_default();
    // Names of users have no dot here.
    format!("{user}.{ticket}")
}

/// Whose task is followed, where the address of its events has a token that holds.
pub(crate) fn follower(
    shared: &Shared,
    tasks: &Tasks,
    caller: &Caller,
    path: &[&str],
    query: &str,
) -> Option<Follower> {
    let ("GET", ["agent", "tasks", id, "events"]) = (caller.method.as_str(), path) else { return None };
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (_, token) = pairs.find(|(name, _)| name == "stream_token")?;
    let (user, ticket) = token.split_once('.')?;
    let tickets = tickets(shared, tasks, user);
    if !tickets.holds(ticket, id, PURPOSE, &ToolCall::default().input_args) {
        return None;
    }
    // When it was made is sealed with it.
    let made = ticket.split('-').next()?.parse::<u64>().ok()?;
    Some(Follower { user: user.to_owned(), until: made.saturating_add(tasks.served.stream_token_ms) })
}
