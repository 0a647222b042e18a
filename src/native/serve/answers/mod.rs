//! Answers that outlive the connection of their client.

mod buffer;
mod follow;
mod keep;
mod keys;
mod resume;

#[cfg(any(feature = "postgres", feature = "redis"))]
pub(crate) use buffer::Kept;
pub use buffer::{AnswerBuffer, MemoryBuffer};
pub(super) use keys::{AnswerKey, NAME, OVER, last_event, name_of};
pub(super) use resume::{Answers, Begun, Whose};
