//! The ports to time, randomness and subscribers.

use crate::event::Event;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};

pub trait Clock: MaybeSend + MaybeSync {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;
    /// Milliseconds since a fixed point in time, unaffected by changes of the date; used to measure time limits.
    fn steady(&self) -> u64;
    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()>;
}

pub trait IdSource: MaybeSend + MaybeSync {
    /// A unique id: at least 96 random bits, in characters that are safe in a URL.
    fn fresh(&self) -> String;
}

/// Receives all events. A closure `Fn(Option<&str>, &Event)` is a subscriber.
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
