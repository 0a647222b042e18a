//! A recorded run that came from anywhere.

use glove_wasm::run::replay::{ReplayError, Replayed, replay};
use glove_wasm::store::Transcript;

/// It is refused with a code, or it plays to its end, the same each time.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut events = Vec::new();
    match replay(&text, &mut |event| events.push(event.clone())) {
        Ok(Replayed { run, .. }) => {
            let mut same = Vec::new();
            let again = replay(&text, &mut |event| same.push(event.clone()));
            assert_eq!(again.map(|again| again.run.checkpoint()), Ok(run.checkpoint()));
            assert_eq!(events, same);
            // It goes on as a session.
            let session = Transcript::read(&text);
            assert!(session.is_ok_and(|session| session.run().is_ok()));
        }
        Err(error) => {
            assert!(!error.code().is_empty() && !matches!(error, ReplayError::NotRecorded));
        }
    }
}
