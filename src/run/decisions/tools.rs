//! The calls of one answer: which may start, what is asked before, and what becomes of their results.

use crate::event::{Event, Question, QuestionKind, ToolUseResult};
use crate::json::Json;
use crate::message::{CallOutcome, Message, ToolResult, ToolResultData, ToolStatus};
use crate::run::effect::{Effect, Outcome};
use crate::run::input::{Answer, ApprovalVerdict, Issue, PermissionVerdict, ToolOutcome, Validated};
use crate::run::log::Log;
use crate::run::state::{Batch, CallRecord, CallState, Finished, Halt, Phase, UndoEntry, Undoing};
use crate::run::{Effects, Run, texts};
use crate::tool::{Gate, ToolSpec, UNDO_TOOL, find};

const BACK_OFF_MS: u64 = 500;
const LONGEST_BACK_OFF_MS: u64 = 8_000;

impl Run {
    pub(in crate::run) fn begin_batch(&mut self, message: usize, fx: &mut Effects) {
        let settings = &self.state.settings;
        let wrapped_up = self.state.current.as_ref().is_some_and(|current| current.wrap_up.is_some());
        let answer = self.message(message).map(Message::calls).unwrap_or_default();
        let mut calls = Vec::with_capacity(answer.len());
        for (index, call) in answer.iter().enumerate() {
            let tool = self.answer_tool(&call.tool_name).or_else(|| find(&settings.tools, &call.tool_name));
            let refused = if wrapped_up {
                Some((CallOutcome::NotRun, texts::NOT_RUN_ANY_MORE.to_owned()))
            } else if index >= settings.limits.calls_per_turn {
                Some((CallOutcome::NotRun, texts::too_many_calls(settings.limits.calls_per_turn)))
            } else if tool.is_none() {
                Some((CallOutcome::UnknownTool, texts::unknown_tool(&call.tool_name, &settings.tools)))
            } else if call.unparsed_args {
                Some((CallOutcome::Invalid, texts::not_json(&call.input_args.to_text().unwrap_or_default())))
            } else {
                None
            };
            let state = match refused {
                Some((outcome, why)) => {
                    let result = ToolResultData::unfinished(outcome, why);
                    CallState::Done(Box::new(Finished::without_running(result)))
                }
                None => CallState::Queued,
            };
            calls.push(CallRecord {
                id: call.id().to_owned(),
                // That of an answer is called as the model must call it.
                tool: tool
                    .map(|tool| if tool.name.is_empty() { &call.tool_name } else { &tool.name })
                    .cloned(),
                validated: None,
                judged: None,
                permitted: false,
                approved: false,
                attempts: 0,
                state,
                worked_ms: 0,
                cut_off: false,
                returned: None,
                log: Log::default(),
            });
        }
        self.state.phase = Phase::Tools(Batch { message, calls, stopped: false });
        for index in 0..self.calls().len() {
            self.tell_result(index, fx);
        }
    }

    pub(in crate::run) fn calls(&self) -> &[CallRecord] {
        self.state.batch().map_or(&[], |batch| &batch.calls)
    }

    pub(in crate::run) fn spec(&self, call: &CallRecord) -> Option<&ToolSpec> {
        let name = call.tool.as_deref()?;
        self.answer_tool(name).or_else(|| find(&self.state.settings.tools, name))
    }

    /// Starts every call whose turn it is. A call waits for all before it, unless it and they may run together.
    pub(in crate::run) fn advance_tools(&mut self, fx: &mut Effects) {
        let mut others_run = false;
        for index in 0..self.calls().len() {
            let Some(call) = self.calls().get(index) else { return };
            let parallel = self.spec(call).is_some_and(|tool| tool.parallel);
            if matches!(call.state, CallState::Queued) {
                if others_run && !parallel {
                    return;
                }
                self.start(index, fx);
            }
            if let Some(CallRecord { state: CallState::Undoing(Undoing { entry: None, .. }), .. }) =
                self.calls().get(index)
            {
                self.next_undo(fx);
            }
            match self.calls().get(index).map(|call| &call.state) {
                Some(CallState::Done(_)) => {}
                Some(CallState::Running { .. } | CallState::Waiting { .. }) if parallel => others_run = true,
                // The rest of the batch waits: for this call to end, or for a person's answer.
                _ => return,
            }
        }
        if !others_run {
            self.end_batch(fx);
        }
    }

