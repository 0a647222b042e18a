//! The other end of the wire: one model call for a client of a chat handler, told as the text of an event stream.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{Either, select};
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use glove_wasm::endpoint::{Disclosure, Refusal, RequestLimits, Tickets, WireRequest};
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{AnswerStream, HttpModel, HttpOptions, Learned};
use glove_wasm::json::Json;
use glove_wasm::json::codec::from_text;
use glove_wasm::json::reader::{Broken, Reader};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortHandle, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use glove_wasm::prices::Prices;
use glove_wasm::providers::Format;
use glove_wasm::providers::facts::{Fact, Facts};
use glove_wasm::providers::host;
use glove_wasm::providers::request::{Options, ToolChoice};
use glove_wasm::run::views::model::View;
use glove_wasm::text_tools::{STOP, TextTools};
use glove_wasm_page::bindings::PageBindings;
use glove_wasm_page::environment::{PageClock, PageIds, promise, soon};
use glove_wasm_page::formats::format_of;
use glove_wasm_page::http::PageHttp;
use glove_wasm_page::values::protocol;

/// What a chat handler was made with.
#[wasm_bindgen]
pub struct CoreRelay {
    format: Format,
    /// The model settles which of OpenAI's formats it is.
    by_model: bool,
    base_url: String,
    /// What a client may ask for by name.
    models: Vec<String>,
    system_prompt: Option<String>,
    request: Options,
    prices: Arc<Prices>,
    /// What the application knows of models.
    facts: Vec<Fact>,
    reasoning_in_text: bool,
    text_tools: bool,
    policy: Policy,
    limits: RequestLimits,
    disclosure: Disclosure,
    /// What each model has learned from refusals.
    learned: RefCell<Vec<(String, Arc<Learned>)>>,
}

#[wasm_bindgen]
impl CoreRelay {
    /// `options` is the JSON of a `RelayOptions`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<CoreRelay, JsValue> {
        let mut relay = CoreRelay {
            format: Format::OpenAiChat,
            by_model: false,
            base_url: String::new(),
            models: Vec::new(),
            system_prompt: None,
            request: Options { stream: true, ..Options::default() },
            prices: Arc::default(),
            facts: Vec::new(),
            reasoning_in_text: false,
            text_tools: false,
            policy: Policy::default(),
            limits: RequestLimits::default(),
            disclosure: Disclosure::default(),
            learned: RefCell::default(),
        };
        relay.read(options).map_err(|_| protocol("the handler's options are not valid"))?;
        // A model of the application knows what it says to whom.
        if relay.format == Format::Endpoint && relay.disclosure == Disclosure::Safe {
            relay.disclosure = Disclosure::Application;
        }
        Ok(relay)
    }

    /// Answers the posted request. `host.events` is given pieces of the event stream, one for each network chunk at
    /// most. Resolves with the JSON of a `Refusal`, or with nothing when the answer is whole or `gone` came first.
    /// `tickets` is the JSON of what calls of the server's tools are signed with.
    pub fn answer(
        &self,
        request: &str,
        key: &str,
        host: &PageBindings,
        gone: Promise,
        tickets: Option<String>,
    ) -> Promise {
        let answering = self.ask(request, key, host, tickets.and_then(|text| Tickets::read(&text)));
        promise(Box::pin(async move {
            let refusal = match answering {
                Err(refusal) => refusal,
                Ok(answering) => match select(answering, JsFuture::from(gone)).await {
                    Either::Left((Err(refusal), _)) => refusal,
                    // Nobody waits any more: what is dropped here closes the connection.
                    Either::Left((Ok(()), _)) | Either::Right(_) => return Ok(JsValue::UNDEFINED),
                },
            };
            Ok(JsValue::from_str(&refusal.json()))
        }))
    }
}

/// Whether a call that a page sends is one that this server's model made, and not too long ago. `tickets` is as for `answer`, `input`
/// JSON.
#[wasm_bindgen(js_name = ticketHolds)]
pub fn ticket_holds(tickets: &str, ticket: &str, id: &str, name: &str, input: &str) -> bool {
    let (Some(tickets), Ok(input)) = (Tickets::read(tickets), Json::parse(input)) else { return false };
    tickets.holds(ticket, id, name, &input)
}

