//! Tasks that the server works on: begun, followed, decided about and stopped by clients, each in a folder of its own.

mod events;
mod list;
mod multipart;
mod options;
mod owners;
mod request_body;
mod routes;
mod running_tasks;
mod stream_token;
mod tail;

pub use options::ServedTasks;
pub(super) use routes::route;
pub(super) use running_tasks::Tasks;
pub(super) use stream_token::{Follower, follower};
