//! A person's edits and decisions.

use crate::approval::{ApprovalDecision, ApprovalKind, ApprovalRequest, Decision, Said};
use crate::error::{Failure, TaskError, TaskErrorKind};
use crate::layout::{self, WorkspacePath};
use crate::machine::effect::{Edit, Effect, Effects};
use crate::machine::journal::fields;
use crate::machine::{Observed, Task};
use crate::plan::Plan;
use crate::report::FinishReason;
use crate::state::{Decided, PlanState, mark};
use crate::text::{first_line, pretty, sha256};
use crate::time;
use glove_wasm::json::Json;
use glove_wasm::json::codec::Write;

impl Task {
    /// Takes over what a person made of the plan.
    pub(super) fn edited(
        &mut self,
        now: u64,
        found: Option<&str>,
        fx: &mut Effects,
    ) -> Result<bool, TaskError> {
        let Some(known) = &self.state.plan else { return Ok(false) };
        let Some(text) = found else {
            let content = pretty(&known.plan);
            fx.push(Effect::Write { path: WorkspacePath::known(layout::PLAN), content, unless: None });
            return Ok(false);
        };
        let hash = sha256(text.as_bytes());
        if hash == known.sha256 {
            return Ok(false);
        }
        let plan = Plan::from_file(text)?;
        if plan == known.plan {
            self.state.plan = Some(PlanState { version: known.version, sha256: hash, plan });
            return Ok(true);
        }
        let version = known.version + 1;
        // The copy is what the person wrote, to the byte; so is the file.
        fx.push(Effect::Write { path: layout::plan_copy(version), content: text.to_owned(), unless: None });
        fx.push(Effect::Edit {
            path: WorkspacePath::known(layout::TODO),
            edit: Edit::Steps(Box::new(plan.clone())),
        });
        self.state.plan = Some(PlanState { version, sha256: hash, plan });
        // Nobody can tell who edits a file, so a plan that had to be approved is approved again.
        self.state.plan_waits |= self.state.approvals.require_plan;
        self.emit(now, "plan.edited", format!("version {version}"), Json::null());
        Ok(true)
    }

    /// Marks the decisions that count for nothing, and tells each once; true where there was one.
    pub(super) fn set_aside(&mut self, now: u64, decisions: &[(String, String)], foreign: &[String]) -> bool {
        let before = self.state.ignored.len();
        for (id, text) in decisions {
            let open = self.state.pending.iter().any(|open| open.id == *id);
            if self.state.ignores(id, text) || (!open && self.is_closed(id)) {
                continue;
            }
            if !open {
                // This file never becomes valid: a later request gets another id.
                let why = "no request has this id. Delete the file";
                self.ignore(now, id, TaskErrorKind::ApprovalUnknown, why);
            } else if let Err(error) = ApprovalDecision::from_file(id, text) {
                self.emit_error(now, &Failure::from(&error));
            } else if foreign.contains(id) {
                let why = "a command of the task could have written it. Answer where the task runs";
                self.ignore(now, id, TaskErrorKind::DecisionInvalid, why);
            } else {
                continue;
            }
            self.state.ignored.push(mark(id, text));
        }
        self.state.ignored.len() > before
    }

    pub(super) fn decide(&mut self, now: u64, seen: &Observed, fx: &mut Effects) -> Decisions {
        let mut found = match self.set_aside(now, &seen.decisions, &seen.foreign) {
            true => Decisions::Some,
            false => Decisions::None,
        };
        for request in self.state.pending.clone() {
            let file = seen.decisions.iter().find(|(id, _)| *id == request.id);
            let counts = file.filter(|(id, text)| !self.state.ignores(id, text));
            let decision = counts.and_then(|(id, text)| ApprovalDecision::from_file(id, text).ok());
            let in_time = |decision: &ApprovalDecision| {
                let said = time::from_text(&decision.timestamp);
                decision.decision == Decision::Expired
                    || !request.is_expired(now)
                    || said.is_some_and(|said| said < request.expires())
            };
            let decision = match decision {
                Some(decision) if in_time(&decision) => decision,
                late if request.is_expired(now) => {
                    if late.is_some() {
                        self.ignore(
                            now,
                            &request.id,
                            TaskErrorKind::ApprovalClosed,
                            "the request had expired",
                        );
                    }
                    let expired = ApprovalDecision::new(&request.id, Decision::Expired, "expiry", now);
                    if file.is_none() {
                        self.send_decision(&expired);
                    }
                    expired
                }
                _ => continue,
            };
            found = Decisions::Some;
            self.settle(now, &request, &decision);
            let reason = match (request.kind, decision.decision) {
                (ApprovalKind::Plan, Decision::Denied) => FinishReason::PlanDenied,
                (ApprovalKind::Plan | ApprovalKind::Memory, Decision::Expired) => {
                    FinishReason::ApprovalExpired
                }
                _ => continue,
            };
            match reason {
                FinishReason::PlanDenied => self.finish(now, reason, fx),
                _ => self.pause(now, reason, "task.stop", nobody_decided(request.kind), fx),
            }
            return Decisions::Over;
        }
        found
    }

