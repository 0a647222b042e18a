//! Waits that end: a test that waits for ever costs the results of all others.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Longer than the longest of the tests that run by default takes on a busy machine.
const LONGEST: Duration = Duration::from_secs(240);

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The output of a future that this thread drives.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let begun = Instant::now();
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        let left = LONGEST.saturating_sub(begun.elapsed());
        assert!(!left.is_zero(), "a future did not end within {LONGEST:?}");
        thread::park_timeout(left);
    }
}

/// Looks again and again until `is` is true.
#[track_caller]
pub fn until(mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(60), "what was waited for did not happen");
        thread::sleep(Duration::from_millis(5));
    }
}
