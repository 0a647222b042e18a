//! A session: one conversation with one run at a time, and its methods.
//!
//! There is no background task. Any future that is awaited drives the session, for itself and for all
//! others; a host that can spawn may keep [`Session::drive`] running instead.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::task::Context;

use futures_channel::{mpsc, oneshot};
use futures_util::FutureExt;

use crate::display::DisplayError;
use crate::error::{Error, StoreError};
use crate::event::Question;
use crate::json::Json;
use crate::message::{Message, Usage};
use crate::portable::BoxFuture;
use crate::ports::{Clock, IdSource, ModelAdapter, StoreAdapter, Subscriber, ToolHost};
use crate::prices::Prices;
use crate::run::input::{Answer, Input, Request};
use crate::run::settings::{Budgets, Compaction, Limits, Settings};
use crate::run::{OutOfProtocol, PhaseName, Run};
use crate::runtime::command::{Caller, Command, Configure};
use crate::runtime::display::DisplayManager;
use crate::runtime::driver::{Driver, refused};
use crate::runtime::listeners::{Follower, Subscription};
use crate::runtime::response::{Prompt, Response};
use crate::runtime::session_tools::SessionTools;
use crate::runtime::shared::{Kit, Shared};
use crate::runtime::shared_driver::SharedDriver;
use crate::runtime::tool_run::ToolRun;

/// The parts of a session.
#[derive(Clone)]
pub struct Parts {
    pub model: Arc<dyn ModelAdapter>,
    pub system_prompt: String,
    pub store: Arc<dyn StoreAdapter>,
    pub tools: Arc<dyn ToolHost>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    /// `tools` is filled in from the tool host.
    pub settings: Settings,
}

/// The future result of a call on a session.
pub type ResponseFuture = BoxFuture<'static, Result<Response, Error>>;

/// Clones are the same session. Calls take effect in the order in which they are made; the returned future
/// waits for the result. Dropping the future only stops waiting: the request stays, and
/// continues as soon as something drives the session, or when it is opened from its store again.
#[derive(Clone)]
pub struct Session {
    pub(super) shared: Arc<Shared>,
    driver: Arc<SharedDriver>,
}

/// A session that is not kept by this.
pub(super) struct WeakSession {
    shared: Weak<Shared>,
    driver: Weak<SharedDriver>,
}

impl WeakSession {
    pub(super) fn upgrade(&self) -> Option<Session> {
        Some(Session { shared: self.shared.upgrade()?, driver: self.driver.upgrade()? })
    }
}

impl Session {
    pub(super) fn downgrade(&self) -> WeakSession {
        WeakSession { shared: Arc::downgrade(&self.shared), driver: Arc::downgrade(&self.driver) }
    }

    /// Reads nothing yet: the stored run is read when the session is first driven. Fails for tools that
    /// no model could use.
    pub fn new(parts: Parts) -> Result<Session, Error> {
        let Parts { model, system_prompt, store, tools, clock, ids, mut settings } = parts;
        let tools = SessionTools::new(tools, &store, &ids)?;
        settings.tools = tools.specs();
        let kit = Kit { model, system_prompt: system_prompt.into(), tools, prices: Arc::default() };
        let (commands, inbox) = mpsc::unbounded();
        let (tool_inputs, done) = mpsc::unbounded();
        let run = Run::new(settings, Vec::new());
        let shared = Arc::new(Shared::new(run, kit, store, clock, ids, commands, tool_inputs));
        let driver = Arc::new(SharedDriver::new(Driver::new(Arc::clone(&shared), inbox, done)));
        Ok(Session { shared, driver })
    }

    /// A session whose stored run has been read. A run that was interrupted continues as soon as
    /// the session is driven, for example by [`Session::resume`].
    pub async fn open(parts: Parts) -> Result<Session, Error> {
        let session = Session::new(parts)?;
        session.opened().await?;
        Ok(session)
    }

    /// Reads the stored run, if it was not read yet.
    pub async fn opened(&self) -> Result<(), Error> {
        self.driver.open().await
    }

