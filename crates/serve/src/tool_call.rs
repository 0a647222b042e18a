//! A call of one of the endpoint's tools, and the events that a page is told of it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, select_biased};
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, channel, unbounded_channel};
use tokio::time::sleep;

use super::answers::StartedAnswer;
use super::chat::{BEAT, event};
use super::reply::{AHEAD, HEARTBEAT};
use super::shared::Shared;
use glove_wasm::display::DisplayError;
use glove_wasm::json::codec::{Write, object};
use glove_wasm::json::{self, Json};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{
    AbortHandle, AbortSignal, CallDisplay, CallRef, DisplayPort, Show, ToolContext, ToolHost, Tools,
};
use glove_wasm::run::input::{Issue, ToolOutcome, Validated};
use glove_wasm::tool::ToolSpec;

/// The time limit of a tool without its own. Nothing else ends a call whose page is gone.
const LONGEST: Duration = Duration::from_secs(600);
const BACK_OFF: Duration = Duration::from_millis(500);
const STOPPED: &str = "it was stopped";
const NOT_SHOWN: &str =
    "its arguments are no longer what a person was shown, so it did not run; call it again";
const FAILED: &str = "the tool failed on the server";

pub(super) struct ToolCall {
    pub id: String,
    pub name: String,
    pub spec: ToolSpec,
    pub input: Json,
    /// Where a person had to be asked, and the arguments mean nothing: why. Nothing runs.
    pub invalid: Option<Vec<Issue>>,
    /// Where a person had to be asked: the arguments as the tool gets them.
    pub validated: Option<Validated>,
    /// What runs is what a person was shown, where one had to be asked.
    pub is_shown: bool,
    /// The same for one ticket.
    pub key: String,
}

/// What stands in the place of a call that was stopped.
pub(super) fn stopped() -> String {
    outcome_told(&ToolOutcome::Threw(STOPPED.to_owned())).trim_end().to_owned()
}

pub(super) fn begin(shared: Arc<Shared>, tools: Tools, call: ToolCall) -> StartedAnswer {
    let (pieces, rest) = channel(AHEAD);
    // It has begun: whoever asks from now on reads along.
    let first = event_text("tool_begun", "id", &call.id);
    tokio::spawn(async move { run(&shared, &tools, &call, &pieces).await });
    StartedAnswer { first, rest }
}

async fn run(shared: &Shared, tools: &Tools, call: &ToolCall, pieces: &Sender<String>) {
    shared.metrics.tool_called();
    let (show, mut shown) = unbounded_channel();
    let aborts = AbortHandle::new();
    let limit = call.spec.timeout_ms.filter(|limit| *limit > 0).map_or(LONGEST, Duration::from_millis);
    let mut work = pin!(worked(tools, call, &show, aborts.signal()).fuse());
    let mut late = pin!(sleep(limit).fuse());
    let mut closed = pin!(pieces.closed().fuse());
    let outcome = loop {
        let slot = shown.recv().fuse();
        let beat = sleep(HEARTBEAT).fuse();
        let (mut slot, mut beat) = (pin!(slot), pin!(beat));
        let piece = select_biased! {
            slot = slot => slot.unwrap_or_default(),
            outcome = work => break outcome,
            () = late => {
                aborts.abort();
                break ToolOutcome::Threw(format!(
                    "it did not end within {} seconds, and was stopped; it may have done a part of its work",
                    limit.as_secs_f64()
                ));
            }
            () = closed => {
                aborts.abort();
                return;
            }
            () = beat => BEAT.to_owned(),
        };
        if pieces.send(piece).await.is_err() {
            aborts.abort();
            return;
        }
    };
    tell_rest(&mut shown, pieces).await;
    let _ = pieces.send(outcome_told(&for_page(shared, call, outcome))).await;
}

async fn tell_rest(shown: &mut UnboundedReceiver<String>, pieces: &Sender<String>) {
    while let Ok(slot) = shown.try_recv() {
        if pieces.send(slot).await.is_err() {
            return;
        }
    }
}

async fn worked(
    tools: &Tools,
    call: &ToolCall,
    show: &UnboundedSender<String>,
    abort: AbortSignal,
) -> ToolOutcome {
    if !call.is_shown {
        return ToolOutcome::Threw(NOT_SHOWN.to_owned());
    }
    if let Some(issues) = &call.invalid {
        return ToolOutcome::Invalid(issues.clone());
    }
    let tries = if call.spec.idempotent { call.spec.retries.saturating_add(1) } else { 1 };
    let mut attempt = 1;
    loop {
        let about = CallRef {
            call_id: &call.id,
            tool_name: &call.name,
            input: &call.input,
            validated: call.validated.as_ref(),
            judged: None,
            attempt,
            idempotency_key: &call.key,
        };
        let display = CallDisplay::new(&call.id, Arc::new(PageDisplay(show.clone())));
        let outcome = tools.run(about, ToolContext::new(about, display, abort.clone())).await;
        if attempt >= tries || !matches!(outcome, ToolOutcome::Threw(_)) {
            return outcome;
        }
        sleep(BACK_OFF.saturating_mul(1 << (attempt - 1).min(16))).await;
        attempt += 1;
    }
}

/// A tool fails in its own words only where that is wanted: what a library says may hold keys and addresses.
fn for_page(shared: &Shared, call: &ToolCall, outcome: ToolOutcome) -> ToolOutcome {
    if !call.is_shown {
        let why = "its arguments mean something else than was shown";
        (shared.log)(&format!("TOOL_FAILED: The tool \"{}\" did not run: {why}", call.name));
        return outcome;
    }
    let why = match outcome {
        ToolOutcome::Threw(why) => why,
        ToolOutcome::Rejected(why) => why.unwrap_or_default(),
        ToolOutcome::Returned { .. } | ToolOutcome::Invalid(_) => return outcome,
        ToolOutcome::Changed
        | ToolOutcome::Summing { .. }
        | ToolOutcome::Summed(_)
        | ToolOutcome::TimedOut => STOPPED.to_owned(),
    };
    let is_own = why == DisplayError::OnServer.to_string() || why.starts_with("it did not end within ");
    if !is_own {
        (shared.log)(&format!("TOOL_FAILED: The tool \"{}\" failed: {why}", call.name));
    }
    ToolOutcome::Threw(if is_own || shared.tells_tool_failures { why } else { FAILED.to_owned() })
}

fn outcome_told(outcome: &ToolOutcome) -> String {
    event_text("tool_outcome", "outcome", outcome)
}

fn event_text(kind: &str, name: &str, value: &dyn Write) -> String {
    let mut text = String::new();
    object(&mut text, &[("type", &kind), (name, value)]);
    event(None, &json::written(text))
}

/// What a tool shows stands in the page; it asks nobody.
struct PageDisplay(UnboundedSender<String>);

impl DisplayPort for PageDisplay {
    fn push_and_forget(&self, show: Show) -> Result<String, DisplayError> {
        let mut slot = String::new();
        object(&mut slot, &[("renderer", &show.renderer), ("input", &show.input)]);
        let _ = self.0.send(event_text("tool_slot", "slot", &json::written(slot)));
        Ok(String::new())
    }

    fn push_and_wait(&self, _: Show) -> BoxFuture<'static, Result<Json, DisplayError>> {
        Box::pin(std::future::ready(Err(DisplayError::OnServer)))
    }

    fn remove_slot(&self, _: &str) -> bool {
        false
    }
}
