//! Runs that are recorded, to be played again. `js/src/recording` writes the same form.

use crate::error::Error;
use crate::native::known_keys::KnownKeys;
use crate::run::Run;
use crate::run::replay::ReplayError;
use crate::runtime::Session;

impl Session {
    /// Keeps every input of the run from now on, in memory. Opens the session if it is not open yet.
    pub async fn record(&self) -> Result<(), Error> {
        self.opened().await?;
        self.change_run(Run::record);
        Ok(())
    }

    /// What was recorded as a file that `run::replay` plays without model and tools. Keys that are known (those of the environment) or
    /// look like keys are struck out of it; `redact` gets each text and gives what is to stand there, always the same for the same.
    pub fn export_run(&self, redact: impl Fn(&str) -> String) -> Result<String, ReplayError> {
        let keys = KnownKeys::of_environment();
        let redact = |text: &str| redact(&keys.struck(text));
        self.with_run(|run| run.recorded(&redact))
    }
}
