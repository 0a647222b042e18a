//! A session as a text that came from anywhere.

use glove_wasm::run::input::Input;
use glove_wasm::store::Transcript;

/// It is refused with a code, or it is written as a text that is read as the same, and its run takes what comes next.
pub fn check(input: &[u8]) {
    let transcript = match Transcript::read(&String::from_utf8_lossy(input)) {
        Ok(transcript) => transcript,
        Err(error) => return assert!(!error.code().is_empty()),
    };
    let Ok(text) = transcript.to_text() else { return };
    let again = Transcript::read(&text);
    assert_eq!(again.as_ref(), Ok(&transcript), "{text}");
    let Ok(mut run) = transcript.run() else { return };
    drop(run.prompts());
    for next in [Input::Recovered, Input::Resumed] {
        // An illegal move changes nothing.
        let before = run.checkpoint();
        if run.step(transcript.updated_at, next).is_err() {
            assert_eq!(run.checkpoint(), before);
        }
    }
    assert!(run.messages().len() >= transcript.messages.len());
}