    /// Takes one queued call a step further: a check, a question, or its run.
    fn start(&mut self, index: usize, fx: &mut Effects) {
        let Some(call) = self.calls().get(index) else { return };
        let call_id = call.id.clone();
        let (permitted, approved, attempts) = (call.permitted, call.approved, call.attempts);
        let stopped = self.state.batch().is_some_and(|batch| batch.stopped);
        let Some(tool) = self.spec(call) else {
            // It was there when the model called it, and was taken away since.
            let name = call.tool.clone().unwrap_or_default();
            let text = texts::unknown_tool(&name, &self.state.settings.tools);
            self.refuse(index, CallOutcome::UnknownTool, text, fx);
            return;
        };
        if tool.away && !stopped {
            // It goes on when the tools are others.
            return;
        }
        let (undoes, away) = (tool.name == UNDO_TOOL, tool.away);
        let permission = tool.permission != Gate::Never && !permitted;
        let approval = tool.approval != Gate::Never && !approved;
        // A repeated run is the same call, but it costs time again.
        let used_up = if attempts == 0 { self.no_more_calls() } else { self.used_up_by_work() };
        if stopped && (permission || approval || away || used_up.is_some()) {
            // Nobody is asked anything any more.
            self.end_call(index, Finished::without_running(ToolResultData::aborted(texts::ABORTED)), fx);
        } else if permission {
            self.set(index, CallState::CheckingPermission);
            fx.push(Effect::CheckPermission { call_id });
        } else if approval {
            self.set(index, CallState::CheckingApproval);
            fx.push(Effect::CheckApproval { call_id });
        } else if let Some(rule) = used_up {
            self.pause(rule, fx);
        } else {
            if let (Some(current), 0) = (&mut self.state.current, attempts) {
                current.used.tool_calls += 1;
            }
            if undoes {
                self.begin_undo_call(index, fx);
            } else {
                let attempt = attempts + 1;
                self.enter(index, attempt, false);
                fx.push(Effect::RunTool { call_id, attempt });
            }
        }
    }

    /// The tool of this call is not there, and the call waits for it.
    pub(in crate::run) fn waits_for_tool(&self, call: &CallRecord) -> bool {
        call.cut_off
            || (matches!(call.state, CallState::Queued) && self.spec(call).is_some_and(|tool| tool.away))
    }

    pub(in crate::run) fn call_at(&mut self, index: usize) -> Option<&mut CallRecord> {
        self.state.batch_mut()?.calls.get_mut(index)
    }

    pub(in crate::run) fn set(&mut self, index: usize, state: CallState) {
        if let Some(call) = self.call_at(index) {
            (call.state, call.cut_off) = (state, false);
        }
    }

    pub(in crate::run) fn position(&self, call_id: &str) -> Option<usize> {
        self.calls().iter().position(|call| call.id == call_id)
    }

    /// An answer about a tool that looks at its arguments holds for these arguments, else for the tool.
    pub(crate) fn permission_is_by_input(&self, tool: &str) -> bool {
        find(&self.state.settings.tools, tool).is_none_or(|spec| spec.permission == Gate::ByInput)
    }

