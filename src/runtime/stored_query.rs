//! Whether all that was asked of a session is stored: a server says that something was taken when it is. A page is no server.

use std::sync::atomic::Ordering;

use futures_channel::oneshot;

use crate::error::Error;
use crate::portable::NativeOnly;
use crate::run::effect::Effect;
use crate::runtime::command::{Command, StoredQuery};
use crate::runtime::driver::{Driver, DriverEvent};
use crate::runtime::session::Session;

impl Session {
    /// Done when everything that was asked of the session before is stored, or with why it is not. Something has to drive the session.
    pub fn stored(&self) -> impl Future<Output = Result<(), Error>> + Send + 'static {
        let (reply, told) = oneshot::channel();
        let is_again = self.shared.unwritten.load(Ordering::Relaxed);
        if let Some(query) = NativeOnly::with(|| StoredQuery { is_again, is_last: false, reply }) {
            self.tell(Command::Stored(query));
        }
        async move {
            match told.await {
                Ok(stored) => stored.map_err(Error::Store),
                Err(_) => Err(Error::Closed),
            }
        }
    }

    /// The question of a tool is answered, and the tool has not asked it again since the session was opened: until then that is not stored.
    pub fn is_answered_early(&self, slot: &str) -> bool {
        self.display().is_early(slot) && self.with_run(|run| run.may_ask_again(slot).is_some())
    }
}

impl Driver {
    pub(super) fn answer_stored_query(&mut self, query: StoredQuery) {
        let writes = || self.batch.iter().any(|effect| matches!(effect, Effect::Persist { .. }));
        if query.is_last && !writes() {
            let unstored = self.unstored.as_ref().filter(|_| self.is_unwritten());
            let stored = unstored.map_or(Ok(()), |error| Err(error.get().clone()));
            // The receiver may be gone.
            let _ = query.reply.send(stored);
            return;
        }
        // Answers reach the run through the tools and questions that wait for them, not in the order of the commands.
        self.take_tool_inputs();
        self.sweep();
        if query.is_again && !query.is_last && self.is_unwritten() {
            self.batch.push(Effect::Persist { strict: true });
        }
        let last = NativeOnly::with(|| StoredQuery { is_last: true, ..query });
        self.ready.extend(last.map(|last| DriverEvent::Command(Command::Stored(last))));
    }
}