    /// Sends a message and returns the agent's answer. A request from inside one of this session's own tools is
    /// queued like any other, so a tool must not await it.
    pub fn request(&self, prompt: impl Into<Prompt>) -> ResponseFuture {
        let Prompt { id, message, when_busy, regenerate, edits, leave_when_waiting } = prompt.into();
        let id = id.unwrap_or_else(|| self.shared.ids.fresh());
        let request = Request { id: id.clone(), message, when_busy, regenerate, edits, inbox: Vec::new() };
        self.ask(Some(id), leave_when_waiting, |caller| Command::Request(Box::new(request), caller))
    }

    /// Continues an unfinished run: one from the store, one that paused, one whose model or store failed. Returns
    /// when it ends or waits for the user. Where nothing is to be continued, it fails with [`Error::Protocol`].
    pub fn resume(&self) -> ResponseFuture {
        self.ask(None, true, Command::Resume)
    }

    /// As [`Session::resume`], but returns only when it ends. What it asks the user meanwhile is answered elsewhere.
    pub fn resume_until_done(&self) -> ResponseFuture {
        self.ask(None, false, Command::Resume)
    }

    /// Undoes the last `steps` actions. Returns when they are undone or it waits for the user.
    pub fn undo(&self, steps: u32) -> ResponseFuture {
        self.undo_from(steps, None)
    }

    /// As [`Session::undo`], but only while the action of the call `last` is the last one: what somebody saw before they asked. Fails with
    /// `NOT_LAST_ACTION` otherwise, and undoes nothing.
    pub fn undo_from(&self, steps: u32, last: Option<String>) -> ResponseFuture {
        self.ask(None, true, move |caller| Command::Undo { steps, last, caller })
    }

    /// As [`Session::undo`], but returns only when they are undone. What it asks the user meanwhile is answered elsewhere.
    pub fn undo_until_done(&self, steps: u32) -> ResponseFuture {
        self.ask(None, false, move |caller| Command::Undo { steps, last: None, caller })
    }

    /// Shows the branch that has this message, as far as it was last seen; what is said next goes on from there. Refused while a
    /// request is running.
    pub fn switch_branch(&self, message: &str) -> ResponseFuture {
        let message = message.to_owned();
        self.ask(None, true, move |caller| Command::Switch { message, caller })
    }

    /// The messages up to this one, as the record of another session. Calls without a result are left out.
    pub fn fork(&self, message: &str) -> Result<Vec<Message>, Error> {
        let refusal = || OutOfProtocol::NoSuchMessage(message.to_owned());
        self.with_run(|run| run.fork(message)).ok_or_else(|| refused(&refusal()))
    }

    /// Answers a question, by its id or its call's, and continues until the request ends or waits again. Fails with `APPROVAL_CLOSED` when
    /// it was answered before.
    pub fn decide(&self, id: &str, answer: Answer) -> ResponseFuture {
        if let Some(open) = self.asked(id) {
            self.display().answer_early(&open, Err(DisplayError::Removed));
        }
        let id = id.to_owned();
        self.ask(None, true, |caller| Command::Answer { id, answer, caller: Some(caller) })
    }

    /// Allows a call, once.
    pub fn approve(&self, id: &str) -> ResponseFuture {
        self.decide(id, Answer::Allow { remember: false })
    }

    /// Rejects a call, once; the model reads the reason.
    pub fn reject(&self, id: &str, reason: Option<String>) -> ResponseFuture {
        self.decide(id, Answer::Deny { remember: false, reason })
    }

    /// Answers an open question, by its id or its call's, without waiting; the code that drives the session continues. False when
    /// nothing is asked under this id (any more), and before the session is open: the first answer counts, also while it waits to be
    /// taken in.
    pub fn answer(&self, id: &str, answer: Answer) -> bool {
        let Some(id) = self.asked(id) else { return false };
        // The run has not taken it in before its next step.
        let is_first = self.display().answer_early(&id, Err(DisplayError::Removed));
        if is_first {
            self.tell(Command::Answer { id, answer, caller: None });
        }
        is_first
    }

    fn asked(&self, id: &str) -> Option<String> {
        self.with_run(|run| run.asked(id).map(|question| question.id.clone()))
    }

    /// Stops the current request: it ends with [`Error::Aborted`], and every call has a result.
    pub fn abort(&self) {
        self.tell(Command::Abort);
    }

    /// Cancels a queued request.
    pub fn cancel_queued(&self, request: &str) {
        self.tell(Command::CancelQueued(request.to_owned()));
    }

