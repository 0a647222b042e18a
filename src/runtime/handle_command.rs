//! What the driver is asked to do, besides what the machine says.

use std::sync::atomic::Ordering;

use futures_util::stream::FuturesUnordered;

use crate::error::Error;
use crate::run::effect::Effect;
use crate::run::input::{AbortReason, Input, WhenBusy};
use crate::run::settings::Settings;
use crate::run::{OutOfProtocol, PhaseName};
use crate::runtime::command::{Caller, Command, Configure};
use crate::runtime::driver::{Driver, DriverEvent, Life, refused};
use crate::runtime::session_tools::keep_for_calls;

impl Driver {
    pub(super) fn handle_command(&mut self, command: Command) -> Option<Input> {
        let command = match command {
            Command::Request(mut request, caller) => {
                if request.message.is_stopped() && self.answers_now(&request.id) {
                    self.callers.push(caller);
                    return self.handle_command(Command::Abort);
                }
                let caller = self.join(&request.id, caller)?;
                if request.message.is_stopped() && self.shared.run().has_had(&request.id) {
                    // Another page has given it, or its answer was stopped here too.
                    let _ = caller.reply.send(Err(Error::Aborted));
                    return None;
                }
                if let Some(id) = &request.edits {
                    // Nothing is stopped for what waits, or will be refused.
                    if self.is_queued(id) {
                        request.when_busy = WhenBusy::Queue;
                    } else if self.shared.run().line_of_person(id).is_none() {
                        let refusal = OutOfProtocol::NoSuchMessage(id.clone());
                        let _ = caller.reply.send(Err(refused(&refusal)));
                        return None;
                    }
                }
                Command::Request(request, caller)
            }
            // A message that is on its way belongs to what was shown when it was sent.
            Command::Undo { caller, .. } if !self.arriving.is_empty() => {
                let _ = caller.reply.send(Err(refused(&OutOfProtocol::Busy)));
                return None;
            }
            Command::Switch { caller, .. } if !self.arriving.is_empty() => {
                let _ = caller.reply.send(Err(refused(&OutOfProtocol::BusyOnBranch)));
                return None;
            }
            command => command,
        };
        if matches!(command, Command::Abort | Command::Close) {
            // What is stopped is not begun again first.
            drop(self.take_over());
        } else if !command.stops() && self.takes_up(&command) {
            let mut begun = self.take_over();
            self.batch.append(&mut begun);
        }
        match command {
            Command::Request(request, caller) => self.arrive(request, caller),
            Command::Undo { last: Some(last), caller, .. } if !self.shared.run().is_last_action(&last) => {
                let _ = caller.reply.send(Err(refused(&OutOfProtocol::OtherAction)));
            }
            Command::Undo { steps, mut caller, .. } => {
                let request = self.shared.ids.fresh();
                caller.request = Some(request.clone());
                self.step_for(Input::Undo { request, steps }, Some(caller));
            }
            Command::Switch { message, mut caller } => {
                let request = self.shared.ids.fresh();
                caller.request = Some(request.clone());
                self.step_for(Input::Switch { request, message }, Some(caller));
            }
            Command::Resume(caller) => self.resume(caller),
            Command::Answer { id, answer, caller } => {
                let question = self.shared.run().asked(&id).map(|question| question.id.clone());
                self.step_for(Input::Answered { question: question.unwrap_or(id), answer }, caller);
            }
            Command::Tools(tools) => {
                let mut specs = tools.specs();
                self.shared.change_kit(|kit| kit.tools = tools);
                let run = self.shared.run();
                keep_for_calls(&run, run.has_open_calls(), &mut specs);
                drop(run);
                return self.configured(|settings| settings.tools = specs);
            }
            Command::Configure(change) => {
                return self.configured(|settings| match change {
                    Configure::Compaction(compaction) => settings.compaction = compaction,
                    Configure::Limits(limits) => settings.limits = limits,
                    Configure::Budgets(budgets) => settings.budgets = budgets,
                });
            }
            Command::CancelQueued(request) => {
                if let Some(at) = self.arriving.iter().position(|(arriving, _)| arriving.id == request) {
                    let (_, caller) = self.arriving.remove(at);
                    let _ = caller.reply.send(Err(Error::Aborted));
                    return None;
                }
                return Some(Input::QueuedCancelled { request });
            }
            Command::MoveQueued(request, before) => return Some(Input::QueuedMoved { request, before }),
            Command::KeepPartial => return self.unkept(),
            Command::Abort => {
                for (_, caller) in std::mem::take(&mut self.arriving) {
                    let _ = caller.reply.send(Err(Error::Aborted));
                }
                self.keep_partial();
                return Some(Input::Aborted { why: AbortReason::User });
            }
            Command::Stored(query) => self.answer_stored_query(query.into_inner()),
            Command::Close => self.close(),
        }
        None
    }

