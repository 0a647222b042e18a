//! A tool that is being run: what it shows and the steps it does are told to the machine, and what it did before its
//! process died is given back to it.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::mpsc::UnboundedSender;
use futures_channel::oneshot;
use futures_util::future;

use crate::display::{DisplayError, Slot};
use crate::json::Json;
use crate::portable::BoxFuture;
use crate::ports::{DisplayPort, Show, Step, Steps};
use crate::run::input::{Input, ToolOutcome, Validated};
use crate::run::log::{Log, ReplayCursor, SlotReplay, StepReplay, StepResult};
use crate::runtime::display::{DisplayManager, take};

/// The answer to a question of a tool.
pub type AnswerFuture = BoxFuture<'static, Result<Json, DisplayError>>;

/// One run of a call's tool.
pub struct ToolRun {
    call_id: String,
    display: DisplayManager,
    tool_inputs: UnboundedSender<Input>,
    state: Mutex<ToolRunState>,
}

struct ToolRunState {
    replay: ReplayCursor,
    /// Questions from before that the tool has not asked again yet.
    open: Vec<(String, AnswerFuture)>,
    /// Steps that wait for being written.
    gates: Vec<(String, oneshot::Sender<()>)>,
    turn: PollTurn,
}

/// Where a tool written in Rust stands between two of its polls.
#[derive(Default)]
struct PollTurn {
    /// It was told something that it has not gone on with yet.
    resumed: bool,
    /// It goes on with what it was told.
    fresh: bool,
    /// It has asked, and was told nothing since.
    waits: bool,
    reported: bool,
}

impl ToolRun {
    pub(crate) fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The questions that are open are on the display from now on, whether the tool has asked again or not.
    pub(crate) fn new(
        call_id: &str,
        log: Log,
        display: DisplayManager,
        tool_inputs: UnboundedSender<Input>,
    ) -> Self {
        let mut open = Vec::new();
        for slot in log.open() {
            open.push((slot.id.clone(), display.ask_kept(slot.clone(), None)));
        }
        let turn = PollTurn { resumed: true, fresh: true, ..PollTurn::default() };
        let state = ToolRunState { replay: ReplayCursor::new(log), open, gates: Vec::new(), turn };
        ToolRun { call_id: call_id.to_owned(), display, tool_inputs, state: Mutex::new(state) }
    }

    /// Shows something. `None` when the tool has gone astray; it is not to go on then.
    pub fn show(&self, show: Show, deterministic: bool) -> Result<Option<String>, DisplayError> {
        self.display.check(&show)?;
        let shows = self.state().replay.shows(&show.renderer, &show.input, false);
        Ok(match shows {
            SlotReplay::Astray => {
                self.send(Input::ReplayDiverged { call_id: self.call_id.clone() });
                None
            }
            SlotReplay::Known { at, logged } => {
                let id = logged.slot.id.clone();
                if !deterministic {
                    self.send_slot(at, logged.slot, deterministic);
                }
                Some(id)
            }
            SlotReplay::Anew { at, gone } => {
                self.drop_slots(gone);
                let slot = self.display.slot(show, false);
                let id = slot.id.clone();
                self.send_slot(at, slot.clone(), deterministic);
                self.display.show_kept(slot);
                Some(id)
            }
        })
    }

    /// Asks. A tool that has gone astray gets no answer.
    pub fn ask(&self, show: Show, deterministic: bool) -> Result<(String, AnswerFuture), DisplayError> {
        self.display.check(&show)?;
        let shows = self.state().replay.shows(&show.renderer, &show.input, true);
        let check = show.check.clone();
        Ok(match shows {
            SlotReplay::Astray => {
                self.send(Input::ReplayDiverged { call_id: self.call_id.clone() });
                (self.display.slot(show, true).id, Box::pin(future::pending()))
            }
            SlotReplay::Known { at, logged } => {
                let id = logged.slot.id.clone();
                let open = take(&mut self.state().open, &id);
                if open.is_some() || !deterministic {
                    self.send_slot(at, logged.slot, deterministic);
                }
                match (open, logged.answer) {
                    (Some(result), _) => {
                        self.state().turn.waits = true;
                        self.display.ask_again(&id, check);
                        (id, result)
                    }
                    (None, answer) => {
                        let result = answer.map_or(Err(DisplayError::Removed), |answer| answer.into_result());
                        (id, Box::pin(future::ready(result)))
                    }
                }
            }
            SlotReplay::Anew { at, gone } => {
                self.drop_slots(gone);
                self.state().turn.waits = true;
                let slot = self.display.slot(show, true);
                let id = slot.id.clone();
                self.send_slot(at, slot.clone(), deterministic);
                (id, self.display.ask_kept(slot, check))
            }
        })
    }

