//! Sessions in Redis, shared by any number of servers. Each call is one script, which Redis runs as a whole or not at all, so a process
//! that dies leaves nothing half done.

mod answers;
mod connection;
mod database;
mod failure;
mod scripts;
mod store;
mod task_source;
mod transfer;
mod values;

pub use database::RedisDatabase;
pub use store::RedisStore;