    pub(in crate::run) fn on_permission_checked(
        &mut self,
        call_id: &str,
        verdict: &PermissionVerdict,
        fx: &mut Effects,
    ) {
        let Some(index) = self.position(call_id) else { return };
        let name = self.tool_name(index);
        let always = self.calls().get(index).and_then(|call| self.spec(call)).map(|tool| tool.permission);
        match verdict {
            // Only a tool that leaves the choice to the host can do without a person's word.
            PermissionVerdict::NotNeeded if always == Some(Gate::Always) => {
                self.ask(index, QuestionKind::Permission, None, fx);
            }
            PermissionVerdict::NotNeeded | PermissionVerdict::Granted => self.permit(index),
            PermissionVerdict::Denied => {
                self.refuse(index, CallOutcome::Denied, texts::permission_denied(&name, None), fx);
            }
            PermissionVerdict::Unset => self.ask(index, QuestionKind::Permission, None, fx),
            PermissionVerdict::Invalid(issues) => self.refuse_input(index, issues, fx),
            PermissionVerdict::Failed(why) => {
                self.refuse(index, CallOutcome::Failed, texts::gate_failed(&name, why), fx);
            }
        }
    }

    pub(in crate::run) fn on_approval_checked(
        &mut self,
        call_id: &str,
        verdict: &ApprovalVerdict,
        fx: &mut Effects,
    ) {
        let Some(index) = self.position(call_id) else { return };
        let always = self.calls().get(index).and_then(|call| self.spec(call)).map(|tool| tool.approval);
        match verdict {
            ApprovalVerdict::NotNeeded if always == Some(Gate::Always) => {
                self.ask(index, QuestionKind::Approval, None, fx);
            }
            ApprovalVerdict::NotNeeded => self.approve(index),
            ApprovalVerdict::Needed { reason } => {
                self.ask(index, QuestionKind::Approval, reason.clone(), fx);
            }
            ApprovalVerdict::Changed => self.ask_anew(index, fx),
            ApprovalVerdict::Invalid(issues) => self.refuse_input(index, issues, fx),
            ApprovalVerdict::Failed(why) => {
                let name = self.tool_name(index);
                self.refuse(index, CallOutcome::Failed, texts::gate_failed(&name, why), fx);
            }
        }
    }

    /// The name as the model spelled it; results carry it.
    fn tool_name(&self, index: usize) -> String {
        let message = self.state.batch().and_then(|batch| self.messages.get(batch.message));
        message
            .and_then(|message| message.calls().get(index))
            .map(|call| call.tool_name.clone())
            .unwrap_or_default()
    }

    fn permit(&mut self, index: usize) {
        if let Some(call) = self.call_at(index) {
            (call.permitted, call.state) = (true, CallState::Queued);
        }
    }

    fn approve(&mut self, index: usize) {
        if let Some(call) = self.call_at(index) {
            (call.approved, call.state) = (true, CallState::Queued);
        }
    }

    pub(in crate::run) fn on_validated(&mut self, call_id: &str, validated: &Validated) {
        let index = self.position(call_id);
        if let Some(call) = index.and_then(|index| self.call_at(index)) {
            call.validated = Some(validated.clone());
        }
    }

    pub(in crate::run) fn on_judged(&mut self, call_id: &str, judged: &Json) {
        let index = self.position(call_id);
        if let Some(call) = index.and_then(|index| self.call_at(index)) {
            call.judged = Some(judged.clone());
        }
    }

    /// The arguments or the tool changed after the decision, so the decision does not hold. A call that needed no decision, and needs none
    /// now, has started with the new arguments.
    fn ask_anew(&mut self, index: usize, fx: &mut Effects) {
        let Some(call) = self.calls().get(index) else { return };
        let is_judged = call.permitted || call.approved || self.spec(call).is_some_and(is_gated);
        let Some(call) = self.call_at(index) else { return };
        if !is_judged {
            let call_id = call.id.clone();
            self.on_astray(&call_id, fx);
            return;
        }
        (call.permitted, call.approved, call.judged, call.state) = (false, false, None, CallState::Queued);
        call.log.forget_questions();
        let call_id = call.id.clone();
        fx.push(Effect::CancelTool { call_id });
    }

