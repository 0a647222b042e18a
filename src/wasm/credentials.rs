//! The broker of a page: who has the secrets of its tools.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use super::bindings::PageBindings;
use super::values::{reason, settled};
use crate::json::codec::{from_text, to_text};
use crate::message::Extra;
use crate::portable::BoxFuture;
use crate::ports::{Credentials, ToolFailure};
use crate::task_runtime::{CredentialBroker, CredentialRequest};

#[wasm_bindgen]
extern "C" {
    type PageVault;

    /// JSON in, and the JSON of an object of strings out. The page keeps what it gave for the call.
    #[wasm_bindgen(method, structural, catch)]
    fn credentials(this: &PageVault, request: &str) -> Result<Promise, JsValue>;
}

pub(super) struct PageBroker(pub(super) PageBindings);

impl CredentialBroker for PageBroker {
    fn credentials(
        &self,
        request: CredentialRequest,
    ) -> BoxFuture<'static, Result<Credentials, ToolFailure>> {
        let asking = self.0.unchecked_ref::<PageVault>().credentials(&to_text(&request));
        Box::pin(async move {
            let answer = settled(asking).await.map_err(|error| ToolFailure::new(reason(&error)))?;
            let unread = |_| ToolFailure::new("they are no strings");
            let all: Extra = from_text(&answer.as_string().unwrap_or_default()).map_err(unread)?;
            let mut own = Vec::new();
            for (name, value) in all.0 {
                own.push((name, from_text::<String>(value.as_str()).map_err(unread)?));
            }
            Ok(Credentials::new(own))
        })
    }
}
