//! A run that keeps what it takes in, so that it can be played again.

use crate::json::codec::to_text;
use crate::run::Run;
use crate::run::journal::Recording;

impl Run {
    /// Keeps every input from now on.
    pub fn record(&mut self) {
        if self.recording.is_none() {
            self.recording = Some(Box::new(Recording::from(self.as_text())));
        }
    }

    /// What was recorded, with all that was said in it: where it began, the inputs, and where the run is now.
    pub fn recorded_whole(&self) -> Option<String> {
        let recording = self.recording.as_deref()?;
        let parts = [
            "{\"start\":",
            &recording.start,
            ",\"records\":",
            &recording.records(),
            ",\"end\":",
            &self.as_text(),
            "}",
        ];
        Some(parts.concat())
    }

    fn as_text(&self) -> String {
        let parts = ["{\"checkpoint\":", &self.checkpoint(), ",\"messages\":", &to_text(&self.messages), "}"];
        parts.concat()
    }
}
