//! A server: the endpoint that pages ask models through, and sessions that live here.

mod acknowledge;
mod answers;
mod authorize;
mod batch;
mod body;
mod catalog;
mod chat;
mod chat_route;
mod chat_tools;
mod commands;
mod connections;
mod events;
mod failures;
mod forward;
mod heap_trim;
mod metrics;
mod page;
mod peers;
mod reply;
mod routes;
mod server;
mod session_database;
mod session_owners;
mod sessions;
mod shared;
mod started_calls;
mod takeover;
mod tasks;
mod tool_call;
mod write_timeout;

pub use glove_wasm_native::{AnswerBuffer, MemoryBuffer};
pub use server::{SHORTEST_SECRET, Server};
pub use session_database::SessionDatabase;
pub use shared::{Caller, ServerLimits};
pub use tasks::ServedTasks;
