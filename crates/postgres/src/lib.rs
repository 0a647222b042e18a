//! Sessions in a PostgreSQL database, shared by any number of servers. Each call is one statement, and so one transaction in one
//! round trip: a process that dies leaves nothing half done, and a pooler between may give each call another connection.

mod answers;
mod call;
mod connection;
mod database;
mod failure;
mod row;
mod schema;
mod store;
mod task_source;
mod transfer;

pub use database::PostgresDatabase;
pub use store::PostgresStore;
