//! One step: the run of a model with its tools, or a function of the application.

use std::sync::Arc;

use futures_channel::mpsc;
use futures_util::StreamExt;
use futures_util::future::{Either, select};

use crate::layout::{self, WorkspacePath};
use crate::prompt::StepPrompt;
use crate::runtime::parts::StepContext;
use crate::runtime::phase_tools::PhaseTools;
use crate::runtime::read_task::deliverable;
use crate::runtime::running::{Running, Then, lock};
use crate::runtime::step_store::StepStore;
use crate::runtime::tool_files::ToolFiles;
use crate::runtime::tools::{FS_WRITE, written};
use crate::runtime::watch::WatchedModel;
use crate::{
    Deliverable, Failure, Fetched, Input, StepEnd, StepOutcome, StepSpec, TaskError, ToolCallReport,
};
use glove_wasm::event::{Event, Rule};
use glove_wasm::message::{Sender, ToolStatus, Usage};
use glove_wasm::portable::BoxFuture;
use glove_wasm::run::PhaseName;
use glove_wasm::run::settings::{Budgets, Limits, Settings};
use glove_wasm::runtime::{Parts as SessionParts, Prompt, Response, ResponseFuture, Session};

/// How a step was left.
pub(super) enum StepExit {
    Ended,
    /// A person is to decide, at the latest then.
    Waits(u64),
    /// The task does not go on by itself.
    Stops,
}

/// What a step left behind in files, and what it read for them.
#[derive(Default)]
struct Made {
    artifacts: Vec<Deliverable>,
    fetched: Vec<Fetched>,
}

/// Why a run is held up from outside.
#[derive(Clone, Copy, PartialEq)]
enum Interruption {
    Stopped,
    OutOfTime,
}

impl Interruption {
    fn end(self) -> StepEnd {
        match self {
            Interruption::Stopped => end_by_stop(),
            Interruption::OutOfTime => StepEnd::OutOfTime,
        }
    }
}

/// How long a session that is closed may take for it.
const CLOSING_MS: u64 = 1_000;

/// Why is known where the end of the step is told.
fn end_by_stop() -> StepEnd {
    StepEnd::Stopped(String::new())
}

impl Running {
    pub(super) async fn run_step(&self, step: StepSpec) -> Result<StepExit, TaskError> {
        let prompt = self.prompt_of(&step).await?;
        self.tell_recall(&step).await?;
        let function = self.shared.parts.functions.iter().find(|(name, _)| *name == step.name);
        match function {
            Some((_, function)) => {
                let context = StepContext {
                    goal: self.with_task(|task| task.state().spec.goal.clone()),
                    plan: self.with_task(|task| task.state().plan.as_ref().map(|known| known.plan.clone())),
                    prompt: prompt.clone(),
                    files: ToolFiles::of(&self.shared.files, &step.id, &self.shared.secrets, &self.skills()?),
                    model: Arc::clone(&self.shared.parts.model),
                    step: step.clone(),
                };
                let began = self.shared.parts.clock.steady();
                let end = self.run_function(&step, function.run(context)).await?;
                let elapsed_ms = self.shared.parts.clock.steady().saturating_sub(began);
                self.end(end, &prompt, Vec::new(), Made::default(), Usage::default(), elapsed_ms).await
            }
            None => self.run_session(&step, &prompt).await,
        }
    }

    /// A function has no calls to stop between: when the task is to stop, it has the grace of a silent model, and is begun again later.
    async fn run_function(
        &self,
        step: &StepSpec,
        mut working: BoxFuture<'static, Result<String, String>>,
    ) -> Result<StepEnd, TaskError> {
        let parts = &self.shared.parts;
        let began = parts.clock.steady();
        let time = self.with_task(|task| task.time_left(step));
        let mut stopped: Option<u64> = None;
        loop {
            let now = parts.clock.steady();
            let left = time.map(|time| time.saturating_sub(now.saturating_sub(began)));
            let grace = stopped.map(|since| parts.grace_ms.saturating_sub(now.saturating_sub(since)));
            if grace == Some(0) {
                return Ok(end_by_stop());
            }
            if left == Some(0) {
                return Ok(StepEnd::OutOfTime);
            }
            let nap = [left, grace].into_iter().flatten().fold(parts.poll_ms, u64::min);
            match select(working, Box::pin(self.pause(nap))).await {
                Either::Left((Ok(text), _)) => return Ok(StepEnd::Answer(text)),
                Either::Left((Err(why), _)) => return Ok(StepEnd::Unfinished(why)),
                Either::Right(((), waits)) => working = waits,
            }
            if stopped.is_none() && self.stop_reason().await?.is_some() {
                stopped = Some(parts.clock.steady());
            }
        }
    }

