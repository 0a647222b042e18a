//! Tells the page of its session, once for all that happened in a turn of it.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use glove_wasm::display::Slot;
use glove_wasm::error::Error;
use glove_wasm::event::Event;
use glove_wasm::runtime::{Follower, Response, Session};
use glove_wasm::wire::batch::EventBatch;
use glove_wasm::wire::outcome::CoreOutcome;
use glove_wasm_page::bindings::PageBindings;
use glove_wasm_page::environment::soon;

pub(crate) struct EventFeed {
    host: PageBindings,
    batch: RefCell<EventBatch>,
    scheduled: Cell<bool>,
    session: RefCell<Option<Session>>,
}

impl EventFeed {
    pub(crate) fn new(host: PageBindings) -> Rc<Self> {
        Rc::new(EventFeed {
            host,
            batch: RefCell::default(),
            scheduled: Cell::default(),
            session: RefCell::default(),
        })
    }

    pub(crate) fn follow(self: &Rc<Self>, session: &Session) {
        *self.session.borrow_mut() = Some(session.clone());
        let feed: Weak<EventFeed> = Rc::downgrade(self);
        session.subscribe(move |request: Option<&str>, event: &Event| {
            if let Some(feed) = feed.upgrade() {
                feed.batch.borrow_mut().note(request, event);
                feed.schedule();
            }
        });
        let feed = Rc::downgrade(self);
        session.display().subscribe(move |_: &[Slot]| {
            if let Some(feed) = feed.upgrade() {
                feed.batch.borrow_mut().note_slots();
                feed.schedule();
            }
        });
        session.on_step(RunFollower(Rc::downgrade(self)));
    }

    /// Tells the page soon, once for everything until then.
    fn schedule(self: &Rc<Self>) {
        if !self.scheduled.replace(true) {
            let feed = Rc::clone(self);
            soon(move || feed.flush());
        }
    }

    pub(crate) fn end(&self) {
        self.session.borrow_mut().take();
    }

    fn flush(&self) {
        self.scheduled.set(false);
        let Some(session) = self.session.borrow().clone() else { return };
        let slots_changed = self.batch.borrow_mut().take_slots_changed();
        let slots = slots_changed.then(|| session.display().stack());
        let told = self.batch.borrow_mut().take(slots.as_ref());
        if let Some(batch) = told {
            self.host.events(&batch);
        }
    }

    pub(crate) fn refresh(self: &Rc<Self>) {
        let Some(session) = self.session.borrow().clone() else { return };
        let interrupted = session.is_interrupted();
        session.with_run(|run| self.batch.borrow_mut().follow(&session, run, interrupted));
        self.schedule();
    }
}

struct RunFollower(Weak<EventFeed>);

impl Follower for RunFollower {
    fn on_change(&self) {
        if let Some(feed) = self.0.upgrade() {
            feed.refresh();
        }
    }

    fn on_end(&self, request: Option<&str>, end: &Result<Response, Error>) {
        let error = match CoreOutcome::of(end) {
            Ok(CoreOutcome::Failed { error }) => Some(error),
            Ok(_) => None,
            // Who asked for that hears it alone.
            Err(_) => return,
        };
        let Some(feed) = self.0.upgrade() else { return };
        feed.batch.borrow_mut().note_end(request, error);
        feed.schedule();
    }
}
