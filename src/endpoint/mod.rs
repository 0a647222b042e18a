//! The endpoint protocol: what a chat endpoint is sent and what it streams back, for both ends of it.

mod refusal;
mod request;
mod sensitive_text;
mod sha256;
mod stream;
mod ticket;

#[doc(hidden)]
pub use refusal::log_line_of;
pub use refusal::{Disclosure, ModelFailure, Refusal};
pub use request::{RequestLimits, WireRequest};
#[doc(hidden)]
pub use sha256::sha256;
pub use stream::{WireDone, WireEvent};
#[doc(hidden)]
pub use ticket::is_same;
pub use ticket::{TICKET, Tickets};
