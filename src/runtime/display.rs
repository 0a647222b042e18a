//! The display stack with those who wait for answers and those who listen to it.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_channel::mpsc::UnboundedSender;
use futures_channel::oneshot;
use futures_util::FutureExt;
use serde::de::DeserializeOwned;

use crate::display::{DisplayError, SECRET_RENDERER, Slot, SlotStatus};
use crate::json::Json;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::ports::{Check, Clock, DisplayPort, IdSource, Show};
use crate::run::input::Input;
use crate::run::log::SlotAnswer;
use crate::runtime::listeners::{Listeners, Subscription};

/// Told of the whole stack after each change. A closure `Fn(&[Slot])` is one.
pub trait StackListener: MaybeSend + MaybeSync {
    fn changed(&self, stack: &[Slot]);
}

impl<F: Fn(&[Slot]) + MaybeSend + MaybeSync> StackListener for F {
    fn changed(&self, stack: &[Slot]) {
        self(stack);
    }
}

/// What a named renderer can show and what it may answer. Without a check, anything.
#[derive(Clone, Default)]
pub struct Renderer {
    name: String,
    input: Option<Check>,
    output: Option<Check>,
}

impl Renderer {
    pub fn new(name: impl Into<String>) -> Self {
        Renderer { name: name.into(), ..Renderer::default() }
    }

    /// Inputs must be readable as `T`.
    pub fn input<T: DeserializeOwned + 'static>(self) -> Self {
        self.check_input(Arc::new(reads_as::<T>))
    }

    /// Answers must be readable as `T`.
    pub fn output<T: DeserializeOwned + 'static>(self) -> Self {
        self.check_output(Arc::new(reads_as::<T>))
    }

    pub fn check_input(mut self, check: Check) -> Self {
        self.input = Some(check);
        self
    }

    pub fn check_output(mut self, check: Check) -> Self {
        self.output = Some(check);
        self
    }
}

fn reads_as<T: DeserializeOwned>(value: &Json) -> Result<(), String> {
    value.read::<T>().map(drop).map_err(|error| error.to_string())
}

/// The display stack of a session. Clones are the same stack. Whoever waits for an answer gets one in every case:
/// an answer, a rejection, or word that the question is gone. Listeners are called with nothing locked and may call
/// back into anything.
#[derive(Clone)]
pub struct DisplayManager {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<DisplayState>,
    listeners: Listeners<dyn StackListener>,
    ids: Arc<dyn IdSource>,
    clock: Arc<dyn Clock>,
    /// Where it is told what becomes of slots that the run keeps.
    tool_inputs: Option<UnboundedSender<Input>>,
}

#[derive(Default)]
struct DisplayState {
    /// In the order in which they were shown, the last on top.
    slots: Vec<SlotState>,
    /// Answers that came before those who ask were there again.
    early_answers: Vec<(String, SlotReply)>,
    /// Answers that are told when they are written.
    unsaved: Vec<Unsaved>,
    renderers: Vec<Renderer>,
}

/// A slot, and who waits for its answer.
struct SlotState {
    slot: Slot,
    /// The run keeps it: what becomes of it is an input of the run.
    recorded: bool,
    waiter: Option<Waiter>,
}

type SlotReply = Result<Json, DisplayError>;
type ReplySender = oneshot::Sender<SlotReply>;
type Unsaved = (String, (ReplySender, SlotReply));

struct Waiter {
    answer: ReplySender,
    /// What the answer must pass: the renderer's rule and that of the one who asked.
    checks: Vec<Check>,
    /// Shown on with its status after it was answered.
    stays: bool,
}

/// What follows from a change of the stack, and is done with nothing locked.
#[derive(Default)]
struct Aftermath {
    replies: Vec<(ReplySender, SlotReply)>,
    unsaved: Vec<Unsaved>,
    inputs: Vec<Input>,
    /// The run keeps these no more.
    removed: Vec<String>,
    changed: bool,
}

impl DisplayManager {
    pub fn new(ids: Arc<dyn IdSource>, clock: Arc<dyn Clock>) -> Self {
        DisplayManager::with_tool_inputs(ids, clock, None)
    }

    pub(crate) fn with_tool_inputs(
        ids: Arc<dyn IdSource>,
        clock: Arc<dyn Clock>,
        tool_inputs: Option<UnboundedSender<Input>>,
    ) -> Self {
        let (state, listeners) = (Mutex::default(), Listeners::default());
        DisplayManager { inner: Arc::new(Inner { state, listeners, ids, clock, tool_inputs }) }
    }

