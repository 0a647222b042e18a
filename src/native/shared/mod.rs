//! What stores do alike in databases that any number of processes write to.

mod held_session;
mod import;
mod lease;
mod pool;
mod stored_text;

pub(super) use held_session::HeldSession;
pub(super) use import::{NewSession, imported, title_of};
pub(super) use lease::{HELD, RENEWED, held_millis, refusal, times};
pub(super) use pool::{CONNECTIONS, PAUSE, Pool};
pub(super) use stored_text::{Stored, loaded, unreadable, value, values};