impl CoreRelay {
    fn ask(
        &self,
        request: &str,
        key: &str,
        host: &PageBindings,
        tickets: Option<Tickets>,
    ) -> Result<BoxFuture<'static, Result<(), Refusal>>, Refusal> {
        let request = WireRequest::read(request, &self.limits)?;
        let model = request.chosen_model(&self.request.model, &self.models)?;
        let (name, prices) = (model.to_owned(), Arc::clone(&self.prices));
        let model = self.model(host, key, name.clone());
        let WireRequest { system_prompt, messages, tools, .. } = request;
        let client_stream = ClientStream::new(
            host,
            AnswerStream::new(self.reasoning_in_text).disclosing(self.disclosure).signing(tickets),
        );
        let writer = Rc::clone(&client_stream);
        let request = ModelRequest {
            purpose: Purpose::Turn,
            system_prompt: self.system_prompt.as_deref().unwrap_or(&system_prompt),
            // The client has chosen what the model is to read.
            messages: View::since(&messages, 0, &[]),
            tools: &tools,
        };
        let deltas = DeltaSink::to(move |delta| {
            if let Delta::Notice { code, message } = delta {
                writer.host.notice(code, message);
            }
            writer.tell(|answer| answer.delta(delta));
        });
        let answering = model.prompt(request, deltas, AbortHandle::new().signal());
        let disclosure = self.disclosure;
        Ok(Box::pin(async move {
            let came = answering.await;
            if let Ok(mut reply) = came {
                prices.apply(&name, &mut reply.usage);
                client_stream.answer.borrow_mut().done(reply, &PageIds);
                client_stream.flush();
                return Ok(());
            }
            if disclosure == Disclosure::Own {
                client_stream.answer.borrow_mut().send_notices();
            }
            client_stream.flush();
            came.map(drop).map_err(|error| Refusal::of_model(&error, disclosure))
        }))
    }

    fn model(&self, host: &PageBindings, key: &str, model: String) -> Arc<dyn ModelAdapter> {
        let CoreRelay { format, base_url, request, .. } = self;
        let host_name = host::host(base_url);
        let format = if self.by_model { format.for_model(host_name, &model, &self.facts) } else { *format };
        let learned = self.learned(&model);
        let headers = format.headers(base_url, key);
        let options = HttpOptions {
            name: model.clone(),
            format,
            url: format.url(base_url, &model, request.stream),
            headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            request: Options {
                facts: Facts::of(format, host_name, &model, &self.facts),
                model,
                ..request.clone()
            },
            policy: self.policy,
        };
        let http = Arc::new(PageHttp { host: host.clone() });
        let model = HttpModel::new(options, http, Arc::new(PageClock), Arc::new(PageIds));
        let model = Arc::new(model.learned(learned));
        if self.text_tools { Arc::new(TextTools::new(model)) } else { model }
    }

    /// A client can ask only for the models that were named.
    fn learned(&self, model: &str) -> Arc<Learned> {
        let mut all = self.learned.borrow_mut();
        if let Some((_, learned)) = all.iter().find(|(name, _)| name == model) {
            return Arc::clone(learned);
        }
        let learned = Arc::default();
        all.push((model.to_owned(), Arc::clone(&learned)));
        learned
    }

    fn read(&mut self, options: &str) -> Result<(), Broken> {
        let mut reader = Reader::new(options);
        reader.object()?;
        while let Some(key) = reader.key()? {
            match key {
                "format" => {
                    let word = reader.text()?;
                    self.by_model = word == "openai";
                    self.format = if self.by_model { Format::OpenAiChat } else { format_of(&word)? };
                }
                "baseURL" => self.base_url = reader.text()?.into_owned(),
                "model" => self.request.model = reader.text()?.into_owned(),
                "models" => {
                    reader.array()?;
                    while reader.item()? {
                        self.models.push(reader.text()?.into_owned());
                    }
                }
                "systemPrompt" => self.system_prompt = string(&mut reader)?,
                "maxTokens" => self.request.max_tokens = narrow(reader.count()?),
                "temperature" => self.request.temperature = reader.number()?,
                "topP" => self.request.top_p = reader.number()?,
                "seed" => self.request.seed = reader.count()?,
                "stop" => self.request.stop_sequences = from_text(reader.raw()?).map_err(|_| Broken)?,
                "toolChoice" => self.request.tool_choice = Some(tool_choice(&mut reader)?),
                "parallelToolCalls" => self.request.parallel_tool_calls = Some(flag(&mut reader)?),
                "extraBody" => self.request.extra = Json::parse(reader.raw()?).ok(),
                "prices" => self.prices = from_text(reader.raw()?).map(Arc::new).map_err(|_| Broken)?,
                "facts" => self.facts = from_text(reader.raw()?).map_err(|_| Broken)?,
                "cache" => self.request.cache = from_text(reader.raw()?).map_err(|_| Broken)?,
                "stream" => self.request.stream = flag(&mut reader)?,
                "reasoning" => self.request.echo_reasoning = flag(&mut reader)?,
                "reasoningEffort" => self.request.thinking.effort = string(&mut reader)?,
                "reasoningBudget" => self.request.thinking.budget = narrow(reader.count()?),
                "toolUse" => {
                    self.text_tools = reader.text()? == "text";
                    self.request.stop = self.text_tools.then_some(STOP);
                }
                "includeReasoningInText" => self.reasoning_in_text = flag(&mut reader)?,
                "policy" => self.policy = from_text(reader.raw()?).map_err(|_| Broken)?,
                "systemPromptBytes" => limit(&mut reader, &mut self.limits.system_prompt_bytes)?,
                "messages" => limit(&mut reader, &mut self.limits.messages)?,
                "tools" => limit(&mut reader, &mut self.limits.tools)?,
                "providerMessages" => {
                    self.disclosure = match reader.text()?.as_ref() {
                        "all" => Disclosure::All,
                        "none" => Disclosure::None,
                        "own" => Disclosure::Own,
                        _ => Disclosure::Safe,
                    }
                }
                _ => reader.skip()?,
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for CoreRelay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CoreRelay").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// Tells the client what one chunk brought, in one piece.
struct ClientStream {
    host: PageBindings,
    answer: RefCell<AnswerStream>,
    scheduled: Cell<bool>,
}

impl ClientStream {
    fn new(host: &PageBindings, answer: AnswerStream) -> Rc<Self> {
        Rc::new(ClientStream { host: host.clone(), answer: RefCell::new(answer), scheduled: Cell::default() })
    }

    fn tell(self: &Rc<Self>, add: impl FnOnce(&mut AnswerStream)) {
        add(&mut self.answer.borrow_mut());
        if !self.scheduled.replace(true) {
            let client_stream = Rc::clone(self);
            soon(move || client_stream.flush());
        }
    }

    fn flush(&self) {
        self.scheduled.set(false);
        let text = self.answer.borrow_mut().take();
        if !text.is_empty() {
            self.host.events(&text);
        }
    }
}

/// A word, or `{"tool":name}`.
fn tool_choice(reader: &mut Reader<'_>) -> Result<ToolChoice, Broken> {
    if reader.peek()? == b'{' {
        reader.object()?;
        let mut tool = String::new();
        while let Some(key) = reader.key()? {
            match key {
                "tool" => tool = reader.text()?.into_owned(),
                _ => reader.skip()?,
            }
        }
        return Ok(ToolChoice::Tool(tool));
    }
    match reader.text()?.as_ref() {
        "auto" => Ok(ToolChoice::Auto),
        "none" => Ok(ToolChoice::None),
        "required" => Ok(ToolChoice::Required),
        _ => Err(Broken),
    }
}

fn string(reader: &mut Reader<'_>) -> Result<Option<String>, Broken> {
    Ok(reader.string()?.map(|text| text.into_owned()))
}

fn narrow(count: Option<u64>) -> Option<u32> {
    count.and_then(|count| u32::try_from(count).ok())
}

fn flag(reader: &mut Reader<'_>) -> Result<bool, Broken> {
    Ok(reader.raw()? == "true")
}

fn limit(reader: &mut Reader<'_>, limit: &mut u64) -> Result<(), Broken> {
    *limit = reader.count()?.unwrap_or(*limit);
    Ok(())
}
