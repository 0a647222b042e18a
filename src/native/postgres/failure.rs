//! What the database says went wrong, as a sentence with a code. No sentence has the address in it that was given: that may hold
//! a password.

use std::error::Error;
use std::io;

use tokio_postgres::error::SqlState;

use crate::error::{StoreError, StoreErrorKind};

/// Codes of our own functions.
const HELD: &str = "GL001";
const TAKEN_OVER: &str = "GL002";
const CONFLICT: &str = "GL003";
const DELETED: &str = "GL004";

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
    let (kind, what) = match code {
        HELD => (
            StoreErrorKind::Conflict,
            "the session is open in another process; nothing was written. Close it there, or wait some seconds if that process has died",
        ),
        TAKEN_OVER => (
            StoreErrorKind::Conflict,
            "another process has taken over the session; nothing was written. Reopen it to continue",
        ),
        CONFLICT => (
            StoreErrorKind::Conflict,
            "another process has written to the session; nothing was written. Reopen it to continue",
        ),
        DELETED => (StoreErrorKind::Lost, "the session was deleted meanwhile; nothing was written"),
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
    match code {
        HELD | TAKEN_OVER | CONFLICT | DELETED => StoreError::new(kind, what),
        _ => StoreError::new(kind, format!("{what} ({}, {code}).", told.message())),
    }
}

pub(super) fn slow() -> StoreError {
    let message = "the database does not answer. Check it, then resume the session";
    StoreError::new(StoreErrorKind::Unavailable, message)
}

pub(super) fn unreadable(what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, format!("the stored session is damaged: {what} cannot be read"))
}
