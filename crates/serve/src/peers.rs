//! The way to the other servers that share the database.

use std::sync::OnceLock;
use std::time::Duration;

use super::reply::HEARTBEAT;
use glove_wasm::endpoint::Refusal;

pub(super) const CONNECT: Duration = Duration::from_secs(2);
/// A stream says something more often than this.
const SILENT: Duration = Duration::from_secs(2 * HEARTBEAT.as_secs() + 5);

/// Made when it is needed first.
#[derive(Default)]
pub(super) struct Peers(OnceLock<Result<reqwest::Client, String>>);

impl Peers {
    pub(super) fn client(&self) -> Result<&reqwest::Client, Refusal> {
        let made = self.0.get_or_init(|| {
            let tls = glove_wasm_native::internal::tls().map_err(|error| error.to_string())?;
            let client = reqwest::Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .connect_timeout(CONNECT)
                .read_timeout(SILENT)
                .tls_backend_preconfigured(tls);
            client.build().map_err(|error| error.to_string())
        });
        made.as_ref().map_err(|error| unreachable_now(error))
    }
}

pub(super) fn unreachable_now(detail: &str) -> Refusal {
    let message = "The server that has this session cannot be reached at the moment. Try again.";
    Refusal {
        retryable: true,
        detail: detail.to_owned(),
        ..Refusal::new(503, "SESSION_UNREACHABLE", message)
    }
}
