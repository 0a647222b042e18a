//! The bodies of requests.

use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use serde::Deserialize;

use super::failures::invalid;
use super::shared::{Caller, Shared};
use glove_wasm::endpoint::Refusal;

/// For one that comes slowly.
const BODY: Duration = Duration::from_secs(60);

/// Read when it is needed, once.
pub(super) struct Body {
    incoming: Option<Incoming>,
    text: String,
}

impl Body {
    pub(super) fn new(incoming: Incoming) -> Self {
        Body { incoming: Some(incoming), text: String::new() }
    }

    pub(super) async fn text(&mut self, shared: &Shared, caller: &Caller) -> Result<&str, Refusal> {
        if let Some(incoming) = self.incoming.take() {
            self.text = read(shared, caller, incoming).await?;
        }
        Ok(&self.text)
    }

    /// What another server is asked in its place.
    pub(super) fn replace(&mut self, text: String) {
        self.text = text;
    }
}

pub(super) async fn read(shared: &Shared, caller: &Caller, body: Incoming) -> Result<String, Refusal> {
    let kind = caller.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
    if !kind.trim().eq_ignore_ascii_case("application/json") {
        let message = "The request body must be JSON, with the content type application/json.";
        return Err(Refusal::new(415, "CONTENT_TYPE", message));
    }
    String::from_utf8(read_bytes(shared, body).await?)
        .map_err(|_| Refusal::new(400, "BODY_NOT_JSON", "The request body is not valid UTF-8."))
}

pub(super) async fn read_bytes(shared: &Shared, body: Incoming) -> Result<Vec<u8>, Refusal> {
    let limit = shared.limits.body_bytes;
    let too_large = || {
        let detail =
            format!("A request body exceeded {limit} bytes; `body_bytes` of the limits allows more.");
        let message = "The request is too large: send a smaller picture or file.";
        Refusal { detail, ..Refusal::new(413, "BODY_TOO_LARGE", message) }
    };
    let read = tokio::time::timeout(BODY, Limited::new(body, limit).collect()).await;
    match read {
        Ok(Ok(body)) => Ok(body.to_bytes().into()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::new(400, "BODY_NOT_JSON", "The request body broke off.")),
        Err(_) => Err(Refusal::new(408, "BODY_TIMEOUT", "The request body came too slowly.")),
    }
}

pub(super) fn posted<T: for<'a> Deserialize<'a>>(body: &str) -> Result<T, Refusal> {
    serde_json::from_str(body).map_err(|error| invalid(&error.to_string()))
}
