//! A model of the page.

use std::cell::RefCell;
use std::sync::Arc;

use wasm_bindgen::JsValue;

use crate::bindings::{PageBindings, PagePrompt};
use crate::environment::{PageClock, PageIds, PageSignal, callback};
use crate::http::PageHttp;
use crate::values::{detail, reason};
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::http::{HttpModel, HttpOptions};
use glove_wasm::json::codec::{from_text, to_text};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortSignal, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use glove_wasm::providers::{Format, request};
use glove_wasm::run::input::Reply;
use glove_wasm::run::views::model_message::copy_for_model;
use glove_wasm::wire::options::{HttpModelOptions, ModelOptions};

#[derive(Debug)]
pub struct PageModel {
    host: PageBindings,
    name: String,
    /// What the page has already, so that the history and the tools cross once.
    sent: RefCell<Sent>,
}

#[derive(Debug, Default)]
struct Sent {
    identity: Option<String>,
    /// So much of the record, and what is read of it.
    passed: usize,
    count: usize,
    tools: String,
}

impl PageModel {
    pub fn new(host: PageBindings, name: String) -> Self {
        PageModel { host, name, sent: RefCell::default() }
    }

    fn page_prompt(&self, request: ModelRequest<'_>) -> PagePrompt {
        let view = request.messages;
        // A summary asks with messages of its own.
        let turn = request.purpose == Purpose::Turn;
        let identity = if turn { view.identity() } else { None };
        let mut sent = self.sent.borrow_mut();
        let goes_on = identity.is_some() && sent.identity == identity && sent.passed <= view.recorded_len();
        let (passed, from) = if goes_on { (sent.passed, sent.count) } else { (0, 0) };
        // What is not in the record (a reminder) or may yet be left out (a cut-off answer) is sent again.
        let (read, settled) = view.read_behind(passed);
        let tools = to_text(&request.tools);
        let told = sent.tools == tools;
        *sent = Sent { identity, passed: settled.passed, count: from + settled.read, tools };

        let prompt = PagePrompt::new();
        prompt.set_purpose(if turn { "turn" } else { "summary" });
        prompt.set_system_prompt(request.system_prompt);
        prompt.set_from(u32::try_from(from).unwrap_or(u32::MAX));
        let mut fresh = Vec::new();
        for message in read {
            fresh.push(copy_for_model(message));
        }
        prompt.set_messages(&to_text(&fresh));
        if !told {
            prompt.set_tools(&sent.tools);
        }
        prompt
    }
}

impl ModelAdapter for PageModel {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn prompt(
        &self,
        request: ModelRequest<'_>,
        deltas: DeltaSink,
        abort: AbortSignal,
    ) -> BoxFuture<'static, Result<Reply, ModelError>> {
        let prompt = self.page_prompt(request);
        let signal = PageSignal::default();
        let delta = callback(move |kind, text| match kind.as_str() {
            "reasoning" => deltas.send(Delta::Reasoning(&text)),
            // Its code stands on a line of its own.
            "notice" => {
                let (code, message) = text.split_once('\n').unwrap_or_default();
                deltas.send(Delta::Notice { code, message });
            }
            _ => deltas.text(&text),
        });
        let promise = self.host.prompt(&prompt, &delta, &signal.signal());
        Box::pin(async move {
            // The page may call it for as long as it works on the answer.
            let _delta = delta;
            let answer = signal.until(promise.map_err(|error| failed(&error))?, abort).await;
            let answer = answer.map_err(|error| failed(&error))?;
            from_text(&answer.as_string().unwrap_or_default()).map_err(|error| {
                ModelError::new(
                    ModelErrorKind::BadResponse,
                    format!("the model's answer cannot be read: {error}"),
                )
            })
        })
    }
}

/// The model that a page names: its own, or one behind its `fetch`.
pub fn model_of(host: &PageBindings, options: ModelOptions) -> Arc<dyn ModelAdapter> {
    match options {
        ModelOptions::Host { name } => Arc::new(PageModel::new(host.clone(), name)),
        ModelOptions::Http(HttpModelOptions { name, url, reasoning, policy }) => {
            let request =
                request::Options { stream: true, echo_reasoning: reasoning, ..request::Options::default() };
            let options =
                HttpOptions { name, format: Format::Endpoint, url, headers: Vec::new(), request, policy };
            Arc::new(HttpModel::new(
                options,
                Arc::new(PageHttp { host: host.clone() }),
                Arc::new(PageClock),
                Arc::new(PageIds),
            ))
        }
    }
}

/// A model may say what kind of failure it was, by a `ModelError` in `detail`.
pub fn failed(error: &JsValue) -> ModelError {
    detail(error, "detail").unwrap_or_else(|| ModelError::new(ModelErrorKind::Adapter, reason(error)))
}
