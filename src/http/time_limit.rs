//! How long is waited for a part of an answer, and what is told when it does not come.

use crate::error::{ModelError, ModelErrorKind};

#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// The point in steady time; `u64::MAX` is none.
    pub(super) at: u64,
    after_ms: u64,
    what: &'static str,
}

impl Limit {
    /// 0 milliseconds are no limit.
    pub(super) fn new(now: u64, after_ms: u64, what: &'static str) -> Self {
        let at = if after_ms == 0 { u64::MAX } else { now.saturating_add(after_ms) };
        Limit { at, after_ms, what }
    }

    /// The one that comes first.
    pub(super) fn or(self, other: Limit) -> Limit {
        if other.at < self.at { other } else { self }
    }

    /// It may have worked all that time, which has a price, so it is not asked again without a person.
    pub(super) fn passed(self) -> ModelError {
        let Limit { what, after_ms, .. } = self;
        let message = format!("the model sent no {what} within {after_ms} ms");
        ModelError { retryable: false, ..ModelError::new(ModelErrorKind::Timeout, message) }
    }
}
