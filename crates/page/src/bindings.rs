//! What a session asks of the page: an object with these methods. All text is JSON unless its name says otherwise.

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    #[derive(Clone, Debug)]
    pub type PageBindings;

    #[wasm_bindgen(method, structural)]
    pub fn events(this: &PageBindings, batch: &str);
    /// Of a chat handler: what a request is sent without. Plain text.
    #[wasm_bindgen(method, structural)]
    pub fn notice(this: &PageBindings, code: &str, message: &str);

    #[wasm_bindgen(method, structural, catch, js_name = permissionOf)]
    pub fn permission_of(
        this: &PageBindings,
        call_id: &str,
        tool: &str,
        input: &str,
        validated: Option<&str>,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn approval(
        this: &PageBindings,
        call_id: &str,
        tool: &str,
        input: &str,
        validated: Option<&str>,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn run(
        this: &PageBindings,
        call_id: &str,
        tool: &str,
        input: &str,
        validated: Option<&str>,
        signal: &JsValue,
        idempotency_key: &str,
        judged: Option<&str>,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn undo(
        this: &PageBindings,
        call_id: &str,
        tool: &str,
        input: &str,
        validated: Option<&str>,
        signal: &JsValue,
    ) -> Result<Promise, JsValue>;

    /// Before a model call: a promise, or `undefined`.
    #[wasm_bindgen(method, structural, catch)]
    pub fn prepare(this: &PageBindings) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn prompt(
        this: &PageBindings,
        request: &PagePrompt,
        delta: &Closure<dyn Fn(String, String)>,
        signal: &JsValue,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn fetch(
        this: &PageBindings,
        url: &str,
        headers: &str,
        body: &str,
        signal: &JsValue,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    pub fn load(this: &PageBindings) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn salvage(this: &PageBindings) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn append(
        this: &PageBindings,
        step: &str,
        strict: bool,
        phase: &str,
        asks: bool,
        queued: usize,
    ) -> Result<Promise, JsValue>;
    /// A promise, or `undefined`.
    #[wasm_bindgen(method, structural, catch)]
    pub fn confirm(this: &PageBindings) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn permission(this: &PageBindings, tool: &str, input: Option<&str>) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = setPermission)]
    pub fn set_permission(
        this: &PageBindings,
        tool: &str,
        input: Option<&str>,
        granted: bool,
    ) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn tasks(this: &PageBindings) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = setTasks)]
    pub fn set_tasks(this: &PageBindings, tasks: &str) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn inbox(this: &PageBindings) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = consumeInbox)]
    pub fn consume_inbox(this: &PageBindings, ids: &str) -> Result<Promise, JsValue>;

    /// A plain object for `PageBindings::prompt`.
    #[wasm_bindgen(js_name = Object)]
    pub type PagePrompt;
    #[wasm_bindgen(constructor, js_class = "Object")]
    pub fn new() -> PagePrompt;
    #[wasm_bindgen(method, setter, structural)]
    pub fn set_purpose(this: &PagePrompt, purpose: &str);
    #[wasm_bindgen(method, setter, structural, js_name = systemPrompt)]
    pub fn set_system_prompt(this: &PagePrompt, text: &str);
    #[wasm_bindgen(method, setter, structural)]
    pub fn set_from(this: &PagePrompt, from: u32);
    #[wasm_bindgen(method, setter, structural)]
    pub fn set_messages(this: &PagePrompt, messages: &str);
    #[wasm_bindgen(method, setter, structural)]
    pub fn set_tools(this: &PagePrompt, tools: &str);

    /// What `PageBindings::fetch` resolves with.
    pub type PageResponse;
    #[wasm_bindgen(method, getter, structural)]
    pub fn status(this: &PageResponse) -> u16;
    #[wasm_bindgen(method, getter, structural)]
    pub fn sent(this: &PageResponse) -> String;
    #[wasm_bindgen(method, structural)]
    pub fn header(this: &PageResponse, name: &str) -> Option<String>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn read(this: &PageResponse, push: &Closure<dyn Fn(Vec<u8>)>) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural)]
    pub fn suffices(this: &PageResponse);
}

/// `{id, answer}` for `pushAndWait`.
pub fn pair(id: &str, answer: &Promise) -> Object {
    let pair = Object::new();
    // Setting a field of a plain object cannot fail.
    let _ = Reflect::set(&pair, &JsValue::from_str("id"), &JsValue::from_str(id));
    let _ = Reflect::set(&pair, &JsValue::from_str("answer"), answer);
    pair
}