    fn refuse(&mut self, index: usize, outcome: CallOutcome, why: String, fx: &mut Effects) {
        self.end_call(index, Finished::without_running(ToolResultData::unfinished(outcome, why)), fx);
    }

    pub(in crate::run) fn ask(
        &mut self,
        index: usize,
        kind: QuestionKind,
        reason: Option<String>,
        fx: &mut Effects,
    ) {
        let Some(id) = self.mint("q") else { return };
        let batch = self.state.batch();
        let call = batch
            .and_then(|batch| self.messages.get(batch.message))
            .and_then(|message| message.calls().get(index));
        let worked_on = self.calls().get(index);
        let validated = worked_on.and_then(|call| call.validated.as_ref()).map(|validated| &validated.input);
        let question = Question {
            id: id.clone(),
            kind,
            call_id: call.map(|call| call.id().to_owned()),
            tool_name: worked_on.and_then(|call| call.tool.clone()),
            input: validated.or(call.map(|call| &call.input_args)).cloned().unwrap_or_default(),
            reason,
            judged: worked_on.and_then(|call| call.judged.clone()),
            asked_at: self.state.at,
        };
        fx.emit(Event::QuestionAsked(question.clone()));
        fx.push(Effect::Ask { question: id });
        self.set(index, CallState::Asking(question));
    }

    pub(in crate::run) fn on_answered(&mut self, id: &str, answer: &Answer, fx: &mut Effects) {
        let allowed = matches!(answer, Answer::Allow { .. });
        fx.push(Effect::CancelQuestion { question: id.to_owned() });
        fx.emit(Event::QuestionAnswered { id: id.to_owned(), allowed });
        if matches!(&self.state.halt, Some(Halt::AskBudget((_, question))) if question.id == id) {
            self.on_budget_answered(allowed, fx);
            return;
        }
        let is_it =
            |call: &CallRecord| matches!(&call.state, CallState::Asking(question) if question.id == id);
        let Some(index) = self.calls().iter().position(is_it) else { return };
        let Some(CallRecord { state: CallState::Asking(question), id: call_id, .. }) =
            self.calls().get(index)
        else {
            return;
        };
        let (kind, call_id) = (question.kind, call_id.clone());
        match (kind, answer) {
            (QuestionKind::Permission, Answer::Allow { remember }) => {
                if *remember {
                    fx.push(Effect::RememberPermission { call_id, granted: true });
                }
                self.permit(index);
            }
            (QuestionKind::Permission, Answer::Deny { remember, reason }) => {
                if *remember {
                    fx.push(Effect::RememberPermission { call_id, granted: false });
                }
                let name = self.tool_name(index);
                self.refuse(
                    index,
                    CallOutcome::Denied,
                    texts::permission_denied(&name, reason.as_deref()),
                    fx,
                );
            }
            (QuestionKind::Approval, Answer::Allow { .. }) => self.approve(index),
            (QuestionKind::Approval, Answer::Deny { reason, .. }) => {
                self.refuse(index, CallOutcome::Rejected, texts::rejected(reason.as_deref()), fx);
            }
            (QuestionKind::Interrupted, Answer::Allow { .. }) => self.set(index, CallState::Queued),
            (QuestionKind::Interrupted, Answer::Deny { .. }) => self.give_up(index, fx),
            (QuestionKind::Budget, _) => {}
        }
    }

    /// The arguments do not fit to the tool.
    pub(in crate::run) fn refuse_input(&mut self, index: usize, issues: &[Issue], fx: &mut Effects) {
        let mut result = ToolResultData::unfinished(CallOutcome::Invalid, texts::INVALID_INPUT);
        result.data = Json::string(&texts::invalid_input(issues));
        self.end_call(index, Finished::without_running(result), fx);
    }

