//! Why the program ends without having done what it was called for.

use std::io;

use glove_wasm::error::{Error, ModelError, StoreError};
use glove_wasm::run::replay::ReplayError;
use glove_wasm::store::TranscriptError;

/// A sentence, and the program's exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub message: String,
    pub exit: u8,
}

/// The request was answered, without something that was not allowed.
const NOT_ALLOWED: u8 = 3;
/// What shells say of a program that was ended by ctrl-C.
const INTERRUPTED: u8 = 130;
/// The exit code after a closed output pipe.
const UNREAD: u8 = 141;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), exit: 1 }
    }

    pub(crate) fn not_allowed(message: impl Into<String>) -> Self {
        Failure { message: message.into(), exit: NOT_ALLOWED }
    }

    pub(crate) fn interrupted() -> Self {
        Failure { message: String::new(), exit: INTERRUPTED }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::new(format!("{error} ({})", error.code()))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::from(Error::Store(error))
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Failure::from(Error::Model(error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // As in `glove export | head`: whoever closed it knows.
            io::ErrorKind::BrokenPipe => Failure { message: String::new(), exit: UNREAD },
            _ => Failure::new(error.to_string()),
        }
    }
}

impl From<TranscriptError> for Failure {
    fn from(error: TranscriptError) -> Self {
        Failure::new(format!("{error} ({})", error.code()))
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        Failure::new(format!("{error} ({})", error.code()))
    }
}
