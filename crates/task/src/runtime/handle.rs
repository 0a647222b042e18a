//! A task that is begun: running it, stopping it, deciding about it, and what came of it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::{Either, select};

use crate::layout::{self, WorkspacePath};
use crate::runtime::decide::decide;
use crate::runtime::parts::Parts;
use crate::runtime::read_task::result_of;
use crate::runtime::running::{Running, Shared, Then, lock};
use crate::runtime::session_source::conversations;
use crate::runtime::session_step::StepExit;
use crate::runtime::workspace::{Workspace, read_known, read_text};
use crate::text::{in_one_line, pretty};
use crate::{
    ApprovalDecision, ApprovalPolicy, ApprovalRequest, Begin, Budgets, Decision, Failure, Input, Journal,
    Observed, ResultView, SkillBundle, Task, TaskError, TaskErrorKind, TaskEvent, TaskResult, TaskSpec,
    TaskState, TaskStatus, known_again, sha256,
};
use glove_wasm::message::Message;
use glove_wasm::portable::{MaybeSend, MaybeSync};
use glove_wasm::runtime::Session;

/// A task of a workspace, whose lease it holds. Clones are the same task.
#[derive(Clone)]
pub struct TaskHandle {
    running: Running,
}

/// How a task is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunOptions {
    pub view: ResultView,
    /// Comes back as soon as a person is to decide, instead of waiting for them.
    pub leave_when_waiting: bool,
}

/// Says that nobody else runs the task through this handle.
struct Busy<'a>(&'a Shared);

impl<'a> Busy<'a> {
    fn begin(shared: &'a Shared) -> Self {
        if let Some(traces) = &shared.parts.traces {
            let task = lock(&shared.task).state().task_id.clone();
            *lock(&shared.traces) = Some(traces.run(&task));
        }
        Busy(shared)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        if let Some(run) = lock(&self.0.traces).take()
            && let Some(failure) = &lock(&self.0.task).state().error
        {
            run.failed(&failure.code);
        }
        self.0.busy.store(false, Ordering::Release);
    }
}

impl TaskHandle {
    pub(super) async fn start(
        parts: Arc<Parts>,
        files: Arc<dyn Workspace>,
        spec: TaskSpec,
    ) -> Result<TaskHandle, TaskError> {
        let task_id = spec.id.clone().unwrap_or_else(|| parts.ids.fresh());
        let skills = parts.skills.iter().map(SkillBundle::as_use).collect();
        let (agent_id, approvals) = (parts.id.clone(), parts.approvals.clone());
        // What a task says itself counts before what its agent does.
        let spec = match spec.budgets == Budgets::default() {
            true => spec.budgets(parts.budgets.clone()),
            false => spec,
        };
        let begin = Begin { agent_id, task_id, spec, approvals, skills };
        let (task, effects) = Task::begin(parts.clock.now(), begin, &*parts.by)?;
        let lease = files.lease().await?;
        // With either of them the task can be resumed.
        for state in [layout::STATE, layout::STATE_BEFORE] {
            if read_known(&*files, state).await?.is_some() {
                let message =
                    "there is a task in this workspace already; resume it, or begin in an empty folder";
                return Err(TaskError::new(TaskErrorKind::Exists, message));
            }
        }
        let seeds = conversations(parts.sessions.as_deref(), &task.state().spec.seed_from_sessions).await?;
        if !seeds.is_empty() {
            let mut lines = String::new();
            for message in &seeds {
                lines.push_str(&in_one_line(message));
                lines.push('\n');
            }
            files.write(&WorkspacePath::known(layout::SEEDS), lines.into_bytes()).await?;
        }
        let handle = TaskHandle { running: Running::new(parts, files, lease, task, String::new()) };
        handle.running.perform(effects).await?;
        Ok(handle)
    }

    pub(super) async fn resume(
        parts: Arc<Parts>,
        files: Arc<dyn Workspace>,
    ) -> Result<TaskHandle, TaskError> {
        let lease = files.lease().await?;
        let journal = open_journal(&*files).await?;
        let (task, text) = open_state(&*files, &journal).await?;
        if task.state().status != TaskStatus::Finished {
            known_again(&task.state().skills, &parts.skills)?;
        }
        let handle = TaskHandle { running: Running::new(parts, files, lease, task, text) };
        // What the process before had decided to say, and could not.
        handle.running.save().await?;
        Ok(handle)
    }

    /// Runs the task until it ends, is stopped, or a budget is used up. A task that was paused goes on.
    pub async fn run(&self, options: RunOptions) -> Result<TaskResult, TaskError> {
        let _busy = self.busy()?;
        self.advance(options.leave_when_waiting, false).await?;
        self.running.learn().await?;
        self.result(options.view).await
    }

