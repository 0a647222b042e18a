//! What clients are told of failures.

use crate::endpoint::{Disclosure, Refusal};
use crate::error::{Error, ModelError};
use crate::runtime::Response;
use crate::store::TranscriptError;

/// What a client may read of a failure.
pub(super) fn told_of(error: &Error) -> String {
    match error {
        Error::Model(error) => Refusal::of_model(error, Disclosure::Safe).message,
        Error::Store(_) => "The session could not be stored. Try again.".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn refusal(error: &Error) -> Refusal {
    let status = match error.code() {
        "STORE_CONFLICT" => 409,
        "DISPLAY_WRONG_OUTPUT" => 422,
        _ => 500,
    };
    let code = error.code().to_owned();
    Refusal {
        code: code.into(),
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

fn safe_failure(error: &ModelError) -> ModelError {
    let Refusal { message, provider, retry_after_ms, .. } = Refusal::of_model(error, Disclosure::Safe);
    ModelError {
        message,
        status: provider.status,
        transient: provider.transient,
        retry_after_ms,
        provider_code: provider.code.clone(),
        media: provider.media,
        code: None,
        retryable: false,
        request_id: None,
        ..error.clone()
    }
}
