//! THE LOOP: wait for what happens next, let the machine decide, do what it says. Nothing here looks into a message.
//!
//! The driver owns all work in flight, not the future that drives it. So a driving task may stop at any point, and another task
//! continues.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{Abortable, Aborted};
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::error::{Error, StoreError, StoreErrorKind};
use crate::event::Event;
use crate::ids::Ids;
use crate::portable::{BoxFuture, NativeOnly};
use crate::ports::{Durability, Loaded};
use crate::run::effect::Effect;
use crate::run::input::{Input, Request};
use crate::run::settings::Settings;
use crate::run::{OutOfProtocol, PhaseName, Run};
use crate::runtime::command::{Caller, Command};
use crate::runtime::in_flight::{Done, InFlight, Key};
use crate::runtime::listeners::Follower;
use crate::runtime::response::Response;
use crate::runtime::session_tools::keep_for_calls;
use crate::runtime::shared::Shared;

pub(crate) struct Driver {
    pub(super) shared: Arc<Shared>,
    pub(super) commands: UnboundedReceiver<Command>,
    /// What running tools have done, in its order.
    tool_inputs: UnboundedReceiver<Input>,
    /// Reading the stored run, which comes before everything else.
    loading: Option<BoxFuture<'static, Result<Loaded, StoreError>>>,
    /// Why `loading` reads what can be read only.
    damage: Option<StoreError>,
    pub(super) state: Life,
    /// Effects that are still to be done.
    pub(super) batch: Vec<Effect>,
    /// A write, or the question whether the session is still ours.
    pub(super) writing: Option<BoxFuture<'static, Result<(), StoreError>>>,
    confirms: bool,
    /// These effects come after a write that the store has refused.
    deferred: Vec<Effect>,
    pub(super) work: FuturesUnordered<Abortable<BoxFuture<'static, (Key, Done)>>>,
    pub(super) in_flight: Vec<(Key, InFlight)>,
    pub(super) ready: Vec<DriverEvent>,
    pub(super) callers: Vec<Caller>,
    /// Whose events these are.
    request: Option<String>,
    /// Requests that wait for the inbox to be read, in their order.
    pub(super) arriving: Vec<(Box<Request>, Caller)>,
    /// The model call that the host is prepared for.
    pub(super) prepared: Option<u64>,
    /// Inbox items that a request was told of already.
    pub(super) announced_items: Ids,
    pub(super) notes: u64,
    /// Something was decided that the followers have not heard of.
    changed: bool,
    /// Why the last write was refused.
    pub(super) unstored: Option<NativeOnly<StoreError>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Unopened,
    Open,
    Closed,
}

pub(super) enum DriverEvent {
    Command(Command),
    /// What a running tool has done.
    ToolInput(Input),
    Work(Key, Done),
}

impl Driver {
    pub(crate) fn new(
        shared: Arc<Shared>,
        commands: UnboundedReceiver<Command>,
        tool_inputs: UnboundedReceiver<Input>,
    ) -> Self {
        Driver {
            shared,
            commands,
            tool_inputs,
            loading: None,
            damage: None,
            state: Life::Unopened,
            batch: Vec::new(),
            writing: None,
            confirms: false,
            deferred: Vec::new(),
            work: FuturesUnordered::new(),
            in_flight: Vec::new(),
            ready: Vec::new(),
            callers: Vec::new(),
            request: None,
            arriving: Vec::new(),
            prepared: None,
            announced_items: Ids::default(),
            notes: 0,
            changed: false,
            unstored: None,
        }
    }

    /// Drives until the session is closed.
    pub(crate) async fn drive(&mut self) {
        while self.state != Life::Closed {
            if let Err(error) = self.open().await {
                self.refuse_until_next(error).await;
                continue;
            }
            self.do_effects().await;
            if std::mem::take(&mut self.changed) {
                self.shared.followers.each(Follower::on_change);
            }
            if self.state != Life::Closed {
                let happening = self.next().await;
                self.take(happening);
            }
        }
    }

