//! A message is acknowledged when it is stored, not when it is received.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use tokio::sync::Notify;

use glove_wasm::runtime::{Session, Subscription};

/// Heard as long as it is there.
struct Listening(Subscription);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Done when the request is stored with its session. Fails with its end where that comes first.
pub(super) async fn written<T>(
    session: &Session,
    request: &str,
    ended: impl Future<Output = T>,
) -> Result<(), T> {
    let is_stored = || session.with_run(|run| run.has_stored(request));
    match select(pin!(moved(session, is_stored)), pin!(ended)).await {
        Either::Left(_) => Ok(()),
        Either::Right(_) if is_stored() => Ok(()),
        Either::Right((end, _)) => Err(end),
    }
}

/// Done when this holds, which is looked at after each step of the run.
pub(super) async fn moved(session: &Session, holds: impl Fn() -> bool) {
    let moved = Arc::new(Notify::new());
    let told = Arc::clone(&moved);
    let _listening = Listening(session.on_step(move || told.notify_one()));
    while !holds() {
        moved.notified().await;
    }
}
