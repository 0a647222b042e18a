//! What stores do alike in databases that any number of processes write to.

mod import;
mod lease;
mod leased_session;
mod pool;
mod stored_text;

pub use import::{NewSession, imported};
pub use lease::{HELD, RENEWED, held_millis, refusal, times};
pub use leased_session::LeasedSession;
pub use pool::{CONNECTIONS, PAUSE, Pool};
pub use stored_text::{Stored, loaded, unreadable, value, values};