    /// What a person has seen of an answer is kept when it is cut off.
    pub(super) fn keep_partial(&mut self) {
        if let Some(partial) = self.unkept() {
            let _ = self.step(partial);
        }
    }

    /// Whether a run that waits to be taken up by hand goes on with this. What would be refused, or changes nothing,
    /// begins nothing.
    fn takes_up(&self, command: &Command) -> bool {
        let parked = || self.shared.run().phase() == PhaseName::Paused;
        match command {
            Command::Resume(_) => true,
            Command::Request(request, _) => request.when_busy != WhenBusy::Drop || parked(),
            Command::Undo { .. } | Command::Switch { .. } => parked(),
            Command::Answer { id, .. } => self.shared.run().asked(id).is_some(),
            Command::Tools(_)
            | Command::Configure(_)
            | Command::CancelQueued(_)
            | Command::MoveQueued(..)
            | Command::KeepPartial
            | Command::Abort
            | Command::Close
            | Command::Stored(_) => false,
        }
    }

    /// Takes up a run that was interrupted when its process ended, if one waits for that.
    pub(super) fn take_over(&mut self) -> Vec<Effect> {
        match self.shared.interrupted.swap(false, Ordering::Relaxed) {
            true => self.step(Input::Recovered).unwrap_or_default(),
            false => Vec::new(),
        }
    }

    fn configured(&self, change: impl FnOnce(&mut Settings)) -> Option<Input> {
        let mut settings = self.shared.run().settings().clone();
        change(&mut settings);
        let before_recovered = self.shared.interrupted.load(Ordering::Relaxed);
        Some(Input::Configured { settings: Box::new(settings), before_recovered })
    }

    /// An input that somebody waits for the outcome of, and is told when it is refused.
    pub(super) fn step_for(&mut self, input: Input, caller: Option<Caller>) {
        match self.step(input) {
            Ok(mut effects) => {
                if let Some(caller) = caller {
                    self.callers.push(caller);
                }
                self.batch.append(&mut effects);
            }
            Err(refusal) => {
                if let Some(caller) = caller {
                    let _ = caller.reply.send(Err(refused(&refusal)));
                }
            }
        }
    }

    /// Goes on with whatever was left: a run that was paused or recovered, or a write that failed at its end.
    fn resume(&mut self, mut caller: Caller) {
        let (phase, request) = {
            let run = self.shared.run();
            (run.phase(), run.request().map(str::to_owned))
        };
        caller.request = request;
        match phase {
            PhaseName::Idle if self.is_unwritten() => {
                self.callers.push(caller);
                self.batch.push(Effect::Persist { strict: true });
            }
            PhaseName::Paused | PhaseName::Idle => self.step_for(Input::Resumed, Some(caller)),
            PhaseName::Model
            | PhaseName::Compacting
            | PhaseName::Tools
            | PhaseName::Waiting
            | PhaseName::Undoing => self.callers.push(caller),
        }
    }

    /// The host goes away: nothing ends, all is let go.
    pub(super) fn close(&mut self) {
        self.state = Life::Closed;
        (self.writing, self.batch) = Default::default();
        let _ = self.step(Input::Aborted { why: AbortReason::HostGone });
        for (_, running) in std::mem::take(&mut self.in_flight) {
            running.cancel();
        }
        self.work = FuturesUnordered::new();
        self.shared.display.clear_stack();
        self.commands.close();
        for (_, caller) in std::mem::take(&mut self.arriving) {
            let _ = caller.reply.send(Err(Error::Closed));
        }
        self.answer(None, &Err(Error::Closed));
        while let Ok(command) = self.commands.try_recv() {
            self.refuse(command, Error::Closed);
        }
        for happening in std::mem::take(&mut self.ready) {
            if let DriverEvent::Command(command) = happening {
                self.refuse(command, Error::Closed);
            }
        }
    }

    pub(super) fn refuse(&mut self, command: Command, error: Error) {
        match command {
            Command::Request(_, caller)
            | Command::Undo { caller, .. }
            | Command::Switch { caller, .. }
            | Command::Resume(caller)
            | Command::Answer { caller: Some(caller), .. } => {
                let refused = Err(error);
                let request = caller.request.as_deref();
                self.shared.followers.each(|follower| follower.on_end(request, &refused));
                let _ = caller.reply.send(refused);
            }
            Command::Stored(query) => {
                if let Error::Store(error) = error {
                    let _ = query.into_inner().reply.send(Err(error));
                }
            }
            Command::Close => self.close(),
            Command::Answer { caller: None, .. }
            | Command::CancelQueued(_)
            | Command::MoveQueued(..)
            | Command::Tools(_)
            | Command::Configure(_)
            | Command::KeepPartial
            | Command::Abort => {}
        }
    }
}
