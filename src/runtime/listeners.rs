//! A set of listeners. A listener may be added or removed at any time, also from inside its own call.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use crate::error::Error;
use crate::event::Event;
use crate::portable::{MaybeSend, MaybeSync};
use crate::ports::Subscriber;
use crate::runtime::response::Response;

pub(crate) struct Listeners<L: ?Sized> {
    list: Arc<List<L>>,
    next: AtomicU64,
}

/// Replaced as a whole, so that telling works on the list as it was when it began, with nothing locked.
struct List<L: ?Sized>(RwLock<Arc<Numbered<L>>>);

type Numbered<L> = Vec<(u64, Arc<L>)>;

impl<L: ?Sized + MaybeSend + MaybeSync + 'static> Listeners<L> {
    pub(crate) fn join(&self, listener: Arc<L>) -> Subscription {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.list.change(|list| list.push((number, listener)));
        let list: Weak<List<L>> = Arc::downgrade(&self.list);
        Subscription { list, number }
    }

    pub(crate) fn each(&self, mut tell: impl FnMut(&L)) {
        for (_, listener) in self.list.now().iter() {
            tell(listener);
        }
    }
}

impl Listeners<dyn Subscriber> {
    pub(crate) fn tell(&self, request: Option<&str>, event: &Event) {
        self.each(|listener| listener.record(request, event));
    }
}

impl<L: ?Sized> List<L> {
    fn now(&self) -> Arc<Numbered<L>> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Numbered<L>)) {
        let mut list = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = list.as_ref().clone();
        change(&mut next);
        let before = std::mem::replace(&mut *list, Arc::new(next));
        drop(list);
        // A listener that goes may run code of its own, so it goes after the lock.
        drop(before);
    }
}

impl<L: ?Sized> Default for Listeners<L> {
    fn default() -> Self {
        Listeners { list: Arc::new(List(RwLock::default())), next: AtomicU64::new(0) }
    }
}

/// Told that the run has moved, after all that followed was begun. A closure `Fn()` is one.
pub trait Follower: MaybeSend + MaybeSync {
    fn on_change(&self);

    /// Called when a request ended or stopped, before its callers get the result. `None` means every waiting caller.
    fn on_end(&self, _request: Option<&str>, _end: &Result<Response, Error>) {}
}

impl<F: Fn() + MaybeSend + MaybeSync> Follower for F {
    fn on_change(&self) {
        self();
    }
}

/// The undo of a `subscribe`. Letting it fall leaves the listener where it is.
pub struct Subscription {
    list: Weak<dyn Leave>,
    number: u64,
}

impl Subscription {
    /// The listener is told nothing more, apart from what is being told right now.
    pub fn end(&self) {
        if let Some(list) = self.list.upgrade() {
            list.leave(self.number);
        }
    }
}

trait Leave: MaybeSend + MaybeSync {
    fn leave(&self, number: u64);
}

impl<L: ?Sized + MaybeSend + MaybeSync> Leave for List<L> {
    fn leave(&self, number: u64) {
        self.change(|list| list.retain(|(other, _)| *other != number));
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subscription({})", self.number)
    }
}
