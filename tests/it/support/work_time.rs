//! How long work takes its thread. What others do on the same machine meanwhile does not count.

use std::time::Duration;

pub fn work_time(work: impl FnOnce()) -> Duration {
    let begun = now();
    work();
    now().saturating_sub(begun)
}

#[cfg(unix)]
fn now() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// With the others: nothing better is at hand.
#[cfg(not(unix))]
fn now() -> Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap()
}