    /// Moves a queued request in front of another one. Without `before`, the request that runs reads it before its next model call; where
    /// none runs, or it makes no other call, it is begun next.
    pub fn move_queued(&self, request: &str, before: Option<&str>) {
        self.tell(Command::MoveQueued(request.to_owned(), before.map(str::to_owned)));
    }

    /// By default, an interrupted run continues as soon as the session is driven. After this call it
    /// waits for a call such as `resume`. Call it before the session is opened.
    pub fn resume_by_hand(&self) {
        self.shared.resumes_by_hand.store(true, Ordering::Relaxed);
    }

    /// Whether a run waits for `resume`.
    pub fn is_interrupted(&self) -> bool {
        self.shared.interrupted.load(Ordering::Relaxed)
    }

    /// The stored session is damaged: what can be read of it is shown, and whatever is asked is refused with this.
    pub fn damage(&self) -> Option<&StoreError> {
        self.shared.damage.get()
    }

    /// Stores the partial answer, in case the page is about to close.
    pub fn keep_partial(&self) {
        self.tell(Command::KeepPartial);
    }

    /// Closes the session without ending its run: pending futures fail with [`Error::Closed`], and the stored run can be opened
    /// again.
    pub fn close(&self) {
        self.tell(Command::Close);
    }

    /// Takes effect with the next model call.
    pub fn set_model(&self, model: Arc<dyn ModelAdapter>) {
        self.shared.change_kit(|kit| kit.model = model);
    }

    /// Takes effect with the next model call.
    pub fn set_system_prompt(&self, prompt: &str) {
        self.shared.change_kit(|kit| kit.system_prompt = prompt.into());
    }

    pub fn system_prompt(&self) -> String {
        self.shared.kit().system_prompt.to_string()
    }

    pub(super) fn model(&self) -> Arc<dyn ModelAdapter> {
        Arc::clone(&self.shared.kit().model)
    }

    pub fn model_name(&self) -> String {
        self.shared.kit().model.name()
    }

    /// Replaces all tools, or none if one is invalid. Holds from the next decision on.
    pub fn replace_tools(&self, tools: Arc<dyn ToolHost>) -> Result<(), Error> {
        let session_tools = self.shared.session_tools(tools)?;
        self.tell(Command::Tools(session_tools));
        Ok(())
    }

    /// The same for the model call that is about to be made.
    pub(super) fn replace_tools_now(&self, tools: Arc<dyn ToolHost>) -> Result<(), Error> {
        let session_tools = self.shared.session_tools(tools)?;
        self.shared.change_kit(|kit| kit.tools = session_tools.clone());
        self.tell(Command::Tools(session_tools));
        Ok(())
    }

    pub fn set_compaction(&self, compaction: Compaction) {
        self.tell(Command::Configure(Configure::Compaction(compaction)));
    }

    pub fn set_limits(&self, limits: Limits) {
        self.tell(Command::Configure(Configure::Limits(limits)));
    }

    pub fn set_budgets(&self, budgets: Budgets) {
        self.tell(Command::Configure(Configure::Budgets(budgets)));
    }

    /// What models cost, from the next call on.
    pub fn set_prices(&self, prices: Prices) {
        self.shared.change_kit(|kit| kit.prices = Arc::new(prices));
    }

    pub fn subscribe(&self, subscriber: impl Subscriber + 'static) -> Subscription {
        self.join(Arc::new(subscriber))
    }

    /// Called after each step of the run, when [`Session::with_run`] shows where it has got to.
    pub fn on_step(&self, follower: impl Follower + 'static) -> Subscription {
        self.shared.followers.join(Arc::new(follower))
    }

    pub(crate) fn join(&self, subscriber: Arc<dyn Subscriber>) -> Subscription {
        self.shared.listeners.join(subscriber)
    }

    pub fn display(&self) -> &DisplayManager {
        &self.shared.display
    }

    /// Answers a tool's question, also one that a run that was just opened is about to ask again. False if
    /// there is none with this id; an error if the answer does not fit, in which case the question stays open.
    pub fn answer_slot(&self, id: &str, answer: Result<Json, DisplayError>) -> Result<bool, DisplayError> {
        let display = self.display();
        let asks = self.with_run(|run| run.question(id).is_some());
        if asks && !display.answer_early(id, Err(DisplayError::Removed)) {
            return Ok(false);
        }
        let settled = display.settle(id, answer.clone());
        if settled == Ok(true) {
            return settled;
        }
        if asks {
            display.forget_early(id);
        }
        settled?;
        let asks = self.with_run(|run| run.may_ask_again(id).map(str::to_owned));
        // The questions of a tool that runs are on the display.
        let comes = asks.is_some_and(|call_id| self.tool_run(&call_id).is_none());
        Ok(comes && display.answer_early(id, answer))
    }

