//! Asking a person.

use crate::approval::{ApprovalDecision, ApprovalKind, ApprovalRequest, Decision};
use crate::error::TaskError;
use crate::layout::{self, WorkspacePath};
use crate::machine::Task;
use crate::machine::decisions::request_id;
use crate::machine::effect::{Effect, Effects};
use crate::machine::journal::fields;
use crate::report::TaskStatus;
use crate::state::{Decided, Outgoing};
use crate::text::{first_line, pretty};
use crate::time;
use glove_wasm::event::{Question, QuestionKind};
use glove_wasm::json::Json;
use glove_wasm::message::Extra;

impl Task {
    fn send(&mut self, path: &WorkspacePath, content: String) {
        let path = path.as_str().to_owned();
        self.state.outgoing.push(Outgoing { path, content, unless_decided: false });
    }

    /// Of one that others may decide about in the same instant.
    pub(super) fn send_decision(&mut self, decision: &ApprovalDecision) {
        let (path, content) = (layout::decision(&decision.id).as_str().to_owned(), pretty(decision));
        self.state.outgoing.push(Outgoing { path, content, unless_decided: true });
    }

    pub(super) fn ask_for_plan(&mut self, now: u64) {
        let objective = self.state.plan.as_ref().map(|plan| plan.plan.objective.clone()).unwrap_or_default();
        let objective = if objective.is_empty() { first_line(&self.state.spec.goal, 500) } else { objective };
        let mut request = self.request(now, ApprovalKind::Plan, objective);
        request.plan_path = Some(layout::PLAN.to_owned());
        self.ask(now, &request);
    }

    pub(super) fn request(&mut self, now: u64, kind: ApprovalKind, rationale: String) -> ApprovalRequest {
        self.state.requests += 1;
        ApprovalRequest {
            id: request_id(self.state.requests),
            kind,
            plan_path: None,
            tool_name: None,
            channel: None,
            access: None,
            rationale,
            expires_at: time::to_text(now.saturating_add(self.state.approvals.expires_after_ms)),
            step: None,
            input: Json::null(),
            question: None,
            call_id: None,
            interrupted: false,
            extra: Extra::default(),
        }
    }

    /// Writes a request down. With automatic approval it is decided at once, unless only a person can.
    pub(super) fn ask(&mut self, now: u64, request: &ApprovalRequest) -> Option<Decided> {
        let automatic = self.state.approvals.automatic && !request.interrupted;
        let decision = ApprovalDecision::new(&request.id, Decision::Approved, "automatic", now);
        if automatic {
            // It stands before the request does, so that nobody else decides about it.
            self.send(&layout::decision(&decision.id), pretty(&decision));
        }
        self.send(&layout::request(&request.id), pretty(request));
        let data =
            fields(&[("id", &request.id), ("type", &request.kind), ("expires_at", &request.expires_at)]);
        let step = request.step.clone().unwrap_or_default();
        self.emit_of(now, "approval.requested", &step, request.tool_name.clone().unwrap_or_default(), data);
        self.state.pending.push(request.clone());
        if !automatic {
            return None;
        }
        self.settle(now, request, &decision);
        Some(Decided::of(request.question.as_deref().unwrap_or_default(), request, &decision))
    }

    pub(super) fn asked(
        &mut self,
        now: u64,
        questions: &[Question],
        said: &str,
        fx: &mut Effects,
    ) -> Result<(), TaskError> {
        let step = self.current()?.id.clone();
        let mut answers = Vec::new();
        for question in questions {
            if let Some(known) = self.state.decided.iter().find(|known| known.question == question.id) {
                answers.push(known.clone());
                continue;
            }
            if self.state.pending.iter().any(|open| open.question.as_deref() == Some(&question.id)) {
                continue;
            }
            let interrupted = question.kind == QuestionKind::Interrupted;
            let rationale = match (&question.reason, interrupted) {
                (Some(reason), _) => reason.clone(),
                (None, true) => {
                    "the call was cut off and may have taken effect: approve it to run it again".to_owned()
                }
                (None, false) => self.why(question, said),
            };
            let mut request = self.request(now, ApprovalKind::Tool, rationale);
            request.tool_name.clone_from(&question.tool_name);
            request.step = Some(step.clone());
            request.input = question.input.clone();
            request.question = Some(question.id.clone());
            request.call_id.clone_from(&question.call_id);
            request.interrupted = interrupted;
            answers.extend(self.ask(now, &request));
        }
        if let Some(until) = self.state.pending.iter().map(ApprovalRequest::expires).min() {
            self.state.status = TaskStatus::Waiting;
            fx.push(Effect::Save);
            self.answer(answers, fx);
            fx.push(Effect::Wait { until });
        } else {
            fx.push(Effect::Save);
            self.answer(answers, fx);
        }
        Ok(())
    }

    /// Why this call, where its tool does not say so: what it is for, and what the model said with it.
    fn why(&self, question: &Question, said: &str) -> String {
        let tool = question.tool_name.as_deref().unwrap_or("the tool");
        let plan = self.state.plan.iter().flat_map(|known| &known.plan.steps);
        let current = self.state.current.as_ref();
        let of = current.and_then(|step| step.plan_step.as_deref());
        let step = plan.into_iter().find(|step| Some(step.id.as_str()) == of).map(|step| step.title.as_str());
        let step = step.or(current.map(|step| step.name.as_str())).unwrap_or_default();
        let mut why = format!("{tool}, for the step \"{}\"", first_line(step, 200));
        let said = first_line(said.trim(), 300);
        if !said.is_empty() {
            why.push_str(&format!(". The model says: {said}"));
        }
        why
    }

    fn answer(&self, answers: Vec<Decided>, fx: &mut Effects) {
        fx.extend(answers.into_iter().map(|Decided { question, allowed, reason, .. }| Effect::Answer {
            question,
            allowed,
            reason,
        }));
    }

    pub(super) fn answered(&mut self, now: u64, question: &str, allowed: bool, fx: &mut Effects) {
        let open = self.state.pending.iter().find(|open| open.question.as_deref() == Some(question)).cloned();
        let Some(request) = open else { return self.answered_late(now, question, allowed, fx) };
        let said = if allowed { Decision::Approved } else { Decision::Denied };
        let decision = ApprovalDecision::new(&request.id, said, "session", now);
        self.send_decision(&decision);
        self.settle(now, &request, &decision);
        if self.state.pending.is_empty() {
            self.state.status = TaskStatus::Running;
        }
        fx.push(Effect::Save);
    }

    /// A decision was taken over before the session's answer was heard. Of two that differ the denial was carried out: the session ends a call
    /// that it denies, and one that is denied here does not run.
    fn answered_late(&mut self, now: u64, question: &str, allowed: bool, fx: &mut Effects) {
        let known = self.state.decided.iter_mut().find(|known| known.question == question);
        let Some(known) = known.filter(|known| known.allowed != allowed) else { return };
        let id = known.request.clone();
        if allowed {
            self.came_second(now, &id, &format!(" ({} by \"session\")", Decision::Approved.word()));
        } else {
            (known.allowed, known.reason) = (false, None);
            // What stands in the file is set aside when this is written there, and told.
            self.send_decision(&ApprovalDecision::new(&id, Decision::Denied, "session", now));
        }
        fx.push(Effect::Save);
    }
}
