//! Requests: one at a time, the others wait, are dropped, or interrupt; and how each comes to its end.

use crate::error::ModelError;
use crate::event::Event;
use crate::json::scan::joined;
use crate::message::{Message, Sender};
use crate::run::decisions::branch::keep_attachments;
use crate::run::effect::{Effect, Outcome};
use crate::run::input::{Reply, Request, WhenBusy};
use crate::run::state::{Current, Failed, Halt, Phase, Used};
use crate::run::{Effects, OutOfProtocol, Run, texts};

/// So many failures are known of a conversation; each checkpoint holds them.
const MAX_FAILED: usize = 32;

impl Run {
    pub(in crate::run) fn accepts_request_id(&self, id: &str) -> Result<(), OutOfProtocol> {
        let queued = self.state.queue.iter().any(|request| request.id == id);
        match id.is_empty() || queued || self.request() == Some(id) || self.request_ids.contains(id) {
            true => Err(OutOfProtocol::RequestId),
            false => Ok(()),
        }
    }

    pub(in crate::run) fn accepts_queued(&self, id: &str) -> Result<(), OutOfProtocol> {
        match self.state.queue.iter().any(|waiting| waiting.id == id) {
            true => Ok(()),
            false => Err(OutOfProtocol::NotQueued(id.to_owned())),
        }
    }

    /// The answer with which a request of this record has ended, if it was answered.
    pub fn reply_to(&self, id: &str) -> Option<Reply> {
        if self.serves(id) || !self.request_ids.contains(id) {
            return None;
        }
        // A request that others came into ended with the last of them.
        let mut id = id;
        for message in &self.messages {
            if let (Some(joined), Some(request)) = (&message.joins, &message.prompt_id)
                && joined == id
            {
                id = request;
            }
        }
        let last = self.messages.iter().rfind(|message| message.prompt_id.as_deref() == Some(id))?;
        let answers = last.sender == Sender::Agent && last.tool_calls.is_none() && !last.partial;
        let usage = last.usage.unwrap_or_default();
        answers.then(|| Reply { messages: vec![Message::clone(last)], usage, ..Reply::default() })
    }

    /// It was begun, and is over unless it is being served.
    pub fn has_had(&self, id: &str) -> bool {
        self.request_ids.contains(id)
    }

    /// This is the request being served, or one that it has come into.
    pub fn serves(&self, id: &str) -> bool {
        let current = self.state.current.as_ref();
        current.is_some_and(|current| current.id == id || current.joined.iter().any(|joined| joined == id))
    }

    pub(in crate::run) fn on_request(&mut self, request: &Request, fx: &mut Effects) {
        let request = request.clone();
        if let Some(at) = request.edits.as_deref().and_then(|id| self.queued_message(id)) {
            self.edit_queued(at, request, fx);
            return;
        }
        // Nobody is there who has given up what was paused: what no person says waits.
        let waits = request.message.is_trigger() && self.is_parked();
        if !self.is_busy() && !waits {
            self.abandon(fx);
            if self.state.queue.is_empty() {
                self.begin(request, fx);
                return;
            }
            // Others were waiting for a run that had stopped: they come first.
        }
        match request.when_busy {
            WhenBusy::Queue => self.state.queue.push(request),
            WhenBusy::Steer => {
                let steers = |request: &&Request| request.when_busy == WhenBusy::Steer;
                let at = self.state.queue.iter().take_while(steers).count();
                self.state.queue.insert(at, request);
            }
            WhenBusy::Drop => {
                fx.push(Effect::Finish { request: request.id, outcome: Outcome::Dropped });
            }
            WhenBusy::Interrupt => {
                // Begun by `advance`, at once or after the calls that must not be cut off.
                self.state.queue.insert(0, request);
                if self.state.current.is_some() {
                    self.on_abort(fx);
                }
            }
        }
    }

    /// The place of a message in the queue.
    pub(crate) fn queued_message(&self, id: &str) -> Option<usize> {
        self.state.queue.iter().position(|waiting| waiting.id == id && !waiting.regenerate)
    }

