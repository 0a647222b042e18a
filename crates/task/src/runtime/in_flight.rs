//! What is known of the calls of the step that runs.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

#[derive(Default)]
pub(super) struct Watch {
    /// The run was told to begin nothing more.
    halted: AtomicBool,
    models: AtomicUsize,
    /// When a model last said something.
    last_sign: AtomicU64,
    /// When the time of the step is used up.
    until: AtomicU64,
    /// A model was to be asked after that, and was not.
    refused: AtomicBool,
}

impl Watch {
    pub(super) fn begin(&self, until: u64) {
        self.until.store(until, Ordering::Release);
        self.refused.store(false, Ordering::Release);
        self.halted.store(false, Ordering::Release);
    }

    pub(super) fn refuse(&self) {
        self.refused.store(true, Ordering::Release);
    }

    pub(super) fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Acquire)
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        now >= self.until.load(Ordering::Acquire)
    }

    /// True where it was told before.
    pub(super) fn halt(&self) -> bool {
        self.halted.swap(true, Ordering::AcqRel)
    }

    /// A model was asked.
    pub(super) fn asked(&self) {
        self.models.fetch_add(1, Ordering::AcqRel);
    }

    /// A model has answered, or its call was dropped.
    pub(super) fn answered(&self) {
        self.models.fetch_sub(1, Ordering::AcqRel);
    }

    pub(super) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Acquire)
    }

    /// Since when a model that was asked says nothing.
    pub(super) fn silent_since(&self) -> Option<u64> {
        (self.models.load(Ordering::Acquire) > 0).then(|| self.last_sign.load(Ordering::Acquire))
    }

    pub(super) fn sign(&self, now: u64) {
        self.last_sign.fetch_max(now, Ordering::AcqRel);
    }
}
