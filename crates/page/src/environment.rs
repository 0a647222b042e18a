//! The few things of a page, worker or server runtime that the core itself uses.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;

use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortSignal, Clock, IdSource};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, ms: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(timer: &JsValue);

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn steady_now() -> f64;

    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(array: &Uint8Array) -> Uint8Array;

    /// The other end of an `AbortSignal`.
    #[derive(Debug)]
    pub type AbortController;
    #[wasm_bindgen(constructor)]
    fn new() -> AbortController;
    #[wasm_bindgen(method, getter)]
    pub fn signal(this: &AbortController) -> JsValue;
    #[wasm_bindgen(method)]
    fn abort(this: &AbortController);
}

#[derive(Debug)]
pub struct PageClock;

impl Clock for PageClock {
    fn now(&self) -> u64 {
        js_sys::Date::now() as u64
    }

    fn steady(&self) -> u64 {
        steady_now() as u64
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        // A timer longer than this would fire at once.
        let ms = ms.min(i32::MAX as u64) as f64;
        Box::pin(async move {
            let timer = Rc::new(Cell::new(None));
            let set = Rc::clone(&timer);
            let promise = Promise::new(&mut |resolve, _| set.set(Some((set_timeout(&resolve, ms), resolve))));
            let _clear = ClearTimer(timer);
            let _ = JsFuture::from(promise).await;
        })
    }
}

/// The timer, and what settles its promise: one that never settles would keep its callbacks for good.
struct ClearTimer(Rc<Cell<Option<(JsValue, Function)>>>);

impl Drop for ClearTimer {
    fn drop(&mut self) {
        if let Some((timer, settle)) = self.0.take() {
            clear_timeout(&timer);
            let _ = settle.call0(&JsValue::NULL);
        }
    }
}

#[derive(Debug)]
pub struct PageIds;

impl IdSource for PageIds {
    fn fresh(&self) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        // 20 letters of 5 bits.
        let mut id = String::new();
        for byte in get_random_values(&Uint8Array::new_with_length(20)).to_vec() {
            if let Some(letter) = LETTERS.get(usize::from(byte & 31)) {
                id.push(char::from(*letter));
            }
        }
        id
    }
}

/// A signal for JavaScript that fires when the work it belongs to is cancelled or dropped, and not after it ended.
#[derive(Debug)]
pub struct PageSignal {
    controller: AbortController,
    ended: bool,
}

impl Default for PageSignal {
    fn default() -> Self {
        PageSignal { controller: AbortController::new(), ended: false }
    }
}

impl PageSignal {
    pub fn signal(&self) -> JsValue {
        self.controller.signal()
    }

    /// It does not fire any more.
    pub fn has_ended(&mut self) {
        self.ended = true;
    }

    /// Waits for a promise; the signal fires when `abort` does, and when nobody waits any more.
    pub async fn until(mut self, promise: Promise, abort: AbortSignal) -> Result<JsValue, JsValue> {
        let (mut answer, mut aborted) = (JsFuture::from(promise), pin!(abort.aborted()));
        poll_fn(|context| match Pin::new(&mut answer).poll(context) {
            Poll::Pending => aborted.as_mut().poll(context).map(|()| Err(JsValue::from_str("aborted"))),
            answered => {
                self.has_ended();
                answered
            }
        })
        .await
    }
}

impl Drop for PageSignal {
    fn drop(&mut self) {
        if !self.ended {
            self.controller.abort();
        }
    }
}

/// Runs `work` in a microtask of its own, when nothing of the core is running.
pub fn soon(work: impl FnOnce() + 'static) {
    spawn(Box::pin(async move { work() }));
}

/// Boxed, so that what is around a future is compiled once for all of them.
pub fn spawn(work: BoxFuture<'static, ()>) {
    wasm_bindgen_futures::spawn_local(work);
}

/// The same for a future that JavaScript waits for.
pub fn promise(work: BoxFuture<'static, Result<JsValue, JsValue>>) -> Promise {
    wasm_bindgen_futures::future_to_promise(work)
}

/// Hands a closure to JavaScript for as long as the returned value lives.
pub fn callback(work: impl Fn(String, String) + 'static) -> Closure<dyn Fn(String, String)> {
    Closure::new(work)
}
