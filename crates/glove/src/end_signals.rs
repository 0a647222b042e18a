//! The terminal goes away, or somebody ends the program: what was said so far is stored and running commands are ended. The run
//! stays as it is, to be continued.

use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use glove_wasm::ports::AbortHandle;
use glove_wasm::runtime::Session;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::terminal_text;

/// Whoever holds the session decides how the program goes on.
pub(crate) struct EndSignals {
    session: Arc<Mutex<Session>>,
    /// What a person runs themself, and is not of the session.
    own: Arc<StdMutex<Option<AbortHandle>>>,
}

/// So long a command may take to end that is to end with the program.
const ENDING: Duration = Duration::from_secs(2);

/// For as long as it is held, something ends with the program. Let go of when that has ended.
pub(crate) struct AlsoEnds(Arc<StdMutex<Option<AbortHandle>>>);

impl Drop for AlsoEnds {
    fn drop(&mut self) {
        *locked(&self.0) = None;
    }
}

fn locked(own: &StdMutex<Option<AbortHandle>>) -> MutexGuard<'_, Option<AbortHandle>> {
    own.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EndSignals {
    pub(crate) fn watch(runtime: &Runtime, session: &Session) -> Result<Self, Failure> {
        let _inside = runtime.enter();
        let current = Arc::new(Mutex::new(session.clone()));
        let own: Arc<StdMutex<Option<AbortHandle>>> = Arc::default();
        for kind in [SignalKind::hangup(), SignalKind::terminate(), SignalKind::quit()] {
            let mut arrived = signal(kind)?;
            let (current, own) = (Arc::clone(&current), Arc::clone(&own));
            runtime.spawn(async move {
                if arrived.recv().await.is_some() {
                    // Never let go of: what fails because the session is closed does not end the program in its own way.
                    let session = current.lock().await;
                    session.keep_partial();
                    session.close();
                    session.drive().await;
                    end(&own).await;
                    terminal_text::restore_terminal();
                    // The thread that reads the terminal cannot be interrupted.
                    std::process::exit(128 + kind.as_raw_value());
                }
            });
        }
        Ok(EndSignals { session: current, own })
    }

    /// This is stopped too when the program is ended.
    pub(crate) fn also_end(&self, abort: &AbortHandle) -> AlsoEnds {
        *locked(&self.own) = Some(abort.clone());
        AlsoEnds(Arc::clone(&self.own))
    }

    /// From now on this is the session that is stored.
    pub(crate) fn change_session(&self, runtime: &Runtime, session: &Session) {
        *runtime.block_on(self.session.lock()) = session.clone();
    }

    /// Does not return when the program is being ended.
    pub(crate) fn wait_if_ending(&self, runtime: &Runtime) {
        drop(runtime.block_on(self.session.lock()));
    }
}

async fn end(own: &StdMutex<Option<AbortHandle>>) {
    let until = Instant::now() + ENDING;
    while abort(own) && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// True if there is something that has not ended.
fn abort(own: &StdMutex<Option<AbortHandle>>) -> bool {
    let running = locked(own).clone();
    running.inspect(AbortHandle::abort).is_some()
}