    /// Keeps what plugins of the host want to find again; it is written in the order of what tools do.
    pub fn set_plugins(&self, states: Json) {
        // Nobody listens after the session was closed.
        let _ = self.shared.tool_inputs.unbounded_send(Input::PluginsChanged { states });
    }

    /// What the host tells the model of itself in the request that runs: behind the messages, and written in the same order.
    pub fn set_context(&self, text: String) {
        if self.with_run(|run| run.context() != text) {
            let _ = self.shared.tool_inputs.unbounded_send(Input::ContextSet { text });
        }
    }

    /// The running tool of a call: for hosts whose tools are not closures with a `ToolContext`, and which report
    /// themselves whether a tool awaited anything else since it last received something.
    pub fn tool_run(&self, call_id: &str) -> Option<Arc<ToolRun>> {
        self.shared.tool_run(call_id)
    }

    pub fn store(&self) -> &Arc<dyn StoreAdapter> {
        &self.shared.store
    }

    /// Looks into the run, which stands still meanwhile. Nothing of the session may be waited for inside.
    pub fn with_run<T>(&self, read: impl FnOnce(&Run) -> T) -> T {
        read(&self.shared.run())
    }

    pub fn change_run(&self, change: impl FnOnce(&mut Run)) {
        self.shared.change_run(change);
    }

    /// Keeps every input of the run from now on, in memory. Opens the session if it is not open yet.
    pub async fn record(&self) -> Result<(), Error> {
        self.opened().await?;
        self.change_run(Run::record);
        Ok(())
    }

    /// A copy of the whole record.
    pub fn messages(&self) -> Vec<Message> {
        self.with_run(|run| run.messages().iter().map(|message| Message::clone(message)).collect())
    }

    pub fn phase(&self) -> PhaseName {
        self.with_run(|run| self.phase_of(run))
    }

    /// The phase of this session's run. One that has ended, and could not be written, is not over: `resume` writes it.
    pub fn phase_of(&self, run: &Run) -> PhaseName {
        match run.phase() {
            PhaseName::Idle if self.shared.unwritten.load(Ordering::Relaxed) => PhaseName::Paused,
            phase => phase,
        }
    }

    /// The questions that wait for the user.
    pub fn questions(&self) -> Vec<Question> {
        self.with_run(|run| run.questions().cloned().collect())
    }

    /// The tokens and cost of the whole session.
    pub fn usage(&self) -> Usage {
        self.with_run(|run| *run.usage())
    }

    /// Drives until the session is closed; for hosts that can spawn.
    pub async fn drive(&self) {
        self.driver.drive().await;
    }

    pub(super) fn tell(&self, command: Command) {
        // After `close` there is nobody to tell, and nothing to tell them.
        let _ = self.shared.commands.unbounded_send(command);
    }

    fn ask(
        &self,
        request: Option<String>,
        leave_when_waiting: bool,
        command: impl FnOnce(Caller) -> Command,
    ) -> ResponseFuture {
        let (reply, answer) = oneshot::channel();
        self.tell(command(Caller { request, leave_when_waiting, reply }));
        self.answered(answer)
    }

    /// One for all that is asked: `ask` is compiled for each command.
    fn answered(&self, mut answer: oneshot::Receiver<Result<Response, Error>>) -> ResponseFuture {
        let session = self.clone();
        Box::pin(async move {
            let mut drive = pin!(session.drive());
            let mut answered = |context: &mut Context<'_>| {
                answer.poll_unpin(context).map(|answer| answer.unwrap_or(Err(Error::Closed)))
            };
            poll_fn(|context| {
                let answer = answered(context);
                if answer.is_pending() && drive.as_mut().poll(context).is_ready() {
                    // The session was closed, and its last act was to answer.
                    return answered(context);
                }
                answer
            })
            .await
        })
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("phase", &self.phase()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("settings", &self.settings).finish_non_exhaustive()
    }
}
