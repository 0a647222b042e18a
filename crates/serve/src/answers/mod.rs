//! Answers that outlive the connection of their client.

mod follow;
mod keep;
mod keys;
mod resume;

pub(super) use keys::{AnswerKey, NAME, OVER, last_event, name_of};
pub(super) use resume::{AnswerKind, Answers, StartedAnswer};
