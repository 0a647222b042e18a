//! What others read of a run: the model, a chat, and the prompt record.

pub mod model;
pub mod model_message;
pub mod prompts;
pub mod timeline;