    /// Before a step: what came of it, or its key once it is written that it begins. A tool that has gone astray hears
    /// nothing.
    pub fn begin_step(
        &self,
        name: &str,
        deterministic: bool,
    ) -> BoxFuture<'static, Result<Step, DisplayError>> {
        let comes = self.state().replay.step(name);
        let key = match comes {
            StepReplay::Done(result) => return Box::pin(future::ready(Ok(Step::Done(result)))),
            StepReplay::Begins(key) => key,
            StepReplay::Astray => {
                self.send(Input::ReplayDiverged { call_id: self.call_id.clone() });
                return Box::pin(future::pending());
            }
        };
        let written = self.gate(&key);
        self.send(Input::StepBegun { call_id: self.call_id.clone(), key: key.clone(), deterministic });
        Box::pin(async move {
            match written.await {
                Ok(()) => Ok(Step::Begins(key)),
                Err(_) => Err(DisplayError::Removed),
            }
        })
    }

    /// After a step; done when its result is written.
    pub fn end_step(&self, key: String, result: StepResult) -> BoxFuture<'static, ()> {
        let written = self.gate(&key);
        self.send(Input::StepDone { call_id: self.call_id.clone(), key, result });
        Box::pin(async move {
            let _ = written.await;
        })
    }

    /// The tool has ended, and its summary is still to be made: from now on what it returned is kept.
    pub fn returned(&self, outcome: ToolOutcome) {
        if !self.is_behind() {
            self.send(Input::ToolFinished { call_id: self.call_id.clone(), outcome });
        }
    }

    /// What the tool's schema made of the arguments, before the tool begins.
    pub fn validated(&self, validated: Validated) {
        self.send(Input::Validated { call_id: self.call_id.clone(), validated });
    }

    /// The tool has come to its end without what it was relied on to ask.
    pub(crate) fn is_behind(&self) -> bool {
        self.state().replay.is_behind()
    }

    /// What the tool waits for is written.
    pub(crate) fn go_on(&self, key: &str) {
        let gate = {
            let mut state = self.state();
            (state.turn.resumed, state.turn.waits) = (true, false);
            state.replay.resumed();
            take(&mut state.gates, key)
        };
        match gate {
            Some(gate) => drop(gate.send(())),
            None => self.display.tell(key),
        }
    }

    /// Runs the tool, and sees whether it does anything else than wait for what it is told.
    pub(crate) async fn watch<T>(self: Arc<Self>, running: BoxFuture<'static, T>) -> T {
        let mut running = pin!(running);
        poll_fn(|context| {
            let resumed = {
                let turn = &mut self.state().turn;
                turn.fresh = std::mem::take(&mut turn.resumed);
                turn.fresh
            };
            let polled = running.as_mut().poll(context);
            let turn = &mut self.state().turn;
            turn.fresh = false;
            if polled.is_pending() && !resumed && turn.waits && !turn.reported {
                turn.reported = true;
                self.send(Input::UntrackedWork { call_id: self.call_id.clone() });
            }
            polled
        })
        .await
    }

    fn is_fresh(&self) -> bool {
        self.state().turn.fresh
    }

    fn gate(&self, key: &str) -> oneshot::Receiver<()> {
        let (open, written) = oneshot::channel();
        let mut state = self.state();
        state.turn.waits = false;
        state.gates.push((key.to_owned(), open));
        written
    }

    fn send_slot(&self, at: usize, slot: Slot, deterministic: bool) {
        self.send(Input::SlotPushed { call_id: self.call_id.clone(), at, slot, deterministic });
    }

    fn send(&self, input: Input) {
        // Nobody listens after the session was closed.
        let _ = self.tool_inputs.unbounded_send(input);
    }

    fn drop_slots(&self, gone: Vec<Slot>) {
        for slot in gone {
            let open = take(&mut self.state().open, &slot.id);
            self.display.drop_kept(&slot.id);
            drop(open);
        }
    }

    fn state(&self) -> MutexGuard<'_, ToolRunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DisplayPort for ToolRun {
    fn push_and_forget(&self, show: Show) -> Result<String, DisplayError> {
        self.show(show, self.is_fresh())?.ok_or(DisplayError::Removed)
    }

    fn push_and_wait(&self, show: Show) -> AnswerFuture {
        match self.ask(show, self.is_fresh()) {
            Ok((_, result)) => result,
            Err(error) => Box::pin(future::ready(Err(error))),
        }
    }

    fn remove_slot(&self, id: &str) -> bool {
        self.display.remove_slot(id)
    }
}

impl Steps for ToolRun {
    fn begin(&self, name: &str) -> BoxFuture<'static, Result<Step, DisplayError>> {
        self.begin_step(name, self.is_fresh())
    }

    fn end(&self, key: String, result: StepResult) -> BoxFuture<'static, ()> {
        self.end_step(key, result)
    }
}

impl fmt::Debug for ToolRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entered({})", self.call_id)
    }
}
