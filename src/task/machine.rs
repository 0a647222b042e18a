//! The machine: which step comes next, what a person is asked before, when it ends, and what is written of it.

use crate::event::{Question, QuestionKind};
use crate::json::Json;
use crate::json::codec::{Write, object, to_text};
use crate::message::{Extra, Usage};
use crate::task::approval::{ApprovalDecision, ApprovalKind, ApprovalRequest, Decision};
use crate::task::error::{Failure, TaskError, TaskErrorKind};
use crate::task::events::{Journal, TaskEvent};
use crate::task::layout::{self, WorkspacePath, step_name};
use crate::task::plan::{Plan, Verdict, ticked, with_steps, with_tick};
use crate::task::report::{Deliverable, FinishReason, StepReport, StepStatus, TaskStatus, ToolCallReport};
use crate::task::spec::{ApprovalPolicy, Budgets, TaskSpec};
use crate::task::state::{Decided, Outgoing, PlanState, TaskState, VERSION, mark};
use crate::task::steps::{LoopView, Next, StepOutput, StepSpec, StepSummary, TaskLoop, loop_signature};
use crate::task::text::{first_line, pretty, sha256};
use crate::task::time;

/// A task. Each accepted input gives what is to be done for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    state: TaskState,
    /// How many events of the current step's tools are in the journal.
    told: usize,
}

/// What a task begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Begin {
    pub agent_id: String,
    pub task_id: String,
    pub spec: TaskSpec,
    /// Of the agent; those of the spec count before them.
    pub approvals: ApprovalPolicy,
}

/// What can happen to a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Goes on with whatever comes next, after a look at the workspace.
    Proceed(Box<Observed>),
    /// The tools of the current step did something. The list is all that they did so far.
    Progress {
        calls: Vec<ToolCallReport>,
        elapsed_ms: u64,
    },
    /// The run of the current step waits for these. What stood in the files of decisions before decides nothing about them.
    Asked {
        questions: Vec<Question>,
        /// As in [`Observed`].
        decisions: Vec<(String, String)>,
    },
    /// A person answered a question of the run itself, in a chat for example.
    Answered {
        question: String,
        allowed: bool,
    },
    Ended(Box<StepOutcome>),
    /// Something that the next step is to read.
    Pushed(String),
    /// Something failed that no step could mend: the task waits until it is resumed.
    Failed(Failure),
    /// From now on these count.
    Budgets(Budgets),
    Approvals(ApprovalPolicy),
}

/// What a look at the workspace found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// What is in the STOP file, if there is one.
    pub stop: Option<String>,
    pub plan: Option<String>,
    pub todo: String,
    /// Id and content of each decision.
    pub decisions: Vec<(String, String)>,
}

/// How the run of a step came to its end, and what it did.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutcome {
    pub end: StepEnd,
    pub tools_allowed: Vec<String>,
    pub calls: Vec<ToolCallReport>,
    pub context_read: Vec<String>,
    pub artifacts: Vec<Deliverable>,
    pub usage: Usage,
    /// Working time that no `Progress` has told.
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StepEnd {
    /// What the model answered, or a function of the application gave.
    Answer(String),
    /// The step failed by itself: a function of the application said so, or it called tools without end.
    Unfinished(String),
    /// The time of the task is used up.
    OutOfTime,
    /// It was paused by `stop`, and goes on from there.
    Stopped,
    /// The model or the store failed; it goes on from there.
    Failed(Failure),
}

/// What is to be done, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Writes a file as a whole, unless this other one is there.
    Write { path: WorkspacePath, content: String, unless: Option<WorkspacePath> },
    /// Changes a file that a person may be editing.
    Edit { path: WorkspacePath, edit: Edit },
    /// Writes the state, then what [`Task::outgoing`] and [`Task::outbox`] hold, and says so by [`Task::saved`].
    Save,
    /// Begins the step, or goes on with it.
    RunStep(Box<StepSpec>),
    /// Tells the run of the current step.
    Answer { question: String, allowed: bool, reason: Option<String> },
    /// A person is to decide before the task goes on, at the latest then.
    Wait { until: u64 },
    /// Nothing goes on by itself.
    Stop,
}

/// A change that may be done again without doing it twice.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Adds this at the end, unless it is in the file.
    Append(String),
    /// Makes the file, if there is none.
    Create(String),
    Steps(Box<Plan>),
    Tick(String),
}

