//! Sessions that another server holds: what is asked of them is passed on to it.

use std::io;
use std::pin::pin;

use futures_util::future::{Either, select};
use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HeaderName, TRANSFER_ENCODING};
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::timeout;

use super::failures::refusal;
use super::peers::{CONNECT, unreachable_now};
use super::reply::{self, AHEAD, Reply};
use super::shared::{Caller, Shared};
use glove_wasm::endpoint::Refusal;
use glove_wasm::error::Error;

/// Set on what was passed on: it is not passed on again.
const FORWARDED: &str = "x-glove-passed-on";
/// Why a request is not answered here.
#[derive(Debug, Clone)]
pub(super) enum NotLocal {
    /// The server with this address holds the session.
    At(String),
    Refused(Refusal),
}

impl From<Refusal> for NotLocal {
    fn from(refusal: Refusal) -> Self {
        NotLocal::Refused(refusal)
    }
}

impl Shared {
    /// The address of the other server that holds the session, if it is known.
    pub(super) async fn session_holder(&self, id: &str) -> Result<Option<String>, Refusal> {
        let holder = self.database.holder(id).await.map_err(|error| refusal(&Error::Store(error)))?;
        Ok(holder.filter(|address| !address.is_empty() && *address != self.address))
    }
}

/// Two servers that each believe the other one has the session would ask each other for ever.
pub(super) fn was_forwarded(caller: &Caller) -> bool {
    caller.header(FORWARDED).is_some()
}

/// `None` where nothing can have arrived: the same may be asked again, or done here.
pub(super) async fn forward_request(
    shared: &Shared,
    address: &str,
    caller: &Caller,
    target: &str,
    body: Option<String>,
) -> Result<Option<Reply>, Refusal> {
    let method = reqwest::Method::from_bytes(caller.method.as_bytes())
        .map_err(|_| Refusal::new(405, "METHOD_NOT_ALLOWED", "This method is not known."))?;
    let mut asking = shared.peers.client()?.request(method, format!("{address}{target}"));
    for (name, value) in &caller.headers {
        if !is_of_connection(name) && name != "host" {
            asking = asking.header(name, value);
        }
    }
    asking = asking.header(FORWARDED, "1");
    if let Some(body) = body {
        asking = asking.body(body);
    }
    let response = match asking.send().await {
        Ok(response) => response,
        Err(error) if error.is_connect() => return Ok(None),
        // It may have been done, or not.
        Err(error) => return Err(unreachable_now(&error.to_string())),
    };
    let (pieces, received) = channel(AHEAD);
    let mut reply = reply::passed_on(response.status(), received);
    for (name, value) in response.headers() {
        if !is_of_connection(name.as_str()) {
            reply.headers_mut().append(name, value.clone());
        }
    }
    let mut ending = shared.ending.subscribe();
    tokio::spawn(async move {
        let over = pin!(async { drop(ending.wait_for(|ends| *ends).await) });
        if let Either::Left(_) = select(over, pin!(hand_over(response, &pieces))).await {
            let _ = timeout(CONNECT, pieces.send(Err(io::Error::other("the server ends")))).await;
        }
    });
    Ok(Some(reply))
}

async fn hand_over(mut response: reqwest::Response, pieces: &Sender<io::Result<Bytes>>) {
    loop {
        // Stop when the client disconnects.
        let next = match select(pin!(response.chunk()), pin!(pieces.closed())).await {
            Either::Left((next, _)) => next,
            Either::Right(_) => return,
        };
        let piece = match next {
            Ok(Some(piece)) => Ok(piece),
            Ok(None) => return,
            Err(error) => Err(io::Error::other(error)),
        };
        let is_last = piece.is_err();
        if pieces.send(piece).await.is_err() || is_last {
            return;
        }
    }
}

/// What is said of a connection, and not of a request.
fn is_of_connection(name: &str) -> bool {
    let own = ["keep-alive", "te", "trailer", "upgrade", "expect"];
    let named = |header: HeaderName| header.as_str() == name;
    own.contains(&name)
        || name.starts_with("proxy-")
        || named(CONNECTION)
        || named(CONTENT_LENGTH)
        || named(TRANSFER_ENCODING)
}
