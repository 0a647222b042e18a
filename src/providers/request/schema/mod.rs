//! Schemas of tools in the form that a provider takes. They take the same values, as far as the form can say it; where it cannot, the
//! rest is said in words, and calls are still checked by the schema itself.

mod answer;
mod closed;
mod describe;
mod form;
mod gemini;
mod node;
mod plain;
mod unsupported;

pub(super) use answer::{answer, closed_answer};
pub(super) use form::form;
