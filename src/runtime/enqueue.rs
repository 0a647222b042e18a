//! How a request comes into the run: once, in its order, and with what the inbox holds.

use crate::error::StoreError;
use crate::event::Event;
use crate::message::InboxItem;
use crate::run::PhaseName;
use crate::run::effect::Effect;
use crate::run::input::{Input, Request, WhenBusy};
use crate::runtime::command::Caller;
use crate::runtime::driver::Driver;
use crate::runtime::in_flight::{Done, Key};
use crate::runtime::response::Response;

impl Driver {
    /// A request that is there already is not made twice: who asks for it again, because the page that had asked is
    /// gone, waits for the one that is there, or hears its answer. Gives the caller back where there is neither.
    pub(super) fn join(&mut self, id: &str, caller: Caller) -> Option<Caller> {
        let served = self.answers_now(id);
        let (waits, reply) = {
            let run = self.shared.run();
            (served || run.queued().any(|queued| queued.id == id), run.reply_to(id))
        };
        if waits || self.arriving.iter().any(|(arriving, _)| arriving.id == id) {
            self.callers.push(caller);
            return None;
        }
        match reply {
            // It has ended, and is not stored.
            Some(_) if self.is_unwritten() => {
                self.callers.push(caller);
                self.batch.push(Effect::Persist { strict: true });
                None
            }
            Some(reply) => {
                let _ = caller.reply.send(Ok(Response::Completed(reply)));
                None
            }
            None => Some(caller),
        }
    }

    pub(super) fn answers_now(&self, id: &str) -> bool {
        let run = self.shared.run();
        run.serves(id) && run.phase() != PhaseName::Paused
    }

    pub(super) fn is_queued(&self, id: &str) -> bool {
        self.shared.run().queued_message(id).is_some()
            || self.arriving.iter().any(|(arriving, _)| arriving.id == id)
    }

    /// A request begins with what has come in meanwhile. Requests keep their order.
    pub(super) fn arrive(&mut self, request: Box<Request>, caller: Caller) {
        if self.shared.store.keeps_inbox() {
            self.arriving.push((request, caller));
            self.read_inbox();
        } else {
            self.accept(request, caller);
        }
    }

    /// It comes into the run. What it interrupts is stopped only now: it may have been given up on its way.
    fn accept(&mut self, request: Box<Request>, caller: Caller) {
        if request.when_busy == WhenBusy::Interrupt {
            // What is stopped is not begun again first, and what was seen of it is kept.
            drop(self.take_over());
            self.keep_partial();
        }
        self.step_for(Input::Request(request), Some(caller));
    }

    fn read_inbox(&mut self) {
        if !self.arriving.is_empty() && !self.is_in_flight(&Key::Inbox) {
            let inbox = self.shared.store.inbox();
            self.start(Key::Inbox, async move { Done::Inbox(inbox.await) });
        }
    }

    pub(super) fn inbox_read(&mut self, inbox: Result<Vec<InboxItem>, StoreError>) {
        if !self.arriving.is_empty() {
            let (mut request, caller) = self.arriving.remove(0);
            let items = inbox.unwrap_or_else(|error| {
                // What a person has written comes first: it is kept, and what has come in is told with the next request.
                let StoreError { kind, message } = error;
                self.emit(&Event::Error { code: kind.code().to_owned(), message });
                Vec::new()
            });
            for item in items {
                let is_news = match item.status.as_str() {
                    // A request that still waits for its turn may have been told already.
                    "resolved" => self.announced_items.insert(&item.id),
                    "pending" => item.blocking,
                    _ => false,
                };
                if is_news {
                    request.inbox.push(item);
                }
            }
            self.accept(request, caller);
        }
        self.read_inbox();
    }
}
