//! The endpoint protocol: what a chat endpoint is sent and what it streams back, for both ends of it.

mod refusal;
mod request;
mod sensitive_text;
#[cfg(feature = "providers")]
mod sha256;
mod stream;
#[cfg(feature = "providers")]
mod ticket;

#[cfg(feature = "serve")]
pub(crate) use refusal::log_line_of;
pub use refusal::{Disclosure, ModelFailure, Refusal};
pub use request::{RequestLimits, WireRequest};
#[cfg(feature = "serve")]
pub(crate) use sha256::sha256;
pub use stream::{WireDone, WireEvent};
#[cfg(feature = "providers")]
pub use ticket::{TICKET, Tickets};
