//! A memory of the page: an object with these methods. What it gives is read by the rules of all memories.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use glove_wasm::json::codec::{from_text, to_text};
use glove_wasm::portable::BoxFuture;
use glove_wasm_page::bindings::PageBindings;
use glove_wasm_page::values::{reason, settled};
use glove_wasm_task::memory::{MemoryBinding, MemoryEntry, MemoryQuery, MemoryScope};
use glove_wasm_task::runtime::{AgentMemory, MemoryProvider};
use glove_wasm_task::wire::PageMemory;
use glove_wasm_task::{TaskError, TaskErrorKind};

#[wasm_bindgen]
extern "C" {
    type PageShelf;

    /// Both are JSON.
    #[wasm_bindgen(method, structural, catch)]
    fn remember(this: &PageShelf, scope: &str, entry: &str) -> Result<Promise, JsValue>;
    /// JSON in, and the JSON of the entries out.
    #[wasm_bindgen(method, structural, catch)]
    fn recall(this: &PageShelf, scope: &str, query: &str) -> Result<Promise, JsValue>;
    /// A boolean.
    #[wasm_bindgen(method, structural, catch)]
    fn forget(this: &PageShelf, scope: &str, id: &str) -> Result<Promise, JsValue>;
}

struct Shelf(PageBindings);

impl Shelf {
    fn page(&self) -> &PageShelf {
        self.0.unchecked_ref()
    }
}

async fn answered(promise: Result<Promise, JsValue>) -> Result<JsValue, TaskError> {
    settled(promise).await.map_err(|error| TaskError::new(TaskErrorKind::Memory, reason(&error)))
}

impl MemoryProvider for Shelf {
    fn put(&self, scope: MemoryScope, entry: MemoryEntry) -> BoxFuture<'static, Result<(), TaskError>> {
        let putting = self.page().remember(&to_text(&scope), &to_text(&entry));
        Box::pin(async move { answered(putting).await.map(drop) })
    }

    fn query(
        &self,
        scope: MemoryScope,
        query: MemoryQuery,
    ) -> BoxFuture<'static, Result<Vec<MemoryEntry>, TaskError>> {
        let asking = self.page().recall(&to_text(&scope), &to_text(&query));
        Box::pin(async move {
            let text = answered(asking).await?.as_string().unwrap_or_default();
            from_text(&text).map_err(|fault| {
                let message = ["what the memory gave cannot be read: ", &fault.to_string()].concat();
                TaskError::new(TaskErrorKind::Memory, message)
            })
        })
    }

    fn delete(&self, scope: MemoryScope, id: String) -> BoxFuture<'static, Result<bool, TaskError>> {
        let deleting = self.page().forget(&to_text(&scope), &id);
        Box::pin(async move { Ok(answered(deleting).await?.is_truthy()) })
    }
}

pub(crate) fn memory_of(page: &PageBindings, binding: PageMemory) -> AgentMemory {
    let mut memory = AgentMemory::new(Shelf(page.clone()));
    if let Some(view) = binding.view {
        memory.set_view(view.into_iter().map(MemoryBinding::from).collect());
    }
    if let Some(most) = binding.patience_ms {
        memory = memory.patience_ms(most);
    }
    memory
}
