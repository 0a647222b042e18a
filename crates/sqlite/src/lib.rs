//! Sessions in a SQLite database, shared with other processes and readable by the original framework.

mod database;
mod failure;
mod file;
mod lease;
mod memory;
mod rows;
mod schema;
mod sessions;
mod store;
mod task_source;
mod transfer;
mod vectors;
mod worker;

pub use database::SqliteDatabase;
pub use memory::SqliteMemory;
pub use store::SqliteStore;
