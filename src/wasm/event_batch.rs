//! What the page is told: events, changes of the timeline and the stack, and where the run is, in one batch for all
//! that happened at once.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::bindings::PageBindings;
use super::environment::soon;
use super::tool_inputs::Inputs;
use crate::display::Slot;
use crate::error::Error;
use crate::event::Event;
use crate::json::codec::to_text;
use crate::run::Run;
use crate::run::views::timeline::{Timeline, TimelineEntry, TimelinePatch};
use crate::runtime::{Follower, Response, Session};
use crate::wire::event::{CoreEvent, EventOf};
use crate::wire::outcome::CoreOutcome;

pub(super) struct EventFeed {
    host: PageBindings,
    batch: RefCell<Vec<String>>,
    scheduled: Cell<bool>,
    slots_changed: Cell<bool>,
    /// How requests ended, told behind the state in which that left the run.
    ended: RefCell<Vec<String>>,
    timeline: RefCell<Timeline>,
    state: RefCell<String>,
    /// The page has not been told of it.
    moved: Cell<bool>,
    /// The model writes: what was shown before gives way.
    writes: Cell<bool>,
    /// The arguments that it writes.
    inputs: RefCell<Inputs>,
    /// What is shown from before.
    earlier: RefCell<Option<String>>,
    session: RefCell<Option<Session>>,
}

impl EventFeed {
    pub(super) fn new(host: PageBindings) -> Rc<Self> {
        Rc::new(EventFeed {
            host,
            batch: RefCell::default(),
            scheduled: Cell::default(),
            slots_changed: Cell::default(),
            ended: RefCell::default(),
            timeline: RefCell::default(),
            state: RefCell::default(),
            moved: Cell::default(),
            writes: Cell::default(),
            inputs: RefCell::default(),
            earlier: RefCell::default(),
            session: RefCell::default(),
        })
    }

    pub(super) fn follow(self: &Rc<Self>, session: &Session) {
        *self.session.borrow_mut() = Some(session.clone());
        let feed: Weak<EventFeed> = Rc::downgrade(self);
        session.subscribe(move |request: Option<&str>, event: &Event| {
            if let Some(feed) = feed.upgrade() {
                feed.batch.borrow_mut().push(to_text(&CoreEvent::Event(EventOf(request, event))));
                match event {
                    Event::ToolInputDelta { id, name, delta } => {
                        feed.inputs.borrow_mut().read(id, name, delta);
                    }
                    Event::ModelResponse(_)
                    | Event::ModelResponseComplete(_)
                    | Event::RequestFinished { .. } => feed.inputs.borrow_mut().end(),
                    _ => {}
                }
                if matches!(
                    event,
                    Event::TextDelta { .. } | Event::ReasoningDelta { .. } | Event::ToolInputDelta { .. }
                ) {
                    feed.writes.set(true);
                }
                feed.schedule();
            }
        });
        let feed = Rc::downgrade(self);
        session.display().subscribe(move |_: &[Slot]| {
            if let Some(feed) = feed.upgrade() {
                feed.slots_changed.set(true);
                feed.schedule();
            }
        });
        session.on_step(RunFollower(Rc::downgrade(self)));
    }

    pub(super) fn entries(&self) -> String {
        to_text(&self.timeline.borrow().entries())
    }

    /// Tells the page soon, once for everything until then.
    fn schedule(self: &Rc<Self>) {
        if !self.scheduled.replace(true) {
            let feed = Rc::clone(self);
            soon(move || feed.flush());
        }
    }

    pub(super) fn end(&self) {
        self.session.borrow_mut().take();
    }

    /// What changed in the timeline. Text that an earlier page had shown stands at its end until it is written anew.
    fn patch(&self, run: &Run) -> Option<TimelinePatch> {
        let mut timeline = self.timeline.borrow_mut();
        let patch = timeline.follow(run);
        let earlier = run.partial().filter(|_| !self.writes.get()).map(str::to_owned);
        let before = self.earlier.replace(earlier.clone());
        if earlier.is_none() && before.is_none() || (patch.is_none() && earlier == before) {
            return patch;
        }
        let mut patch = patch.unwrap_or_default();
        patch.len = timeline.entries().len();
        if let Some(text) = earlier {
            let id = format!("{}.partial", run.request().unwrap_or_default());
            patch.set.push((
                patch.len,
                TimelineEntry::AgentText {
                    id,
                    text,
                    partial: true,
                    reasoning: None,
                    at: None,
                    sources: None,
                    branches: None,
                },
            ));
            patch.len += 1;
        }
        Some(patch)
    }

    fn flush(&self) {
        self.scheduled.set(false);
        let Some(session) = self.session.borrow().clone() else { return };
        let mut batch = self.batch.take();
        self.inputs.borrow_mut().tell(&mut batch);
        if self.moved.replace(false) {
            batch.push(self.state.borrow().clone());
        }
        if self.slots_changed.replace(false) {
            batch.push(to_text(&CoreEvent::Slots { slots: &session.display().stack() }));
        }
        batch.append(&mut self.ended.borrow_mut());
        if !batch.is_empty() {
            let mut out = String::from("[");
            for (at, event) in batch.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                out.push_str(event);
            }
            out.push(']');
            self.host.events(&out);
        }
    }

    /// What is different in the run. Only when all of it is written: what is shown as done must not be asked again.
    pub(super) fn refresh(self: &Rc<Self>) {
        let Some(session) = self.session.borrow().clone() else { return };
        let interrupted = session.is_interrupted();
        session.with_run(|run| {
            if let Some(patch) = self.patch(run) {
                self.batch.borrow_mut().push(to_text(&CoreEvent::Timeline(&patch)));
            }
            let phase = session.phase_of(run).as_str();
            if phase != "model" {
                self.inputs.borrow_mut().end();
            }
            let state = state_of(run, if interrupted { "interrupted" } else { phase });
            if *self.state.borrow() != state {
                *self.state.borrow_mut() = state;
                self.moved.set(true);
            }
        });
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
        feed.ended.borrow_mut().push(to_text(&CoreEvent::Ended { request, error }));
        feed.schedule();
    }
}

fn state_of(run: &Run, phase: &str) -> String {
    let mut queue = Vec::new();
    for request in run.queued() {
        queue.push(request.into());
    }
    let mut undoable = Vec::new();
    // The last one first.
    for entry in run.undo_stack().iter().rev() {
        undoable.push(entry.into());
    }
    to_text(&CoreEvent::State {
        phase,
        request: run.request(),
        queue,
        questions: Vec::from_iter(run.questions()),
        undoable,
        turns: run.turns(),
        usage: run.usage(),
        context_tokens: run.context_tokens(),
    })
}