    async fn end(
        &self,
        end: StepEnd,
        prompt: &StepPrompt,
        calls: Vec<ToolCallReport>,
        made: Made,
        usage: Usage,
        elapsed_ms: u64,
    ) -> Result<StepExit, TaskError> {
        // The end of a step forgets what was decided in it.
        let overruled = self.take_answers().await?;
        self.tell_overruled(overruled).await?;
        let end = match end {
            StepEnd::Stopped(_) => StepEnd::Stopped(self.stop_reason().await?.unwrap_or_default()),
            end => end,
        };
        let outcome = StepOutcome {
            end,
            tools_allowed: prompt.tools.clone(),
            calls,
            context_read: prompt.context_read.clone(),
            artifacts: made.artifacts,
            fetched: made.fetched,
            usage,
            elapsed_ms,
        };
        Ok(match self.accept(Input::Ended(Box::new(outcome))).await? {
            Then::Stop => StepExit::Stops,
            Then::Nothing | Then::Run(_) | Then::Wait(_) => StepExit::Ended,
        })
    }

    async fn run_session(&self, step: &StepSpec, prompt: &StepPrompt) -> Result<StepExit, TaskError> {
        let clock = &self.shared.parts.clock;
        let time = self.with_task(|task| task.time_left(step));
        let began = clock.steady();
        let (session, mut signs) = match self.open(step, prompt, time).await {
            Ok(opened) => opened,
            Err(failure) => {
                return self
                    .end(StepEnd::Failed(failure), prompt, Vec::new(), Made::default(), Usage::default(), 0)
                    .await;
            }
        };
        let seeds = prompt.messages.len();
        let mut reported_at = began;
        let mut interruption = None;
        let mut held_since = 0;
        self.shared.watch.begin(time.map_or(u64::MAX, |time| began.saturating_add(time)));
        if self.stop_reason().await?.is_some() {
            return self.leave(&session, seeds, end_by_stop(), prompt, 0).await;
        }
        let mut work = match begin_or_go_on(&session, step, prompt) {
            Ok(work) => work,
            Err(end) => return self.leave(&session, seeds, end, prompt, 0).await,
        };
        loop {
            let left = time.map(|time| time.saturating_sub(clock.steady().saturating_sub(began)));
            let nap = match interruption {
                Some(_) => self.shared.parts.grace_ms.max(1),
                None => left.unwrap_or(u64::MAX),
            };
            let nap = nap.min(self.shared.parts.poll_ms);
            let happens = select(Box::pin(self.pause(nap)), signs.next());
            let response = match select(work, happens).await {
                Either::Left((response, _)) => response,
                Either::Right((_, waits)) => {
                    work = waits;
                    let now = clock.steady();
                    let calls = calls_of(&session, seeds);
                    let elapsed_ms = now.saturating_sub(std::mem::replace(&mut reported_at, now));
                    self.accept(Input::Progress { calls, elapsed_ms }).await?;
                    if interruption.is_none() {
                        let over = time.is_some_and(|time| now.saturating_sub(began) >= time);
                        let stops = self.stop_reason().await?.is_some();
                        interruption = over
                            .then_some(Interruption::OutOfTime)
                            .or_else(|| stops.then_some(Interruption::Stopped));
                        if interruption.is_some() {
                            held_since = now;
                            self.halt();
                        }
                    }
                    let silent = self.shared.watch.silent_since().map(|since| since.max(held_since));
                    let is_left = |since| now.saturating_sub(since) >= self.shared.parts.grace_ms;
                    let ends = self.shared.watch.has_refused() || silent.is_some_and(is_left);
                    if let (Some(interruption), true) = (interruption, ends) {
                        // What is written is the run before this call; the call is made again when the task goes on.
                        session.close();
                        select(work, clock.sleep(CLOSING_MS)).await;
                        return self.leave(&session, seeds, interruption.end(), prompt, 0).await;
                    }
                    continue;
                }
            };
            let elapsed = clock.steady().saturating_sub(reported_at);
            let end = match response {
                Ok(Response::Completed(reply)) => {
                    let texts: Vec<&str> = reply.messages.iter().map(|message| message.text.as_str()).collect();
                    StepEnd::Answer(texts.join("\n"))
                }
                Ok(Response::Waiting { questions }) => {
                    let now = clock.steady();
                    let elapsed_ms = now.saturating_sub(std::mem::replace(&mut reported_at, now));
                    self.accept(Input::Progress { calls: calls_of(&session, seeds), elapsed_ms }).await?;
                    let decisions = self.decisions().await?;
                    match self.accept(Input::Asked { questions, said: said_last(&session), decisions }).await? {
                        Then::Wait(until) => return Ok(StepExit::Waits(until)),
                        Then::Nothing | Then::Run(_) | Then::Stop => {
                            work = session.resume();
                            continue;
                        }
                    }
                }
                Ok(Response::Paused { rule, message }) => match (interruption, rule) {
                    (Some(interruption), _) => interruption.end(),
                    (None, _) if self.shared.watch.is_halted() => {
                        let stops = self.stop_reason().await?.is_some();
                        if stops { end_by_stop() } else { StepEnd::OutOfTime }
                    }
                    (None, Rule::Turns) => StepEnd::Unfinished(
                        "the model called tools in one answer after another and came to no end; give it more \
                         `max_consecutive_tool_steps`, or smaller steps"
                            .to_owned(),
                    ),
                    (None, _) => StepEnd::Unfinished(message),
                },
                Ok(Response::Undone { .. } | Response::Switched | Response::Dropped) => {
                    StepEnd::Unfinished("the run of the step did not begin".to_owned())
                }
                Err(glove_wasm::error::Error::Aborted) => StepEnd::Unfinished("the run of the step was aborted".to_owned()),
                Err(error) => StepEnd::Failed(Failure { code: error.code().to_owned(), message: error.to_string() }),
            };
            return self.leave(&session, seeds, end, prompt, elapsed).await;
        }
    }

