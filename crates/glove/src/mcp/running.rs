//! A call that runs in a session: begun, followed until it asks a person or ends, and stopped.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use glove_wasm::display::Slot;
use glove_wasm::error::Error;
use glove_wasm::event::{Event, ToolUseResult};
use glove_wasm::json::Json;
use glove_wasm::runtime::{Prompt, Response, Subscription};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::agent::OpenAgent;
use crate::chat::tool_of;
use crate::failure::Failure;
use crate::questions::{Answer, settle};
use crate::terminal_text;

/// So long a stopped run is waited for.
const ENDING: Duration = Duration::from_secs(10);

pub(super) struct Running {
    pub open_agent: OpenAgent,
    /// What a person did not allow, or could not be asked, in sentences.
    pub not_allowed: Vec<String>,
    seen: Arc<Seen>,
    /// Slots that have an answer, whatever is shown for a moment.
    answered: Vec<String>,
    _subscriptions: [Subscription; 2],
}

#[derive(Default)]
struct Seen {
    changed: Notify,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// What began to run, a line each, and is not told yet.
    lines: Vec<String>,
    ended: Option<Result<Response, Error>>,
    result: Option<ToolUseResult>,
}

pub(super) enum Next {
    /// Something began to run.
    Progress(String),
    Asks(Slot),
    Ended(Box<Result<Response, Error>>),
    /// The client does not want it any more, or is gone.
    Left,
}

impl Seen {
    fn tell(&self, tell: impl FnOnce(&mut Told)) {
        tell(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_one();
    }

    fn take<T>(&self, take: impl FnOnce(&mut Told) -> T) -> T {
        take(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Running {
    pub(super) fn begin(open_agent: OpenAgent, prompt: Prompt) -> Result<Self, Box<(OpenAgent, Failure)>> {
        let seen: Arc<Seen> = Arc::default();
        let follows = Arc::clone(&seen);
        let events = open_agent.agent.subscribe(move |_: Option<&str>, event: &Event| match event {
            Event::ToolUse { name, input, .. } => {
                let line = terminal_text::call_line(name, &input.read().unwrap_or_default());
                follows.tell(|told| told.lines.push(line));
            }
            Event::ToolUseResult(result) => follows.tell(|told| told.result = Some(result.clone())),
            _ => {}
        });
        let shown = Arc::clone(&seen);
        let display = open_agent.agent.display().subscribe(move |_: &[Slot]| shown.tell(|_| {}));
        let response = match open_agent.request(prompt) {
            Ok(response) => response,
            Err(failure) => return Err(Box::new((open_agent, failure))),
        };
        let done = Arc::clone(&seen);
        tokio::spawn(async move {
            let ended = response.await;
            done.tell(|told| told.ended = Some(ended));
        });
        Ok(Running {
            open_agent,
            not_allowed: Vec::new(),
            seen,
            answered: Vec::new(),
            _subscriptions: [events, display],
        })
    }

    pub(super) async fn next(&mut self, left: &CancellationToken) -> Next {
        loop {
            // Before anything is answered: a client that is gone has allowed nothing.
            if left.is_cancelled() {
                return Next::Left;
            }
            if let Some(line) = self.seen.take(|told| (!told.lines.is_empty()).then(|| told.lines.remove(0)))
            {
                return Next::Progress(line);
            }
            if let Some(ended) = self.seen.take(|told| told.ended.take()) {
                return Next::Ended(Box::new(ended));
            }
            if let Some(slot) = self.waiting() {
                return Next::Asks(slot);
            }
            tokio::select! {
                () = self.seen.changed.notified() => {}
                () = left.cancelled() => {}
            }
        }
    }

    /// What waits first for a person.
    pub(super) fn waiting(&self) -> Option<Slot> {
        let mut stack = self.open_agent.agent.display().stack().into_iter();
        stack.find(|slot| slot.waits && !self.answered.contains(&slot.id))
    }

    /// What the person said before, when the program was called.
    pub(super) fn allow(&mut self, slot: &Slot) {
        self.answer(slot, Answer::Value(Json::string("once")));
    }

    /// An answer that is not taken leaves the question open; nothing runs then.
    pub(super) fn answer(&mut self, slot: &Slot, answer: Answer) {
        let is_no = matches!(answer, Answer::No(_));
        if let Some(untaken) = settle(self.open_agent.agent.display(), &slot.id, answer) {
            self.turn_down(slot, untaken);
            return;
        }
        self.answered.push(slot.id.clone());
        if let (true, Some(tool)) = (is_no, tool_of(slot)) {
            self.not_allowed.push(format!("{} was not allowed to run.", terminal_text::isolated_name(&tool)));
        }
    }

    pub(super) fn turn_down(&mut self, slot: &Slot, why: String) {
        self.open_agent.agent.display().reject(&slot.id, Some(why.clone()));
        self.answered.push(slot.id.clone());
        self.not_allowed.push(why);
    }

    /// What came of the call that was made last.
    pub(super) fn result(&self) -> Option<ToolUseResult> {
        self.seen.take(|told| told.result.take())
    }

    /// Ends what runs; it is written that it was stopped.
    pub(super) async fn stop(&mut self) {
        self.open_agent.agent.abort();
        let ended = async {
            while self.seen.take(|told| told.ended.is_none()) {
                self.seen.changed.notified().await;
            }
        };
        let _ = tokio::time::timeout(ENDING, ended).await;
    }
}