    /// Whether a request with this id was there and is decided.
    pub(super) fn is_closed(&self, id: &str) -> bool {
        let number = id.strip_prefix("req_").and_then(|digits| digits.parse::<u32>().ok());
        number.is_some_and(|number| number > 0 && number <= self.state.requests && id == request_id(number))
    }

    fn ignore(&mut self, now: u64, id: &str, kind: TaskErrorKind, why: &str) {
        let error = TaskError::new(kind, format!("the decision `{id}` counts for nothing: {why}"));
        self.emit(now, "approval.ignored", error.message.clone(), Json::null());
        if let Some(event) = self.state.outbox.last_mut() {
            error.code().clone_into(&mut event.error);
        }
    }

    /// Another answer had taken effect when this one was written into the file: it decides nothing, and is told.
    pub(crate) fn overrule(&mut self, now: u64, path: &WorkspacePath, text: &str) {
        let id = path.name().strip_suffix(".json").unwrap_or_default();
        if self.state.ignores(id, text) {
            return;
        }
        let said = ApprovalDecision::from_file(id, text).ok();
        let said = said.map_or_else(String::new, |said| {
            let who = first_line(&said.approved_by, 100);
            let reason = said.reason.as_deref().map(|reason| first_line(reason.trim(), 300));
            let reason = reason.filter(|reason| !reason.is_empty());
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            format!(" ({} by \"{who}\"{reason})", said.decision.word())
        });
        self.came_second(now, id, &said);
        self.state.ignored.push(mark(id, text));
    }

    pub(super) fn came_second(&mut self, now: u64, id: &str, said: &str) {
        let why = format!("another answer came first and has taken effect{said}");
        self.ignore(now, id, TaskErrorKind::ApprovalClosed, &why);
    }

    /// A decision takes effect.
    pub(super) fn settle(&mut self, now: u64, request: &ApprovalRequest, decision: &ApprovalDecision) {
        self.state.pending.retain(|open| open.id != request.id);
        let reason = decision.reason.clone().unwrap_or_default();
        let mut data: Vec<(&str, &dyn Write)> = vec![
            ("id", &request.id),
            ("decision", &decision.decision),
            ("approved_by", &decision.approved_by),
            ("reason", &reason),
        ];
        if decision.said != Said::default() {
            data.push(("said", &decision.said));
        }
        let data = fields(&data);
        let step = request.step.clone().unwrap_or_default();
        self.emit_of(now, "approval.decided", &step, request.tool_name.clone().unwrap_or_default(), data);
        match (&request.question, request.kind) {
            (Some(question), ApprovalKind::Tool) => {
                self.state.decided.push(Decided::of(question, request, decision));
            }
            (None, ApprovalKind::Tool) => {}
            (_, ApprovalKind::Memory) => self.consented(request, decision),
            (_, ApprovalKind::Plan) => {
                // One that expired is asked again when the task is resumed.
                self.state.plan_waits = decision.decision == Decision::Expired;
                match decision.decision {
                    Decision::Approved => self.emit(now, "plan.approved", "", Json::null()),
                    Decision::Denied => {
                        let reason = decision.reason.clone().unwrap_or_default();
                        self.emit(now, "plan.denied", reason, Json::null());
                    }
                    Decision::Expired => {}
                }
            }
        }
    }
}

pub(super) enum Decisions {
    None,
    Some,
    /// The task does not go on.
    Over,
}

fn nobody_decided(kind: ApprovalKind) -> &'static str {
    match kind {
        ApprovalKind::Memory => "nobody decided about the memory in time",
        ApprovalKind::Plan | ApprovalKind::Tool => "nobody decided about the plan in time",
    }
}

pub(super) fn request_id(number: u32) -> String {
    format!("req_{number:04}")
}