    /// Ends the step, or (stopped, failed) leaves it as it is.
    async fn leave(
        &self,
        session: &Session,
        seeds: usize,
        end: StepEnd,
        prompt: &StepPrompt,
        elapsed_ms: u64,
    ) -> Result<StepExit, TaskError> {
        let calls = calls_of(session, seeds);
        let mut made = Made { fetched: fetched_by(session, seeds), ..Made::default() };
        for path in paths_written(session, seeds) {
            made.artifacts.extend(deliverable(&*self.shared.files, &path).await?);
        }
        let usage = session.usage();
        session.close();
        *lock(&self.shared.session) = None;
        self.end(end, prompt, calls, made, usage, elapsed_ms).await
    }

    /// The session of a step: the one that is open, or the one that is stored. Signs come when its tools do something.
    async fn open(
        &self,
        step: &StepSpec,
        prompt: &StepPrompt,
        time: Option<u64>,
    ) -> Result<(Session, mpsc::UnboundedReceiver<()>), Failure> {
        let parts = &self.shared.parts;
        let (policy, budgets) =
            self.with_task(|task| (task.state().approvals.clone(), task.state().spec.budgets.clone()));
        let known = lock(&self.shared.session).clone().filter(|(id, _)| *id == step.id);
        let bounds = Budgets {
            turns: Some(budgets.max_consecutive_tool_steps.saturating_add(1)),
            ..Budgets::default()
        };
        let session = match known {
            Some((_, session)) => session,
            None => {
                let files = Arc::clone(&self.shared.files);
                let store = StepStore::new(files, layout::of_step(&step.id, "session.ndjson"));
                store.seed(prompt.messages.clone()).await.map_err(|error| Failure::from(&error))?;
                let timeout = [budgets.step_tool_timeout_ms, time].into_iter().flatten().min();
                let tools = self.tools_of(step).map_err(|error| Failure::from(&error))?;
                let names = self.hosted_of(step).map_err(|error| Failure::from(&error))?;
                let hosted = parts.hosted.as_ref().map(|hosted| (Arc::clone(&hosted.host), names));
                let model = Arc::clone(&parts.model);
                let traces = lock(&self.shared.traces).as_ref().map(|run| run.step(&step.name));
                let (model, tools) = match &traces {
                    Some(traces) => (
                        traces.model(model),
                        tools.into_iter().map(|tool| traces.tool(tool)).collect::<Vec<_>>(),
                    ),
                    None => (model, tools),
                };
                let tools =
                    PhaseTools::new(tools.iter(), hosted, policy, timeout, Arc::downgrade(&self.shared))
                        .map_err(|error| Failure {
                            code: error.code().to_owned(),
                            message: error.to_string(),
                        })?;
                let session = Session::new(SessionParts {
                    model: Arc::new(WatchedModel { model, task: Arc::downgrade(&self.shared) }),
                    system_prompt: prompt.system.clone(),
                    store: Arc::new(store),
                    tools: Arc::new(tools),
                    clock: Arc::clone(&parts.clock),
                    ids: Arc::clone(&parts.ids),
                    settings: Settings {
                        budgets: bounds.clone(),
                        // The task's own bounds come first.
                        limits: Limits { turns: u32::MAX, undo_steps: 0, ..Limits::default() },
                        ..Settings::default()
                    },
                })
                .map_err(|error| Failure { code: error.code().to_owned(), message: error.to_string() })?;
                session.resume_by_hand();
                let opened = session.opened().await;
                opened
                    .map_err(|error| Failure { code: error.code().to_owned(), message: error.to_string() })?;
                if let Some(damage) = session.damage() {
                    return Err(Failure { code: damage.kind.code().to_owned(), message: damage.to_string() });
                }
                if let Some(traces) = traces {
                    session.subscribe(move |_: Option<&str>, event: &Event| traces.note(event));
                }
                let shared = Arc::downgrade(&self.shared);
                session.subscribe(move |_: Option<&str>, event: &Event| {
                    if let (Event::QuestionAnswered { id, allowed }, Some(shared)) = (event, shared.upgrade())
                    {
                        lock(&shared.answered).push((id.clone(), *allowed));
                        Running { shared }.wake();
                    }
                });
                *lock(&self.shared.session) = Some((step.id.clone(), session.clone()));
                session
            }
        };
        if session.with_run(|run| run.settings().budgets != bounds) {
            session.set_budgets(bounds);
        }
        let (sender, signs) = mpsc::unbounded();
        session.subscribe(move |_: Option<&str>, event: &Event| {
            if matches!(event, Event::ToolUse { .. } | Event::ToolUseResult(_)) {
                let _ = sender.unbounded_send(());
            }
        });
        Ok((session, signs))
    }
}