    /// Does exactly one step of the loop, or says why there is none. Comes back when a person is to decide.
    pub async fn step_once(&self) -> Result<TaskResult, TaskError> {
        let _busy = self.busy()?;
        self.advance(true, true).await?;
        self.running.learn().await?;
        self.result(ResultView::Full).await
    }

    fn busy(&self) -> Result<Busy<'_>, TaskError> {
        match self.running.shared.busy.swap(true, Ordering::Acquire) {
            true => {
                Err(TaskError::new(TaskErrorKind::Busy, "this task is running; wait for its end, or stop it"))
            }
            false => Ok(Busy::begin(&self.running.shared)),
        }
    }

    /// Stops the task after the call in flight, and comes back once that is asked for. `run` goes on from there.
    pub fn stop(&self) {
        self.stop_because("stopped by the application");
    }

    /// Stops the task as `stop` does; the reason stands in its journal.
    pub fn stop_because(&self, reason: impl Into<String>) {
        *lock(&self.running.shared.stops) = Some(reason.into());
        self.running.wake();
    }

    /// Decides about a request.
    pub async fn decide(&self, decision: &ApprovalDecision) -> Result<(), TaskError> {
        self.running.still_waits(&decision.id)?;
        self.running.take(decision);
        decide(&*self.running.shared.files, self.running.now(), decision).await?;
        self.running.wake();
        Ok(())
    }

    pub async fn approve(&self, id: &str, by: &str) -> Result<(), TaskError> {
        self.decide(&ApprovalDecision::new(id, Decision::Approved, by, self.running.now())).await
    }

    pub async fn deny(&self, id: &str, by: &str, reason: Option<&str>) -> Result<(), TaskError> {
        let mut decision = ApprovalDecision::new(id, Decision::Denied, by, self.running.now());
        decision.reason = reason.map(str::to_owned);
        self.decide(&decision).await
    }

    /// The requests that wait for a decision.
    pub fn approvals(&self) -> Vec<ApprovalRequest> {
        self.running.with_task(|task| task.state().pending.clone())
    }

    /// Gives the next steps something more to read, as a file below `progress/context/`.
    pub async fn push_context(&self, text: impl Into<String>) -> Result<(), TaskError> {
        self.running.accept(Input::Pushed(text.into())).await.map(drop)
    }

    pub async fn set_budgets(&self, budgets: Budgets) -> Result<(), TaskError> {
        self.running.accept(Input::Budgets(budgets)).await.map(drop)
    }

    /// What a person approves. It counts for the plan at once, and for tools from the next run of a step on: a run that is open keeps what
    /// it began with, and one that is taken up by [`TaskAgent::resume`](super::TaskAgent::resume) has the new policy.
    pub async fn set_policy(&self, approvals: ApprovalPolicy) -> Result<(), TaskError> {
        self.running.accept(Input::Approvals(approvals)).await.map(drop)
    }

    /// Told each event, after it is in the journal.
    pub fn subscribe_events(&self, listener: impl Fn(&TaskEvent) + MaybeSend + MaybeSync + 'static) {
        lock(&self.running.shared.listeners).push(Arc::new(listener));
    }

    /// The session of the step that runs: its questions, its display, its stream of events.
    pub fn session(&self) -> Option<Session> {
        self.running.session()
    }

    pub fn status(&self) -> TaskStatus {
        self.running.with_task(|task| task.state().status)
    }

    pub fn state(&self) -> TaskState {
        self.running.with_task(|task| task.state().clone())
    }

    /// A text, or a JSON text, without the secrets that calls of this task had.
    // Natively no tool writes past its own files.
    #[allow(dead_code)]
    pub fn without_secrets(&self, text: &str, is_json: bool) -> String {
        let secrets = &self.running.shared.secrets;
        if is_json { secrets.json(text) } else { secrets.text(text) }
    }

    /// The messages that the next step would read of what came before, unless it has a history of its own.
    pub async fn history_snapshot(&self) -> Result<Vec<Message>, TaskError> {
        self.running.history_now().await
    }

    pub fn files(&self) -> &Arc<dyn Workspace> {
        &self.running.shared.files
    }

    async fn advance(&self, leave: bool, once: bool) -> Result<(), TaskError> {
        loop {
            let overruled = self.running.take_answers().await?;
            let seen = self.observe().await?;
            if self.running.has_answers() {
                // What was read of its file may be what came after it.
                self.running.keep_answers(overruled);
                continue;
            }
            let then = self.running.accept(Input::Proceed(Box::new(seen))).await?;
            self.running.tell_overruled(overruled).await?;
            match then {
                Then::Run(step) => match self.running.run_step(*step).await {
                    Ok(StepExit::Stops) => return self.stopped(),
                    Ok(StepExit::Ended) if once => return Ok(()),
                    Ok(StepExit::Ended) => {}
                    Ok(StepExit::Waits(_)) if leave => return Ok(()),
                    Ok(StepExit::Waits(until)) => self.wait(until).await,
                    Err(error) if error.kind == TaskErrorKind::Workspace => return Err(error),
                    Err(error) => {
                        self.running.accept(Input::Failed(Failure::from(&error))).await?;
                        return self.stopped();
                    }
                },
                Then::Wait(_) if leave => return Ok(()),
                Then::Wait(until) => self.wait(until).await,
                Then::Nothing => {}
                Then::Stop => return self.stopped(),
            }
        }
    }

    /// What `stop` asked for is done: the next `run` goes on.
    fn stopped(&self) -> Result<(), TaskError> {
        *lock(&self.running.shared.stops) = None;
        Ok(())
    }

    /// Waits for a person: for files, for `decide`, or for an answer in the session itself, which goes on meanwhile.
    async fn wait(&self, until: u64) {
        let most = self.running.shared.parts.poll_ms.min(until.saturating_sub(self.running.now()).max(1));
        let pause = Box::pin(self.running.pause(most));
        match self.session() {
            Some(session) => match select(pause, Box::pin(async move { session.drive().await })).await {
                Either::Left(((), _)) => {}
                // Closed by somebody: the next look opens it again.
                Either::Right(((), pause)) => pause.await,
            },
            None => pause.await,
        }
    }

    /// Expiry is a decision like any other: where a person was faster, theirs counts.
    async fn expire(&self) -> Result<(), TaskError> {
        let now = self.running.now();
        for request in self.approvals().into_iter().filter(|open| open.is_expired(now)) {
            let expired = ApprovalDecision::new(&request.id, Decision::Expired, "expiry", now);
            self.running.take(&expired);
            let content = pretty(&expired).into_bytes();
            self.running.shared.files.swap(&layout::decision(&request.id), None, content).await?;
        }
        Ok(())
    }

    async fn observe(&self) -> Result<Observed, TaskError> {
        self.expire().await?;
        let files = &*self.running.shared.files;
        let decisions = self.running.decisions().await?;
        Ok(Observed {
            stop: self.running.stop_reason().await?,
            plan: read_known(files, layout::PLAN).await?,
            todo: read_known(files, layout::TODO).await?.unwrap_or_default(),
            foreign: self.running.foreign(&decisions),
            decisions,
            memory: self.running.wishes().await?,
            output_missing: self.running.shared.parts.gives_output()
                && read_known(files, layout::OUTPUT).await?.is_none(),
        })
    }

    /// What came of it so far.
    pub async fn result(&self, view: ResultView) -> Result<TaskResult, TaskError> {
        result_of(&**self.files(), self.state(), view).await
    }
}

