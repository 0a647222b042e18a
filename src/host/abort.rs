//! Telling work in flight that nobody waits for it any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;
use futures_util::FutureExt;
use futures_util::future::Shared;

/// Fires once, for every clone. Work that was cancelled is also dropped, so a signal is for what dropping does not
/// reach: a request in another process, a promise of the page.
#[derive(Debug, Clone)]
pub struct AbortSignal {
    fired: Arc<AtomicBool>,
    wait: Shared<oneshot::Receiver<()>>,
    // Kept by the signals too, so that a handle that is dropped without firing fires nothing.
    sender: Arc<Mutex<Option<oneshot::Sender<()>>>>,
}

/// The side that fires an [`AbortSignal`].
#[derive(Debug)]
pub struct AbortHandle {
    signal: AbortSignal,
}

impl AbortHandle {
    pub fn new() -> Self {
        let (sender, receiver) = oneshot::channel();
        AbortHandle {
            signal: AbortSignal {
                fired: Arc::default(),
                wait: receiver.shared(),
                sender: Arc::new(Mutex::new(Some(sender))),
            },
        }
    }

    pub fn signal(&self) -> AbortSignal {
        self.signal.clone()
    }

    pub fn abort(&self) {
        self.signal.fired.store(true, Ordering::Release);
        let sender = self.signal.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Outside the lock: sending wakes foreign code.
        if let Some(sender) = sender {
            let _ = sender.send(());
        }
    }
}

impl Default for AbortHandle {
    fn default() -> Self {
        AbortHandle::new()
    }
}

impl AbortSignal {
    pub fn is_aborted(&self) -> bool {
        self.fired.load(Ordering::Acquire)
    }

    /// Ends when the signal fires; never, if it does not.
    pub fn aborted(&self) -> impl Future<Output = ()> + use<> {
        let signal = self.clone();
        async move {
            let _ = signal.wait.clone().await;
        }
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
