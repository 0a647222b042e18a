//! The stored sessions of a page, from which a task may take its history.

use std::sync::Arc;

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use glove_wasm::json::codec::from_text;
use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm_page::bindings::PageBindings;
use glove_wasm_page::values::{reason, settled};
use glove_wasm_task::runtime::SessionSource;
use glove_wasm_task::{TaskError, TaskErrorKind};

#[wasm_bindgen]
extern "C" {
    type PageRecords;

    /// The JSON of the messages of a session.
    #[wasm_bindgen(method, structural, catch)]
    fn record(this: &PageRecords, session: &str) -> Result<Promise, JsValue>;
}

pub(crate) struct PageSessions(pub(crate) PageBindings);

impl SessionSource for PageSessions {
    fn record(&self, session: String) -> BoxFuture<'static, Result<Vec<Arc<Message>>, TaskError>> {
        let reading = self.0.unchecked_ref::<PageRecords>().record(&session);
        Box::pin(async move {
            let failed = |why: &str| {
                let message = ["the session \"", &session, "\" cannot be read: ", why].concat();
                TaskError::new(TaskErrorKind::History, message)
            };
            let answer = settled(reading).await.map_err(|error| failed(&reason(&error)))?;
            from_text(&answer.as_string().unwrap_or_default()).map_err(|fault| failed(&fault.to_string()))
        })
    }
}
