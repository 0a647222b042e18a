//! A store of the page.

use std::sync::Arc;

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};

use crate::bindings::PageBindings;
use crate::values::{detail, reason, settled};
use glove_wasm::error::{StoreError, StoreErrorKind};
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Fault, Read, Write, from_text, object, to_text};
use glove_wasm::message::{InboxItem, Message, Task};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Durability, Loaded, PermissionStatus, StoreAdapter};
use glove_wasm::run::checkpoint::Unsaved;
use glove_wasm::run::journal::Record;
use glove_wasm::run::salvage::salvage;
use glove_wasm::wire::options::Keeps;

#[derive(Debug)]
pub struct PageStore {
    pub host: PageBindings,
    pub id: String,
    pub keeps: Keeps,
}

#[derive(Default, Read)]
struct Stored {
    #[json(default)]
    messages: Vec<Arc<Message>>,
    checkpoint: Option<String>,
    #[json(default)]
    records: Vec<Record>,
}

impl StoreAdapter for PageStore {
    fn identifier(&self) -> String {
        self.id.clone()
    }

    fn load(&self) -> BoxFuture<'static, Result<Loaded, StoreError>> {
        let loading = self.host.load();
        Box::pin(async move {
            let Stored { messages, checkpoint, records } = answered(loading).await?.unwrap_or_default();
            Ok(Loaded { messages, checkpoint, records })
        })
    }

    fn salvage(&self) -> BoxFuture<'static, Result<Vec<Arc<Message>>, StoreError>> {
        let asked = self.host.salvage();
        Box::pin(async move {
            let texts: Vec<String> = answered(asked).await?.unwrap_or_default();
            Ok(salvage(&texts).messages)
        })
    }

    fn append(
        &self,
        step: Unsaved<'_>,
        durability: Durability,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        let Unsaved { first_message, messages, records, checkpoint, seq, phase, asks, queued } = step;
        let mut fields: Vec<(&str, &dyn Write)> =
            vec![("firstMessage", &first_message), ("messages", &messages), ("records", &records)];
        if let Some(checkpoint) = &checkpoint {
            fields.push(("checkpoint", checkpoint));
        }
        fields.push(("seq", &seq));
        let mut step = String::new();
        object(&mut step, &fields);
        done(self.host.append(&step, durability == Durability::Strict, phase.as_str(), asks, queued))
    }

    fn confirm(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        match self.host.confirm() {
            Ok(certain) if certain.is_undefined() => None,
            asked => Some(done(asked.map(JsCast::unchecked_into))),
        }
    }

    fn permission(
        &self,
        tool: &str,
        input: Option<&Json>,
    ) -> BoxFuture<'static, Result<PermissionStatus, StoreError>> {
        if !self.keeps.permissions {
            return Box::pin(std::future::ready(Ok(PermissionStatus::Unset)));
        }
        let promise = self.host.permission(tool, input.map(Json::as_str));
        Box::pin(async move {
            let status = settled(promise).await.map_err(|error| failed(&error))?;
            Ok(match status.as_string().as_deref() {
                Some("granted") => PermissionStatus::Granted,
                Some("denied") => PermissionStatus::Denied,
                _ => PermissionStatus::Unset,
            })
        })
    }

    fn set_permission(
        &self,
        tool: &str,
        input: Option<&Json>,
        granted: bool,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        if !self.keeps.permissions {
            return Box::pin(std::future::ready(Ok(())));
        }
        done(self.host.set_permission(tool, input.map(Json::as_str), granted))
    }

    fn keeps_tasks(&self) -> bool {
        self.keeps.tasks
    }

    fn tasks(&self) -> BoxFuture<'static, Result<Vec<Task>, StoreError>> {
        if !self.keeps.tasks {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        let promise = self.host.tasks();
        Box::pin(async move { Ok(answered(promise).await?.unwrap_or_default()) })
    }

    fn set_tasks(&self, tasks: Vec<Task>) -> BoxFuture<'static, Result<(), StoreError>> {
        done(self.host.set_tasks(&to_text(&tasks)))
    }

    fn keeps_inbox(&self) -> bool {
        self.keeps.inbox
    }

    fn inbox(&self) -> BoxFuture<'static, Result<Vec<InboxItem>, StoreError>> {
        if !self.keeps.inbox {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        let promise = self.host.inbox();
        Box::pin(async move { Ok(answered(promise).await?.unwrap_or_default()) })
    }

    fn consume_inbox(&self, ids: &[String]) -> BoxFuture<'static, Result<(), StoreError>> {
        done(self.host.consume_inbox(&to_text(&ids)))
    }
}

pub fn done(promise: Result<Promise, JsValue>) -> BoxFuture<'static, Result<(), StoreError>> {
    Box::pin(async move { settled(promise).await.map(drop).map_err(|error| failed(&error)) })
}

/// JSON that the page answered; `None` for `undefined`.
async fn answered<T: Read>(promise: Result<Promise, JsValue>) -> Result<Option<T>, StoreError> {
    match text_of(promise).await? {
        Some(text) => from_text(&text).map(Some).map_err(|fault| unreadable(&fault)),
        None => Ok(None),
    }
}

async fn text_of(promise: Result<Promise, JsValue>) -> Result<Option<String>, StoreError> {
    Ok(settled(promise).await.map_err(|error| failed(&error))?.as_string())
}

fn unreadable(fault: &Fault) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, format!("the stored session cannot be read: {fault}"))
}

/// A store may say what kind of failure it was, by a `StoreError` in `detail`.
fn failed(error: &JsValue) -> StoreError {
    detail(error, "detail").unwrap_or_else(|| StoreError::new(StoreErrorKind::Failed, reason(error)))
}
