//! Time and ids that are the same in every run of a test.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;

use crate::portable::BoxFuture;
use crate::ports::{Clock, IdSource};

/// A clock that moves when it is told. Clones are the same clock.
#[derive(Debug, Clone, Default)]
pub struct FakeClock(Arc<Mutex<Time>>);

#[derive(Debug, Default)]
struct Time {
    /// The steady time.
    now: u64,
    /// The date, where it was set to something else.
    date: Option<(u64, u64)>,
    sleepers: Vec<(u64, oneshot::Sender<()>)>,
}

impl FakeClock {
    pub fn at(now: u64) -> Self {
        FakeClock(Arc::new(Mutex::new(Time { now, ..Time::default() })))
    }

    pub fn advance(&self, ms: u64) {
        let woken: Vec<_> = {
            let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            time.now += ms;
            let now = time.now;
            time.sleepers.extract_if(.., |(until, _)| *until <= now).collect()
        };
        for (_, sleeper) in woken {
            let _ = sleeper.send(());
        }
    }

    /// Sets the date; what waits goes on as before.
    pub fn set_date(&self, date: u64) {
        let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        time.date = Some((date, time.now));
    }

    /// How many wait for their time.
    pub fn sleepers(&self) -> usize {
        let time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        time.sleepers.iter().filter(|(_, sleeper)| !sleeper.is_canceled()).count()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> u64 {
        let time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        time.date.map_or(time.now, |(date, since)| date + (time.now - since))
    }

    fn steady(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).now
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        let (wake, woken) = oneshot::channel();
        let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = time.now.saturating_add(ms);
        if ms == 0 {
            let _ = wake.send(());
        } else {
            time.sleepers.push((until, wake));
        }
        Box::pin(async move {
            let _ = woken.await;
        })
    }
}

/// `prefix1`, `prefix2`, …
#[derive(Debug)]
pub struct SequentialIds {
    prefix: String,
    last: AtomicU64,
}

impl SequentialIds {
    pub fn new(prefix: impl Into<String>) -> Self {
        SequentialIds { prefix: prefix.into(), last: AtomicU64::new(0) }
    }
}

impl IdSource for SequentialIds {
    fn fresh(&self) -> String {
        format!("{}{}", self.prefix, self.last.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