    /// What waits says something else now, in the same place.
    fn edit_queued(&mut self, at: usize, mut request: Request, fx: &mut Effects) {
        let Some(waiting) = self.state.queue.get_mut(at) else { return };
        keep_attachments(&mut request.message, &waiting.message);
        waiting.message = request.message;
        let before = std::mem::replace(&mut waiting.id, request.id);
        fx.push(Effect::Finish { request: before, outcome: Outcome::Aborted });
    }

    pub(in crate::run) fn on_queued_cancelled(&mut self, request: &str, fx: &mut Effects) {
        if let Some(at) = self.state.queue.iter().position(|waiting| waiting.id == request) {
            self.state.queue.remove(at);
        }
        fx.push(Effect::Finish { request: request.to_owned(), outcome: Outcome::Aborted });
    }

    /// A request that failed or was paused can be taken up again, but it stands in nobody's way.
    pub(in crate::run) fn is_busy(&self) -> bool {
        self.state.current.is_some() && !self.is_parked()
    }

    /// Stopped, and its `Finish` has been given out.
    pub(in crate::run) fn is_parked(&self) -> bool {
        match &self.state.halt {
            Some(Halt::Store | Halt::Model | Halt::Budget(_)) => true,
            Some(Halt::AskBudget(..)) | None => false,
        }
    }

    pub(in crate::run) fn begin_queued(&mut self, fx: &mut Effects) {
        if !self.state.queue.is_empty() {
            let request = self.state.queue.remove(0);
            self.begin(request, fx);
        }
    }

    fn begin(&mut self, mut request: Request, fx: &mut Effects) {
        self.open(&request.id, fx);
        if request.regenerate {
            self.answer_again(fx);
            return;
        }
        if request.edits.is_some() {
            self.edit(&mut request, fx);
        }
        self.hear(request, None, fx);
    }

    /// Adds what a person says to the record.
    pub(super) fn hear(&mut self, request: Request, joins: Option<String>, fx: &mut Effects) {
        let Request { mut message, inbox, .. } = request;
        if let Some(current) = &mut self.state.current {
            // What a person is waiting for is seen, whatever else came into it.
            let hidden = message.hidden && message.is_trigger();
            current.hidden = hidden && (joins.is_none() || current.hidden);
        }
        let broke_off = self.state.broke_off.is_some() && self.state.broke_off == self.last_line();
        let (mut resolved, mut ids, mut blocking) = (Vec::new(), Vec::new(), Vec::new());
        for item in &inbox {
            match item.status.as_str() {
                "resolved" => {
                    ids.push(item.id.clone());
                    resolved.push(item);
                }
                "pending" if item.blocking => blocking.push(item),
                _ => {}
            }
        }
        if !resolved.is_empty() {
            let mut news = Message::user(texts::inbox_resolved(&resolved));
            news.framework_context = Some("inbox".to_owned());
            news.broke_off = broke_off;
            self.append(news);
            fx.push(Effect::ConsumeInbox { ids });
        }
        if let (false, Some(current)) = (blocking.is_empty(), &mut self.state.current) {
            current.reminder = Some(texts::inbox_blocking(&blocking));
        }
        // A request is a person's message, whatever else its sender tried to make of it.
        message.sender = Sender::User;
        message.tool_calls = None;
        message.tool_results = None;
        message.is_compaction = false;
        message.is_compaction_request = false;
        message.compaction_keeps = None;
        message.replaces = None;
        message.joins = joins;
        if message.is_trigger() {
            let reason = std::mem::take(&mut message.text);
            message.text = texts::trigger(&reason);
            message.pre_modified_text = Some(reason);
        }
        message.partial = false;
        message.broke_off = broke_off && resolved.is_empty();
        message.usage = None;
        if message.text.is_empty() {
            let mut texts = Vec::new();
            for part in message.content.iter().flatten() {
                if let Some(text) = &part.text {
                    texts.push(text.as_str());
                }
            }
            let text = joined(&texts, "\n");
            let media_only = text.is_empty() && message.content.is_some();
            message.text = if media_only { texts::MULTIMODAL.to_owned() } else { text };
        }
        let by_hook = message.take_hook_answer();
        let stopped = message.take_stopped_answer();
        self.append(message);
        if let Some(seen) = stopped {
            self.keep_partial(seen);
            self.close(Outcome::Aborted, fx);
            return;
        }
        if let Some(answer) = by_hook {
            self.say_and_complete(answer, "hook", fx);
            return;
        }
        self.expect_answer();
        self.state.phase = Phase::Turn;
    }

