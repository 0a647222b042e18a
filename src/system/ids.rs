//! Random ids from the operating system's randomness, by way of the standard library.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ports::IdSource;

/// 128 bits in hexadecimal digits. They cannot be guessed from the outside, but are no keys: they are numbered
/// through a keyed hash (SipHash), whose keys come from the operating system once in each process.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn fresh(&self) -> String {
        static KEYS: OnceLock<[RandomState; 2]> = OnceLock::new();
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let [high, low] = KEYS.get_or_init(|| [RandomState::new(), RandomState::new()]);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let hash = |keys: &RandomState, part: u8| {
            let mut hasher = keys.build_hasher();
            hasher.write_u64(count);
            hasher.write_u8(part);
            hasher.finish()
        };
        format!("{:016x}{:016x}", hash(high, 0), hash(low, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_long_and_never_the_same() {
        let ids: HashSet<String> = (0..10_000).map(|_| RandomIds.fresh()).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(ids.iter().all(|id| id.len() == 32));
    }
}
