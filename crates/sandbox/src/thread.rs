//! A call in this process: an engine on a thread, which nothing ends from outside. One that runs on after its call is counted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use futures_channel::mpsc::UnboundedSender;

use super::engine::{self, THREAD_STACK};
use super::job::{Job, Said};
use super::watch::{Heard, watch};

/// So many engines may run on after their calls before no other begins.
pub(super) const MOST_LEFT: usize = 4;

/// The engines that run on after their calls.
pub(super) struct Left(AtomicUsize);

pub(super) static LEFT: Left = Left::new();

impl Left {
    pub(super) const fn new() -> Self {
        Left(AtomicUsize::new(0))
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= MOST_LEFT
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(PartialEq)]
enum Stands {
    Works,
    /// Its call is over.
    Left,
    /// Its code has come back.
    Ends,
}

/// One engine, and whether it runs on.
struct Engine {
    stands: Mutex<Stands>,
    left: &'static Left,
}

impl Engine {
    fn turn(&self, to: Stands) {
        let mut stands = self.stands.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*stands, &to) {
            (Stands::Works, Stands::Left) => _ = self.left.0.fetch_add(1, Ordering::Relaxed),
            (Stands::Left, Stands::Ends) => _ = self.left.0.fetch_sub(1, Ordering::Relaxed),
            (Stands::Works, Stands::Ends) => {}
            _ => return,
        }
        *stands = to;
    }
}

/// Runs the job until its end, or the end of its time.
pub(super) fn start(
    job: Job,
    answers: Receiver<Said>,
    (hears, heard): (Sender<Heard>, Receiver<Heard>),
    told: UnboundedSender<Said>,
    left: &'static Left,
) -> std::io::Result<()> {
    let time = job.time;
    let stopped = Arc::new(AtomicBool::new(false));
    let engine = Arc::new(Engine { stands: Mutex::new(Stands::Works), left });
    let (stop, works) = (Arc::clone(&stopped), Arc::clone(&engine));
    let thread = Builder::new().name("glove-sandbox".to_owned()).stack_size(THREAD_STACK);
    thread.spawn(move || {
        let say = move |said| drop(hears.send(Heard::Said(said)));
        // The last word ends the call, and not the engine: code may have said it and run on.
        engine::run(&job, &stop, &answers, say, move || works.turn(Stands::Ends));
    })?;
    let watches = Builder::new().name("glove-sandbox-time".to_owned());
    let stop = Arc::clone(&stopped);
    let watched = watches.spawn(move || {
        watch(&heard, time, &told);
        stop.store(true, Ordering::Relaxed);
        engine.turn(Stands::Left);
    });
    if watched.is_err() {
        stopped.store(true, Ordering::Relaxed);
    }
    watched.map(drop)
}
