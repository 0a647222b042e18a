//! HTTP for native programs, by reqwest. It runs on a thread of its own.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use reqwest::{Client, Response, redirect};
use tokio::sync::{mpsc, oneshot};

use crate::http_thread::{HttpThread, Running};
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::http::{Http, HttpRequest, HttpResponse};
use glove_wasm::portable::BoxFuture;

/// Pieces that wait to be read. A reader that is slower slows the connection down.
const AHEAD: usize = 8;

/// Clones share their connections, which are kept open for the next request. No redirect is followed: the key would go
/// along.
#[derive(Clone)]
pub struct NativeHttp {
    client: Client,
    thread: HttpThread,
}

impl NativeHttp {
    pub fn new() -> Result<Self, ModelError> {
        let failed = |why: String| {
            ModelError::new(ModelErrorKind::Config, format!("the HTTP client could not start: {why}"))
        };
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .tls_backend_preconfigured(tls().map_err(|error| failed(error.to_string()))?)
            .build();
        Ok(NativeHttp {
            client: client.map_err(|error| failed(sentence(&error)))?,
            thread: HttpThread::start().map_err(|error| failed(error.to_string()))?,
        })
    }
}

/// The system's certificates, checked in Rust.
pub fn tls() -> Result<rustls::ClientConfig, rustls::Error> {
    use rustls_platform_verifier::BuilderVerifierExt;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider);
    Ok(config.with_safe_default_protocol_versions()?.with_platform_verifier()?.with_no_client_auth())
}

impl Http for NativeHttp {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        let (tell, head) = oneshot::channel();
        let (pieces, read) = mpsc::channel(AHEAD);
        let HttpRequest { url, headers, body } = request;
        let mut asking = self.client.post(url).body(body);
        for (name, value) in headers {
            asking = asking.header(name, value);
        }
        for (name, value) in super::traces::headers() {
            asking = asking.header(name, value);
        }
        let work = async move {
            match asking.send().await {
                Err(error) => drop(tell.send(Err(sentence(&error)))),
                Ok(response) => {
                    let headers = response.headers().iter();
                    let headers = headers.filter_map(|(name, value)| {
                        Some((name.to_string(), value.to_str().ok()?.to_owned()))
                    });
                    if tell.send(Ok((response.status().as_u16(), headers.collect()))).is_ok() {
                        hand_over(response, pieces).await;
                    }
                }
            }
        };
        let running = self.thread.spawn(work);
        Box::pin(async move {
            let (status, headers) =
                head.await.unwrap_or_else(|_| Err("the connection was dropped".to_owned()))?;
            Ok(Box::new(NativeResponse { status, headers, read, _running: running }) as Box<dyn HttpResponse>)
        })
    }
}

type Chunk = Result<Vec<u8>, String>;

/// Reads on while something is there, so that the connection is free again when the last piece is read.
async fn hand_over(mut response: Response, pieces: mpsc::Sender<Chunk>) {
    let mut next = response.chunk().await;
    loop {
        let piece = match next {
            Ok(Some(piece)) => piece,
            Ok(None) => return,
            Err(error) => return drop(pieces.send(Err(sentence(&error))).await),
        };
        let ahead = response.chunk().now_or_never();
        if pieces.send(Ok(piece.to_vec())).await.is_err() {
            return;
        }
        next = match ahead {
            Some(ahead) => ahead,
            None => response.chunk().await,
        };
    }
}

struct NativeResponse {
    status: u16,
    headers: Vec<(String, String)>,
    read: mpsc::Receiver<Chunk>,
    _running: Running,
}

impl HttpResponse for NativeResponse {
    fn status(&self) -> u16 {
        self.status
    }

    fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    }

    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>> {
        Box::pin(async { self.read.recv().await.transpose() })
    }
}

/// An error with its causes, and without the address.
pub(super) fn sentence(error: &reqwest::Error) -> String {
    let mut text = String::from("the request failed");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

impl fmt::Debug for NativeHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NativeHttp")
    }
}
