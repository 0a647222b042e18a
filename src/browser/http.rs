//! HTTP through the page's `fetch`, which an application may replace.

use wasm_bindgen::JsCast;

use super::host::{Host, PageResponse, chunk};
use super::page::PageSignal;
use super::tools::settled;
use super::values::reason;
use crate::codec::to_text;
use crate::portable::BoxFuture;
use crate::transport::{Http, HttpRequest, HttpResponse};

#[derive(Debug)]
pub(super) struct PageHttp {
    pub(super) host: Host,
}

impl Http for PageHttp {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        let signal = PageSignal::new();
        let HttpRequest { url, headers, body } = request;
        let sending = self.host.fetch(&url, &to_text(&headers), &body, &signal.signal());
        Box::pin(async move {
            let answered = settled(sending).await.map_err(|error| reason(&error))?;
            // The page's own object, by the contract of `Host::fetch`.
            let response: PageResponse = answered.unchecked_into();
            Ok(Box::new(Answer { response, _signal: signal }) as Box<dyn HttpResponse>)
        })
    }
}

/// When it is dropped, the signal fires and the connection is closed.
struct Answer {
    response: PageResponse,
    _signal: PageSignal,
}

impl HttpResponse for Answer {
    fn status(&self) -> u16 {
        self.response.status()
    }

    fn header(&self, name: &str) -> Option<String> {
        self.response.header(name)
    }

    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>> {
        let next = self.response.next();
        Box::pin(async move { settled(next).await.map(chunk).map_err(|error| reason(&error)) })
    }
}
