//! A call in this process: an engine on a thread, which nothing ends from outside. One that runs on after its call is counted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use futures_channel::mpsc::UnboundedSender;

use super::engine::{self, THREAD_STACK};
use super::job::{Job, Message};
use super::watch::{WatchEvent, watch};

/// So many engines may run on after their calls before no other begins.
pub(super) const MAX_LEAKED: usize = 4;

/// The engines that run on after their calls.
pub(super) struct LeakedEngines(AtomicUsize);

pub(super) static LEAKED: LeakedEngines = LeakedEngines::new();

impl LeakedEngines {
    pub(super) const fn new() -> Self {
        LeakedEngines(AtomicUsize::new(0))
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= MAX_LEAKED
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(PartialEq)]
enum EngineState {
    Works,
    /// Its call is over.
    Leaked,
    /// Its code has come back.
    Ends,
}

/// One engine, and whether it runs on.
struct Engine {
    stands: Mutex<EngineState>,
    leaked: &'static LeakedEngines,
}

impl Engine {
    fn turn(&self, to: EngineState) {
        let mut stands = self.stands.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*stands, &to) {
            (EngineState::Works, EngineState::Leaked) => _ = self.leaked.0.fetch_add(1, Ordering::Relaxed),
            (EngineState::Leaked, EngineState::Ends) => _ = self.leaked.0.fetch_sub(1, Ordering::Relaxed),
            (EngineState::Works, EngineState::Ends) => {}
            _ => return,
        }
        *stands = to;
    }
}

/// Runs the job until its end, or the end of its time.
pub(super) fn start(
    job: Job,
    answers: Receiver<Message>,
    (to_watch, events): (Sender<WatchEvent>, Receiver<WatchEvent>),
    messages: UnboundedSender<Message>,
    leaked: &'static LeakedEngines,
) -> std::io::Result<()> {
    let time = job.time;
    let stopped = Arc::new(AtomicBool::new(false));
    let engine = Arc::new(Engine { stands: Mutex::new(EngineState::Works), leaked });
    let (stop, works) = (Arc::clone(&stopped), Arc::clone(&engine));
    let thread = Builder::new().name("glove-sandbox".to_owned()).stack_size(THREAD_STACK);
    thread.spawn(move || {
        let say = move |message| drop(to_watch.send(WatchEvent::Message(message)));
        // The last word ends the call, and not the engine: code may have said it and run on.
        engine::run(&job, &stop, &answers, say, move || works.turn(EngineState::Ends));
    })?;
    let watches = Builder::new().name("glove-sandbox-time".to_owned());
    let stop = Arc::clone(&stopped);
    let watched = watches.spawn(move || {
        watch(&events, time, &messages);
        stop.store(true, Ordering::Relaxed);
        engine.turn(EngineState::Leaked);
    });
    if watched.is_err() {
        stopped.store(true, Ordering::Relaxed);
    }
    watched.map(drop)
}
