//! Models behind HTTP: the port to it, limits and retries, and the adapter that speaks every provider's format.

mod alarm;
mod answer;
mod body;
mod date;
mod forms;
mod http;
mod learned;
mod limit;
mod model;
pub mod retry;
mod secret;

pub use answer::Answer;
pub use body::BodyWriter;
pub use http::{Http, HttpRequest, HttpResponse};
pub use learned::Learned;
pub use model::{HttpModel, HttpOptions};
pub use secret::without_keys;
