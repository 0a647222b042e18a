//! Returns memory to the system after most connections have closed. The allocator would keep it, because small long-lived blocks lie
//! behind it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::sleep;

/// What fewer connections took is not worth it.
const FEW: u64 = 64;
/// What a connection had is let go shortly after it.
const SHORTLY: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct HeapTrim {
    /// So many connections there were at once since memory was given back.
    most: AtomicU64,
}

impl HeapTrim {
    pub(super) fn connected(&self, connections: u64) {
        self.most.fetch_max(connections, Ordering::Relaxed);
    }

    /// Each time that half of them are gone, so that a million that come and go are looked at twenty times.
    pub(super) fn disconnected(&self, connections: u64) {
        let most = self.most.load(Ordering::Relaxed);
        let are_gone = most >= FEW && connections <= most / 2;
        let exchange = || self.most.compare_exchange(most, connections, Ordering::Relaxed, Ordering::Relaxed);
        if are_gone && exchange().is_ok() {
            tokio::spawn(async {
                sleep(SHORTLY).await;
                let _ = tokio::task::spawn_blocking(trim).await;
            });
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "nothing safe asks glibc for it")]
fn trim() {
    // SAFETY: it takes no pointer, and may be called by any thread at any time.
    unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
