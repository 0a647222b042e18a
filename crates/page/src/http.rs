//! HTTP through the page's `fetch`, which an application may replace.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::bindings::{PageBindings, PageResponse};
use crate::environment::PageSignal;
use crate::values::{detail, reason, settled};
use glove_wasm::http::{Http, HttpRequest, HttpResponse, without_keys};
use glove_wasm::json::codec::{from_text, to_text};
use glove_wasm::portable::BoxFuture;

#[derive(Debug)]
pub struct PageHttp {
    pub host: PageBindings,
}

impl Http for PageHttp {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        let signal = PageSignal::default();
        let HttpRequest { url, headers, body } = request;
        let sending = self.host.fetch(&url, &to_text(&headers), &body, &signal.signal());
        Box::pin(async move {
            let answered = settled(sending).await.map_err(|error| unsent(&error))?;
            // The page's own object, by the contract of `PageBindings::fetch`.
            let response: PageResponse = answered.unchecked_into();
            Ok(Box::new(FetchedResponse { signal, response, body: None }) as Box<dyn HttpResponse>)
        })
    }
}

/// Why nothing came. The page says in `sent` which headers it sent, where it came so far.
fn unsent(error: &JsValue) -> String {
    without_keys(&reason(error), &detail::<Vec<_>>(error, "sent").unwrap_or_default())
}

/// When it is dropped, the signal fires first: the connection is closed, and no more chunks are pushed. After `suffices` the page
/// pushes nothing any more and ends the connection itself.
struct FetchedResponse {
    signal: PageSignal,
    response: PageResponse,
    body: Option<Body>,
}

/// What the page reads for us. It is pushed in, because asking for each chunk costs two promises and two callbacks.
struct Body {
    arrived: Rc<RefCell<Arrived>>,
    ended: Result<JsFuture, JsValue>,
    _push: Closure<dyn Fn(Vec<u8>)>,
}

#[derive(Default)]
struct Arrived {
    bytes: Vec<u8>,
    waker: Option<Waker>,
}

impl Body {
    fn of(response: &PageResponse) -> Self {
        let arrived: Rc<RefCell<Arrived>> = Rc::default();
        let pushed = Rc::clone(&arrived);
        let push = Closure::new(move |chunk: Vec<u8>| {
            let mut arrived = pushed.borrow_mut();
            if arrived.bytes.is_empty() {
                arrived.bytes = chunk;
            } else {
                arrived.bytes.extend(chunk);
            }
            let waker = arrived.waker.take();
            drop(arrived);
            waker.into_iter().for_each(Waker::wake);
        });
        let ended = response.read(&push).map(JsFuture::from);
        Body { arrived, ended, _push: push }
    }

    /// All that has come since the last time.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Vec<u8>>, JsValue>> {
        let mut arrived = self.arrived.borrow_mut();
        if !arrived.bytes.is_empty() {
            return Poll::Ready(Ok(Some(std::mem::take(&mut arrived.bytes))));
        }
        arrived.waker = Some(context.waker().clone());
        drop(arrived);
        match &mut self.ended {
            Ok(ended) => ended.poll_unpin(context).map_ok(|_| None),
            Err(error) => Poll::Ready(Err(error.clone())),
        }
    }
}

impl HttpResponse for FetchedResponse {
    fn status(&self) -> u16 {
        self.response.status()
    }

    fn header(&self, name: &str) -> Option<String> {
        self.response.header(name)
    }

    fn sent(&self) -> Vec<(String, String)> {
        from_text(&self.response.sent()).unwrap_or_default()
    }

    fn suffices(&mut self) {
        self.response.suffices();
        self.signal.has_ended();
    }

    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>> {
        let body = self.body.get_or_insert_with(|| Body::of(&self.response));
        Box::pin(poll_fn(|context| body.poll(context).map_err(|error| reason(&error))))
    }
}
