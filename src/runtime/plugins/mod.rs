//! What a native program hangs into an agent beside its tools: hooks of messages, and plugins before each call of the model.

mod hooks;
mod host;
mod plugin;

pub use hooks::{HookCall, HookResult, Hooks};
pub(crate) use host::Plugins;
pub use plugin::{Plugin, PluginRound, PluginShare};

use std::future::Future;
use std::pin::pin;

use futures_util::future::{Either, select};

use crate::ports::Clock;

/// Hooks and plugins hold a request up for no longer than this, unless something else is said.
const USUAL_MS: u64 = 10_000;

/// `None` where it has taken too long.
async fn within<T>(clock: &dyn Clock, ms: u64, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(clock.sleep(ms))).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
