//! The model providers: one file per wire format, all pure.

mod media_rejection;
mod anthropic {
    pub(super) mod request;
    pub(super) mod stream;
}
pub(crate) mod adjusted_body;
pub mod attachments;
#[doc(hidden)]
pub mod base64;
mod decoder;
mod details;
mod endpoint {
    pub(super) mod request;
    pub(super) mod stream;
}
mod error_body;
mod error_kind;
pub(crate) mod error_text;
pub mod errors;
pub mod facts;
mod format;
mod gemini {
    pub(super) mod request;
    pub(super) mod stream;
}
mod mapping;
mod openai_chat {
    pub(super) mod request;
    pub(super) mod stream;
}
mod openai_responses {
    pub(super) mod request;
    pub(super) mod stream;
}
#[doc(hidden)]
pub mod host;
pub(crate) mod provider_fields;
pub(crate) mod rejected_parameter;
mod repeated;
pub mod request;
mod sources;
mod split_surrogates;
pub mod table;

pub use decoder::{Decoder, read_response};
pub use format::Format;
