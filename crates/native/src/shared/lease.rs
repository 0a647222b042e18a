//! Who may write to a session that servers share: one holder at a time, for some seconds that it keeps renewing. The database says who,
//! by its own clock, with each write.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::ports::{Clock, IdSource};
use glove_wasm::system::{RandomIds, SystemClock};

/// How long a session stays with a holder that does not show itself, by the clock of the database.
pub const HELD: Duration = Duration::from_secs(4);
pub const RENEWED: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Lease {
    pub session: String,
    pub holder: String,
    /// It was held at some time.
    had: AtomicBool,
    /// Another holder has it.
    lost: AtomicBool,
    /// The lease is certain until these times: by the wall clock, which other processes use, and by the monotonic clock.
    sure_until: [AtomicU64; 2],
}

/// Now, by both clocks.
pub fn times() -> [u64; 2] {
    [SystemClock.now(), SystemClock.steady()]
}

pub fn held_millis() -> u64 {
    u64::try_from(HELD.as_millis()).unwrap_or_default()
}

impl Lease {
    pub fn new(session: String) -> Self {
        let holder = RandomIds.fresh();
        Lease { session, holder, had: false.into(), lost: false.into(), sure_until: Default::default() }
    }

    pub fn had(&self) -> bool {
        self.had.load(Ordering::Relaxed)
    }

    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    pub fn is_sure(&self) -> bool {
        times().iter().zip(&self.sure_until).all(|(now, until)| *now < until.load(Ordering::Relaxed))
    }

    /// It was asked for at these times, and given.
    pub fn given(&self, at: [u64; 2]) {
        for (at, until) in at.iter().zip(&self.sure_until) {
            until.store(at + held_millis(), Ordering::Relaxed);
        }
        self.had.store(true, Ordering::Relaxed);
    }

    pub fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
        self.sure_until.iter().for_each(|until| until.store(0, Ordering::Relaxed));
    }
}

/// The sessions that this process holds in one database. One connection renews them all.
#[derive(Debug, Default)]
pub struct Leases(Mutex<Vec<Arc<Lease>>>);

impl Leases {
    fn locked(&self) -> MutexGuard<'_, Vec<Arc<Lease>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn all(&self) -> Vec<Arc<Lease>> {
        self.locked().clone()
    }

    /// Who of this process holds the session.
    pub fn holders(&self, session: &str) -> Vec<String> {
        let leases = self.locked();
        leases.iter().filter(|lease| lease.session == session).map(|lease| lease.holder.clone()).collect()
    }

    /// These were asked for at these times, and given to `holders` alone.
    pub fn renewed(&self, asked: &[Arc<Lease>], at: [u64; 2], holders: Vec<String>) {
        let holders: HashSet<String> = holders.into_iter().collect();
        for lease in asked {
            match holders.contains(&lease.holder) {
                true => lease.given(at),
                false => lease.lose(),
            }
        }
        self.locked().retain(|lease| !lease.is_lost());
    }

    pub fn add(&self, lease: Arc<Lease>) {
        self.locked().push(lease);
    }

    pub fn remove(&self, lease: &Lease) {
        self.locked().retain(|one| one.holder != lease.holder);
    }
}

/// What a database says in codes of ours when it refuses a write.
pub fn refusal(code: &str) -> Option<StoreError> {
    let (kind, what) = match code {
        "GL001" => (
            StoreErrorKind::Conflict,
            "the session is open in another process; nothing was written. Close it there, or wait some seconds if that process has died",
        ),
        "GL002" => (
            StoreErrorKind::Conflict,
            "another process has taken over the session; nothing was written. Reopen it to continue",
        ),
        "GL003" => (
            StoreErrorKind::Conflict,
            "another process has written to the session; nothing was written. Reopen it to continue",
        ),
        "GL004" => (StoreErrorKind::Lost, "the session was deleted meanwhile; nothing was written"),
        _ => return None,
    };
    Some(StoreError::new(kind, what))
}