impl Edit {
    /// `None`: the file stays as it is.
    pub fn apply(&self, before: Option<&str>) -> Option<String> {
        let text = before.unwrap_or_default();
        let after = match self {
            Edit::Append(piece) if text.contains(piece.trim()) => return None,
            Edit::Append(piece) => {
                let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                format!("{text}{gap}{}\n", piece.trim_end())
            }
            Edit::Create(content) if before.is_none() => content.clone(),
            Edit::Create(_) => return None,
            Edit::Steps(plan) => with_steps(text, plan),
            Edit::Tick(id) => with_tick(text, id, true),
        };
        (before != Some(after.as_str())).then_some(after)
    }
}

type Effects = Vec<Effect>;

impl Task {
    pub fn begin(now: u64, begin: Begin, by: &dyn TaskLoop) -> Result<(Task, Vec<Effect>), TaskError> {
        let Begin { agent_id, task_id, spec, approvals } = begin;
        spec.check()?;
        let mut task = Task { state: TaskState::default(), told: 0 };
        task.state = TaskState {
            version: VERSION,
            agent_id,
            loop_name: by.name().to_owned(),
            loop_version: by.version().to_owned(),
            loop_signature: loop_signature(by, &spec),
            approvals: spec.approvals.clone().unwrap_or(approvals),
            started_at: now,
            round: 1,
            spec: TaskSpec { id: Some(task_id.clone()), ..spec },
            task_id,
            ..TaskState::default()
        };
        let goal = first_line(&task.state.spec.goal, 200);
        task.emit(now, "task.start", goal, Json::null());
        let create = |path: &str, content: &str| Effect::Edit {
            path: WorkspacePath::known(path),
            edit: Edit::Create(content.to_owned()),
        };
        let effects =
            vec![create(layout::NOTES, "# Notes\n\n"), create(layout::TODO, "# Todo\n\n"), Effect::Save];
        task.state.updated_at = now;
        Ok((task, effects))
    }

    /// The task of a `state.json`, with the journal beside it.
    pub fn restore(state: &str, journal: &Journal) -> Result<Task, TaskError> {
        let mut state = TaskState::from_file(state)?;
        let last = journal.last();
        state.outbox.retain(|event| event.number() > last);
        state.last_event = state.last_event.max(last);
        let current = state.current.as_ref().map(|step| step.id.as_str()).unwrap_or_default();
        let of_tools = |event: &&TaskEvent| event.step == current && event.kind.starts_with("tool.");
        let told = journal.events.iter().chain(&state.outbox).filter(of_tools).count();
        Ok(Task { told, state })
    }

    pub fn state(&self) -> &TaskState {
        &self.state
    }

    /// What `state.json` is to hold.
    pub fn file(&self) -> String {
        pretty(&self.state)
    }

    /// The events that are to be added to the journal once the state is written.
    pub fn outbox(&self) -> &[TaskEvent] {
        &self.state.outbox
    }

    /// Files that are to be written once the state is. The task alone says what is in them.
    pub fn outgoing(&self) -> &[Outgoing] {
        &self.state.outgoing
    }

    pub fn saved(&mut self) {
        self.state.outgoing.clear();
        self.state.outbox.clear();
    }

    /// How long the current or the next step may work, and how long its tools.
    pub fn time_left(&self, step: &StepSpec) -> Option<u64> {
        let budgets = &self.state.spec.budgets;
        let all = budgets.max_wall_clock_ms?;
        let share = if step.output == StepOutput::Verdict { all } else { without_share(all, budgets) };
        Some(share.saturating_sub(self.state.used.wall_clock_ms))
    }

    /// Something that a person should know, beside the result.
    pub fn warn(&mut self, warning: String) {
        self.state.warnings.push(warning);
    }

    /// Whether a decision with this id could change anything.
    pub fn looks_for(&self, id: &str) -> bool {
        self.state.pending.iter().any(|open| open.id == id) || !self.is_closed(id)
    }

    /// What fits the state of the task changes it; what does not is refused and changes nothing.
    pub fn step(&mut self, now: u64, input: Input, by: &dyn TaskLoop) -> Result<Vec<Effect>, TaskError> {
        let mut fx = Vec::new();
        if self.state.status == TaskStatus::Finished && !matches!(input, Input::Proceed(_)) {
            let message = "the task is finished; start another one in a new workspace";
            return Err(TaskError::new(TaskErrorKind::Finished, message));
        }
        match input {
            Input::Proceed(seen) => self.proceed(now, &seen, by, &mut fx)?,
            Input::Progress { calls, elapsed_ms } => {
                let step = self.current()?.id.clone();
                self.state.used.wall_clock_ms += elapsed_ms;
                if self.tell_calls(now, &step, &calls) {
                    fx.push(Effect::Save);
                }
            }
            Input::Asked { questions, decisions } => {
                self.current()?;
                self.set_aside(now, &decisions);
                self.asked(now, &questions, &mut fx)?;
            }
            Input::Answered { question, allowed } => self.answered(now, &question, allowed, &mut fx),
            Input::Ended(outcome) => self.ended(now, *outcome, &mut fx)?,
            Input::Pushed(text) => self.pushed(now, text, &mut fx),
            Input::Failed(failure) => self.fail(now, failure, &mut fx),
            Input::Budgets(budgets) => {
                TaskSpec { budgets: budgets.clone(), ..self.state.spec.clone() }.check()?;
                self.state.spec.budgets = budgets;
                self.state.only_verify = None;
                fx.push(Effect::Save);
            }
            Input::Approvals(approvals) => {
                self.state.approvals = approvals;
                fx.push(Effect::Save);
            }
        }
        self.state.updated_at = now;
        Ok(fx)
    }

