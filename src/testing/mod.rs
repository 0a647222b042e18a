//! Tools for tests, of this crate and of applications: a model that plays a script, a clock and ids that do as they
//! are told, gates to stop things at, and a store that fails.

mod ask;
mod clock;
mod gate;
mod model;
mod store;

pub use ask::ask_model;
pub use clock::{FakeClock, SequentialIds};
pub use gate::Gate;
pub use model::{Line, ScriptedModel, Seen};
pub use store::{FailingStore, Operation};
