//! What the connections to one database have in common. Calls of one session go through one of them, one after another, in the order in
//! which they are made.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::lease::Leases;
use glove_wasm::error::{StoreError, StoreErrorKind};

pub const CONNECTIONS: usize = 8;
/// How long the database may be away before a call fails.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same when nobody waits for it any more.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Between two attempts.
pub const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct Pool {
    /// For sentences: no user and no password.
    pub place: String,
    pub leases: Leases,
    closing: AtomicBool,
}

impl Pool {
    pub fn new(place: String) -> Self {
        Pool { place, leases: Leases::default(), closing: false.into() }
    }

    /// Nobody waits for answers any more.
    pub fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Until when a call is tried that was made then. Behind others that have waited for the database, it is not tried as long again.
    pub fn patience(&self, made: Instant) -> Instant {
        let patience = if self.closing.load(Ordering::Relaxed) { LAST_WORDS } else { PATIENCE };
        (made + patience).max(Instant::now() + LAST_WORDS)
    }

    /// The error says which database it is about.
    pub fn named(&self, error: StoreError) -> StoreError {
        match error.kind {
            StoreErrorKind::Conflict | StoreErrorKind::Lost => error,
            _ => StoreError { message: format!("{}: {}", self.place, error.message), ..error },
        }
    }

    /// The line of a session among these.
    pub fn line<'a, T>(&self, lines: &'a [T], session: &str) -> Option<&'a T> {
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        lines.get(usize::try_from(hasher.finish() % lines.len().max(1) as u64).unwrap_or_default())
    }

    pub fn connection_lost(&self) -> StoreError {
        StoreError::new(StoreErrorKind::Failed, "the thread of the database has ended; open it again")
    }
}