    fn proceed(
        &mut self,
        now: u64,
        seen: &Observed,
        by: &dyn TaskLoop,
        fx: &mut Effects,
    ) -> Result<(), TaskError> {
        if self.state.status == TaskStatus::Finished {
            fx.push(Effect::Stop);
            return Ok(());
        }
        if let Some(reason) = &seen.stop {
            let why = first_line(reason, 200);
            self.pause(now, FinishReason::Stopped, "task.stop", &why, fx);
            return Ok(());
        }
        let mut changed = self.take_up(now);
        match self.edited(now, seen.plan.as_deref(), fx) {
            Ok(edited) => changed |= edited,
            Err(error) => {
                self.fail(now, Failure::from(&error), fx);
                return Ok(());
            }
        }
        match self.decide(now, seen, fx) {
            Decisions::None => {}
            Decisions::Some => changed = true,
            Decisions::Over => return Ok(()),
        }
        if self.state.plan_waits && !self.state.pending.iter().any(|open| open.kind == ApprovalKind::Plan) {
            self.ask_for_plan(now);
            changed = true;
        }
        if let Some(until) = self.state.pending.iter().map(ApprovalRequest::expires).min() {
            changed |= std::mem::replace(&mut self.state.status, TaskStatus::Waiting) != TaskStatus::Waiting;
            if changed {
                fx.push(Effect::Save);
            }
            fx.push(Effect::Wait { until });
            return Ok(());
        }
        if let Some(step) = self.state.current.clone() {
            changed |= std::mem::take(&mut self.state.status) != TaskStatus::Running;
            if changed {
                fx.push(Effect::Save);
            }
            fx.push(Effect::RunStep(Box::new(step)));
            return Ok(());
        }
        self.state.status = TaskStatus::Running;
        let ticked = ticked(&seen.todo);
        let mut next = by.next(&self.view(&ticked));
        if let (Next::Step(_), Some(reason)) = (&next, self.used_up()) {
            self.pause(now, reason, "budget.hit", budget_text(reason), fx);
            return Ok(());
        }
        if let (Next::Step(_), None, Some(reason)) = (&next, self.state.only_verify, self.share_is_reached())
        {
            self.state.only_verify = Some(reason);
            self.emit(now, "budget.hit", "what is left is kept for the verification", Json::null());
            next = by.next(&self.view(&ticked));
        }
        match next {
            Next::Step(step) if self.state.only_verify.is_none() || step.output == StepOutput::Verdict => {
                self.enter(now, *step, fx)?;
            }
            Next::Step(_) | Next::Done => self.at_end(now, fx),
        }
        Ok(())
    }

    fn view<'a>(&'a self, ticked: &'a [String]) -> LoopView<'a> {
        let state = &self.state;
        LoopView {
            goal: &state.spec.goal,
            plan: state.plan.as_ref().map(|plan| &plan.plan),
            ticked,
            steps: &state.steps,
            verdict: state.verdict.as_ref(),
            round: state.round,
            refinements_left: (state.spec.budgets.refinements + 1).saturating_sub(state.round),
            only_verify: state.only_verify.is_some(),
        }
    }

    /// A task that was paused goes on.
    fn take_up(&mut self, now: u64) -> bool {
        if self.state.status != TaskStatus::Paused {
            return false;
        }
        let was = self.state.finish_reason.take();
        (self.state.status, self.state.error) = (TaskStatus::Running, None);
        if was == Some(FinishReason::BudgetNoProgress) {
            self.state.used.steps_without_progress = 0;
        }
        self.emit(now, "task.resume", "", Json::null());
        true
    }

