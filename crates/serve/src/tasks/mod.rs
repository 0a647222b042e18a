//! Tasks that the server works on: begun, followed, decided about and stopped by clients, each in a folder of its own.

mod events;
mod live;
mod places;
mod routes;
mod served;
mod tail;
mod wanted;

pub(super) use live::Tasks;
pub(super) use routes::route;
pub use served::ServedTasks;
