//! What is stored as text, read again.

use crate::error::{StoreError, StoreErrorKind};
use crate::json::codec::{Fault, Read, from_text};
use crate::native::stored::whole;
use crate::ports::Loaded;

/// How many messages were written, the number of the last step, the state of the run, the messages, the records.
pub(in crate::native) type Stored = (usize, u64, Option<Vec<u8>>, Vec<String>, Vec<String>);

/// The session, which may not be there yet.
pub(in crate::native) fn loaded(stored: Option<Stored>) -> Result<Loaded, StoreError> {
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

pub(in crate::native) fn values<T: Read>(texts: &[String], what: &str) -> Result<Vec<T>, StoreError> {
    let read = |(at, text): (usize, &String)| value(text, &format!("{what} {at}"));
    texts.iter().enumerate().map(read).collect()
}

pub(in crate::native) fn value<T: Read>(text: &str, what: &str) -> Result<T, StoreError> {
    from_text(text).map_err(|fault: Box<Fault>| unreadable(&format!("{what} ({fault})")))
}

pub(in crate::native) fn unreadable(what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, format!("the stored session is damaged: {what} cannot be read"))
}
