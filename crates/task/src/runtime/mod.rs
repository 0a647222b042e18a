//! What does a task: it reads and writes its workspace, runs its steps, and asks people.
//!
//! [`TaskAgent`] is what an application uses; [`Workspace`] is the port to where a task's files are.

mod agent;
mod claims;
mod credentials;
mod decide;
mod handle;
mod in_flight;
mod memory;
mod memory_port;
#[cfg(feature = "derive")]
mod output;
mod parts;
mod phase_tools;
mod read_task;
mod remember;
mod running;
mod session_source;
mod session_step;
mod step_prompt;
mod step_store;
#[cfg(not(target_arch = "wasm32"))]
mod system;
mod tool_files;
mod tools;
pub mod traced;
mod watch;
mod workspace;

pub use agent::{TaskAgent, TaskAgentBuilder};
#[doc(hidden)]
pub use credentials::Secrets;
pub use credentials::{CredentialBroker, CredentialRequest};
pub use decide::{decide, stop};
pub use handle::{RunOptions, TaskHandle};
pub use memory::MemoryWorkspace;
pub use memory_port::{AgentMemory, MemoryProvider};
#[cfg(feature = "derive")]
pub use output::TaskOutput;
pub use parts::StepContext;
pub use read_task::{client_state, result, state};
pub use session_source::SessionSource;
pub use tool_files::SkillRunner;
pub use workspace::{Entry, Lease, Workspace};
