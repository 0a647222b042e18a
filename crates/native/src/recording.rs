//! Runs that are recorded, to be played again. `js/src/recording` writes the same form.

use glove_wasm::run::replay::ReplayError;
use glove_wasm::runtime::Session;

use crate::known_keys::KnownKeys;

/// What was recorded since [`Session::record`] as a file that `run::replay` plays without model and tools. Keys that are known (those of
/// the environment) or look like keys are struck out of it; `redact` gets each text and gives what is to stand there, always the same for
/// the same.
pub fn export_run(session: &Session, redact: impl Fn(&str) -> String) -> Result<String, ReplayError> {
    let keys = KnownKeys::of_environment();
    let redact = |text: &str| redact(&keys.struck(text));
    session.with_run(|run| run.recorded(&redact))
}