    fn take(&mut self, happening: DriverEvent) {
        let input = match happening {
            DriverEvent::Command(command) => match self.shared.damage.get().cloned() {
                Some(damage) => {
                    self.refuse(command, Error::Store(damage));
                    None
                }
                None => self.handle_command(command),
            },
            DriverEvent::ToolInput(input) => {
                if self.shared.damage.get().is_none() {
                    self.take_tool_input(input);
                }
                None
            }
            DriverEvent::Work(key, done) => self.finish_work(&key, done),
        };
        if let Some(input) = input {
            // Refused is what comes too late: the answer to something that was cancelled.
            let effects = self.step(input).unwrap_or_default();
            self.batch.extend(effects);
        }
    }

    async fn do_effects(&mut self) {
        loop {
            if self.writing.is_some() {
                let result = self.written().await;
                if self.state == Life::Closed {
                    return;
                }
                self.after_write(result);
                self.stop_first();
            }
            if self.batch.is_empty() {
                return;
            }
            match self.batch.remove(0) {
                Effect::Persist { strict } => self.begin_write(strict),
                Effect::Emit(event) => self.emit(&event),
                Effect::Finish { request, outcome } => {
                    self.answer(Some(&request), &Response::of(outcome));
                }
                effect => match is_irreversible(&effect).then(|| self.shared.store.confirm()).flatten() {
                    Some(confirming) => {
                        self.batch.insert(0, effect);
                        (self.writing, self.confirms) = (Some(confirming), true);
                    }
                    None => self.begin(effect),
                },
            }
        }
    }

    /// The stored run, before anything else happens.
    pub(crate) async fn open(&mut self) -> Result<(), Error> {
        if self.state != Life::Unopened {
            return Ok(());
        }
        let mut settings = self.shared.run().settings().clone();
        let run = loop {
            let loaded = self.loaded().await?;
            match (restored(loaded, &settings), self.damage.take()) {
                (Ok(run), damage) => {
                    if let Some(damage) = damage {
                        let _ = self.shared.damage.set(damage.read_only());
                    }
                    break run;
                }
                (Err(error), None) if error.kind == StoreErrorKind::Corrupt => {
                    let salvaging = self.shared.store.salvage();
                    self.damage = Some(error);
                    self.loading = Some(Box::pin(async move {
                        Ok(Loaded { messages: salvaging.await?, ..Loaded::default() })
                    }));
                }
                // Why it cannot be opened, and not why nothing can be read of it either.
                (Err(error), damage) => return Err(damage.unwrap_or(error).into()),
            }
        };
        // Calls wait for what had been added; it will be added again.
        keep_for_calls(&run, true, &mut settings.tools);
        let (changed, busy) = (*run.settings() != settings, run.phase() != PhaseName::Idle);
        self.request = run.request().map(str::to_owned);
        let left = run.slots_left();
        self.shared.replace_run(run);
        self.shared.display.restore(left);
        (self.state, self.changed) = (Life::Open, true);
        let waits = busy && self.shared.resumes_by_hand.load(Ordering::Relaxed);
        self.shared.interrupted.store(waits, Ordering::Relaxed);
        if changed {
            let configured = Input::Configured { settings: Box::new(settings), before_recovered: busy };
            let mut effects = self.step(configured).unwrap_or_default();
            self.batch.append(&mut effects);
        }
        if busy && !waits {
            let mut effects = self.step(Input::Recovered).unwrap_or_default();
            self.batch.append(&mut effects);
        }
        Ok(())
    }

    /// What the store gave. The outer error is that the session was closed meanwhile.
    async fn loaded(&mut self) -> Result<Result<Loaded, StoreError>, Error> {
        self.loading.get_or_insert_with(|| self.shared.store.load());
        let loaded = poll_fn(|context| {
            if let Some(Poll::Ready(loaded)) =
                self.loading.as_mut().map(|loading| loading.as_mut().poll(context))
            {
                return Poll::Ready(Some(loaded));
            }
            self.hear(context);
            if self.state == Life::Closed { Poll::Ready(None) } else { Poll::Pending }
        })
        .await;
        self.loading = None;
        loaded.ok_or(Error::Closed)
    }

