//! What native programs need: model providers over HTTP, keys of the environment, tools of the web, folders of tasks, and traces by
//! OpenTelemetry.

// The derives name it so.
use glove_wasm::json;

mod answer_buffer;
pub mod environment;
mod folder;
mod http;
mod http_thread;
mod known_keys;
mod provider;
mod recording;
mod shared;
mod skill_folder;
mod stored;
mod task_folder;
mod task_import;
mod task_sessions;
mod task_traces;
mod title;
mod trace_content;
mod traces;
mod web;

pub use answer_buffer::{AnswerBuffer, Kept, MemoryBuffer};
pub use http::NativeHttp;
pub use provider::ProviderModel;
pub use recording::export_run;
pub use skill_folder::open_skill;
pub use stored::{ImportOptions, StoredSession};
pub use task_folder::TaskFolder;
pub use traces::Traces;
pub use web::{SearchQuery, SearchResult, WebError, WebPage, WebTools, searxng_search, web_search};

/// What the crates of the databases, the tools and the server have in common. It is no interface for others, and changes without notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::folder::{on_thread, replace};
    pub use crate::http::tls;
    pub use crate::shared::*;
    pub use crate::stored::{exported, imported_run, whole};
    pub use crate::task_sessions::record_for_task;
    pub use crate::title::{one_line, title_of};
    pub use crate::web::{Answer, Hosts, Question, Web};
}