    /// A later renderer of the same name takes the place of the earlier one.
    pub fn register_renderer(&self, renderer: Renderer) {
        let mut state = self.state();
        state.renderers.retain(|known| known.name != renderer.name);
        state.renderers.push(renderer);
    }

    /// The stack as it is, the last slot on top.
    pub fn stack(&self) -> Vec<Slot> {
        self.state().stack()
    }

    /// Called after every change; not at once.
    pub fn subscribe(&self, listener: impl StackListener + 'static) -> Subscription {
        self.inner.listeners.join(Arc::new(listener))
    }

    /// Answers a question. False when none with this id is open; an error when this cannot be its answer, and the
    /// question stays open then.
    pub fn resolve(&self, id: &str, value: Json) -> Result<bool, DisplayError> {
        self.settle(id, Ok(value))
    }

    /// Turns a question down. False when none with this id is open.
    pub fn reject(&self, id: &str, reason: Option<String>) -> bool {
        self.settle(id, Err(DisplayError::Rejected { reason })).unwrap_or_default()
    }

    pub fn clear_stack(&self) {
        self.remove(&|_| true, &DisplayError::Cleared, true);
    }

    /// Takes away all that a call has shown, of which the run knows.
    pub(crate) fn remove_owned(&self, owner: &str) {
        let owned = |slot: &Slot| slot.owner.as_deref() == Some(owner);
        self.remove(&owned, &DisplayError::Removed, false);
    }

    /// A question under an id that the caller took from the session's own source of ids.
    pub fn push_and_wait_as(&self, id: String, show: Show) -> BoxFuture<'static, Result<Json, DisplayError>> {
        self.wait(id, show, true)
    }

    // ---- slots that the run keeps --------------------------------------------------------------------------------

    /// Whether the renderer can show this.
    pub(crate) fn check(&self, show: &Show) -> Result<(), DisplayError> {
        self.state().check_input(show)
    }

    /// What is to be shown, with an id.
    pub(crate) fn slot(&self, show: Show, waits: bool) -> Slot {
        self.slot_as(self.inner.ids.fresh(), show, waits)
    }

    pub(crate) fn show_kept(&self, slot: Slot) {
        self.restore(vec![slot]);
    }

    /// Shows what is in the run already.
    pub(crate) fn restore(&self, slots: Vec<Slot>) {
        if slots.is_empty() {
            return;
        }
        {
            let mut state = self.state();
            for slot in slots {
                state.push(slot, true, None);
            }
        }
        self.notify();
    }

    /// Shows a question whose answer is told when it is written.
    pub(crate) fn ask_kept(
        &self,
        slot: Slot,
        check: Option<Check>,
    ) -> BoxFuture<'static, Result<Json, DisplayError>> {
        self.wait_for(slot, check, true, true)
    }

    /// The one who waits for this answer is there again, and can say what it takes.
    pub(crate) fn ask_again(&self, id: &str, check: Option<Check>) {
        let early = {
            let mut state = self.state();
            if let (Some(check), Some(waiter)) =
                (check, state.find_slot(id).and_then(|entry| entry.waiter.as_mut()))
            {
                waiter.checks.push(check);
            }
            take(&mut state.early_answers, id)
        };
        self.notify();
        if let Some(answer) = early {
            // One that does not pass the check leaves the question open.
            let _ = self.settle(id, answer);
        }
    }

    /// Keeps an answer until the one who asks is there again. The first one counts.
    pub(crate) fn answer_early(&self, id: &str, answer: Result<Json, DisplayError>) -> bool {
        let mut state = self.state();
        let first = state.early_answers.iter().all(|(early, _)| early != id);
        if first {
            state.early_answers.push((id.to_owned(), answer));
        }
        first
    }

    pub(crate) fn is_early(&self, id: &str) -> bool {
        self.state().early_answers.iter().any(|(early, _)| early == id)
    }

    /// The one who asks has it, or it was none.
    pub(crate) fn forget_early(&self, id: &str) {
        drop(take(&mut self.state().early_answers, id));
    }

    /// The answer is written.
    pub(crate) fn tell(&self, id: &str) {
        let unsaved = take(&mut self.state().unsaved, id);
        if let Some((answer, reply)) = unsaved {
            let _ = answer.send(reply);
        }
    }

    /// Who waits for the answer was stopped before it was told.
    pub(crate) fn untell(&self, id: &str) {
        drop(take(&mut self.state().unsaved, id));
    }

    /// Takes away what the run has forgotten.
    pub(crate) fn drop_kept(&self, id: &str) {
        self.remove(&|slot| slot.id == id, &DisplayError::Removed, false);
    }

    /// Shows a question of the run itself, under its own id. It goes when it is answered.
    pub(crate) fn ask(&self, id: String, show: Show) -> BoxFuture<'static, Result<Json, DisplayError>> {
        self.wait(id, show, false)
    }
}