    pub(super) fn step(&mut self, input: Input) -> Result<Vec<Effect>, OutOfProtocol> {
        self.changed = true;
        let waits = self.shared.interrupted.load(Ordering::Relaxed);
        if waits && !matches!(input, Input::Configured { .. }) && !self.shared.run().is_held() {
            // Whatever happens to it before it is taken up by hand begins nothing. What follows is written with this.
            let settings = Box::new(self.shared.run().settings().clone());
            drop(self.shared.step(Input::Configured { settings, before_recovered: true }));
        }
        let branches = self.shared.run().branch_count();
        let effects = self.shared.step(input);
        if self.shared.run().branch_count() != branches {
            self.show_what_is_left();
        }
        effects
    }

    /// On another path, what its calls have left is on the display again.
    fn show_what_is_left(&self) {
        let shown = self.shared.display.stack();
        let mut left = self.shared.run().slots_left();
        left.retain(|slot| !shown.iter().any(|other| other.id == slot.id));
        self.shared.display.restore(left);
    }

    /// The run cannot be read. Every waiting caller gets this error; the next call tries again.
    async fn refuse_until_next(&mut self, error: Error) {
        while let Ok(command) = self.commands.try_recv() {
            self.ready.push(DriverEvent::Command(command));
        }
        for happening in std::mem::take(&mut self.ready) {
            if let DriverEvent::Command(command) = happening {
                self.refuse(command, error.clone());
            }
        }
        if self.state != Life::Closed
            && let Some(command) = self.commands.next().await
        {
            self.ready.push(DriverEvent::Command(command));
        }
    }

    pub(super) fn take_tool_inputs(&mut self) {
        while let Ok(input) = self.tool_inputs.try_recv() {
            self.take(DriverEvent::ToolInput(input));
        }
    }

    fn take_tool_input(&mut self, input: Input) {
        let settled = match &input {
            Input::SlotSettled { slot, .. } => Some(slot.clone()),
            _ => None,
        };
        match (self.step(input), settled) {
            (Ok(mut effects), _) => self.batch.append(&mut effects),
            // Nothing is to be written for a call that has ended.
            (Err(_), Some(slot)) => self.shared.display.tell(&slot),
            (Err(_), None) => {}
        }
    }

    async fn next(&mut self) -> DriverEvent {
        poll_fn(|context| {
            // A tool shows something before it ends.
            if let Poll::Ready(Some(input)) = self.tool_inputs.poll_next_unpin(context) {
                return Poll::Ready(DriverEvent::ToolInput(input));
            }
            if !self.ready.is_empty() {
                return Poll::Ready(self.ready.remove(0));
            }
            // Commands first: nothing that was stopped should go on for the sake of order.
            if let Poll::Ready(Some(command)) = self.commands.poll_next_unpin(context) {
                return Poll::Ready(DriverEvent::Command(command));
            }
            let Poll::Ready(ended) = self.poll_work(context) else {
                self.release_callers();
                return Poll::Pending;
            };
            // What it did in the moment in which it ended came before its end.
            match self.tool_inputs.poll_next_unpin(context) {
                Poll::Ready(Some(input)) => {
                    self.ready.push(ended);
                    Poll::Ready(DriverEvent::ToolInput(input))
                }
                _ => Poll::Ready(ended),
            }
        })
        .await
    }

