//! Waiting tasks drive the driver in turns: each locks it for one poll.
//!
//! No lock is held between polls, so a future that is held but not polled blocks nobody. A wake-up wakes every waiting
//! task; the first one to be polled drives for all of them.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Wake, Waker};

use crate::error::Error;
use crate::portable::BoxFuture;
use crate::runtime::driver::Driver;

pub(crate) struct SharedDriver {
    driver: Mutex<Driver>,
    waiting: Arc<Waiting>,
    next: AtomicU64,
    /// Somebody came while another one was driving, and went to sleep.
    missed: AtomicBool,
}

/// By their numbers; a handful at most.
#[derive(Default)]
struct Waiting(Mutex<Vec<(u64, Waker)>>);

impl SharedDriver {
    pub(crate) fn new(driver: Driver) -> Self {
        SharedDriver {
            driver: Mutex::new(driver),
            waiting: Arc::default(),
            next: AtomicU64::new(0),
            missed: AtomicBool::new(false),
        }
    }

    /// Drives until the session is closed. Boxed: an `async fn` is compiled again by each crate that waits for it, and so is what it
    /// waits for itself.
    pub(crate) fn drive(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.each_poll(|driver, context| pin!(driver.drive()).poll(context)))
    }

    /// Drives until the stored run is read. Boxed as [`SharedDriver::drive`] is.
    pub(crate) fn open(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(self.each_poll(|driver, context| pin!(driver.open()).poll(context)))
    }

    async fn each_poll<T>(&self, poll: impl Fn(&mut Driver, &mut Context<'_>) -> Poll<T>) -> T {
        let place = Place { number: self.next.fetch_add(1, Ordering::Relaxed), waiting: &self.waiting };
        let all = Waker::from(Arc::clone(&self.waiting));
        poll_fn(|context| {
            place.wait(context.waker());
            let free = self.try_take().or_else(|| {
                // Set before the second try: the task that holds the lock reads it after it unlocks.
                self.missed.store(true, Ordering::SeqCst);
                self.try_take()
            });
            let Some(mut driver) = free else { return Poll::Pending };
            let result = poll(&mut driver, &mut Context::from_waker(&all));
            drop(driver);
            if self.missed.swap(false, Ordering::SeqCst) {
                all.wake_by_ref();
            }
            result
        })
        .await
    }

    fn try_take(&self) -> Option<MutexGuard<'_, Driver>> {
        match self.driver.try_lock() {
            Ok(driver) => Some(driver),
            // A tool panicked; all that is in flight is still held as it was.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Waiting {
    fn all(&self) -> MutexGuard<'_, Vec<(u64, Waker)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Waking runs foreign code, so it is done with nothing locked.
        let all = self.all().clone();
        for (_, waker) in all {
            waker.wake();
        }
    }
}

/// A waiting task; removed when its future is dropped.
struct Place<'a> {
    number: u64,
    waiting: &'a Waiting,
}

impl Place<'_> {
    fn wait(&self, waker: &Waker) {
        let mut all = self.waiting.all();
        match all.iter_mut().find(|(number, _)| *number == self.number) {
            Some((_, known)) => known.clone_from(waker),
            None => all.push((self.number, waker.clone())),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut all = self.waiting.all();
        if let Some(at) = all.iter().position(|(number, _)| *number == self.number) {
            all.swap_remove(at);
        }
    }
}
