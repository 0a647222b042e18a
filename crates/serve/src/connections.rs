//! Connections: taken up to a limit, beyond which clients are turned away, and let go when the server ends.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::{Either, select};
use http_body_util::{BodyExt, Limited};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::metrics::{add, counted};
use super::reply::refused;
use super::routes::route;
use super::sessions::Sessions;
use super::shared::Shared;
use super::write_timeout::Patience;
use glove_wasm::endpoint::Refusal;

/// For the head of a request, also of the next one on the same connection.
const HEAD: Duration = Duration::from_secs(30);
/// Of an answer, ahead of its reader; also the most that the head of a request may have.
const AHEAD_BYTES: usize = 64 << 10;
const SWEEP: Duration = Duration::from_secs(60);
/// So many at once are turned away; further ones wait for that.
const TURNED_AWAY: usize = 64;
/// For one of them to ask and to hear the answer.
const TURNING_AWAY: Duration = Duration::from_secs(5);
/// Read up to this much of an unread body before closing: otherwise the client may lose the answer.
const READ_OF_IT: usize = 1 << 20;
const TRY_AGAIN: Duration = Duration::from_secs(2);

pub(super) async fn accept(
    sessions: &Arc<Sessions>,
    listener: &TcpListener,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut shutdown = pin!(shutdown);
    let mut sweep = pin!(sleep(SWEEP));
    let free = Arc::new(Semaphore::new(sessions.shared.limits.connections));
    let turning_away = Arc::new(Semaphore::new(TURNED_AWAY));
    loop {
        let next = pin!(async {
            let permit = Arc::clone(&turning_away).acquire_owned().await.map_err(io::Error::other)?;
            Ok::<_, io::Error>((permit, listener.accept().await))
        });
        let accepted = match select(next, select(shutdown.as_mut(), sweep.as_mut())).await {
            Either::Left((accepted, _)) => accepted,
            Either::Right((Either::Left(_), _)) => return Ok(()),
            Either::Right((Either::Right(_), _)) => {
                sessions.sweep();
                sweep.set(sleep(SWEEP));
                continue;
            }
        };
        let (turned_away, accepted) = accepted?;
        let Ok((stream, address)) = accepted else {
            // The system has no more files, or the client left already: others may have better luck soon.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        let sessions = Arc::clone(sessions);
        match Arc::clone(&free).try_acquire_owned() {
            Ok(permit) => tokio::spawn(async move {
                serve(&sessions, stream, address).await;
                drop(permit);
                let Shared { memory, metrics, .. } = &*sessions.shared;
                memory.disconnected(metrics.connections.load(Ordering::Relaxed));
            }),
            Err(_) => tokio::spawn(async move {
                add(&sessions.shared.metrics.turned_away, 1);
                let _ = timeout(TURNING_AWAY, turn_away(stream)).await;
                drop(turned_away);
            }),
        };
    }
}

/// Answers its one request with the sentence that all connections are taken.
async fn turn_away(stream: TcpStream) {
    let service = service_fn(|request: Request<Incoming>| async {
        let _ = Limited::new(request.into_body(), READ_OF_IT).collect().await;
        let message = "The server has as many connections as it may. Try again later.";
        let refusal = Refusal {
            retryable: true,
            retry_after_ms: u64::try_from(TRY_AGAIN.as_millis()).ok(),
            ..Refusal::new(503, "TOO_MANY_CONNECTIONS", message)
        };
        let mut reply = refused(&refusal);
        // Nothing was tried here.
        reply.headers_mut().remove("x-should-retry");
        Ok::<_, Infallible>(reply)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).max_headers(100).keep_alive(false);
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

async fn serve(sessions: &Arc<Sessions>, stream: TcpStream, address: SocketAddr) {
    let Shared { memory, metrics, .. } = &*sessions.shared;
    let _open = counted(&metrics.connections);
    memory.connected(metrics.connections.load(Ordering::Relaxed));
    // Pieces of an answer are small and are wanted at once.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let sessions = Arc::clone(sessions);
        async move { Ok::<_, Infallible>(route(&sessions, request, address).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(100).max_buf_size(AHEAD_BYTES);
    let stream = Patience::new(stream, sessions.shared.limits.slow_reader);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let mut ending = sessions.shared.ending.subscribe();
    let ends = pin!(async { drop(ending.wait_for(|ends| *ends).await) });
    if let Either::Right(_) = select(connection.as_mut(), ends).await {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}
