//! The ports: what a host provides so that a session can perform the machine's effects. All are object-safe, take
//! `&self`, and return boxed futures that own what they need, so borrowed arguments are read at the call itself.

mod abort;
mod credentials;
mod display;
mod environment;
mod function;
mod model;
mod outcome;
mod registry;
#[cfg(feature = "schema-check")]
mod schema_check;
#[cfg(not(feature = "schema-check"))]
#[path = "no_schema_check.rs"]
mod schema_check;
#[cfg(feature = "schema-check")]
mod schema_formats;
mod store;
mod tools;
#[cfg(feature = "derive")]
mod typed;

pub use abort::{AbortHandle, AbortSignal};
pub use credentials::Credentials;
pub use display::{CallDisplay, Check, CheckValue, DisplayPort, Show};
pub use environment::{Clock, IdSource, Subscriber};
pub(crate) use function::Function;
pub(crate) use model::Receive;
pub use model::{Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
pub use outcome::{Data, IntoOutcome, ToolFailure};
pub use registry::{Tool, Tools};
pub use store::{Durability, Loaded, PermissionStatus, StoreAdapter};
pub use tools::{CallRef, Checked, MOST_OUTPUT_BYTES, Step, Steps, ToolContext, ToolHost};
#[cfg(feature = "derive")]
pub use typed::schema_of;
