//! A message is answered for when it is stored, and not when it has come.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use tokio::sync::Notify;

use crate::runtime::{Session, Subscription};

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
    let moved = Arc::new(Notify::new());
    let told = Arc::clone(&moved);
    let _listening = Listening(session.on_step(move || told.notify_one()));
    let mut ended = pin!(ended);
    let is_stored = || session.with_run(|run| run.has_stored(request));
    loop {
        if is_stored() {
            return Ok(());
        }
        if let Either::Left((end, _)) = select(ended.as_mut(), pin!(moved.notified())).await {
            return if is_stored() { Ok(()) } else { Err(end) };
        }
    }
}
