//! A limit that moves while one waits: there is one timer, which is set anew when it fires and not when the limit moves.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, ready};

use crate::portable::BoxFuture;
use crate::ports::Clock;

pub(crate) struct Deadline {
    clock: Arc<dyn Clock>,
    /// When it fires.
    timer: Option<(u64, BoxFuture<'static, ()>)>,
}

impl Deadline {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Deadline { clock, timer: None }
    }

    /// `None` when the time comes first. `u64::MAX` is no limit.
    pub(crate) async fn within<T>(&mut self, until: u64, mut work: BoxFuture<'_, T>) -> Option<T> {
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            if until == u64::MAX {
                return Poll::Pending;
            }
            loop {
                match &mut self.timer {
                    Some((at, timer)) if *at <= until => {
                        ready!(timer.as_mut().poll(context));
                        let is_time = *at == until;
                        self.timer = None;
                        if is_time {
                            return Poll::Ready(None);
                        }
                    }
                    _ => {
                        let left = until.saturating_sub(self.clock.steady());
                        self.timer = Some((until, self.clock.sleep(left)));
                    }
                }
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::task::{Context, Waker};

    use super::*;
    use crate::testing::FakeClock;

    fn poll<T>(work: impl Future<Output = T>) -> Poll<T> {
        std::pin::pin!(work).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_limit_that_moves_on_needs_no_further_timer() {
        let clock = FakeClock::at(0);
        let mut deadline = Deadline::new(Arc::new(clock.clone()));
        for now in 0..50 {
            assert_eq!(poll(deadline.within(now + 60, Box::pin(pending::<()>()))), Poll::Pending);
            assert_eq!(clock.sleepers(), 1);
            clock.advance(1);
        }
        // The timer of the first limit has long fired when the last one comes.
        clock.advance(59);
        assert_eq!(poll(deadline.within(110, Box::pin(pending::<()>()))), Poll::Pending);
        clock.advance(1);
        assert_eq!(poll(deadline.within(110, Box::pin(pending::<()>()))), Poll::Ready(None));
    }

    #[test]
    fn a_nearer_limit_is_kept_and_work_that_is_done_comes_first() {
        let clock = FakeClock::at(0);
        let mut deadline = Deadline::new(Arc::new(clock.clone()));
        assert_eq!(poll(deadline.within(60, Box::pin(pending::<()>()))), Poll::Pending);
        assert_eq!(poll(deadline.within(5, Box::pin(pending::<()>()))), Poll::Pending);
        clock.advance(5);
        assert_eq!(poll(deadline.within(5, Box::pin(ready(1)))), Poll::Ready(Some(1)));
        assert_eq!(poll(deadline.within(5, Box::pin(pending::<()>()))), Poll::Ready(None));
        assert_eq!(poll(deadline.within(u64::MAX, Box::pin(pending::<()>()))), Poll::Pending);
    }
}
