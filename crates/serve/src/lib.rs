//! A server: the endpoint that pages ask models through, and sessions that live here.

mod answers;
mod asks;
mod batch;
mod begun_calls;
mod body;
mod catalog;
mod chat;
mod chat_route;
mod chat_tools;
mod connections;
mod elsewhere;
mod events;
mod failures;
mod given_back;
mod metrics;
mod others;
mod owners;
mod page;
mod patience;
mod reply;
mod routes;
mod server;
mod session_database;
mod sessions;
mod shared;
mod takeover;
mod tasks;
mod tool_call;
mod written;

pub use glove_wasm_native::{AnswerBuffer, MemoryBuffer};
pub use server::Server;
pub use session_database::SessionDatabase;
pub use shared::{Caller, ServerLimits};
pub use tasks::ServedTasks;
