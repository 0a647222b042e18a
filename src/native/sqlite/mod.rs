//! Sessions in a SQLite database, shared with other processes and readable by the original framework.

mod database;
mod failure;
mod file;
mod lease;
mod rows;
mod schema;
mod sessions;
mod store;
mod transfer;
mod worker;

pub use database::SqliteDatabase;
pub use store::SqliteStore;
