//! A task that runs: its state, its files, and doing what the machine says.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::select;
use futures_util::lock::Mutex as Turn;

use crate::layout::{self, WorkspacePath};
use crate::runtime::credentials::Secrets;
use crate::runtime::decide::write_first;
use crate::runtime::in_flight::Watch;
use crate::runtime::parts::Parts;
use crate::runtime::traced::RunTraces;
use crate::runtime::workspace::{Lease, Workspace, read_known, read_text};
use crate::text::{pretty, sha256};
use crate::{ApprovalDecision, Effect, Input, Outgoing, StepSpec, Task, TaskError, TaskErrorKind, TaskEvent};
use glove_wasm::portable::{MaybeSend, MaybeSync};
use glove_wasm::ports::AbortHandle;
use glove_wasm::run::input::Answer;
use glove_wasm::runtime::Session;

/// How many decisions that come too late one write sets aside.
const MOST_SET_ASIDE: usize = 10;

/// Questions that the session answered, and how.
pub(super) type Answers = Vec<(String, bool)>;

/// Clones are the same task.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) parts: Arc<Parts>,
    pub(super) files: Arc<dyn Workspace>,
    pub(super) task: Mutex<Task>,
    /// Of those who change the task: what one decided is written before the next one decides.
    turn: Turn<()>,
    /// The state as it was last written.
    written: Mutex<String>,
    _lease: Lease,
    pub(super) busy: AtomicBool,
    /// Why it is to stop.
    pub(super) stops: Mutex<Option<String>>,
    wake: Mutex<AbortHandle>,
    pub(super) watch: Watch,
    /// The session of the current step.
    pub(super) session: Mutex<Option<(String, Session)>>,
    /// Of the run under way.
    pub(super) traces: Mutex<Option<Arc<dyn RunTraces>>>,
    /// Decisions that this process took: their ids, and the hashes of their files.
    pub(super) taken: Mutex<Vec<(String, String)>>,
    /// Questions that were answered in the session itself.
    pub(super) answered: Mutex<Answers>,
    pub(super) listeners: Mutex<Vec<Arc<dyn Listen>>>,
    /// Of the calls that run.
    pub(super) secrets: Arc<Secrets>,
}

pub(super) trait Listen: MaybeSend + MaybeSync {
    fn hear(&self, event: &TaskEvent);
}

impl<F: Fn(&TaskEvent) + MaybeSend + MaybeSync> Listen for F {
    fn hear(&self, event: &TaskEvent) {
        self(event);
    }
}

/// What is left to do after effects were done.
pub(super) enum Then {
    Nothing,
    Run(Box<StepSpec>),
    Wait(u64),
    Stop,
}

pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics while it holds a lock, so what is inside is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    pub(super) fn new(
        parts: Arc<Parts>,
        files: Arc<dyn Workspace>,
        lease: Lease,
        task: Task,
        text: String,
    ) -> Running {
        Running {
            shared: Arc::new(Shared {
                parts,
                files,
                task: Mutex::new(task),
                turn: Turn::default(),
                written: Mutex::new(text),
                _lease: lease,
                busy: AtomicBool::new(false),
                stops: Mutex::default(),
                wake: Mutex::default(),
                watch: Watch::default(),
                session: Mutex::default(),
                traces: Mutex::default(),
                taken: Mutex::default(),
                answered: Mutex::default(),
                listeners: Mutex::default(),
                secrets: Arc::default(),
            }),
        }
    }

    pub(super) fn with_task<T>(&self, read: impl FnOnce(&Task) -> T) -> T {
        read(&lock(&self.shared.task))
    }

    pub(super) fn now(&self) -> u64 {
        self.shared.parts.clock.now()
    }

    pub(super) fn wake(&self) {
        let old = std::mem::take(&mut *lock(&self.shared.wake));
        old.abort();
    }

    /// Ends when something is to be looked at, or after a while.
    pub(super) async fn pause(&self, most_ms: u64) {
        let woken = lock(&self.shared.wake).signal().aborted();
        let sleep = self.shared.parts.clock.sleep(most_ms);
        select(Box::pin(woken), sleep).await;
    }

    /// The session of the step that runs.
    pub(super) fn session(&self) -> Option<Session> {
        lock(&self.shared.session).as_ref().map(|(_, session)| session.clone())
    }

    /// Gives the task an input, and does what follows.
    pub(super) async fn accept(&self, input: Input) -> Result<Then, TaskError> {
        let _turn = self.shared.turn.lock().await;
        let effects = {
            let mut task = lock(&self.shared.task);
            task.step(self.now(), input, &*self.shared.parts.by)?
        };
        self.perform(effects).await
    }

    pub(super) async fn perform(&self, effects: Vec<Effect>) -> Result<Then, TaskError> {
        let files = &*self.shared.files;
        let mut then = Then::Nothing;
        for effect in effects {
            match effect {
                Effect::Write { path, content, unless } => {
                    if let Some(other) = unless
                        && files.read(&other).await?.is_some()
                    {
                        continue;
                    }
                    files.write(&path, content.into_bytes()).await?;
                }
                Effect::Edit { path, edit } => {
                    let before = read_text(files, &path).await?;
                    if let Some(after) = edit.apply(before.as_deref()) {
                        files.write(&path, after.into_bytes()).await?;
                    }
                }
                Effect::Save => self.save().await?,
                Effect::RunStep(step) => then = Then::Run(step),
                Effect::Answer { question, allowed, reason } => {
                    let answer = match allowed {
                        true => Answer::Allow { remember: false },
                        false => Answer::Deny { remember: false, reason },
                    };
                    if let Some(session) = self.session() {
                        session.answer(&question, answer);
                    }
                }
                Effect::Wait { until } => then = Then::Wait(until),
                Effect::Stop => then = Then::Stop,
            }
        }
        Ok(then)
    }

    /// First the state with what is to be told, then what it tells: so nothing is lost, and nothing is told twice.
    pub(super) async fn save(&self) -> Result<(), TaskError> {
        let files = &*self.shared.files;
        let mut events = None;
        // Each time another decision is set aside, and the state says so before its file is replaced.
        for _ in 0..=MOST_SET_ASIDE {
            events = self.tell().await?;
            if events.is_some() {
                break;
            }
        }
        let Some(events) = events else {
            let message = format!("a decision in {} becomes another one again and again", layout::DECISIONS);
            return Err(TaskError::new(TaskErrorKind::Workspace, message));
        };
        if !events.is_empty() {
            let lines: String = events.iter().map(TaskEvent::line).collect();
            files.append(&WorkspacePath::known(layout::EVENTS), lines.into_bytes()).await?;
        }
        lock(&self.shared.task).saved();
        let listeners = lock(&self.shared.listeners).clone();
        for event in &events {
            for listener in &listeners {
                listener.hear(event);
            }
        }
        Ok(())
    }

    /// Writes the state and the files that it tells of. No events where another decision stands in one of them: it is set aside.
    async fn tell(&self) -> Result<Option<Vec<TaskEvent>>, TaskError> {
        let files = &*self.shared.files;
        let (text, outgoing, events) =
            self.with_task(|task| (task.file(), task.outgoing().to_vec(), task.outbox().to_vec()));
        let before = lock(&self.shared.written).clone();
        if !before.is_empty() {
            files.write(&WorkspacePath::known(layout::STATE_BEFORE), before.into_bytes()).await?;
        }
        files.write(&WorkspacePath::known(layout::STATE), text.clone().into_bytes()).await?;
        *lock(&self.shared.written) = text;
        for Outgoing { path, content, unless_decided } in outgoing {
            let path = WorkspacePath::known(path);
            // Files decide nothing where this process alone decides.
            if !unless_decided || self.shared.parts.decided_here {
                // Whatever is there: a tool may have put another text before a person's eyes.
                files.write(&path, content.into_bytes()).await?;
                continue;
            }
            let ignored = |id: &str, text: &str| self.with_task(|task| task.state().ignores(id, text));
            if let Some(other) = write_first(files, &path, &content, ignored).await? {
                lock(&self.shared.task).overrule(self.now(), &path, &other);
                return Ok(None);
            }
        }
        Ok(Some(events))
    }

    /// Remembers a decision of this process before its file is there.
    pub(super) fn take(&self, decision: &ApprovalDecision) {
        let hash = sha256(pretty(decision).as_bytes());
        lock(&self.shared.taken).push((decision.id.clone(), hash));
    }

    /// The ids of those that somebody else wrote, where that counts.
    pub(super) fn foreign(&self, decisions: &[(String, String)]) -> Vec<String> {
        decisions.iter().filter(|(id, text)| self.is_foreign(id, text)).map(|(id, _)| id.clone()).collect()
    }

    /// Id and content of each decision that could change anything.
    pub(super) async fn decisions(&self) -> Result<Vec<(String, String)>, TaskError> {
        let files = &*self.shared.files;
        let mut found = Vec::new();
        for entry in files.list(&WorkspacePath::known(layout::DECISIONS)).await? {
            let Some(id) = entry.path.name().strip_suffix(".json") else { continue };
            if self.with_task(|task| task.looks_for(id))
                && let Some(text) = read_text(files, &entry.path).await?
            {
                found.push((id.to_owned(), text));
            }
        }
        Ok(found)
    }

    pub(super) async fn stop_reason(&self) -> Result<Option<String>, TaskError> {
        let asked = lock(&self.shared.stops).clone();
        if asked.is_some() {
            return Ok(asked);
        }
        read_known(&*self.shared.files, layout::STOP).await
    }
}