    /// Makes `id` the request being served.
    pub(in crate::run) fn open(&mut self, id: &str, fx: &mut Effects) {
        self.state.halt = None;
        self.state.current = Some(Current {
            id: id.to_owned(),
            joined: Vec::new(),
            minted: 0,
            used: Used::default(),
            granted: Used::default(),
            error_rounds: 0,
            rounds: Vec::new(),
            wrap_up: None,
            summary_not_before: 0,
            reminder: None,
            context: String::new(),
            answer: None,
            answered_in_words: false,
            answer_did_not_fit: false,
            hidden: false,
        });
        fx.emit(Event::RequestStarted { request: id.to_owned() });
    }

    pub(in crate::run) fn complete(&mut self, reply: Reply, fx: &mut Effects) {
        self.close(Outcome::Completed(reply), fx);
    }

    /// Ends the request for good.
    pub(in crate::run) fn close(&mut self, outcome: Outcome, fx: &mut Effects) {
        self.keep_old_answer(fx);
        self.tell_finish(outcome, fx);
        self.state.current = None;
        self.state.halt = None;
        self.state.phase = Phase::Idle;
    }

    /// Ends the request in a state from which `Resumed` goes on, unless a person has asked for something else already.
    pub(in crate::run) fn park(&mut self, halt: Halt, outcome: Outcome, fx: &mut Effects) {
        let moves_on = self.state.queue.iter().any(|waiting| !waiting.message.is_trigger());
        let abandons = moves_on && !matches!(halt, Halt::Store);
        if let (true, Outcome::ModelFailed(error)) = (abandons, &outcome) {
            self.mark_failed(error);
        }
        self.tell_finish(outcome, fx);
        self.state.halt = Some(halt);
        if abandons {
            self.abandon(fx);
        }
    }

    /// Another request is served then: why this one has no answer stands where it ended, and so for what has come into it.
    fn mark_failed(&mut self, error: &ModelError) {
        let Some(Current { id, joined, .. }) = &self.state.current else { return };
        let mut lines = Vec::new();
        for request in joined.iter().chain([id]) {
            lines.extend(self.last_line_shown_of(request));
        }
        for line in lines {
            self.state.failed.retain(|failed| failed.line != line);
            self.state.failed.push(Failed { line, error: error.clone() });
        }
        let more = self.state.failed.len().saturating_sub(MAX_FAILED);
        self.state.failed.drain(..more);
    }

    fn tell_finish(&mut self, outcome: Outcome, fx: &mut Effects) {
        let Some(current) = &mut self.state.current else { return };
        let mut tell = |request: String, outcome: Outcome| {
            fx.emit(Event::RequestFinished { request: request.clone(), outcome: outcome.name() });
            fx.push(Effect::Finish { request, outcome });
        };
        for request in std::mem::take(&mut current.joined) {
            tell(request, outcome.clone());
        }
        tell(current.id.clone(), outcome);
    }

    /// Gives up a parked request: nothing of it will run any more, and all its calls are answered.
    pub(in crate::run) fn abandon(&mut self, fx: &mut Effects) {
        if self.state.current.is_none() {
            return;
        }
        self.cut_off(fx);
        self.state.broke_off =
            self.last_line().filter(|at| self.message(*at).is_some_and(|last| last.partial));
        self.keep_old_answer(fx);
        self.state.current = None;
        self.state.halt = None;
        self.state.phase = Phase::Idle;
    }
}
