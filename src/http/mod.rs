//! Models behind HTTP: the port to it, limits and retries, and the adapter that speaks every provider's format.

mod answer_stream;
mod body;
mod date;
mod deadline;
mod key_forms;
mod learned;
mod model;
mod port;
mod redact;
pub mod retry;
mod time_limit;

pub use answer_stream::AnswerStream;
pub use body::BodyWriter;
pub use learned::Learned;
pub use model::{HttpModel, HttpOptions};
pub use port::{Http, HttpRequest, HttpResponse};
pub use redact::without_keys;
