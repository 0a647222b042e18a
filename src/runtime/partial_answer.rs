//! What a model has shown of its answer so far, on its way to the listeners.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::event::Event;
use crate::ids::Ids;
use crate::ports::{Clock, Delta, Purpose, Receive, Subscriber};
use crate::run::checkpoint::LONG_ANSWER;
use crate::runtime::listeners::Listeners;

pub(crate) struct PartialAnswer {
    /// False after the call was cancelled or has ended: late pieces go nowhere.
    live: AtomicBool,
    text: Mutex<String>,
    /// How much of it was given to be kept.
    saved_len: AtomicUsize,
    request: Option<String>,
    purpose: Purpose,
    listeners: Arc<Listeners<dyn Subscriber>>,
    /// The notices that the session was told.
    noticed: Arc<Mutex<Ids>>,
    clock: Arc<dyn Clock>,
}

impl PartialAnswer {
    pub(crate) fn new(
        purpose: Purpose,
        request: Option<String>,
        listeners: Arc<Listeners<dyn Subscriber>>,
        noticed: Arc<Mutex<Ids>>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        PartialAnswer {
            live: AtomicBool::new(true),
            text: Mutex::default(),
            saved_len: AtomicUsize::new(0),
            request,
            purpose,
            listeners,
            noticed,
            clock,
        }
    }

    /// What is to be kept of the text now, and how much of it was before; of a long one that is only what is new.
    pub(crate) fn unkept(&self) -> Option<(usize, String)> {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let saved_len = self.saved_len.swap(text.len(), Ordering::AcqRel);
        let from = if saved_len < LONG_ANSWER { 0 } else { saved_len };
        text.get(from..).filter(|rest| !rest.is_empty()).map(|rest| (from, rest.to_owned()))
    }

    /// Nothing more is shown; what was shown so far.
    pub(crate) fn end(&self) -> String {
        self.live.store(false, Ordering::Release);
        std::mem::take(&mut *self.text.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Receive for PartialAnswer {
    fn receive(&self, delta: Delta<'_>) {
        // Text of a summary is not shown in the chat. Notices about its request are.
        let is_notice = matches!(delta, Delta::Notice { .. } | Delta::Retry { .. });
        if self.purpose == Purpose::Summary && !is_notice || !self.live.load(Ordering::Acquire) {
            return;
        }
        let event = match delta {
            Delta::Text("") | Delta::Reasoning("") => return,
            Delta::Text(text) => {
                self.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
                Event::TextDelta { text: text.to_owned() }
            }
            Delta::Reasoning(text) => Event::ReasoningDelta { text: text.to_owned() },
            Delta::Notice { code, message } => {
                if !self.noticed.lock().unwrap_or_else(PoisonError::into_inner).insert(message) {
                    return;
                }
                Event::ModelNotice { code: code.to_owned(), message: message.to_owned() }
            }
            Delta::Retry { code, wait_ms } => {
                let until = self.clock.now().saturating_add(wait_ms);
                Event::ModelRetry { code: code.to_owned(), wait_ms, until }
            }
            Delta::ToolInput { id, name, text } => {
                Event::ToolInputDelta { id: id.to_owned(), name: name.to_owned(), delta: text.to_owned() }
            }
        };
        self.listeners.tell(self.request.as_deref(), &event);
    }
}
