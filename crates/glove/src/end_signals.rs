//! The terminal goes away, or somebody ends the program: what was said so far is stored and running commands are ended. The run
//! stays as it is, to be continued.

use std::sync::Arc;

use glove_wasm::runtime::Session;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::terminal_text;

/// Whoever holds the session decides how the program goes on.
pub(crate) struct EndSignals(Arc<Mutex<Session>>);

impl EndSignals {
    pub(crate) fn watch(runtime: &Runtime, session: &Session) -> Result<Self, Failure> {
        let _inside = runtime.enter();
        let current = Arc::new(Mutex::new(session.clone()));
        for kind in [SignalKind::hangup(), SignalKind::terminate(), SignalKind::quit()] {
            let mut arrived = signal(kind)?;
            let current = Arc::clone(&current);
            runtime.spawn(async move {
                if arrived.recv().await.is_some() {
                    // Never let go of: what fails because the session is closed does not end the program in its own way.
                    let session = current.lock().await;
                    session.keep_partial();
                    session.close();
                    session.drive().await;
                    terminal_text::restore_terminal();
                    // The thread that reads the terminal cannot be interrupted.
                    std::process::exit(128 + kind.as_raw_value());
                }
            });
        }
        Ok(EndSignals(current))
    }

    /// From now on this is the session that is stored.
    pub(crate) fn change_session(&self, runtime: &Runtime, session: &Session) {
        *runtime.block_on(self.0.lock()) = session.clone();
    }

    /// Does not return when the program is being ended.
    pub(crate) fn wait_if_ending(&self, runtime: &Runtime) {
        drop(runtime.block_on(self.0.lock()));
    }
}
