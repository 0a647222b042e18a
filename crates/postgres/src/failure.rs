//! What the database says went wrong, as a sentence with a code. No sentence has the address in it that was given: that may hold
//! a password.

use std::error::Error;
use std::io;

use tokio_postgres::error::SqlState;

use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm_native::internal::refusal;

/// The connection is gone, or the database is not ready yet: the same may succeed soon, and may have been done already.
pub(super) fn may_pass(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => {
            let ready_again = [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
                SqlState::READ_ONLY_SQL_TRANSACTION,
                SqlState::T_R_SERIALIZATION_FAILURE,
                SqlState::T_R_DEADLOCK_DETECTED,
            ];
            code.code().starts_with("08") || ready_again.contains(code)
        }
        None => error.is_closed() || cause::<io::Error>(error).is_some(),
    }
}

fn cause<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

pub(super) fn failed(error: &tokio_postgres::Error) -> StoreError {
    let Some(told) = error.as_db_error() else {
        let why = cause::<io::Error>(error).map_or_else(|| error.to_string(), ToString::to_string);
        let message =
            format!("the database cannot be reached ({why}). Check that it runs, then resume the session");
        return StoreError::new(StoreErrorKind::Unavailable, message);
    };
    let code = told.code().code();
    if let Some(refusal) = refusal(code) {
        return refusal;
    }
    let (kind, what) = match code {
        "28000" | "28P01" => {
            (StoreErrorKind::Unavailable, "the database refuses the user or the password; check both")
        }
        "3D000" => (StoreErrorKind::Unavailable, "there is no database of this name; create it first"),
        "42501" => (
            StoreErrorKind::Unavailable,
            "the user may not do this in the database; grant it the rights to create and use tables",
        ),
        "25006" => (
            StoreErrorKind::Unavailable,
            "the database is read-only; nothing was written. Give the address of the one that is written to",
        ),
        "53100" => (
            StoreErrorKind::Quota,
            "the disk of the database is full; nothing of this step was written. Free some space, then resume the session",
        ),
        _ if may_pass(error) || code.starts_with("53") || code.starts_with("57") => (
            StoreErrorKind::Unavailable,
            "the database is not ready; nothing was written. Resume the session when it is",
        ),
        _ => (StoreErrorKind::Failed, "the database refused; nothing was written"),
    };
    StoreError::new(kind, format!("{what} ({}, {code}).", told.message()))
}

pub(super) fn slow() -> StoreError {
    let message = "the database does not answer. Check it, then resume the session";
    StoreError::new(StoreErrorKind::Unavailable, message)
}
