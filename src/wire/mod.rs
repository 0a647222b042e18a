//! What crosses between the core and the page and is no type of the run itself. TypeScript's side is written from these.

#[cfg(any(test, feature = "sessions"))]
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod options;
pub(crate) mod outcome;
#[cfg(test)]
mod typescript;