    pub(in crate::run) fn on_tool_finished(
        &mut self,
        call_id: &str,
        outcome: &ToolOutcome,
        fx: &mut Effects,
    ) {
        let Some(index) = self.position(call_id) else { return };
        let (since, attempt) = match self.calls().get(index).map(|call| &call.state) {
            Some(CallState::Running { since, attempt }) => (*since, *attempt),
            _ => (self.state.at, 0),
        };
        let duration_ms = (attempt > 0).then(|| self.state.at.saturating_sub(since));
        if let Some(mut finished) = self.take_returned(index) {
            // Whatever becomes of the summary, the tool has done its work.
            if let ToolOutcome::Summed(summary) = outcome {
                finished.result.summary.clone_from(summary);
            }
            self.end_call(index, finished, fx);
            return;
        }
        match outcome {
            ToolOutcome::Returned { result, outputs } | ToolOutcome::Summing { result, outputs } => {
                if result.status == ToolStatus::Success {
                    self.remember_undo(index);
                }
                if let Some(usage) = &result.usage {
                    self.count_usage(usage);
                }
                let mut outputs = outputs.clone();
                for output in &mut outputs {
                    output.at = Some(self.state.at);
                }
                let finished = Finished { result: result.clone(), outputs, duration_ms };
                if matches!(outcome, ToolOutcome::Returned { .. }) {
                    self.end_call(index, finished, fx);
                } else if let Some(call) = self.call_at(index) {
                    call.returned = Some(Box::new(finished));
                }
            }
            ToolOutcome::Summed(_) => {}
            ToolOutcome::Invalid(issues) => self.refuse_input(index, issues, fx),
            ToolOutcome::Changed => self.ask_anew(index, fx),
            ToolOutcome::TimedOut => {
                self.take_back_shown(index, fx);
                let result = ToolResultData::unfinished(CallOutcome::TimedOut, texts::timed_out());
                self.end_call(index, Finished { result, outputs: Vec::new(), duration_ms }, fx);
            }
            ToolOutcome::Rejected(reason) => {
                let result =
                    ToolResultData::unfinished(CallOutcome::Rejected, texts::rejected(reason.as_deref()));
                self.end_call(index, Finished { result, outputs: Vec::new(), duration_ms }, fx);
            }
            ToolOutcome::Threw(error) => {
                let retries =
                    self.calls().get(index).and_then(|call| self.spec(call)).map_or(0, ToolSpec::retries);
                let stopped = self.state.batch().is_some_and(|batch| batch.stopped);
                if attempt <= retries && !stopped {
                    let timer = self.state.number();
                    let after_ms = (BACK_OFF_MS << attempt.saturating_sub(1).min(8)).min(LONGEST_BACK_OFF_MS);
                    self.set(index, CallState::Waiting { since, attempt, timer });
                    if let Some(log) = self.log_at(index) {
                        log.forget_questions();
                    }
                    fx.push(Effect::SetTimer { timer, after_ms });
                    return;
                }
                let text = texts::threw(error, attempt.saturating_sub(1));
                let result = ToolResultData::unfinished(CallOutcome::Failed, text);
                self.end_call(index, Finished { result, outputs: Vec::new(), duration_ms }, fx);
            }
        }
    }

    /// What a call has returned already, although it is still running.
    pub(in crate::run) fn take_returned(&mut self, index: usize) -> Option<Finished> {
        self.call_at(index)?.returned.take().map(|finished| *finished)
    }

    pub(in crate::run) fn waits_for_timer(&self, timer: u64) -> bool {
        self.calls()
            .iter()
            .any(|call| matches!(call.state, CallState::Waiting { timer: set, .. } if set == timer))
    }

    /// The call waits for its turn again, with all that has to be looked at before it runs.
    pub(in crate::run) fn on_timer(&mut self, timer: u64) {
        let waits =
            |call: &CallRecord| matches!(call.state, CallState::Waiting { timer: set, .. } if set == timer);
        let Some(index) = self.calls().iter().position(waits) else { return };
        let Some(call) = self.call_at(index) else { return };
        if let CallState::Waiting { attempt, .. } = call.state {
            (call.attempts, call.state) = (attempt, CallState::Queued);
        }
    }

