//! What several tests need.

pub mod golden;
pub mod machine;
pub mod requests;
pub mod runtime;
pub mod script;
pub mod streams;
pub mod strict;
pub mod transport;
