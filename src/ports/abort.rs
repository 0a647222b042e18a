//! Cancellation of work in progress.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Fires once, for every clone. Cancelled work is also dropped, so the signal is for what dropping does not
/// reach: a request in another process, a promise of the page.
#[derive(Debug, Clone, Default)]
pub struct AbortSignal(Arc<SignalState>);

#[derive(Debug, Default)]
struct SignalState {
    fired: AtomicBool,
    /// One for each future that waits.
    waiting: Mutex<Vec<Waker>>,
}

/// The side that fires an [`AbortSignal`].
#[derive(Debug, Default, Clone)]
pub struct AbortHandle {
    signal: AbortSignal,
}

impl AbortHandle {
    pub fn new() -> Self {
        AbortHandle::default()
    }

    pub fn signal(&self) -> AbortSignal {
        self.signal.clone()
    }

    pub fn abort(&self) {
        self.signal.0.fired.store(true, Ordering::Release);
        let waiting = std::mem::take(&mut *self.signal.0.waiting());
        // Waking runs foreign code, so it is done with nothing locked.
        for waker in waiting {
            waker.wake();
        }
    }
}

impl AbortSignal {
    pub fn is_aborted(&self) -> bool {
        self.0.fired.load(Ordering::Acquire)
    }

    /// Ends when the signal fires; never, if it does not.
    pub fn aborted(&self) -> impl Future<Output = ()> + use<> {
        let (signal, mut place) = (self.clone(), None);
        poll_fn(move |context| {
            let mut waiting = signal.0.waiting();
            // Looked at under the lock, so that it cannot fire between this and the waiting.
            if signal.is_aborted() {
                return Poll::Ready(());
            }
            match place.and_then(|place: usize| waiting.get_mut(place)) {
                Some(known) => known.clone_from(context.waker()),
                None => {
                    place = Some(waiting.len());
                    waiting.push(context.waker().clone());
                }
            }
            Poll::Pending
        })
    }
}

impl SignalState {
    fn waiting(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::poll;

    #[test]
    fn a_signal_fires_for_every_clone_and_not_because_its_handle_is_gone() {
        futures_executor::block_on(async {
            let (dropped, handle) = (AbortHandle::new().signal(), AbortHandle::new());
            let mut never = Box::pin(dropped.aborted());
            let mut fires = Box::pin(handle.signal().aborted());
            assert!(poll!(&mut never).is_pending() && poll!(&mut fires).is_pending());
            handle.abort();
            handle.abort();
            assert!(poll!(&mut never).is_pending() && poll!(&mut fires).is_ready());
            assert_eq!((dropped.is_aborted(), handle.signal().is_aborted()), (false, true));
        });
    }
}
