//! Responses.

use std::io;
use std::time::Duration;

use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc::Receiver;

use glove_wasm::endpoint::Refusal;
use glove_wasm::json::writer::Object;

pub(super) type Reply = Response<BoxBody<Bytes, io::Error>>;

/// Pieces that wait for a client that reads slowly.
pub(super) const AHEAD: usize = 8;
/// So often something is sent, for proxies that close what is silent.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

fn reply(status: u16, kind: &'static str, body: BoxBody<Bytes, io::Error>) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

pub(super) fn json(status: u16, text: String) -> Reply {
    reply(status, "application/json", whole(Bytes::from(text)))
}

pub(super) fn text(status: u16, text: String) -> Reply {
    reply(status, "text/plain; version=0.0.4; charset=utf-8", whole(Bytes::from(text)))
}

/// Done, with nothing to say.
pub(super) fn empty() -> Reply {
    let mut reply = Response::new(whole(Bytes::new()));
    *reply.status_mut() = StatusCode::NO_CONTENT;
    reply
}

pub(super) fn bytes(content: Bytes) -> Reply {
    reply(200, "application/octet-stream", whole(content))
}

fn whole(content: Bytes) -> BoxBody<Bytes, io::Error> {
    Full::new(content).map_err(|never| match never {}).boxed()
}

/// What another server answers, as it comes.
pub(super) fn passed_on(status: StatusCode, mut pieces: Receiver<io::Result<Bytes>>) -> Reply {
    let frames = stream::poll_fn(move |context| pieces.poll_recv(context));
    let frames = futures_util::StreamExt::map(frames, |piece| piece.map(Frame::data));
    let mut reply = Response::new(StreamBody::new(frames).boxed());
    *reply.status_mut() = status;
    reply
}

/// An event stream of what is received, after its first piece.
pub(super) fn stream<T: Into<Bytes> + Send + Sync + 'static>(first: Option<T>, pieces: Receiver<T>) -> Reply {
    stream_of("text/event-stream", first, pieces)
}

pub(super) fn stream_of<T: Into<Bytes> + Send + Sync + 'static>(
    kind: &'static str,
    mut first: Option<T>,
    mut pieces: Receiver<T>,
) -> Reply {
    let frames = stream::poll_fn(move |context| match first.take() {
        Some(first) => std::task::Poll::Ready(Some(first)),
        None => pieces.poll_recv(context),
    });
    let frames = futures_util::StreamExt::map(frames, |piece| Ok(Frame::data(piece.into())));
    let mut reply = reply(200, kind, StreamBody::new(frames).boxed());
    // Proxies that hold back a response to send it in one piece are told not to.
    reply.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    reply
}

pub(super) fn refused(refusal: &Refusal) -> Reply {
    let mut body = String::new();
    {
        let mut object = Object::new(&mut body);
        object.raw("error", &refusal.told());
        object.end();
    }
    let mut reply = json(refusal.status, body);
    let headers = reply.headers_mut();
    // It was tried again here already.
    headers.insert(HeaderName::from_static("x-should-retry"), HeaderValue::from_static("false"));
    if refusal.status == 405 {
        headers.insert(ALLOW, HeaderValue::from_static("GET, POST, DELETE"));
    }
    if let Some(after) = refusal.retry_after_ms {
        headers.insert(RETRY_AFTER, HeaderValue::from(after.div_ceil(1000)));
    }
    reply
}
