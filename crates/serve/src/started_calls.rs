//! Which calls of the endpoint's tools this process has begun.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Of so many calls it is known that they have begun, also when what they told is not kept any more.
const MAX_BEGUN: usize = 50_000;

#[derive(Default)]
pub(super) struct StartedCalls(Mutex<(HashSet<String>, VecDeque<String>)>);

impl StartedCalls {
    pub(super) fn knows(&self, call: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.contains(call)
    }

    pub(super) fn note(&self, call: &str) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, order) = &mut *begun;
        if known.insert(call.to_owned()) {
            order.push_back(call.to_owned());
        }
        if order.len() > MAX_BEGUN
            && let Some(oldest) = order.pop_front()
        {
            known.remove(&oldest);
        }
    }
}
