//! The endpoint protocol: what a chat endpoint is sent and what it streams back, for both ends of it.

mod refusal;
mod request;
mod sensitive_text;
mod stream;

pub use refusal::{Disclosure, Refusal};
pub use request::{RequestLimits, WireRequest};
pub use stream::{WireDone, WireEvent};
