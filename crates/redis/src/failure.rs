//! What Redis says went wrong, as a sentence with a code. No sentence has the address in it that was given: that may hold a password.

use ::redis::{ErrorKind, RedisError};

use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm_native::internal::refusal;

/// The connection is gone, or Redis is not ready yet: the same may succeed soon, and may have been done already.
pub(super) fn may_pass(error: &RedisError) -> bool {
    let not_ready = ["LOADING", "READONLY", "MASTERDOWN", "TRYAGAIN", "BUSY"];
    match error.code() {
        Some(code) => not_ready.contains(&code),
        None => matches!(error.kind(), ErrorKind::Io | ErrorKind::Parse),
    }
}

pub(super) fn failed(error: &RedisError) -> StoreError {
    let code = error.code().unwrap_or_default();
    if let Some(refusal) = refusal(code) {
        return refusal;
    }
    let (kind, what) = match code {
        "WRONGPASS" | "NOAUTH" => {
            (StoreErrorKind::Unavailable, "Redis refuses the user or the password; check both")
        }
        _ if error.kind() == ErrorKind::AuthenticationFailed => {
            (StoreErrorKind::Unavailable, "Redis refuses the user or the password; check both")
        }
        "NOPERM" => (
            StoreErrorKind::Unavailable,
            "the user may not do this; allow it the keys `glove:*` and the commands of scripts",
        ),
        "OOM" => (
            StoreErrorKind::Quota,
            "the memory of Redis is full; nothing of this step was written. Allow more, then resume the session",
        ),
        "MISCONF" => (
            StoreErrorKind::Quota,
            "Redis cannot write to its disk; nothing of this step was written. Free some space, then resume the session",
        ),
        "READONLY" => (
            StoreErrorKind::Unavailable,
            "this Redis is a replica; nothing was written. Give the address of the one that is written to",
        ),
        "MOVED" | "ASK" | "CROSSSLOT" | "CLUSTERDOWN" => (
            StoreErrorKind::Unavailable,
            "this is a cluster of Redis, which cannot keep sessions; give the address of a single one",
        ),
        "" if error.kind() == ErrorKind::InvalidClientConfig => {
            (StoreErrorKind::Unavailable, "the connection cannot be made")
        }
        "" => (
            StoreErrorKind::Unavailable,
            "Redis cannot be reached. Check that it runs, then resume the session",
        ),
        _ if may_pass(error) => (
            StoreErrorKind::Unavailable,
            "Redis is not ready; nothing was written. Resume the session when it is",
        ),
        _ => (StoreErrorKind::Failed, "Redis refused"),
    };
    // What the system or TLS says, such as that a certificate is not trusted, is below it.
    let cause = || std::error::Error::source(error).map(ToString::to_string);
    let detail = error.detail().map(ToOwned::to_owned).or_else(cause);
    let detail = detail.unwrap_or_else(|| error.category().to_owned());
    StoreError::new(kind, format!("{what} ({detail})."))
}

pub(super) fn unusable(what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, what)
}
