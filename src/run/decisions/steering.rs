//! Queued messages that steer the request that runs.

use crate::event::Event;
use crate::run::input::{Request, WhenBusy};
use crate::run::{Effects, Run};

impl Run {
    /// What was sent to steer the request that runs is read before its next model call. The request goes on under the
    /// id of what it has read last, and the others end with it.
    pub(in crate::run) fn take_steering(&mut self, fx: &mut Effects) {
        let steers = |request: &Request| {
            let changes_nothing = !request.regenerate && request.edits.is_none();
            // What a hook has answered is no matter of the request that runs.
            request.when_busy == WhenBusy::Steer && changes_nothing && !request.message.is_answered_by_hook()
        };
        while self.state.queue.first().is_some_and(steers) {
            let request = self.state.queue.remove(0);
            let Some(current) = &mut self.state.current else { return };
            let before = std::mem::replace(&mut current.id, request.id.clone());
            current.joined.push(before.clone());
            // Whatever went in circles has a new direction.
            (current.error_rounds, current.wrap_up) = (0, None);
            current.rounds.clear();
            fx.emit(Event::RequestStarted { request: request.id.clone() });
            self.hear(request, Some(before), fx);
        }
    }
}