/// The journal of a task. What is broken in it moves aside, so that what follows stands on lines of its own.
async fn open_journal(files: &dyn Workspace) -> Result<Journal, TaskError> {
    let path = WorkspacePath::known(layout::EVENTS);
    let text = read_text(files, &path).await?.unwrap_or_default();
    let journal = Journal::read(&text);
    if !journal.broken.is_empty() {
        keep_aside(files, "events", "txt", &journal.broken).await?;
        files.write(&path, journal.text().into_bytes()).await?;
    }
    Ok(journal)
}

/// The same content has the same name, so that doing it again changes nothing.
async fn keep_aside(
    files: &dyn Workspace,
    name: &str,
    ending: &str,
    content: &str,
) -> Result<String, TaskError> {
    let hash = sha256(content.as_bytes());
    let path = format!("{}/{name}-{hash}.{ending}", layout::RECOVERED);
    files.write(&WorkspacePath::known(path.clone()), content.as_bytes().to_vec()).await?;
    Ok(path)
}

/// The state of a task, or the one before it where a hand has broken it.
async fn open_state(files: &dyn Workspace, journal: &Journal) -> Result<(Task, String), TaskError> {
    let now = read_known(files, layout::STATE).await?;
    let before = read_known(files, layout::STATE_BEFORE).await?;
    let Some(text) = now else {
        let Some(before) = before else {
            let message = format!("this workspace has no task ({} is missing); start one", layout::STATE);
            return Err(TaskError::new(TaskErrorKind::Missing, message));
        };
        return Ok((Task::restore(&before, journal)?, before));
    };
    let error = match Task::restore(&text, journal) {
        Ok(task) => return Ok((task, text)),
        Err(error) => error,
    };
    let restored = before.filter(|_| error.kind == TaskErrorKind::StateBroken);
    let Some((mut task, before)) =
        restored.and_then(|text| Some((Task::restore(&text, journal).ok()?, text)))
    else {
        return Err(error);
    };
    let kept = keep_aside(files, "state", "json", &text).await?;
    task.warn(format!(
        "{} could not be read and is kept as {kept}; the state before it was taken",
        layout::STATE
    ));
    Ok((task, before))
}

impl fmt::Debug for TaskHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("TaskHandle")
            .field("task", &state.task_id)
            .field("phase", &state.phase)
            .finish_non_exhaustive()
    }
}
