//! What the page is told: events, changes of the timeline and the stack, and where the run is, in one batch for all
//! that happened at once.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use serde::Serialize;

use super::host::Host;
use super::page::soon;
use super::values::text;
use crate::display::Slot;
use crate::event::{Event, Question};
use crate::message::Usage;
use crate::run::Run;
use crate::run::timeline::{Entry, Patch, Timeline};
use crate::runtime::Session;

pub(super) struct Feed {
    host: Host,
    batch: RefCell<Vec<String>>,
    scheduled: Cell<bool>,
    slots_changed: Cell<bool>,
    timeline: RefCell<Timeline>,
    state: RefCell<String>,
    session: RefCell<Option<Session>>,
}

#[derive(Serialize)]
struct Told<'a> {
    kind: &'static str,
    request: Option<&'a str>,
    #[serde(flatten)]
    event: &'a Event,
}

#[derive(Serialize)]
struct Changed<'a> {
    kind: &'static str,
    #[serde(flatten)]
    patch: &'a Patch,
}

#[derive(Serialize)]
struct Stack<'a> {
    kind: &'static str,
    slots: &'a [Slot],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Where<'a> {
    kind: &'static str,
    phase: &'static str,
    request: Option<&'a str>,
    queue: Vec<Queued<'a>>,
    questions: Vec<&'a Question>,
    turns: u64,
    usage: &'a Usage,
    context_tokens: u64,
}

#[derive(Serialize)]
struct Queued<'a> {
    id: &'a str,
    text: &'a str,
}

impl Feed {
    pub(super) fn new(host: Host) -> Rc<Self> {
        Rc::new(Feed {
            host,
            batch: RefCell::default(),
            scheduled: Cell::default(),
            slots_changed: Cell::default(),
            timeline: RefCell::default(),
            state: RefCell::default(),
            session: RefCell::default(),
        })
    }

    pub(super) fn follow(self: &Rc<Self>, session: &Session) {
        *self.session.borrow_mut() = Some(session.clone());
        let feed: Weak<Feed> = Rc::downgrade(self);
        session.subscribe(move |request: Option<&str>, event: &Event| {
            if let Some(feed) = feed.upgrade() {
                feed.batch.borrow_mut().push(text(&Told { kind: "event", request, event }));
                feed.wake();
            }
        });
        let feed = Rc::downgrade(self);
        session.display().subscribe(move |_: &[Slot]| {
            if let Some(feed) = feed.upgrade() {
                feed.slots_changed.set(true);
                feed.wake();
            }
        });
        let feed = Rc::downgrade(self);
        session.on_step(move || {
            if let Some(feed) = feed.upgrade() {
                feed.wake();
            }
        });
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.timeline.borrow().entries().to_vec()
    }

    /// Tells the page soon, once for everything until then.
    pub(super) fn wake(self: &Rc<Self>) {
        if !self.scheduled.replace(true) {
            let feed = Rc::clone(self);
            soon(move || feed.flush());
        }
    }

    pub(super) fn end(&self) {
        self.session.borrow_mut().take();
    }

    fn flush(&self) {
        self.scheduled.set(false);
        let Some(session) = self.session.borrow().clone() else { return };
        let mut batch = self.batch.take();
        session.look(|run| {
            if let Some(patch) = self.timeline.borrow_mut().follow(run) {
                batch.push(text(&Changed { kind: "timeline", patch: &patch }));
            }
            let state = state_of(run, session.is_interrupted());
            if *self.state.borrow() != state {
                batch.push(state.clone());
                *self.state.borrow_mut() = state;
            }
        });
        if self.slots_changed.replace(false) {
            batch.push(text(&Stack { kind: "slots", slots: &session.display().stack() }));
        }
        if !batch.is_empty() {
            self.host.events(&format!("[{}]", batch.join(",")));
        }
    }
}

fn state_of(run: &Run, interrupted: bool) -> String {
    text(&Where {
        kind: "state",
        phase: if interrupted { "interrupted" } else { run.phase().as_str() },
        request: run.request(),
        queue: run.queued().map(|request| Queued { id: &request.id, text: &request.message.text }).collect(),
        questions: run.questions().collect(),
        turns: run.turns(),
        usage: run.usage(),
        context_tokens: run.context_tokens(),
    })
}
