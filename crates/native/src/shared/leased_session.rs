//! What a store knows of its session: whether this process holds it, and whether something may be written whose answer was lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lease::{Lease, held_millis};
use super::pool::Pool;
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::Clock;
use glove_wasm::system::SystemClock;

/// Between two attempts to take a session, in milliseconds.
const PAUSE: u64 = 250;

#[derive(Debug)]
pub struct LeasedSession {
    pub lease: Arc<Lease>,
    /// Where this process is reached.
    pub address: String,
    pool: Arc<Pool>,
    /// A write has failed that may have been done.
    unsure: AtomicBool,
}

impl LeasedSession {
    pub fn new(session: String, address: String, pool: &Arc<Pool>) -> Self {
        let lease = Arc::new(Lease::new(session));
        LeasedSession { lease, address, pool: Arc::clone(pool), unsure: false.into() }
    }

    pub fn is_unsure(&self) -> bool {
        self.unsure.load(Ordering::Relaxed)
    }

    /// Waits until it can be told whether the last holder is still there.
    pub async fn acquire(
        take: impl Fn() -> BoxFuture<'static, Result<(), StoreError>>,
    ) -> Result<(), StoreError> {
        for _ in 0..(held_millis() / PAUSE + 2) {
            match take().await {
                Err(error) if error.kind == StoreErrorKind::Conflict => {}
                done => return done,
            }
            SystemClock.sleep(PAUSE).await;
        }
        take().await
    }

    /// Handles the result of a write that started at these times and takes the lease if it was free.
    pub fn wrote<T>(&self, at: [u64; 2], answer: Result<T, StoreError>) -> Result<(), StoreError> {
        let had = self.lease.had();
        let error = match answer {
            Ok(_) => {
                self.unsure.store(false, Ordering::Relaxed);
                self.lease.given(at);
                if !had {
                    self.pool.leases.add(Arc::clone(&self.lease));
                }
                return Ok(());
            }
            Err(error) => error,
        };
        if error.kind == StoreErrorKind::Conflict && had {
            self.lease.lose();
        }
        // A refused write did not happen; after any other error it may have happened.
        if matches!(error.kind, StoreErrorKind::Unavailable | StoreErrorKind::Failed) {
            self.unsure.store(true, Ordering::Relaxed);
        }
        Err(error)
    }

    /// The store is not used any more. Whether the session is to be given back.
    pub fn leave(&self) -> bool {
        self.pool.leases.remove(&self.lease);
        self.lease.had()
    }
}