/// `Err`: the run has ended before, and the process did not come to say so.
fn begin_or_go_on(
    session: &Session,
    step: &StepSpec,
    prompt: &StepPrompt,
) -> Result<ResponseFuture, StepEnd> {
    let messages = session.messages();
    if session.phase() != PhaseName::Idle {
        return Ok(session.resume());
    }
    if messages.len() <= prompt.messages.len() {
        let request = Prompt::new(prompt.request.clone()).leave_when_waiting(true);
        return Ok(session.request(Prompt { id: Some(step.id.clone()), ..request }));
    }
    match messages.last() {
        Some(last) if last.sender == Sender::Agent && last.tool_calls.as_ref().is_none_or(Vec::is_empty) => {
            Err(StepEnd::Answer(last.text.clone()))
        }
        _ => Err(StepEnd::Unfinished("the run of the step was aborted".to_owned())),
    }
}

/// The calls of a run, in order; one without a result has no status.
fn calls_of(session: &Session, seeds: usize) -> Vec<ToolCallReport> {
    session.with_run(|run| {
        let mut calls: Vec<ToolCallReport> = Vec::new();
        for message in run.messages().iter().skip(seeds) {
            for call in message.tool_calls.iter().flatten() {
                calls.push(ToolCallReport {
                    call_id: call.id.clone().unwrap_or_default(),
                    tool: call.tool_name.clone(),
                    input_bytes: call.input_args.as_str().len(),
                    ..ToolCallReport::default()
                });
            }
            for result in message.results() {
                let id = result.call_id.as_deref().unwrap_or_default();
                let open = calls.iter_mut().find(|call| call.status.is_empty() && call.call_id == id);
                let Some(call) = open else { continue };
                call.status = result.result.status.word().to_owned();
                call.output_bytes = result.result.data.as_str().len();
                call.duration_ms = result.duration_ms;
                call.error = result.result.message.clone().unwrap_or_default();
            }
        }
        calls
    })
}

/// What successful calls read of the web, in order.
fn fetched_by(session: &Session, seeds: usize) -> Vec<Fetched> {
    session.with_run(|run| {
        let messages = run.messages().get(seeds..).unwrap_or_default();
        let results = messages.iter().flat_map(|message| message.results());
        let done = results.filter(|result| result.result.status == ToolStatus::Success);
        done.filter_map(|result| Fetched::of_result(&result.tool_name, result.result.data.as_str())).collect()
    })
}

/// What the model said with its last calls.
fn said_last(session: &Session) -> String {
    let messages = session.messages();
    let said = messages.iter().rev().find(|message| message.sender == Sender::Agent);
    said.map(|message| message.text.clone()).unwrap_or_default()
}

/// What successful calls of `fs_write` wrote.
fn paths_written(session: &Session, seeds: usize) -> Vec<WorkspacePath> {
    session.with_run(|run| {
        let messages = run.messages().get(seeds..).unwrap_or_default();
        let done: Vec<&str> = messages
            .iter()
            .flat_map(|message| message.results())
            .filter(|result| result.tool_name == FS_WRITE && result.result.status == ToolStatus::Success)
            .filter_map(|result| result.call_id.as_deref())
            .collect();
        let calls = messages.iter().flat_map(|message| message.tool_calls.iter().flatten());
        let calls = calls.filter(|call| call.id.as_deref().is_some_and(|id| done.contains(&id)));
        let mut paths: Vec<WorkspacePath> = calls.filter_map(|call| written(&call.input_args)).collect();
        paths.sort();
        paths.dedup();
        paths
    })
}
