//! Models behind HTTP, and what is read of and written to a connection.

mod answers;
mod calls;
mod refusals;
mod relay;
mod retry;
mod sse_table;
mod time_limits;
