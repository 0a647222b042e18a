//! Answers of a step's session, beside the files of decisions: of two about one call, the first counts, and the other one is told.

use crate::layout;
use crate::runtime::decide::{is_decided, write_first};
use crate::runtime::running::{Answers, Running, lock};
use crate::state::Decided;
use crate::text::{pretty, sha256};
use crate::{ApprovalDecision, ApprovalRequest, Decision, Input, TaskError, TaskErrorKind};
use glove_wasm::message::ToolResultData;
use glove_wasm::run::input::ToolOutcome;

impl Running {
    /// Whether a person was asked about this call.
    pub(super) fn was_asked(&self, call_id: &str) -> bool {
        self.with_task(|task| {
            let state = task.state();
            let (mut open, mut known) = (state.pending.iter(), state.decided.iter());
            open.any(|open| open.call_id.as_deref() == Some(call_id))
                || known.any(|known| known.call_id.as_deref() == Some(call_id))
        })
    }

    /// Why this call, which its session begins, does not run: somebody else had denied it. `None`: nobody has, and from now on nobody can.
    pub(super) async fn refuses(&self, call_id: &str) -> Option<ToolOutcome> {
        let is_it = |id: &Option<String>| id.as_deref() == Some(call_id);
        let open: Vec<ApprovalRequest> = self.with_task(|task| {
            task.state().pending.iter().filter(|open| is_it(&open.call_id)).cloned().collect()
        });
        for request in open {
            match self.claim(&request).await {
                Ok(None) => {}
                Ok(Some(denied)) => return Some(ToolOutcome::Rejected(denied.why_not())),
                Err(error) => {
                    let why = format!("the decision about this call could not be written: {}", error.message);
                    let result = ToolResultData::error(format!("{why}; the tool did not run"));
                    return Some(ToolOutcome::Returned { result, outputs: Vec::new() });
                }
            }
        }
        // Last: a request may have been decided meanwhile.
        let denies = |known: &&Decided| is_it(&known.call_id) && !known.allowed;
        let denied = self.with_task(|task| task.state().decided.iter().find(denies).cloned());
        denied.map(|denied| ToolOutcome::Rejected(denied.reason))
    }

    /// Writes down that the session approved it. Gives the decision that was there before, where that denies and counts.
    async fn claim(&self, request: &ApprovalRequest) -> Result<Option<ApprovalDecision>, TaskError> {
        let id = &request.id;
        let decision = ApprovalDecision::new(id, Decision::Approved, "session", self.now());
        self.take(&decision);
        let is_void = |id: &str, text: &str| {
            self.with_task(|task| task.state().ignores(id, text)) || self.is_foreign(id, text)
        };
        let files = &*self.shared.files;
        let other = write_first(files, &layout::decision(id), &pretty(&decision), is_void).await?;
        other.map(|text| ApprovalDecision::from_file(id, &text)).transpose()
    }

    /// Takes in what the session answered. Gives those that somebody else's decision came before.
    pub(super) async fn take_answers(&self) -> Result<Answers, TaskError> {
        let mut overruled = Vec::new();
        let answered = std::mem::take(&mut *lock(&self.shared.answered));
        for (at, (question, allowed)) in answered.iter().enumerate() {
            match self.take_answer(question, *allowed).await {
                Ok(true) => {}
                Ok(false) => overruled.push((question.clone(), *allowed)),
                Err(error) => {
                    overruled.extend_from_slice(answered.get(at..).unwrap_or_default());
                    self.keep_answers(overruled);
                    return Err(error);
                }
            }
        }
        Ok(overruled)
    }

    async fn take_answer(&self, question: &str, allowed: bool) -> Result<bool, TaskError> {
        if let Some(request) = self.open_request(question).filter(|_| allowed)
            && self.claim(&request).await?.is_some()
        {
            return Ok(false);
        }
        self.accept(Input::Answered { question: question.to_owned(), allowed }).await?;
        Ok(true)
    }

    /// After the decisions before them were taken over.
    pub(super) async fn tell_overruled(&self, answers: Answers) -> Result<(), TaskError> {
        for (question, allowed) in answers {
            match self.open_request(&question) {
                // It still waits, because the task was stopped.
                Some(_) => self.keep_answers(vec![(question, allowed)]),
                None => drop(self.accept(Input::Answered { question, allowed }).await?),
            }
        }
        Ok(())
    }

    pub(super) fn keep_answers(&self, answers: Answers) {
        lock(&self.shared.answered).extend(answers);
    }

    pub(super) fn has_answers(&self) -> bool {
        !lock(&self.shared.answered).is_empty()
    }

    /// Fails where the session has answered, and the task has not heard of it yet.
    pub(super) fn still_waits(&self, id: &str) -> Result<(), TaskError> {
        let answered = lock(&self.shared.answered).clone();
        let found = answered
            .into_iter()
            .find(|(question, _)| self.open_request(question).is_some_and(|request| request.id == id));
        let Some((_, allowed)) = found else { return Ok(()) };
        let said = if allowed { Decision::Approved } else { Decision::Denied };
        let by =
            ApprovalDecision { timestamp: String::new(), ..ApprovalDecision::new(id, said, "session", 0) };
        Err(TaskError::new(TaskErrorKind::ApprovalClosed, is_decided(&by)))
    }

    fn open_request(&self, question: &str) -> Option<ApprovalRequest> {
        let is_it = |open: &&ApprovalRequest| open.question.as_deref() == Some(question);
        self.with_task(|task| task.state().pending.iter().find(is_it).cloned())
    }

    /// Whether somebody else wrote it, where that counts.
    pub(super) fn is_foreign(&self, id: &str, text: &str) -> bool {
        let hash = sha256(text.as_bytes());
        let is_own = |(known, own): &(String, String)| known == id && *own == hash;
        self.shared.parts.decided_here && !lock(&self.shared.taken).iter().any(is_own)
    }
}