    fn enter(&mut self, now: u64, mut step: StepSpec, fx: &mut Effects) -> Result<(), TaskError> {
        step.name = step_name(&step.name);
        if step.iteration == 0 {
            let before = self.state.steps.iter().filter(|ended| ended.name == step.name).count();
            step.iteration = u32::try_from(before).unwrap_or(u32::MAX - 1) + 1;
        }
        let id = if step.id.is_empty() {
            format!("{}-{}", step.name, step.iteration)
        } else {
            step_name(&step.id)
        };
        if self.state.steps.iter().any(|ended| ended.id == id) {
            let message = format!(
                "the loop `{}` gave the step `{id}` again, which has ended; give each step a name or an id of its own",
                self.state.loop_name
            );
            return Err(TaskError::new(TaskErrorKind::Loop, message));
        }
        step.id = id;
        self.state.phase.clone_from(&step.name);
        self.state.current_since = now;
        self.state.current = Some(step.clone());
        self.told = 0;
        let message = step.plan_step.clone().unwrap_or_default();
        self.emit_of(now, "phase.start", &step.id, message, Json::null());
        fx.push(Effect::Save);
        fx.push(Effect::RunStep(Box::new(step)));
        Ok(())
    }

    fn current(&self) -> Result<&StepSpec, TaskError> {
        self.state
            .current
            .as_ref()
            .ok_or_else(|| TaskError::new(TaskErrorKind::Protocol, "no step of this task is running"))
    }

    // Budgets.

    fn used_up(&self) -> Option<FinishReason> {
        let (used, budgets) = (&self.state.used, &self.state.spec.budgets);
        if budgets.max_wall_clock_ms.is_some_and(|most| used.wall_clock_ms >= most) {
            return Some(FinishReason::BudgetWallClock);
        }
        if used.steps >= budgets.max_steps {
            return Some(FinishReason::BudgetSteps);
        }
        let most = budgets.max_steps_without_progress;
        (most > 0 && used.steps_without_progress >= most).then_some(FinishReason::BudgetNoProgress)
    }

    /// All but the share of the verification is used.
    fn share_is_reached(&self) -> Option<FinishReason> {
        let (used, budgets) = (&self.state.used, &self.state.spec.budgets);
        if budgets.max_wall_clock_ms.is_some_and(|most| used.wall_clock_ms >= without_share(most, budgets)) {
            return Some(FinishReason::BudgetWallClock);
        }
        let most = without_share(budgets.max_steps.into(), budgets);
        (budgets.verify_percent > 0 && u64::from(used.steps) >= most).then_some(FinishReason::BudgetSteps)
    }

    // A person's edits and decisions.