impl DisplayPort for DisplayManager {
    fn push_and_forget(&self, show: Show) -> Result<String, DisplayError> {
        let id = self.inner.ids.fresh();
        {
            let mut state = self.state();
            state.check_input(&show)?;
            let slot = self.slot_as(id.clone(), show, false);
            state.push(slot, false, None);
        }
        self.notify();
        Ok(id)
    }

    fn push_and_wait(&self, show: Show) -> BoxFuture<'static, Result<Json, DisplayError>> {
        self.push_and_wait_as(self.inner.ids.fresh(), show)
    }

    fn remove_slot(&self, id: &str) -> bool {
        DisplayManager::remove_slot(self, id)
    }
}

impl DisplayManager {
    fn state(&self) -> MutexGuard<'_, DisplayState> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot_as(&self, id: String, show: Show, waits: bool) -> Slot {
        let Show { renderer, input, owner, .. } = show;
        Slot {
            id,
            renderer,
            input,
            owner,
            waits,
            created_at: self.inner.clock.now(),
            status: SlotStatus::Pending,
            answer: None,
        }
    }

    /// The waiter is there before anyone is told, so that an answer from inside a listener finds it.
    fn wait(&self, id: String, show: Show, stays: bool) -> BoxFuture<'static, Result<Json, DisplayError>> {
        if let Err(error) = self.state().check_input(&show) {
            return Box::pin(std::future::ready(Err(error)));
        }
        let check = show.check.clone();
        self.wait_for(self.slot_as(id, show, true), check, stays, false)
    }

    fn wait_for(
        &self,
        slot: Slot,
        check: Option<Check>,
        stays: bool,
        recorded: bool,
    ) -> BoxFuture<'static, Result<Json, DisplayError>> {
        let (answer, answered) = oneshot::channel();
        let id = slot.id.clone();
        {
            let mut state = self.state();
            let rule = state.renderer(&slot.renderer).and_then(|renderer| renderer.output.clone());
            let mut checks = Vec::new();
            for check in [rule, check].into_iter().flatten() {
                checks.push(check);
            }
            if !state.push(slot, recorded, Some(Waiter { answer, checks, stays })) {
                return Box::pin(std::future::ready(Err(DisplayError::Removed)));
            }
        }
        let waiting = PendingAnswer { answered, id, display: self.clone() };
        self.notify();
        Box::pin(waiting)
    }

    pub(crate) fn settle(&self, id: &str, answer: SlotReply) -> Result<bool, DisplayError> {
        let checks = match self.state().find_slot(id).map(|entry| &entry.waiter) {
            Some(Some(waiter)) => waiter.checks.clone(),
            _ => return Ok(false),
        };
        // The checks are foreign code, so they run with nothing locked.
        if let Ok(value) = &answer
            && let Some(why) = checks.iter().find_map(|check| check.check(value).err())
        {
            let renderer =
                self.state().find_slot(id).map(|entry| entry.slot.renderer.clone()).unwrap_or_default();
            return Err(DisplayError::WrongOutput { renderer, why });
        }
        let mut after = Aftermath::default();
        {
            let mut state = self.state();
            let Some(entry) = state.find_slot(id) else { return Ok(false) };
            let Some(Waiter { stays, .. }) = entry.waiter else { return Ok(false) };
            entry.slot.status = if answer.is_ok() { SlotStatus::Resolved } else { SlotStatus::Rejected };
            entry.slot.waits = false;
            if !entry.is_secret() {
                entry.slot.answer = answer.as_ref().ok().cloned();
            }
            entry.reply(answer, &mut after);
            if !stays {
                state.slots.retain(|entry| entry.slot.id != id);
            }
        }
        after.changed = true;
        self.finish(after);
        Ok(true)
    }

    /// Removes a slot; its waiter gets an error. Returns false if there is no such slot.
    pub fn remove_slot(&self, id: &str) -> bool {
        self.remove(&|slot| slot.id == id, &DisplayError::Removed, true)
    }

    /// Removes these slots from the display; each waiter gets the error. Reports the recorded ones to the run, unless the run asked for
    /// the removal. Returns false if no slot matched.
    fn remove(&self, goes: &dyn Fn(&Slot) -> bool, error: &DisplayError, tells_run: bool) -> bool {
        let mut after = Aftermath::default();
        {
            let mut state = self.state();
            state.slots.retain_mut(|entry| {
                if !goes(&entry.slot) {
                    return true;
                }
                after.changed = true;
                entry.recorded &= tells_run;
                entry.reply(Err(error.clone()), &mut after);
                if entry.recorded {
                    after.removed.push(entry.slot.id.clone());
                }
                false
            });
        }
        let changed = after.changed;
        self.finish(after);
        changed
    }

    fn finish(&self, Aftermath { replies, mut unsaved, mut inputs, removed: left, changed }: Aftermath) {
        self.state().unsaved.append(&mut unsaved);
        for (answer, reply) in replies {
            let _ = answer.send(reply);
        }
        if !left.is_empty() {
            inputs.push(Input::SlotsRemoved { slots: left });
        }
        if let Some(tool_inputs) = &self.inner.tool_inputs {
            for input in inputs {
                let _ = tool_inputs.unbounded_send(input);
            }
        }
        if changed {
            self.notify();
        }
    }

    /// Tells every listener the stack as it is.
    pub fn notify(&self) {
        let stack = self.state().stack();
        self.inner.listeners.each(|listener| listener.changed(&stack));
    }
}

