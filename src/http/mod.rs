//! Models behind HTTP: the port to it, limits and retries, and the adapter that speaks every provider's format.

mod date;
mod deadline;
mod kept_body;
pub(crate) mod key_encodings;
mod keys;
mod learned;
mod model;
mod port;
#[cfg(feature = "providers")]
mod relayed_answer;
pub mod retry;
mod time_limit;

pub use kept_body::BodyWriter;
pub use keys::without_keys;
pub use learned::Learned;
pub use model::{HttpModel, HttpOptions};
pub use port::{Http, HttpRequest, HttpResponse};
#[cfg(feature = "providers")]
pub use relayed_answer::AnswerStream;
