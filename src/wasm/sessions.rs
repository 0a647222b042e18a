//! The stored sessions of a page, from which a task may take its history.

use std::sync::Arc;

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use super::bindings::PageBindings;
use super::values::{reason, settled};
use crate::json::codec::from_text;
use crate::message::Message;
use crate::portable::BoxFuture;
use crate::task::{TaskError, TaskErrorKind};
use crate::task_runtime::SessionSource;

#[wasm_bindgen]
extern "C" {
    type PageRecords;

    /// The JSON of the messages of a session.
    #[wasm_bindgen(method, structural, catch)]
    fn record(this: &PageRecords, session: &str) -> Result<Promise, JsValue>;
}

pub(super) struct PageSessions(pub(super) PageBindings);

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
