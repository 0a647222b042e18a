//! Connections: taken up to a limit, and let go when the server ends.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use super::metrics::counted;
use super::routes::route;
use super::sessions::Sessions;

/// For the head of a request, also of the next one on the same connection.
const HEAD: Duration = Duration::from_secs(30);
const SWEEP: Duration = Duration::from_secs(60);

pub(super) async fn accept(
    sessions: &Arc<Sessions>,
    listener: &TcpListener,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut shutdown = pin!(shutdown);
    let mut sweep = pin!(sleep(SWEEP));
    let free = Arc::new(Semaphore::new(sessions.shared.limits.connections));
    loop {
        let next = pin!(async {
            let permit = Arc::clone(&free).acquire_owned().await.map_err(io::Error::other)?;
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
        let (permit, accepted) = accepted?;
        let Ok((stream, address)) = accepted else {
            // The system has no more files, or the client left already: others may have better luck soon.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        let sessions = Arc::clone(sessions);
        tokio::spawn(async move {
            serve(&sessions, stream, address).await;
            drop(permit);
        });
    }
}

async fn serve(sessions: &Arc<Sessions>, stream: TcpStream, address: SocketAddr) {
    let _open = counted(&sessions.shared.metrics.connections);
    // Pieces of an answer are small and are wanted at once.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let sessions = Arc::clone(sessions);
        async move { Ok::<_, Infallible>(route(&sessions, request, address).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_headers(100);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let mut ending = sessions.shared.ending.subscribe();
    let ends = pin!(async { drop(ending.wait_for(|ends| *ends).await) });
    if let Either::Right(_) = select(connection.as_mut(), ends).await {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}
