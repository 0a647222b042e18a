//! What runs the machine: the loop that takes its effects, does them, and gives back what came of it.

mod display;
mod driver;
mod glove;
mod listeners;
mod response;
mod session;
mod shared;
mod shown;
mod toolbox;
mod work;

pub use display::{DisplayManager, Renderer, StackListener};
pub use glove::{Glove, GloveBuilder};
pub use listeners::{Follower, Subscription};
pub use response::{Prompt, Response};
pub use session::{Asked, Parts, Session};
