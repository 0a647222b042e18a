//! The ports to time, randomness and those who listen.

use crate::event::Event;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};

pub trait Clock: MaybeSend + MaybeSync {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;
    /// Milliseconds since any point in time, also when the date is set anew: what is waited for is measured with these.
    fn steady(&self) -> u64;
    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()>;
}

pub trait IdSource: MaybeSend + MaybeSync {
    /// An id that no other session has: at least 96 random bits, in letters that are safe in a URL.
    fn fresh(&self) -> String;
}

/// Someone who is told of everything that happens. A closure `Fn(Option<&str>, &Event)` is one.
pub trait Subscriber: MaybeSend + MaybeSync {
    /// `request` is the request that this belongs to. Called in order, and never while anything is locked, so a
    /// subscriber may call back into the session; what takes long belongs elsewhere, since the run waits.
    fn record(&self, request: Option<&str>, event: &Event);
}

impl<F: Fn(Option<&str>, &Event) + MaybeSend + MaybeSync> Subscriber for F {
    fn record(&self, request: Option<&str>, event: &Event) {
        self(request, event);
    }
}
