//! Tools that ask the web, and what sandboxed code asks of it: within named hosts, without cookies, and never this machine or its
//! network unless it is named as it stands. `tests/fixtures/hosts.json` and `web-asks.json` say it case by case, as for pages.

use glove_wasm_task::{TaskError, TaskErrorKind};

mod ask;
mod hosts;
mod search;
mod tools;

pub use ask::{Answer, Question, Web};
pub use hosts::Hosts;
pub use search::{SearchQuery, SearchResult, searxng_search, web_search};
pub use tools::{WebPage, WebTools};

/// Why there are no tools of the web: a host that means nothing, or more than it says, or no client for HTTPS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WebError {
    pub message: String,
}

impl WebError {
    pub fn code(&self) -> &'static str {
        "CONFIG_INVALID"
    }
}

impl From<WebError> for TaskError {
    fn from(error: WebError) -> Self {
        TaskError::new(TaskErrorKind::Config, error.message)
    }
}
