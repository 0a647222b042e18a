//! Tools for tests, of this crate and of applications: a model that plays a script, a clock and ids that do as they
//! are told, gates to stop things at, a store that fails, and what any store has to do.

mod ask;
mod clock;
mod conformance;
mod gate;
mod model;
mod store;

pub use ask::ask_model;
pub use clock::{FakeClock, SequentialIds};
pub use conformance::{STORE_CASES, StoreCase, Stores};
pub use gate::Gate;
pub use model::{Line, ScriptedModel, Seen};
pub use store::{FailingStore, Operation};
