//! What clients are told of failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::shared::Shared;
use glove_wasm::endpoint::{Disclosure, Refusal, log_line_of};
use glove_wasm::error::{Error, MODEL_NOT_FOUND, ModelError, StoreErrorKind};
use glove_wasm::runtime::{Follower, Response};
use glove_wasm::store::TranscriptError;

/// What a client may read of a failure.
pub(super) fn told_of(error: &Error) -> String {
    match error {
        Error::Model(error) => Refusal::of_model(error, Disclosure::Safe).message,
        Error::Store(_) => "The session could not be stored. Try again.".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn refusal(error: &Error) -> Refusal {
    let status = match error {
        Error::Store(error) => match error.kind {
            StoreErrorKind::Conflict => 409,
            StoreErrorKind::Lost => 404,
            StoreErrorKind::Unavailable | StoreErrorKind::Quota | StoreErrorKind::Failed => 503,
            StoreErrorKind::Corrupt | StoreErrorKind::Newer => 500,
        },
        Error::Closed => 503,
        Error::Refused { code: "MESSAGE_UNKNOWN", .. } => 404,
        Error::Aborted | Error::Protocol(_) | Error::Refused { .. } => 409,
        Error::Model(_) | Error::Tool(_) => 500,
    };
    let code = error.code().to_owned();
    Refusal {
        code: code.into(),
        retryable: status == 503,
        detail: error.to_string(),
        ..Refusal::new(status, "INTERNAL", told_of(error))
    }
}

pub(super) fn transcript_refusal(error: TranscriptError) -> Refusal {
    let status = match error {
        TranscriptError::Store(error) => return refusal(&Error::Store(error)),
        TranscriptError::Exists(_) => 409,
        TranscriptError::Unknown(_) => 404,
        TranscriptError::Invalid(_) | TranscriptError::Newer => 422,
    };
    Refusal::new(status, error.code(), error.to_string())
}

pub(super) fn invalid(why: &str) -> Refusal {
    Refusal::new(400, "REQUEST_INVALID", format!("The request is not valid: {why}"))
}

/// With what a client may know of a failure.
pub(super) fn safe(end: Result<Response, Error>) -> Result<Response, Error> {
    end.map_err(|error| match error {
        Error::Model(error) => Error::Model(safe_failure(&error)),
        Error::Store(mut error) => {
            error.message = told_of(&Error::Store(error.clone()));
            Error::Store(error)
        }
        error => error,
    })
}

/// Says in the server's log what models of a session fail with.
pub(super) struct FailureLog {
    shared: Arc<Shared>,
    session: String,
    /// All requests that one failed call ends, end in the same step.
    is_told: AtomicBool,
}

impl FailureLog {
    pub(super) fn new(shared: &Arc<Shared>, session: &str) -> Self {
        FailureLog {
            shared: Arc::clone(shared),
            session: session.to_owned(),
            is_told: AtomicBool::new(false),
        }
    }
}

impl Follower for FailureLog {
    fn on_change(&self) {
        self.is_told.store(false, Ordering::Relaxed);
    }

    fn on_end(&self, _request: Option<&str>, end: &Result<Response, Error>) {
        if let Err(Error::Model(error)) = end
            && !self.is_told.swap(true, Ordering::Relaxed)
        {
            (self.shared.log)(&format!("session {}: {}", self.session, log_line_of(error)));
        }
    }
}

pub(super) fn safe_failure(error: &ModelError) -> ModelError {
    let Refusal { message, provider, retry_after_ms, status, .. } =
        Refusal::of_model(error, Disclosure::Safe);
    ModelError {
        message,
        // Where the provider's is not told, this server's, as of the endpoint.
        status: provider.status.or(error.status.map(|_| status)),
        transient: provider.transient,
        retry_after_ms,
        provider_code: provider.code.clone(),
        media: provider.media,
        code: error.code.clone().filter(|code| code == MODEL_NOT_FOUND),
        retryable: false,
        request_id: None,
        ..error.clone()
    }
}