    fn poll_work(&mut self, context: &mut Context<'_>) -> Poll<DriverEvent> {
        loop {
            match self.work.poll_next_unpin(context) {
                Poll::Ready(Some(Ok((key, done)))) => return Poll::Ready(DriverEvent::Work(key, done)),
                Poll::Ready(Some(Err(Aborted))) => {}
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Lets go of work that was cancelled, now and not when somebody next waits.
    pub(super) fn sweep(&mut self) {
        let mut context = Context::from_waker(std::task::Waker::noop());
        while let Poll::Ready(happening) = self.poll_work(&mut context) {
            self.ready.push(happening);
        }
    }

    // ---- writing -------------------------------------------------------------------------------------------------

    fn begin_write(&mut self, strict: bool) {
        let durability = if strict { Durability::Strict } else { Durability::Relaxed };
        let write = self.shared.store.append(self.shared.run().unsaved(), durability);
        self.writing = Some(write);
    }

    /// While the store is waited for, what is asked waits too. Only who closes does not: a write ends in the store, or not.
    fn hear(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(command)) = self.commands.poll_next_unpin(context) {
            if matches!(command, Command::Close) {
                self.close();
            } else {
                self.ready.push(DriverEvent::Command(command));
            }
        }
    }

    /// Work in flight goes on while the store writes; what comes of it waits for its turn.
    async fn written(&mut self) -> Result<(), StoreError> {
        poll_fn(|context| {
            let Some(write) = &mut self.writing else { return Poll::Ready(Ok(())) };
            if let Poll::Ready(result) = write.as_mut().poll(context) {
                self.writing = None;
                return Poll::Ready(result);
            }
            while let Poll::Ready(happening) = self.poll_work(context) {
                self.ready.push(happening);
            }
            self.hear(context);
            if self.state == Life::Closed { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await
    }

    /// What was stopped while the store wrote does not begin: all until the stop comes first, in its order.
    fn stop_first(&mut self) {
        while let Ok(command) = self.commands.try_recv() {
            self.ready.push(DriverEvent::Command(command));
        }
        let stops =
            |happening: &DriverEvent| matches!(happening, DriverEvent::Command(command) if command.stops());
        let Some(last) = self.ready.iter().rposition(stops).filter(|_| !self.is_unwritten()) else { return };
        // What tools have done was done before.
        self.take_tool_inputs();
        for happening in self.ready.drain(..=last).collect::<Vec<_>>() {
            self.take(happening);
        }
        let live = self.shared.run().outstanding();
        let display = &self.shared.display;
        self.batch.retain(|effect| match effect {
            // What a tool was to be told goes with its call.
            Effect::ResumeTool { call_id: told, key } => {
                let runs = live
                    .iter()
                    .any(|live| matches!(live, Effect::RunTool { call_id, .. } if call_id == told));
                if !runs {
                    display.untell(key);
                }
                runs
            }
            effect => !is_work(effect) || live.iter().any(|live| live.is_same_work(effect)),
        });
    }

    pub(super) fn is_unwritten(&self) -> bool {
        self.shared.unwritten.load(Ordering::Relaxed)
    }

    fn after_write(&mut self, result: Result<(), StoreError>) {
        let confirms = std::mem::take(&mut self.confirms);
        match result {
            Ok(()) if confirms => {}
            Ok(()) => {
                self.shared.saved();
                self.changed |= self.shared.unwritten.swap(false, Ordering::Relaxed);
                let mut first = std::mem::take(&mut self.deferred);
                first.append(&mut self.batch);
                self.batch = first;
            }
            Err(error) => {
                self.shared.unwritten.store(true, Ordering::Relaxed);
                self.unstored = NativeOnly::with(|| error.clone());
                // Work is given out again on `Resumed`; what comes after a write and is no work waits here.
                for effect in std::mem::take(&mut self.batch) {
                    match effect {
                        Effect::Emit(event) => self.emit(&event),
                        effect if is_issued_once(&effect) => self.deferred.push(effect),
                        _ => {}
                    }
                }
                let mut failed = self.step(Input::StoreFailed { error: error.clone() }).unwrap_or_default();
                self.batch.append(&mut failed);
                // Also those who wait for something that had just ended, or for their turn.
                self.answer(None, &Err(Error::Store(error)));
            }
        }
    }

    // ---- telling -------------------------------------------------------------------------------------------------

    pub(super) fn emit(&mut self, event: &Event) {
        if let Event::RequestStarted { request } = event {
            self.request = Some(request.clone());
        }
        self.shared.listeners.tell(self.request.as_deref(), event);
        if let Event::RequestFinished { .. } = event {
            self.request = None;
        }
    }

    /// Answers those who wait for this request; for `None`, all.
    pub(super) fn answer(&mut self, request: Option<&str>, response: &Result<Response, Error>) {
        self.shared.followers.each(|follower| follower.on_end(request, response));
        let mut answered = false;
        for caller in std::mem::take(&mut self.callers) {
            if request.is_none() || caller.request.is_none() || caller.request.as_deref() == request {
                // The receiver may be gone: a caller that stopped waiting is not an error.
                let _ = caller.reply.send(response.clone());
                answered = true;
            } else {
                self.callers.push(caller);
            }
        }
        // The page that had asked may be gone.
        if let (false, Err(error)) = (answered, response)
            && !matches!(error, Error::Aborted | Error::Closed)
        {
            self.emit(&Event::Error { code: error.code().to_owned(), message: error.to_string() });
        }
    }

    /// Nothing can go on without a person: those who asked to leave then, leave.
    fn release_callers(&mut self) {
        let works = self.in_flight.iter().any(|(key, _)| !matches!(key, Key::Question(_)));
        if works || !self.callers.iter().any(|caller| caller.leave_when_waiting) {
            return;
        }
        let questions = {
            let run = self.shared.run();
            if run.phase() != PhaseName::Waiting {
                return;
            }
            Vec::from_iter(run.questions().cloned())
        };
        let response = Response::Waiting { questions };
        for caller in std::mem::take(&mut self.callers) {
            if caller.leave_when_waiting {
                let _ = caller.reply.send(Ok(response.clone()));
            } else {
                self.callers.push(caller);
            }
        }
    }
}

/// What `Run::outstanding` gives out as it was while it is wanted. Of a timer it may be another.
fn is_work(effect: &Effect) -> bool {
    let loops = matches!(effect, Effect::Persist { .. } | Effect::Emit(_) | Effect::SetTimer { .. });
    !loops && !is_issued_once(effect)
}

/// What a process that was superseded must not do.
fn is_irreversible(effect: &Effect) -> bool {
    matches!(effect, Effect::RunTool { .. } | Effect::RunUndo { .. } | Effect::ResumeTool { .. })
}

/// Effects that `Run::outstanding` does not give out again.
fn is_issued_once(effect: &Effect) -> bool {
    match effect {
        Effect::Finish { .. }
        | Effect::ConsumeInbox { .. }
        | Effect::RememberPermission { .. }
        | Effect::CancelModel { .. }
        | Effect::CancelTool { .. }
        | Effect::ResumeTool { .. }
        | Effect::CancelQuestion { .. } => true,
        Effect::Persist { .. }
        | Effect::Emit(_)
        | Effect::CallModel { .. }
        | Effect::Compact { .. }
        | Effect::CheckPermission { .. }
        | Effect::CheckApproval { .. }
        | Effect::RunTool { .. }
        | Effect::RunUndo { .. }
        | Effect::Ask { .. }
        | Effect::SetTimer { .. } => false,
    }
}

pub(super) fn refused(refusal: &OutOfProtocol) -> Error {
    let message = refusal.to_string();
    match refusal.code() {
        "OUT_OF_PROTOCOL" => Error::Protocol(message),
        code => Error::Refused { code, message },
    }
}

fn restored(loaded: Result<Loaded, StoreError>, settings: &Settings) -> Result<Run, StoreError> {
    let Loaded { messages, checkpoint, records } = loaded?;
    match checkpoint {
        Some(checkpoint) => {
            Run::restore(&checkpoint, messages, records).map_err(|error| StoreError::from(&error))
        }
        None => Ok(Run::new(settings.clone(), messages)),
    }
}