impl DisplayState {
    fn stack(&self) -> Vec<Slot> {
        let mut stack = Vec::new();
        for entry in &self.slots {
            stack.push(entry.slot.clone());
        }
        stack
    }

    fn find_slot(&mut self, id: &str) -> Option<&mut SlotState> {
        self.slots.iter_mut().find(|entry| entry.slot.id == id)
    }

    /// False when the id is taken; nothing is shown then.
    fn push(&mut self, slot: Slot, recorded: bool, waiter: Option<Waiter>) -> bool {
        let free = self.find_slot(&slot.id).is_none();
        if free {
            self.slots.push(SlotState { slot, recorded, waiter });
        }
        free
    }

    fn renderer(&self, name: &str) -> Option<&Renderer> {
        self.renderers.iter().find(|renderer| renderer.name == name)
    }

    fn check_input(&self, show: &Show) -> Result<(), DisplayError> {
        let Some(rule) = self.renderer(&show.renderer).and_then(|renderer| renderer.input.as_ref()) else {
            return Ok(());
        };
        rule.check(&show.input)
            .map_err(|why| DisplayError::WrongInput { renderer: show.renderer.clone(), why })
    }
}

impl SlotState {
    fn is_secret(&self) -> bool {
        self.slot.renderer == SECRET_RENDERER
    }

    /// Who waits is told: at once, or when it is written where the run keeps the slot.
    fn reply(&mut self, reply: SlotReply, after: &mut Aftermath) {
        let Some(Waiter { answer, .. }) = self.waiter.take() else { return };
        if !self.recorded {
            after.replies.push((answer, reply));
            return;
        }
        let stored = match &reply {
            Ok(_) if self.is_secret() => SlotAnswer::Withheld,
            Ok(value) => SlotAnswer::Value(value.clone()),
            Err(DisplayError::Rejected { reason }) => SlotAnswer::Rejected(reason.clone()),
            Err(DisplayError::Cleared) => SlotAnswer::Cleared,
            Err(_) => SlotAnswer::Removed,
        };
        after.inputs.push(Input::SlotSettled { slot: self.slot.id.clone(), answer: stored });
        after.unsaved.push((self.slot.id.clone(), (answer, reply)));
    }
}

/// There are few of them, and a list weighs less than a map.
pub(super) fn take<T>(list: &mut Vec<(String, T)>, key: &str) -> Option<T> {
    let at = list.iter().position(|(other, _)| other == key)?;
    Some(list.swap_remove(at).1)
}

/// The waiting side of a question. When nobody waits any more, there is no question either.
struct PendingAnswer {
    answered: oneshot::Receiver<Result<Json, DisplayError>>,
    id: String,
    display: DisplayManager,
}

impl Future for PendingAnswer {
    type Output = Result<Json, DisplayError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.answered.poll_unpin(context).map(|answer| answer.unwrap_or(Err(DisplayError::Removed)))
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        // Whatever ended a question has taken its waiter already.
        let open = self.display.state().find_slot(&self.id).and_then(|entry| entry.waiter.take());
        if open.is_some() {
            self.display.remove_slot(&self.id);
        }
    }
}

impl fmt::Debug for DisplayManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DisplayManager").field(&self.state().stack()).finish()
    }
}

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Renderer({})", self.name)
    }
}
