//! What SQLite says went wrong, as a sentence with a code.

use rusqlite::ffi::ErrorCode;

use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::json::codec::Fault;

/// Nothing of the transaction in which this happened is stored.
pub(super) fn failed(error: &rusqlite::Error) -> StoreError {
    if is_damage(error) {
        let message =
            format!("the stored session is damaged: a value cannot be read ({error}); nothing was changed");
        return StoreError::new(StoreErrorKind::Corrupt, message);
    }
    let code = error.sqlite_error_code();
    let (kind, what) = match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            StoreErrorKind::Unavailable,
            "another program has locked the database; nothing was written. Close that program, or try again when it is done",
        ),
        Some(ErrorCode::DiskFull) => (
            StoreErrorKind::Quota,
            "the disk is full; nothing of this step was written. Free some space, then resume the session",
        ),
        Some(
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied,
        ) => (
            StoreErrorKind::Unavailable,
            "the database cannot be written; nothing was changed. Allow writing to its file and its folder",
        ),
        Some(ErrorCode::CannotOpen) => (
            StoreErrorKind::Unavailable,
            "the database cannot be opened. Check that its folder exists and can be written",
        ),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => (
            StoreErrorKind::Corrupt,
            "the file is damaged, or is not a SQLite database; nothing was changed. Restore a copy of it, or read what can be \
             read with `sqlite3 FILE .recover`",
        ),
        Some(ErrorCode::SystemIoFailure) => (
            StoreErrorKind::Unavailable,
            "the disk failed; nothing of this step was written. Check it, then resume the session",
        ),
        _ => (StoreErrorKind::Failed, "SQLite refused; nothing was written"),
    };
    StoreError::new(kind, format!("{what} ({error})."))
}

/// A value in the database is not of the kind that is written there.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};

    matches!(
        error,
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
    )
}

pub(super) fn unreadable(place: &str, fault: &Fault) -> StoreError {
    StoreError::new(
        StoreErrorKind::Corrupt,
        format!("the stored session is damaged: {place} cannot be read: {fault}"),
    )
}
