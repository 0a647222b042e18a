//! Request bodies: the record, the tools and the options in each provider's form.

mod answer;
mod body;
mod choice;
pub(in crate::providers) mod effort;
pub(in crate::providers) mod fragments;
pub(in crate::providers) mod media;
mod names;
mod notice;
mod options;
pub(in crate::providers) mod parts;
pub(in crate::providers) mod project;
mod sampling;
mod schema;
pub(in crate::providers) mod supported_media;
pub(in crate::providers) mod thoughts_back;
mod tool_limit;

pub use answer::{AnswerInText, answer_in_text};
pub use names::ToolNames;
pub use notice::{Notice, Notices};
pub use options::{AnswerFormat, CacheTtl, Options, Thinking, ToolChoice};
pub use parts::RequestParts;
pub(crate) use project::groups;
pub use project::{CallResult, Group, Part, WireCall};
pub use tool_limit::fewer_tools;
