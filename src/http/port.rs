//! The port to HTTP.

use std::fmt;

use crate::portable::{BoxFuture, MaybeSend, MaybeSync};
use crate::providers::host::host;

/// Its address and headers may hold a key.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// JSON, sent with POST.
    pub body: String,
}

/// Something that sends requests. Dropping the future, or later the response, closes the connection at once.
pub trait Http: MaybeSend + MaybeSync {
    /// Ends when the head of the response is there. The error is a sentence about the connection.
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>>;
}

pub trait HttpResponse: MaybeSend {
    fn status(&self) -> u16;
    /// `name` is in lower case.
    fn header(&self, name: &str) -> Option<String>;
    /// Headers that the request was sent with beside its own: they may hold keys, which no error tells.
    fn sent(&self) -> Vec<(String, String)> {
        Vec::new()
    }
    /// The next piece of the body as it came from the network; `None` at its end.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>>;
    /// Nothing more is needed of the body: a connection that ends by itself need not be broken off.
    fn suffices(&mut self) {}
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest").field("host", &host(&self.url)).finish_non_exhaustive()
    }
}
