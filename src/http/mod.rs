//! Models behind HTTP: the port to it, limits and retries, and the adapter that speaks every provider's format.

mod date;
mod deadline;
mod kept_body;
#[doc(hidden)]
pub mod key_encodings;
mod keys;
mod learned;
mod model;
mod port;
mod relayed_answer;
pub mod retry;
mod time_limit;

pub use kept_body::BodyWriter;
pub use keys::without_keys;
pub use learned::Learned;
pub use model::{HttpModel, HttpOptions};
pub use port::{Http, HttpRequest, HttpResponse};
pub use relayed_answer::AnswerStream;
