//! A damaged record: the messages that can be read, with a mark in the place of each one that cannot.

use std::sync::Arc;

use super::texts;
use crate::json::codec::from_text;
use crate::message::Message;

#[derive(Debug, Default)]
pub struct Salvaged {
    /// As many as are stored: messages refer to others by their distance.
    pub messages: Vec<Arc<Message>>,
    /// Which of them cannot be read, and why.
    pub faults: Vec<(usize, String)>,
}

/// Reads each message on its own. `stored` is the JSON of each.
pub fn salvage(stored: &[String]) -> Salvaged {
    let mut salvaged = Salvaged::default();
    for text in stored {
        let message = from_text(text).unwrap_or_else(|fault| {
            salvaged.faults.push((salvaged.messages.len(), fault.to_string()));
            Message::agent(texts::UNREADABLE)
        });
        salvaged.messages.push(Arc::new(message));
    }
    salvaged
}