    fn remember_undo(&mut self, index: usize) {
        let Some(call) = self.calls().get(index) else { return };
        if !self.spec(call).is_some_and(|tool| tool.undo) {
            return;
        }
        let (call_id, tool, at) = (call.id.clone(), call.tool.clone().unwrap_or_default(), self.state.at);
        let exact = call.validated.as_ref().is_some_and(|validated| validated.exact);
        self.state.undo.push(UndoEntry { call_id, tool, exact, at });
        let surplus = self.state.undo.len().saturating_sub(self.state.settings.limits.undo_steps);
        self.state.undo.drain(..surplus);
    }

    pub(in crate::run) fn end_call(&mut self, index: usize, finished: Finished, fx: &mut Effects) {
        self.set(index, CallState::Done(Box::new(finished)));
        self.tell_result(index, fx);
    }

    /// Tells what has become of a call, if it has ended.
    fn tell_result(&self, index: usize, fx: &mut Effects) {
        let Some(call) = self.calls().get(index) else { return };
        let CallState::Done(finished) = &call.state else { return };
        let name = self.tool_name(index);
        fx.emit(Event::ToolUseResult(ToolUseResult {
            tool_name: name.clone(),
            call_id: call.id.clone(),
            name,
            id: call.id.clone(),
            result: finished.result.clone(),
            duration_ms: finished.duration_ms,
            outputs: (!finished.outputs.is_empty()).then(|| finished.outputs.clone()),
        }));
    }

    /// Writes the results, in call order, and goes on to the next turn.
    fn end_batch(&mut self, fx: &mut Effects) {
        let stopped = self.state.batch().is_some_and(|batch| batch.stopped);
        self.append_results();
        if stopped {
            self.close(Outcome::Aborted, fx);
            return;
        }
        if let Some(reply) = self.given_answer() {
            self.complete(reply, fx);
            return;
        }
        self.watch_for_circles(fx);
    }

    /// Writes one results message for the batch; calls without an end must have been given one.
    pub(in crate::run) fn append_results(&mut self) {
        let mut message = Message::user(texts::TOOL_RESULTS);
        message.tool_results = Some(self.results_so_far());
        message.undone = std::mem::take(&mut self.state.undone);
        self.append(message);
    }

    pub(in crate::run) fn results_so_far(&self) -> Vec<ToolResult> {
        let mut results = Vec::with_capacity(self.calls().len());
        let mut asks = false;
        for (index, call) in self.calls().iter().enumerate() {
            asks |= call.waits_for_a_person();
            let mut result = ToolResult {
                tool_name: self.tool_name(index),
                call_id: Some(call.id.clone()),
                input: call.validated.as_ref().map(|validated| validated.input.clone()),
                ..ToolResult::default()
            };
            match &call.state {
                CallState::Done(finished) => {
                    result.result = finished.result.clone();
                    result.duration_ms = finished.duration_ms;
                    result.outputs = (!finished.outputs.is_empty()).then(|| finished.outputs.clone());
                    result.slots = call.log.left();
                }
                CallState::Asking(question) => {
                    result.result.status = ToolStatus::Pending;
                    result.result.message = Some(question.reason.clone().unwrap_or_default());
                }
                CallState::Queued
                | CallState::CheckingPermission
                | CallState::CheckingApproval
                | CallState::Running { .. }
                | CallState::Waiting { .. }
                | CallState::Undoing(_) => {
                    result.result.status = ToolStatus::Pending;
                    // It waits for the one before it, and that for a person.
                    let behind = asks && matches!(call.state, CallState::Queued);
                    result.result.message = behind.then(String::new);
                }
            }
            results.push(result);
        }
        results
    }
}

/// Something has to be decided before it runs.
fn is_gated(tool: &ToolSpec) -> bool {
    tool.permission != Gate::Never || tool.approval != Gate::Never
}
