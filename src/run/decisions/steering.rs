//! Queued messages that steer the request that runs.

use crate::event::Event;
use crate::run::input::{Request, WhenBusy};
use crate::run::{Effects, Run};

/// It only says something. What a hook has answered is no matter of the request that runs.
fn can_steer(request: &Request) -> bool {
    !request.regenerate && request.edits.is_none() && !request.message.is_answered()
}

fn steers(request: &Request) -> bool {
    request.when_busy == WhenBusy::Steer && can_steer(request)
}

impl Run {
    /// What steers stands in front of all others: a request that is moved in front of it comes behind it.
    pub(in crate::run) fn on_queued_moved(&mut self, id: &str, before: Option<&str>) {
        let queue = &mut self.state.queue;
        let place = |queue: &[Request], id: &str| queue.iter().position(|waiting| waiting.id == id);
        let Some(at) = place(queue, id).filter(|_| before != Some(id)) else { return };
        let mut request = queue.remove(at);
        let steering = queue.iter().take_while(|waiting| steers(waiting)).count();
        let to = match before {
            None => {
                if can_steer(&request) {
                    request.when_busy = WhenBusy::Steer;
                }
                steering
            }
            Some(before) => {
                request.when_busy = WhenBusy::Queue;
                place(queue, before).unwrap_or(at).max(steering)
            }
        };
        queue.insert(to, request);
    }

    /// What was sent to steer the request that runs is read before its next model call. The request goes on under the
    /// id of what it has read last, and the others end with it.
    pub(in crate::run) fn take_steering(&mut self, fx: &mut Effects) {
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
