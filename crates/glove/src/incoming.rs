//! All events for the terminal or the line interface, in one order.

use std::io::{BufRead, stdin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use glove_wasm::display::Slot;
use glove_wasm::error::Error;
use glove_wasm::event::Event;
use glove_wasm::runtime::{DisplayManager, Glove, Response, ResponseFuture, Subscription};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;
use crate::questions::is_notice;

pub(crate) enum Incoming {
    Event(Box<Event>),
    /// Something is shown that was not, or the other way round.
    Display,
    /// A slot that nobody waits for. Its tool may have ended since, and the slot with it.
    Notice(Box<Slot>),
    /// What was asked of the agent is done: a request with this id, or something that is none.
    Done(Option<String>, Box<Result<Response, Error>>),
    /// Ctrl-C.
    Interrupt,
    /// The terminal has another size.
    Resized,
    Line(String),
    /// A line with bytes that are no UTF-8, each read as �.
    BrokenLine(String),
    EndOfInput,
}

impl Incoming {
    fn of_line(mut line: Vec<u8>) -> Incoming {
        line.pop_if(|last| *last == b'\r');
        match String::from_utf8(line) {
            Ok(line) => Incoming::Line(line),
            Err(broken) => Incoming::BrokenLine(String::from_utf8_lossy(broken.as_bytes()).into_owned()),
        }
    }
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
        [events, self.follow_display(agent.display())]
    }

    fn follow_display(&self, display: &DisplayManager) -> Subscription {
        let sender = self.sender.clone();
        let seen: Mutex<Vec<String>> = Mutex::default();
        display.subscribe(move |stack: &[Slot]| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.retain(|id| stack.iter().any(|slot| slot.id == *id));
            for slot in stack {
                if !seen.contains(&slot.id) {
                    seen.push(slot.id.clone());
                    if is_notice(slot) {
                        let _ = sender.send(Incoming::Notice(Box::new(slot.clone())));
                    }
                }
            }
            let _ = sender.send(Incoming::Display);
        })
    }

    /// Runs the agent on the runtime's threads. Callers that need the end of an unfinished run have subscribed before.
    pub(crate) fn drive(runtime: &Runtime, agent: &Glove) {
        let session = agent.session().clone();
        runtime.spawn(async move { session.drive().await });
    }

    pub(crate) fn report(&self, runtime: &Runtime, id: Option<String>, response: ResponseFuture) {
        let sender = self.sender.clone();
        runtime.spawn(async move {
            let response = response.await;
            let _ = sender.send(Incoming::Done(id, Box::new(response)));
        });
    }

    /// A line on the standard input is one message.
    pub(crate) fn read_lines(&self) {
        let sender = self.sender.clone();
        thread::spawn(move || {
            for line in stdin().lock().split(b'\n').map_while(Result::ok) {
                if sender.send(Incoming::of_line(line)).is_err() {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glove_wasm::json::Json;
    use glove_wasm::ports::{DisplayPort, Show};
    use glove_wasm::system::{RandomIds, SystemClock};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_notice_is_told_once_and_also_when_it_is_gone_already() {
        let inbox = Inbox::new();
        let display = DisplayManager::new(Arc::new(RandomIds), Arc::new(SystemClock));
        let _follow = inbox.follow_display(&display);
        let show = |message: &str| Show {
            renderer: "info".to_owned(),
            input: Json::from(json!({ "message": message })),
            owner: None,
            check: None,
        };
        let id = display.push_and_forget(show("one")).unwrap();
        assert!(display.remove_slot(&id));
        let asked = display.push_and_wait(show("asked"));
        display.push_and_forget(show("two")).unwrap();
        display.resolve(&display.stack()[0].id, Json::null()).unwrap();
        drop(asked);
        let told = inbox.receiver.try_iter().filter_map(|incoming| match incoming {
            Incoming::Notice(slot) => Some(slot.input.to_string()),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), [r#"{"message":"one"}"#, r#"{"message":"two"}"#]);
    }
}
