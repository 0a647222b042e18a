//! The broker of a page: who has the secrets of its tools.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use glove_wasm::json::codec::{from_text, to_text};
use glove_wasm::message::Extra;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Credentials, ToolFailure};
use glove_wasm_page::bindings::PageBindings;
use glove_wasm_page::values::{reason, settled};
use glove_wasm_task::runtime::{CredentialBroker, CredentialRequest};

#[wasm_bindgen]
extern "C" {
    type PageVault;

    /// JSON in, and the JSON of an object of strings out. The page keeps what it gave for the call.
    #[wasm_bindgen(method, structural, catch)]
    fn credentials(this: &PageVault, request: &str) -> Result<Promise, JsValue>;
}

pub(crate) struct PageBroker(pub(crate) PageBindings);

impl CredentialBroker for PageBroker {
    fn credentials(
        &self,
        request: CredentialRequest,
    ) -> BoxFuture<'static, Result<Credentials, ToolFailure>> {
        let asking = self.0.unchecked_ref::<PageVault>().credentials(&to_text(&request));
        Box::pin(async move {
            let answer = settled(asking).await.map_err(|error| ToolFailure::new(reason(&error)))?;
            let unread = |_| ToolFailure::new("they are not strings");
            let all: Extra = from_text(&answer.as_string().unwrap_or_default()).map_err(unread)?;
            let mut own = Vec::new();
            for (name, value) in all.0 {
                own.push((name, from_text::<String>(value.as_str()).map_err(unread)?));
            }
            Ok(Credentials::new(own))
        })
    }
}
