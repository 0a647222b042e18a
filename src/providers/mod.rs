//! The model providers: one file per wire format, all pure.

pub mod errors;
