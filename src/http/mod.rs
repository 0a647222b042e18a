//! Models behind HTTP: the port to it, limits and retries, and the adapter that speaks every provider's format.

mod body_cache;
mod date;
mod deadline;
#[doc(hidden)]
pub mod key_encodings;
mod keys;
mod learned;
mod model;
mod port;
mod relayed_answer;
pub mod retry;
mod time_limit;

pub use body_cache::BodyWriter;
pub use keys::without_keys;
pub use learned::Learned;
pub use model::{HttpModel, HttpOptions};
pub use port::{Http, HttpRequest, HttpResponse};
pub use relayed_answer::AnswerStream;
