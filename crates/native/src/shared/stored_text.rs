//! What is stored as text, read again.

use crate::stored::whole;
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::json::codec::{Fault, Read, from_text};
use glove_wasm::ports::Loaded;

/// How many messages were written, the number of the last step, the state of the run, the messages, the records.
pub type Stored = (usize, u64, Option<Vec<u8>>, Vec<String>, Vec<String>);

/// The session, which may not be there yet.
pub fn loaded(stored: Option<Stored>) -> Result<Loaded, StoreError> {
    let Some((written, seq, checkpoint, messages, records)) = stored else { return Ok(Loaded::default()) };
    let checkpoint = checkpoint.map(String::from_utf8).transpose();
    let loaded = Loaded {
        messages: values(&messages, "message")?,
        checkpoint: checkpoint.map_err(|_| unreadable("the state of its run"))?,
        records: values(&records, "record")?,
    };
    whole(&loaded, written, seq)?;
    Ok(loaded)
}

pub fn values<T: Read>(texts: &[String], what: &str) -> Result<Vec<T>, StoreError> {
    let read = |(at, text): (usize, &String)| value(text, &format!("{what} {at}"));
    texts.iter().enumerate().map(read).collect()
}

pub fn value<T: Read>(text: &str, what: &str) -> Result<T, StoreError> {
    from_text(text).map_err(|fault: Box<Fault>| unreadable(&format!("{what} ({fault})")))
}

pub fn unreadable(what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, format!("the stored session is damaged: {what} cannot be read"))
}
