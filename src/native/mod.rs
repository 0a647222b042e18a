//! The native environment: time and randomness from the standard library.

mod clock;
#[cfg(all(feature = "coding", unix))]
mod coding;
#[cfg(any(feature = "native", all(feature = "coding", unix)))]
pub mod environment;
#[cfg(any(feature = "task", all(feature = "coding", unix)))]
mod folder;
#[cfg(feature = "native")]
mod http;
#[cfg(feature = "native")]
mod http_thread;
mod ids;
#[cfg(feature = "native")]
mod known_keys;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "native")]
mod provider;
#[cfg(feature = "native")]
mod recording;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sandbox")]
mod sandbox;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod session_database;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod shared;
#[cfg(feature = "task")]
mod skill_folder;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "postgres", feature = "redis", feature = "sqlite"))]
mod stored;
#[cfg(feature = "task")]
mod task_folder;
#[cfg(feature = "task")]
mod task_import;
#[cfg(all(feature = "task", any(feature = "postgres", feature = "redis", feature = "sqlite")))]
mod task_sessions;
#[cfg(all(feature = "task", feature = "traces"))]
mod task_traces;
#[cfg(feature = "traces")]
mod trace_content;
#[cfg(feature = "traces")]
mod traces;
#[cfg(feature = "native")]
mod web;

pub use clock::SystemClock;
#[cfg(all(feature = "coding", unix))]
pub use coding::{FileChange, FileFound, Workspace};
#[cfg(feature = "native")]
pub use http::NativeHttp;
pub use ids::RandomIds;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresDatabase, PostgresStore};
#[cfg(feature = "native")]
pub use provider::ProviderModel;
#[cfg(feature = "redis")]
pub use redis::{RedisDatabase, RedisStore};
#[cfg(feature = "sandbox")]
pub use sandbox::{MountRight, Sandbox, sandbox_main};
#[cfg(feature = "serve")]
#[cfg(all(feature = "serve", any(feature = "postgres", feature = "redis")))]
pub(crate) use serve::Kept;
#[cfg(all(feature = "serve", feature = "task"))]
pub use serve::ServedTasks;
#[cfg(feature = "serve")]
pub use serve::{AnswerBuffer, Caller, MemoryBuffer, Server, ServerLimits};
#[cfg(feature = "serve")]
pub use session_database::SessionDatabase;
#[cfg(all(feature = "sqlite", feature = "task"))]
pub use sqlite::SqliteMemory;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteDatabase, SqliteStore};
#[cfg(any(feature = "postgres", feature = "redis", feature = "sqlite"))]
pub use stored::{ImportOptions, StoredSession};
#[cfg(feature = "task")]
pub use task_folder::TaskFolder;
#[cfg(feature = "traces")]
pub use traces::Traces;
#[cfg(feature = "native")]
pub use web::{SearchQuery, SearchResult, WebError, WebPage, WebTools, searxng_search, web_search};

use std::sync::Arc;

use crate::ports::ModelAdapter;
use crate::runtime::{Glove, GloveBuilder};
#[cfg(feature = "task")]
use crate::task_runtime::{TaskAgent, TaskAgentBuilder};

impl Glove {
    /// An agent with the system's clock and randomness.
    pub fn builder(model: impl ModelAdapter + 'static) -> GloveBuilder {
        GloveBuilder::new(Arc::new(model), Arc::new(SystemClock), Arc::new(RandomIds))
    }
}

#[cfg(feature = "task")]
impl TaskAgent {
    /// An agent for tasks with the system's clock and randomness.
    pub fn builder(model: impl ModelAdapter + 'static) -> TaskAgentBuilder {
        TaskAgentBuilder::new(Arc::new(model), Arc::new(SystemClock), Arc::new(RandomIds))
    }
}
