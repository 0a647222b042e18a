//! All events for the terminal or the line interface, in one order.

use std::io::{BufRead, stdin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use glove_wasm::display::Slot;
use glove_wasm::error::Error;
use glove_wasm::event::Event;
use glove_wasm::runtime::{Glove, Response, ResponseFuture, Subscription};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;

pub(crate) enum Incoming {
    Event(Box<Event>),
    /// Something is shown that was not, or the other way round.
    Display,
    /// What was asked of the agent is done.
    Done(Box<Result<Response, Error>>),
    /// Ctrl-C.
    Interrupt,
    /// The terminal has another size.
    Resized,
    Line(String),
    EndOfInput,
}

pub(crate) struct Inbox {
    sender: Sender<Incoming>,
    pub receiver: Receiver<Incoming>,
}

impl Inbox {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = channel();
        Inbox { sender, receiver }
    }

    /// What the agent does is reported for as long as the subscriptions are held.
    pub(crate) fn follow(&self, agent: &Glove) -> [Subscription; 2] {
        let events = self.sender.clone();
        let events = agent.subscribe(move |_: Option<&str>, event: &Event| {
            let _ = events.send(Incoming::Event(Box::new(event.clone())));
        });
        let shown = self.sender.clone();
        let shown = agent.display().subscribe(move |_: &[Slot]| {
            let _ = shown.send(Incoming::Display);
        });
        [events, shown]
    }

    /// Runs the agent on the runtime's threads. Callers that need the end of an unfinished run have subscribed before.
    pub(crate) fn drive(runtime: &Runtime, agent: &Glove) {
        let session = agent.session().clone();
        runtime.spawn(async move { session.drive().await });
    }

    pub(crate) fn report(&self, runtime: &Runtime, response: ResponseFuture) {
        let sender = self.sender.clone();
        runtime.spawn(async move {
            let response = response.await;
            let _ = sender.send(Incoming::Done(Box::new(response)));
        });
    }

    /// A line on the standard input is one message.
    pub(crate) fn read_lines(&self) {
        let sender = self.sender.clone();
        thread::spawn(move || {
            for line in stdin().lock().lines().map_while(Result::ok) {
                if sender.send(Incoming::Line(line)).is_err() {
                    return;
                }
            }
            let _ = sender.send(Incoming::EndOfInput);
        });
    }

    pub(crate) fn watch_signals(&self, runtime: &Runtime) -> Result<(), Failure> {
        let _inside = runtime.enter();
        for (kind, incoming) in [
            (SignalKind::interrupt(), (|| Incoming::Interrupt) as fn() -> Incoming),
            (SignalKind::window_change(), || Incoming::Resized),
        ] {
            let mut arrived = signal(kind)?;
            let sender = self.sender.clone();
            runtime.spawn(async move {
                while arrived.recv().await.is_some() && sender.send(incoming()).is_ok() {}
            });
        }
        Ok(())
    }
}
