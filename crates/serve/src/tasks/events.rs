//! What happens in a task, as a stream that a client reads on after its connection was lost.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::mpsc::channel;
use tokio::time::sleep;

use super::running_tasks::Tasks;
use super::tail::{More, Tail};
use crate::metrics::counted;
use crate::reply::{AHEAD, HEARTBEAT, Reply, stream_of};
use crate::shared::Shared;
use glove_wasm::ports::Clock;
use glove_wasm::system::SystemClock;

/// How a client wants the events.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    /// Server-sent events, or else a line of JSON for each.
    pub(super) sse: bool,
    /// Waits for what is still to come.
    pub(super) follow: bool,
    /// When the right to read on ends, in milliseconds since 1970.
    pub(super) until: Option<u64>,
}

/// Ends after the last event of a task that is finished, and where the right to read it does.
pub(super) fn stream(
    shared: &Arc<Shared>,
    tasks: &Arc<Tasks>,
    name: String,
    tail: Tail,
    wish: Wish,
) -> Reply {
    let (pieces, received) = channel(AHEAD);
    let (shared, tasks, mut tail) = (Arc::clone(shared), Arc::clone(tasks), tail);
    let Wish { sse, follow, until } = wish;
    let left_ms = move || until.map(|until| until.saturating_sub(SystemClock.now()));
    tokio::spawn(async move {
        let _open = counted(&shared.metrics.streams);
        let mut ending = shared.ending.subscribe();
        let mut last_read_at = Instant::now();
        loop {
            // Before its files are read: what comes meanwhile wakes.
            let mut told = tasks.get(&name).map(|live| live.watch());
            // A stream that breaks off is asked for again, and then told why.
            let Ok(More { events, over }) = tail.more().await else { return };
            for event in events {
                if left_ms() == Some(0) {
                    return;
                }
                let line = event.line();
                let text = if sse { format!("id: {}\ndata: {line}\n", event.id) } else { line };
                last_read_at = Instant::now();
                if pieces.send(text).await.is_err() {
                    return;
                }
            }
            if over || !follow {
                if sse {
                    let _ = pieces.send("event: end\ndata: {}\n\n".to_owned()).await;
                }
                return;
            }
            if last_read_at.elapsed() >= HEARTBEAT {
                last_read_at = Instant::now();
                if pieces.send(if sse { ": alive\n\n" } else { "\n" }.to_owned()).await.is_err() {
                    return;
                }
            }
            let changed = pin!(async {
                if let Some(told) = &mut told
                    && told.changed().await.is_ok()
                {
                    return;
                }
                // Others may write to its files: they are looked at now and then.
                std::future::pending::<()>().await;
            });
            let left = left_ms().map_or(tasks.served.poll, Duration::from_millis);
            if left.is_zero() {
                // As if the connection were lost: whoever asks again is told why.
                return;
            }
            let quiet = pin!(sleep(tasks.served.poll.min(left)));
            let more = pin!(select(changed, quiet));
            let left = pin!(pieces.closed());
            let ends = pin!(async { drop(ending.wait_for(|ends| *ends).await) });
            if let Either::Right(_) = select(more, select(left, ends)).await {
                return;
            }
        }
    });
    stream_of(if sse { "text/event-stream" } else { "application/x-ndjson" }, None, received)
}
