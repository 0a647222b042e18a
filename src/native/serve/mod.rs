//! A server: the endpoint that pages ask models through, and sessions that live here.

mod asks;
mod body;
mod catalog;
mod chat;
mod connections;
mod elsewhere;
mod events;
mod failures;
mod metrics;
mod others;
mod owners;
mod page;
mod reply;
mod routes;
mod server;
mod sessions;
mod shared;
mod takeover;
#[cfg(feature = "task")]
mod tasks;

pub use server::Server;
pub use shared::{Caller, ServerLimits};
#[cfg(feature = "task")]
pub use tasks::ServedTasks;
