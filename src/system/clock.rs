//! The system's clock. One thread, started when something first sleeps, wakes all sleepers of the process.

use std::collections::BinaryHeap;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_channel::oneshot;

use crate::portable::BoxFuture;
use crate::ports::Clock;

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn steady(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        u64::try_from(START.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        let (wake, woken) = oneshot::channel();
        // A time too far away to be told is as good as never.
        if let Some(until) = Instant::now().checked_add(Duration::from_millis(ms)) {
            let sleeper = Sleeper { until, wake };
            if let Err(refused) = timer().send(sleeper) {
                // Without the thread (it could not be started) nothing may wait for ever.
                let _ = refused.0.wake.send(());
            }
        }
        Box::pin(async move {
            if woken.await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

struct Sleeper {
    until: Instant,
    wake: oneshot::Sender<()>,
}

fn timer() -> &'static Sender<Sleeper> {
    static TIMER: OnceLock<Sender<Sleeper>> = OnceLock::new();
    TIMER.get_or_init(|| {
        let (sender, receiver) = channel();
        // A thread that cannot be started drops the receiver, and `sleep` sees that.
        let _ = thread::Builder::new().name("glove-timer".to_owned()).spawn(move || wake_sleepers(&receiver));
        sender
    })
}

fn wake_sleepers(new: &Receiver<Sleeper>) {
    let mut sleepers = BinaryHeap::new();
    loop {
        let next = match sleepers.peek() {
            None => new.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(Sleeper { until, .. }) => new.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match next {
            Ok(sleeper) => sleepers.push(sleeper),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let now = Instant::now();
        while sleepers.peek().is_some_and(|first| first.until <= now) {
            if let Some(first) = sleepers.pop() {
                let _ = first.wake.send(());
            }
        }
    }
}

// The heap gives its greatest first, so the sleeper that wakes first is the greatest.
impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.until.cmp(&self.until)
    }
}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.until == other.until
    }
}

impl Eq for Sleeper {}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::{Either, join, select};

    #[test]
    fn steady_time_goes_on_while_one_sleeps() {
        let before = SystemClock.steady();
        futures_executor::block_on(SystemClock.sleep(20));
        let slept = SystemClock.steady() - before;
        assert!((19..10_000).contains(&slept), "{slept}");
    }

    #[test]
    fn sleepers_wake_in_the_order_of_their_times() {
        let clock = SystemClock;
        let (long, short) = (clock.sleep(200), clock.sleep(5));
        let first = futures_executor::block_on(select(long, short));
        assert!(matches!(first, Either::Right(_)), "the short sleep ended last");
        let started_at = Instant::now();
        futures_executor::block_on(join(clock.sleep(10), clock.sleep(20)));
        assert!(started_at.elapsed() >= Duration::from_millis(20));
    }
}