    /// Takes over what a person made of the plan.
    fn edited(&mut self, now: u64, found: Option<&str>, fx: &mut Effects) -> Result<bool, TaskError> {
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
    fn set_aside(&mut self, now: u64, decisions: &[(String, String)]) -> bool {
        let before = self.state.ignored.len();
        for (id, text) in decisions {
            let open = self.state.pending.iter().any(|open| open.id == *id);
            if self.state.ignores(id, text) || (!open && self.is_closed(id)) {
                continue;
            }
            if !open {
                // It never will decide: what is asked later was not known to whoever wrote it.
                let why = "no request has this id. Delete the file";
                self.ignore(now, id, TaskErrorKind::ApprovalUnknown, why);
            } else if let Err(error) = ApprovalDecision::from_file(id, text) {
                self.emit_error(now, &Failure::from(&error));
            } else {
                continue;
            }
            self.state.ignored.push(mark(id, text));
        }
        self.state.ignored.len() > before
    }

    fn decide(&mut self, now: u64, seen: &Observed, fx: &mut Effects) -> Decisions {
        let mut found = match self.set_aside(now, &seen.decisions) {
            true => Decisions::Some,
            false => Decisions::None,
        };
        for request in self.state.pending.clone() {
            let file = seen.decisions.iter().find(|(id, _)| *id == request.id);
            let counts = file.filter(|(id, text)| !self.state.ignores(id, text));
            let decision = counts.and_then(|(id, text)| ApprovalDecision::from_file(id, text).ok());
            let in_time = |decision: &ApprovalDecision| {
                let said = time::from_text(&decision.timestamp);
                !request.is_expired(now) || said.is_some_and(|said| said < request.expires())
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
                (ApprovalKind::Plan, Decision::Expired) => FinishReason::ApprovalExpired,
                _ => continue,
            };
            match reason {
                FinishReason::PlanDenied => self.finish(now, reason, fx),
                _ => self.pause(now, reason, "task.stop", "nobody decided about the plan in time", fx),
            }
            return Decisions::Over;
        }
        found
    }

    /// Whether a request with this id was there and is decided.
    fn is_closed(&self, id: &str) -> bool {
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

    /// A decision takes effect.
    fn settle(&mut self, now: u64, request: &ApprovalRequest, decision: &ApprovalDecision) {
        self.state.pending.retain(|open| open.id != request.id);
        let allowed = decision.decision == Decision::Approved;
        let data = fields(&[
            ("id", &request.id),
            ("decision", &decision.decision),
            ("approved_by", &decision.approved_by),
            ("reason", &decision.reason.clone().unwrap_or_default()),
        ]);
        let step = request.step.clone().unwrap_or_default();
        self.emit_of(now, "approval.decided", &step, request.tool_name.clone().unwrap_or_default(), data);
        match (&request.question, request.kind) {
            (Some(question), ApprovalKind::Tool) => {
                let reason = match decision.decision {
                    Decision::Approved => None,
                    Decision::Denied => decision.reason.clone(),
                    Decision::Expired => Some("nobody decided in time".to_owned()),
                };
                self.state.decided.push(Decided { question: question.clone(), allowed, reason });
            }
            (None, ApprovalKind::Tool) => {}
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

    // Approvals.

    fn send(&mut self, path: &WorkspacePath, content: String) {
        self.state.outgoing.push(Outgoing { path: path.as_str().to_owned(), content });
    }

    fn send_decision(&mut self, decision: &ApprovalDecision) {
        self.send(&layout::decision(&decision.id), pretty(decision));
    }

    fn ask_for_plan(&mut self, now: u64) {
        let objective = self.state.plan.as_ref().map(|plan| plan.plan.objective.clone()).unwrap_or_default();
        let objective = if objective.is_empty() { first_line(&self.state.spec.goal, 500) } else { objective };
        let mut request = self.request(now, ApprovalKind::Plan, objective);
        request.plan_path = Some(layout::PLAN.to_owned());
        self.ask(now, request);
    }

    fn request(&mut self, now: u64, kind: ApprovalKind, rationale: String) -> ApprovalRequest {
        self.state.requests += 1;
        ApprovalRequest {
            id: request_id(self.state.requests),
            kind,
            plan_path: None,
            tool_name: None,
            rationale,
            expires_at: time::to_text(now.saturating_add(self.state.approvals.expires_after_ms)),
            step: None,
            input: Json::null(),
            question: None,
            interrupted: false,
            extra: Extra::default(),
        }
    }

    /// Writes a request down. With automatic approval it is decided at once, unless only a person can.
    fn ask(&mut self, now: u64, request: ApprovalRequest) -> Option<Decided> {
        self.send(&layout::request(&request.id), pretty(&request));
        let data =
            fields(&[("id", &request.id), ("type", &request.kind), ("expires_at", &request.expires_at)]);
        let step = request.step.clone().unwrap_or_default();
        self.emit_of(now, "approval.requested", &step, request.tool_name.clone().unwrap_or_default(), data);
        self.state.pending.push(request.clone());
        if !self.state.approvals.automatic || request.interrupted {
            return None;
        }
        let decision = ApprovalDecision::new(&request.id, Decision::Approved, "automatic", now);
        self.send_decision(&decision);
        self.settle(now, &request, &decision);
        let question = request.question.unwrap_or_default();
        Some(Decided { question, allowed: true, reason: None })
    }

    fn asked(&mut self, now: u64, questions: &[Question], fx: &mut Effects) -> Result<(), TaskError> {
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
                (None, false) => "the tool asks before this call".to_owned(),
            };
            let mut request = self.request(now, ApprovalKind::Tool, rationale);
            request.tool_name.clone_from(&question.tool_name);
            request.step = Some(step.clone());
            request.input = question.input.clone();
            request.question = Some(question.id.clone());
            request.interrupted = interrupted;
            answers.extend(self.ask(now, request));
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

    fn answer(&self, answers: Vec<Decided>, fx: &mut Effects) {
        fx.extend(answers.into_iter().map(|Decided { question, allowed, reason }| Effect::Answer {
            question,
            allowed,
            reason,
        }));
    }

    fn answered(&mut self, now: u64, question: &str, allowed: bool, fx: &mut Effects) {
        let open = self.state.pending.iter().find(|open| open.question.as_deref() == Some(question)).cloned();
        let Some(request) = open else { return };
        let said = if allowed { Decision::Approved } else { Decision::Denied };
        let decision = ApprovalDecision::new(&request.id, said, "session", now);
        self.send_decision(&decision);
        self.settle(now, &request, &decision);
        if self.state.pending.is_empty() {
            self.state.status = TaskStatus::Running;
        }
        fx.push(Effect::Save);
    }

    // The end of a step.

    fn ended(&mut self, now: u64, outcome: StepOutcome, fx: &mut Effects) -> Result<(), TaskError> {
        let step = self.current()?.clone();
        self.state.used.wall_clock_ms += outcome.elapsed_ms;
        self.tell_calls(now, &step.id, &outcome.calls);
        let (text, mut error) = match &outcome.end {
            StepEnd::Answer(text) => (text.clone(), None),
            StepEnd::Unfinished(why) => (String::new(), Some(why.clone())),
            StepEnd::OutOfTime => (String::new(), Some("the time of the task was used up".to_owned())),
            StepEnd::Stopped => {
                self.pause(now, FinishReason::Stopped, "task.stop", "", fx);
                return Ok(());
            }
            StepEnd::Failed(failure) => {
                self.fail(now, failure.clone(), fx);
                return Ok(());
            }
        };
        let mut report = StepReport {
            id: step.id.clone(),
            name: step.name.clone(),
            kind: step.kind.clone(),
            iteration: step.iteration,
            started_at: self.state.current_since,
            ended_at: now,
            tools_allowed: outcome.tools_allowed,
            tools_used: used_names(&outcome.calls),
            tool_calls: outcome.calls,
            context_read: outcome.context_read,
            artifacts_written: outcome.artifacts,
            usage: outcome.usage,
            ..StepReport::default()
        };
        if error.is_none() {
            error = self.take_output(now, &step, &text, &mut report, fx).err().map(|error| error.message);
        }
        if let Some(why) = &error {
            report.status = StepStatus::Failed;
            report.error.clone_from(why);
            self.emit_of(now, "error", &step.id, why.clone(), Json::null());
        }
        if !text.is_empty() && report.output_ref.is_none() {
            self.write_output(&step, "output.md", text.clone(), &mut report, fx);
        }
        self.close_step(now, &step, &report, &text, fx);
        Ok(())
    }

    /// What becomes of an answer that is more than a text.
    fn take_output(
        &mut self,
        now: u64,
        step: &StepSpec,
        text: &str,
        report: &mut StepReport,
        fx: &mut Effects,
    ) -> Result<(), TaskError> {
        match step.output {
            StepOutput::Text => {}
            StepOutput::Findings => {
                let piece = format!("## {}\n\n{}", step.id, text.trim());
                let path = WorkspacePath::known(layout::FINDINGS);
                fx.push(Effect::Edit { path, edit: Edit::Append(piece) });
            }
            StepOutput::Plan => {
                let plan = self.own_ids(Plan::from_answer(text)?);
                report.output_json = Json::written(to_text(&plan));
                self.write_output(step, "output.json", pretty(&plan), report, fx);
                self.propose(now, plan, fx);
            }
            StepOutput::Verdict => {
                let verdict = Verdict::from_answer(text)?;
                report.output_json = Json::written(to_text(&verdict));
                self.write_output(step, "output.json", pretty(&verdict), report, fx);
                self.state.verifications += 1;
                let path = layout::verify_report(self.state.verifications);
                fx.push(Effect::Write { path, content: pretty(&verdict), unless: None });
                let kind = if verdict.pass { "verify.pass" } else { "verify.fail" };
                let reasons = verdict.reasons.join("; ");
                self.emit_of(now, kind, &step.id, first_line(&reasons, 500), Json::null());
                self.state.verdict = Some(verdict);
            }
        }
        Ok(())
    }

    fn write_output(
        &self,
        step: &StepSpec,
        name: &str,
        content: String,
        report: &mut StepReport,
        fx: &mut Effects,
    ) {
        let path = layout::of_step(&step.id, name);
        report.output_ref = Some(path.as_str().to_owned());
        fx.push(Effect::Write { path, content, unless: None });
    }

    /// Steps of a refined plan have ids that none before had.
    fn own_ids(&self, mut plan: Plan) -> Plan {
        let taken = |id: &str| {
            let before = self.state.plan.iter().flat_map(|known| &known.plan.steps);
            before.map(|step| step.id.as_str()).any(|known| known == id)
                || self.state.steps.iter().any(|ended| ended.plan_step.as_deref() == Some(id))
        };
        let prefix = format!("r{}-", self.state.round + 1);
        for at in 0..plan.steps.len() {
            let Some(id) = plan.steps.get(at).map(|step| step.id.clone()) else { continue };
            if !taken(&id) {
                continue;
            }
            let own = step_name(&format!("{prefix}{id}"));
            for criterion in &mut plan.acceptance {
                criterion.steps.iter_mut().filter(|name| **name == id).for_each(|name| name.clone_from(&own));
            }
            if let Some(step) = plan.steps.get_mut(at) {
                step.id = own;
            }
        }
        plan
    }

    fn propose(&mut self, now: u64, plan: Plan, fx: &mut Effects) {
        let version = self.state.plan.as_ref().map_or(0, |known| known.version) + 1;
        let (content, copy) = (pretty(&plan), layout::plan_copy(version));
        // The copy comes last: where it is there, a person may have edited the plan since.
        let current = WorkspacePath::known(layout::PLAN);
        fx.push(Effect::Write { path: current, content: content.clone(), unless: Some(copy.clone()) });
        fx.push(Effect::Write { path: copy, content: content.clone(), unless: None });
        fx.push(Effect::Edit {
            path: WorkspacePath::known(layout::TODO),
            edit: Edit::Steps(Box::new(plan.clone())),
        });
        if self.state.verdict.take().is_some() {
            self.state.round += 1;
        }
        self.state.plan_waits = self.state.approvals.require_plan;
        let data = fields(&[("path", &layout::plan_copy(version).as_str()), ("steps", &plan.steps.len())]);
        self.emit(now, "plan.proposed", format!("version {version}"), data);
        self.state.plan = Some(PlanState { version, sha256: sha256(content.as_bytes()), plan });
    }

    fn close_step(&mut self, now: u64, step: &StepSpec, report: &StepReport, text: &str, fx: &mut Effects) {
        let failed = report.status == StepStatus::Failed;
        let summary = if failed { first_line(&report.error, 300) } else { first_line(text, 300) };
        let word = if failed { "failed" } else { "completed" };
        let path = layout::of_step(&step.id, "report.json");
        fx.push(Effect::Write { path, content: pretty(report), unless: None });
        let note = format!("- {} {word}: {summary}", step.id);
        fx.push(Effect::Edit { path: WorkspacePath::known(layout::NOTES), edit: Edit::Append(note) });
        if let (false, Some(id)) = (failed, &step.plan_step) {
            fx.push(Effect::Edit { path: WorkspacePath::known(layout::TODO), edit: Edit::Tick(id.clone()) });
        }
        if !failed && step.output == StepOutput::Text {
            self.state.output_ref.clone_from(&report.output_ref);
        }
        let used = &mut self.state.used;
        used.steps += 1;
        used.steps_without_progress = if failed { used.steps_without_progress + 1 } else { 0 };
        used.usage.add(&report.usage);
        self.state.steps.push(StepSummary {
            id: step.id.clone(),
            name: step.name.clone(),
            iteration: step.iteration,
            status: report.status,
            output: step.output,
            plan_step: step.plan_step.clone(),
            output_ref: report.output_ref.clone(),
            summary,
        });
        self.emit_of(now, "phase.finish", &step.id, word, Json::null());
        self.state.current = None;
        self.state.decided.clear();
        // What it asked is decided with it.
        self.state.pending.retain(|open| open.kind == ApprovalKind::Plan);
        self.told = 0;
        fx.push(Effect::Save);
    }

    /// The loop has nothing left to do.
    fn at_end(&mut self, now: u64, fx: &mut Effects) {
        let reason = match (&self.state.verdict, self.state.only_verify) {
            (Some(verdict), _) if !verdict.pass => FinishReason::VerifyFailed,
            (None, Some(budget)) => {
                self.pause(now, budget, "budget.hit", budget_text(budget), fx);
                return;
            }
            _ if self.state.steps.last().is_some_and(|step| step.status == StepStatus::Failed) => {
                let why = self.state.steps.last().map(|step| step.summary.clone()).unwrap_or_default();
                let message = format!("the last step failed, and the loop has no other: {why}");
                self.fail(now, Failure { code: TaskErrorKind::Loop.code().to_owned(), message }, fx);
                return;
            }
            _ => FinishReason::Completed,
        };
        self.finish(now, reason, fx);
    }

    fn finish(&mut self, now: u64, reason: FinishReason, fx: &mut Effects) {
        self.state.status = TaskStatus::Finished;
        self.state.finish_reason = Some(reason);
        self.state.completed_at = Some(now);
        self.emit(now, "finish", reason.word(), Json::null());
        fx.extend([Effect::Save, Effect::Stop]);
    }

    fn pause(&mut self, now: u64, reason: FinishReason, kind: &str, message: &str, fx: &mut Effects) {
        let same = self.state.status == TaskStatus::Paused && self.state.finish_reason == Some(reason);
        if !same {
            self.state.status = TaskStatus::Paused;
            self.state.finish_reason = Some(reason);
            let data = fields(&[("reason", &reason)]);
            self.emit(now, kind, message, data);
            fx.push(Effect::Save);
        }
        fx.push(Effect::Stop);
    }

    fn fail(&mut self, now: u64, failure: Failure, fx: &mut Effects) {
        self.state.status = TaskStatus::Paused;
        self.state.finish_reason = Some(FinishReason::Failed);
        self.emit_error(now, &failure);
        self.state.error = Some(failure);
        fx.extend([Effect::Save, Effect::Stop]);
    }

    fn pushed(&mut self, now: u64, text: String, fx: &mut Effects) {
        self.state.pushed += 1;
        let path = WorkspacePath::known(format!("{}/{:04}.md", layout::CONTEXT, self.state.pushed));
        let data = fields(&[("path", &path.as_str()), ("bytes", &text.len())]);
        fx.push(Effect::Write { path, content: text, unless: None });
        self.emit(now, "context.pushed", "", data);
        fx.push(Effect::Save);
    }

    // Events.

    /// What the tools of a step did and nobody was told; true where there was something.
    fn tell_calls(&mut self, now: u64, step: &str, calls: &[ToolCallReport]) -> bool {
        let begun = calls.iter().map(|call| (call, false));
        let ended = calls.iter().filter(|call| !call.status.is_empty()).map(|call| (call, true));
        let mut all: Vec<(usize, &ToolCallReport, bool)> =
            begun.chain(ended).map(|(call, over)| (0, call, over)).collect();
        for (at, call) in calls.iter().enumerate() {
            for entry in all.iter_mut().filter(|entry| entry.1.call_id == call.call_id) {
                entry.0 = at;
            }
        }
        // Each call beside its result: so the order is the same, whenever it is looked at.
        all.sort_by_key(|(at, _, over)| (*at, *over));
        // Up to the first call that still runs.
        let ready = all.iter().position(|(_, call, _)| call.status.is_empty()).map_or(all.len(), |at| at + 1);
        let before = self.told;
        for (_, call, over) in all.into_iter().take(ready).skip(before) {
            let data = match over {
                false => fields(&[("call_id", &call.call_id), ("input_bytes", &call.input_bytes)]),
                true => fields(&[
                    ("call_id", &call.call_id),
                    ("status", &call.status),
                    ("output_bytes", &call.output_bytes),
                    ("duration_ms", &call.duration_ms.unwrap_or_default()),
                ]),
            };
            let kind = if over { "tool.result" } else { "tool.call" };
            self.emit_of(now, kind, step, call.tool.clone(), data);
            if over && let Some(event) = self.state.outbox.last_mut() {
                event.error = first_line(&call.error, 300);
            }
            self.told += 1;
        }
        self.told > before
    }

    fn emit(&mut self, now: u64, kind: &str, message: impl Into<String>, data: Json) {
        self.emit_of(now, kind, "", message, data);
    }

    fn emit_of(&mut self, now: u64, kind: &str, step: &str, message: impl Into<String>, data: Json) {
        self.state.last_event += 1;
        self.state.outbox.push(TaskEvent {
            id: TaskEvent::id_of(self.state.last_event),
            kind: kind.to_owned(),
            step: step.to_owned(),
            timestamp: now,
            message: message.into(),
            data,
            error: String::new(),
        });
    }

    fn emit_error(&mut self, now: u64, failure: &Failure) {
        let step = self.state.current.as_ref().map(|step| step.id.clone()).unwrap_or_default();
        self.emit_of(now, "error", &step, failure.message.clone(), Json::null());
        if let Some(event) = self.state.outbox.last_mut() {
            event.error.clone_from(&failure.code);
        }
    }
}

enum Decisions {
    None,
    Some,
    /// The task does not go on.
    Over,
}

fn request_id(number: u32) -> String {
    format!("req_{number:04}")
}

fn without_share(all: u64, budgets: &Budgets) -> u64 {
    let share = all.saturating_mul(budgets.verify_percent.into()).div_ceil(100);
    all - share.min(all)
}

fn budget_text(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::BudgetWallClock => "the time of the task is used up; give it more to go on",
        FinishReason::BudgetSteps => "the steps of the task are used up; give it more to go on",
        _ => "one step after another failed; see progress/notes.md, correct what hinders it, and resume",
    }
}

fn used_names(calls: &[ToolCallReport]) -> Vec<String> {
    let mut names: Vec<String> = calls.iter().map(|call| call.tool.clone()).collect();
    names.sort();
    names.dedup();
    names
}

fn fields(fields: &[(&str, &dyn Write)]) -> Json {
    let mut out = String::new();
    object(&mut out, fields);
    Json::written(out)
}
