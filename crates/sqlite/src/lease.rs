//! Who may write to a session: one holder at a time, for some seconds that it keeps renewing. Every write looks whether it still
//! holds the session, in its own transaction, so a process that slept through its time is refused.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};

use super::failure::failed;
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::ports::{Clock, IdSource};
use glove_wasm::system::{RandomIds, SystemClock};

/// How long a session stays with a holder that does not show itself.
pub(super) const HELD: Duration = Duration::from_secs(4);
pub(super) const RENEWED: Duration = Duration::from_secs(1);
/// Holders that end within this time after one another are counted.
const IN_A_ROW: Duration = Duration::from_secs(600);

#[derive(Debug, Clone)]
pub(super) struct Lease {
    pub(super) session: String,
    pub(super) holder: String,
    /// The lease is certain until these times: by the wall clock, which other processes use, and by the monotonic clock.
    sure_until: Arc<[AtomicU64; 2]>,
}

impl Lease {
    pub(super) fn new(session: String, holder: String) -> Self {
        Lease { session, holder, sure_until: Arc::default() }
    }

    pub(super) fn is_sure(&self) -> bool {
        let [wall, steady] = &*self.sure_until;
        SystemClock.now() < wall.load(Ordering::Relaxed)
            && SystemClock.steady() < steady.load(Ordering::Relaxed)
    }

    /// It was written at these times, by both clocks.
    fn prolong(&self, [at, steadily]: [u64; 2]) {
        let [wall, steady] = &*self.sure_until;
        let held = u64::try_from(HELD.as_millis()).unwrap_or_default();
        wall.store(at + held, Ordering::Relaxed);
        steady.store(steadily + held, Ordering::Relaxed);
    }
}

impl PartialEq for Lease {
    fn eq(&self, other: &Self) -> bool {
        self.holder == other.holder
    }
}

/// Now, by both clocks.
pub(super) fn times() -> [u64; 2] {
    [SystemClock.now(), SystemClock.steady()]
}

/// Who holds a session, and until when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LeaseRow {
    pub(super) holder: Option<String>,
    until: i64,
}

impl LeaseRow {
    pub(super) fn is_by(&self, holder: &str) -> bool {
        self.holder.as_deref() == Some(holder)
    }

    /// By anybody else who lives. One that ends later than any that is given now comes from a clock that was set back.
    fn is_taken(&self, holder: &str) -> bool {
        let now = now();
        let taken = !self.is_by(holder) && self.until > now && self.until <= now + millis(HELD);
        taken && self.holder.as_deref().is_some_and(|holder| !has_died(holder))
    }
}

/// A new holder: its process, where that number counts, and what nobody else has.
pub(super) fn new_holder() -> String {
    format!("{}-{}-{}", std::process::id(), machine(), RandomIds.fresh())
}

/// The process has ended, as far as it can be seen from here: numbers of processes count since a machine was started, and in a
/// container of their own.
fn has_died(holder: &str) -> bool {
    let mut parts = holder.split('-');
    let (Some(process), Some(place)) = (parts.next(), parts.next()) else { return false };
    !place.is_empty() && place == machine() && !Path::new("/proc").join(process).exists()
}

/// Empty where it cannot be told.
fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let container = std::fs::read_link("/proc/self/ns/pid");
    let (Ok(boot), Ok(container)) = (boot, container) else { return String::new() };
    let name = format!("{}{}", boot, container.display());
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

pub(super) fn now() -> i64 {
    i64::try_from(SystemClock.now()).unwrap_or(i64::MAX)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn lease_row(connection: &Connection, session: &str) -> Result<LeaseRow, StoreError> {
    let query = "SELECT holder, held_until FROM glove_runs WHERE session_id = ?1";
    let mut statement = connection.prepare_cached(query).map_err(|error| failed(&error))?;
    let found = statement
        .query_row([session], |row| Ok(LeaseRow { holder: row.get(0)?, until: row.get(1)? }))
        .optional();
    Ok(found.map_err(|error| failed(&error))?.unwrap_or_default())
}

/// Call inside a write transaction. With `had`, this holder had the lease before: fails if another holder had it since.
pub(super) fn take(connection: &Connection, lease: &Lease, had: bool) -> Result<(), StoreError> {
    let found = lease_row(connection, &lease.session)?;
    if found.is_taken(&lease.holder) {
        return Err(in_use(&lease.session, found.holder.as_deref().unwrap_or_default()));
    }
    if had && !found.is_by(&lease.holder) {
        return Err(taken_over(&lease.session));
    }
    if found.holder.is_some() && !found.is_by(&lease.holder) {
        count_death(connection, &lease.session)?;
    }
    write(connection, lease)
}

/// The last holder gave nothing back; where it was at work, it ended in the middle of it.
fn count_death(connection: &Connection, session: &str) -> Result<(), StoreError> {
    let update =
        "UPDATE glove_runs SET deaths = CASE WHEN died_at > ?2 THEN deaths + 1 ELSE 1 END, died_at = ?3
         WHERE session_id = ?1 AND phase NOT IN ('idle', 'waiting', 'paused')";
    let now = now();
    let counted = connection.execute(update, (session, now.saturating_sub(millis(IN_A_ROW)), now));
    counted.map(drop).map_err(|error| failed(&error))
}

fn write(connection: &Connection, lease: &Lease) -> Result<(), StoreError> {
    let until = now().saturating_add(millis(HELD));
    let update = "UPDATE glove_runs SET holder = ?2, held_until = ?3 WHERE session_id = ?1";
    let mut statement = connection.prepare_cached(update).map_err(|error| failed(&error))?;
    statement.execute((&lease.session, &lease.holder, until)).map_err(|error| failed(&error))?;
    Ok(())
}

/// What `take` wrote is stored.
pub(super) fn taken(leases: &mut Vec<Lease>, lease: &Lease, at: [u64; 2]) {
    lease.prolong(at);
    if !leases.contains(lease) {
        leases.push(lease.clone());
    }
}

/// A lease that somebody else has taken stays theirs; the next write says so.
pub(super) fn renew(connection: &Connection, leases: &[Lease]) {
    let at = times();
    let until = now().saturating_add(millis(HELD));
    for lease in leases {
        let update = "UPDATE glove_runs SET held_until = ?3 WHERE session_id = ?1 AND holder = ?2";
        // A lease that cannot be renewed runs out, which the next write finds.
        if connection.execute(update, (&lease.session, &lease.holder, until)) == Ok(1) {
            lease.prolong(at);
        }
    }
}

/// It runs out where that fails.
pub(super) fn give_back(connection: &Connection, lease: &Lease) {
    let update = "UPDATE glove_runs SET holder = NULL, held_until = 0 WHERE session_id = ?1 AND holder = ?2";
    let _ = connection.execute(update, (&lease.session, &lease.holder));
}

fn in_use(session: &str, holder: &str) -> StoreError {
    let process = holder.split('-').next().unwrap_or_default();
    let message = format!(
        "the session `{session}` is open in another process ({process}); nothing was written. Close it there, or wait \
         {} seconds if that process has died",
        HELD.as_secs()
    );
    StoreError::new(StoreErrorKind::Conflict, message)
}

fn taken_over(session: &str) -> StoreError {
    let message = format!(
        "another process has taken over the session `{session}`; nothing was written. Reopen it to continue"
    );
    StoreError::new(StoreErrorKind::Conflict, message)
}
