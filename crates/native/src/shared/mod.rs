//! What stores do alike in databases that any number of processes write to.

mod held_session;
mod import;
mod lease;
mod pool;
mod stored_text;

pub use held_session::HeldSession;
pub use import::{NewSession, imported, title_of};
pub use lease::{HELD, RENEWED, held_millis, refusal, times};
pub use pool::{CONNECTIONS, PAUSE, Pool};
pub use stored_text::{Stored, loaded, unreadable, value, values};
