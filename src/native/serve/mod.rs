//! A server: the endpoint that pages ask models through, and sessions that live here.

mod answers;
mod asks;
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
mod sessions;
mod shared;
mod takeover;
#[cfg(feature = "task")]
mod tasks;
mod tool_call;
mod written;

#[cfg(any(feature = "postgres", feature = "redis"))]
pub(crate) use answers::Kept;
pub use answers::{AnswerBuffer, MemoryBuffer};
pub use server::Server;
pub use shared::{Caller, ServerLimits};
#[cfg(feature = "task")]
pub use tasks::ServedTasks;
