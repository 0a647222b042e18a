//! The session that JavaScript holds. Nothing here takes `&mut self` and nothing is borrowed while the page's code
//! runs, so any callback may call anything.

use std::rc::Rc;
use std::sync::Arc;

use js_sys::{Object, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::event_batch::EventFeed;
use glove_wasm::display::DisplayError;
use glove_wasm::error::Error;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{object, to_text};
use glove_wasm::ports::{DisplayPort, IdSource, Show};
use glove_wasm::run::input::Answer;
use glove_wasm::run::salvage::Salvaged;
use glove_wasm::run::settings::Settings;
use glove_wasm::run::{self, Run};
use glove_wasm::runtime::{Parts, Session, ToolRun};
use glove_wasm::wire::options::{Changes, Resume, SessionOptions};
use glove_wasm::wire::outcome::CoreOutcome;
use glove_wasm::wire::prompt::PromptInput;
use glove_wasm_page::bindings::{PageBindings, pair};
use glove_wasm_page::environment::{PageClock, PageIds, promise, spawn};
use glove_wasm_page::model::model_of;
use glove_wasm_page::steps;
use glove_wasm_page::store::PageStore;
use glove_wasm_page::tools::PageTools;
use glove_wasm_page::values::{display_thrown, protocol, read, thrown};

/// What can be read of stored messages: `texts` is a JSON array with the JSON of each. Gives `{messages, places, reasons}`.
#[wasm_bindgen]
pub fn salvage(texts: &str) -> Result<String, JsValue> {
    let Salvaged { messages, faults } = run::salvage::salvage(&read::<Vec<String>>(texts, "the messages")?);
    let (places, reasons): (Vec<usize>, Vec<String>) = faults.into_iter().unzip();
    let mut out = String::new();
    object(&mut out, &[("messages", &messages), ("places", &places), ("reasons", &reasons)]);
    Ok(out)
}

#[wasm_bindgen]
pub struct CoreSession {
    session: Session,
    feed: Rc<EventFeed>,
    host: PageBindings,
    tasks: Option<bool>,
    record: bool,
}

#[wasm_bindgen]
impl CoreSession {
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, host: PageBindings) -> Result<CoreSession, JsValue> {
        let SessionOptions {
            session_id,
            system_prompt,
            tools,
            compaction,
            limits,
            budgets,
            prices,
            model,
            keeps,
            resume,
            tasks,
            record,
        } = read(options, "the session's options")?;
        let parts = Parts {
            model: model_of(&host, model),
            system_prompt,
            store: Arc::new(PageStore { host: host.clone(), id: session_id, keeps }),
            tools: Arc::new(PageTools::new(host.clone(), tools, tasks)),
            clock: Arc::new(PageClock),
            ids: Arc::new(PageIds),
            settings: Settings { tools: Vec::new(), compaction, limits, budgets },
        };
        let session = Session::new(parts).map_err(|error| thrown(&error))?;
        session.set_prices(prices);
        if resume == Resume::Manual {
            session.resume_by_hand();
        }
        let feed = EventFeed::new(host.clone());
        feed.follow(&session);
        Ok(CoreSession { session, feed, host, tasks, record })
    }

    /// Starts the session, which then works until it is closed, and waits until the store has been read. After a
    /// failure the next request reads it again. Gives the error of a damaged session, which can be read only.
    pub fn open(&self) -> Promise {
        let (session, feed, record) = (self.session.clone(), Rc::clone(&self.feed), self.record);
        promise(Box::pin(async move {
            let opened = session.opened().await;
            // Before anything is taken in.
            if record {
                session.change_run(Run::record);
            }
            let damage = session.damage().map(|damage| thrown(&Error::Store(damage.clone())));
            spawn(Box::pin(async move { session.drive().await }));
            opened.map_err(|error| thrown(&error))?;
            feed.refresh();
            Ok(damage.unwrap_or(JsValue::UNDEFINED))
        }))
    }

    pub fn request(&self, request: &str) -> Result<Promise, JsValue> {
        let prompt: PromptInput = read(request, "the request")?;
        Ok(CoreSession::promise_of(self.session.request(prompt)))
    }

    /// Gives up a request that still waits for its turn. False when none with this id does.
    #[wasm_bindgen(js_name = cancelQueued)]
    pub fn cancel_queued(&self, request: &str) -> bool {
        let waits = self.session.with_run(|run| run.queued().any(|queued| queued.id == request));
        self.session.cancel_queued(request);
        waits
    }

    /// Moves a request that waits in front of another; without one, the request that runs reads it next. False when one of them does not wait.
    #[wasm_bindgen(js_name = moveQueued)]
    pub fn move_queued(&self, request: &str, before: Option<String>) -> bool {
        let before = before.filter(|id| !id.is_empty());
        let mut wait = 0;
        self.session.with_run(|run| {
            for queued in run.queued() {
                wait += usize::from(queued.id == request || before.as_ref() == Some(&queued.id));
            }
        });
        let moves = wait == 1 + usize::from(before.is_some());
        if moves {
            self.session.move_queued(request, before.as_deref());
        }
        moves
    }

    pub fn resume(&self) -> Promise {
        CoreSession::promise_of(self.session.resume())
    }

    pub fn undo(&self, steps: u32, last: Option<String>) -> Promise {
        CoreSession::promise_of(self.session.undo_from(steps, last))
    }

    #[wasm_bindgen(js_name = switchBranch)]
    pub fn switch_branch(&self, message: &str) -> Promise {
        CoreSession::promise_of(self.session.switch_branch(message))
    }

    /// The messages up to this one, as the record of another session: a JSON array.
    pub fn fork(&self, message: &str) -> Result<String, JsValue> {
        self.session.fork(message).map(|messages| to_text(&messages)).map_err(|error| thrown(&error))
    }

    pub fn abort(&self) {
        self.session.abort();
    }

    #[wasm_bindgen(js_name = keepPartial)]
    pub fn keep_partial(&self) {
        self.session.keep_partial();
    }

    /// False when nothing is asked under this id any more.
    pub fn answer(&self, id: &str, answer: &str) -> Result<bool, JsValue> {
        let answer: Answer = read(answer, "the answer")?;
        Ok(self.session.answer(id, answer))
    }

    pub fn configure(&self, changes: &str) -> Result<(), JsValue> {
        let Changes { system_prompt, tools, compaction, limits, budgets, prices, model } =
            read(changes, "the changes")?;
        if let Some(tools) = tools {
            let tools = Arc::new(PageTools::new(self.host.clone(), tools, self.tasks));
            self.session.replace_tools(tools).map_err(|error| thrown(&error))?;
        }
        if let Some(prompt) = system_prompt {
            self.session.set_system_prompt(&prompt);
        }
        if let Some(model) = model {
            self.session.set_model(model_of(&self.host, model));
        }
        if let Some(compaction) = compaction {
            self.session.set_compaction(compaction);
        }
        if let Some(limits) = limits {
            self.session.set_limits(limits);
        }
        if let Some(budgets) = budgets {
            self.session.set_budgets(budgets);
        }
        if let Some(prices) = prices {
            self.session.set_prices(prices);
        }
        Ok(())
    }

    #[wasm_bindgen(js_name = pushAndForget)]
    pub fn push_and_forget(
        &self,
        owner: Option<String>,
        renderer: &str,
        input: &str,
        deterministic: bool,
    ) -> Result<Option<String>, JsValue> {
        let tool_run = self.tool_run(owner.as_deref());
        let show = show(owner, renderer, input)?;
        match tool_run {
            Some(tool_run) => tool_run.show(show, deterministic),
            None => self.session.display().push_and_forget(show).map(Some),
        }
        .map_err(|error| display_thrown(&error))
    }

    /// `{id, answer}`, where the answer is a promise. `deterministic`: the tool did nothing else since it was told something.
    #[wasm_bindgen(js_name = pushAndWait)]
    pub fn push_and_wait(
        &self,
        owner: Option<String>,
        renderer: &str,
        input: &str,
        deterministic: bool,
    ) -> Result<Object, JsValue> {
        let tool_run = self.tool_run(owner.as_deref());
        let show = show(owner, renderer, input)?;
        let (id, answer) = match tool_run {
            Some(tool_run) => tool_run.ask(show, deterministic).map_err(|error| display_thrown(&error))?,
            None => {
                let id = PageIds.fresh();
                (id.clone(), self.session.display().push_and_wait_as(id, show))
            }
        };
        let answered = promise(Box::pin(async move {
            match answer.await {
                Ok(value) => Ok(JsValue::from_str(value.as_str())),
                Err(error) => Err(display_thrown(&error)),
            }
        }));
        Ok(pair(&id, &answered))
    }

    /// Before a step of a call: what came of it, or its key when it is to be done now.
    #[wasm_bindgen(js_name = beginStep)]
    pub fn begin_step(&self, call_id: &str, name: &str, deterministic: bool) -> Option<Promise> {
        Some(steps::begin(&*self.tool_run(Some(call_id))?, name, deterministic))
    }

    /// After it. The promise settles when the result is written.
    #[wasm_bindgen(js_name = endStep)]
    pub fn end_step(&self, call_id: &str, key: String, result: &str) -> Result<Promise, JsValue> {
        steps::end(self.tool_run(Some(call_id)), key, result)
    }

    /// What the schema of a running call's tool made of its arguments, before the tool begins.
    pub fn validated(&self, call_id: &str, validated: &str) -> Result<(), JsValue> {
        steps::validated(self.tool_run(Some(call_id)), validated)
    }

    /// What the tool of a running call has returned, before its summary is made.
    pub fn returned(&self, call_id: &str, outcome: &str) -> Result<(), JsValue> {
        steps::returned(self.tool_run(Some(call_id)), outcome)
    }

    #[wasm_bindgen(js_name = resolveSlot)]
    pub fn resolve_slot(&self, id: &str, value: &str) -> Result<bool, JsValue> {
        let value = json(value)?;
        self.session.answer_slot(id, Ok(value)).map_err(|error| display_thrown(&error))
    }

    #[wasm_bindgen(js_name = rejectSlot)]
    pub fn reject_slot(&self, id: &str, reason: Option<String>) -> bool {
        self.session.answer_slot(id, Err(DisplayError::Rejected { reason })).unwrap_or_default()
    }

    #[wasm_bindgen(js_name = removeSlot)]
    pub fn remove_slot(&self, id: &str) -> bool {
        self.session.display().remove_slot(id)
    }

    #[wasm_bindgen(js_name = clearStack)]
    pub fn clear_stack(&self) {
        self.session.display().clear_stack();
    }

    /// The record from a message on, as a JSON array.
    pub fn messages(&self, from: usize) -> String {
        self.session.with_run(|run| to_text(&run.messages().get(from..).unwrap_or_default()))
    }

    /// What was recorded: JSON `{start, records, end}`; an empty text where nothing was.
    pub fn recorded(&self) -> String {
        self.session.with_run(|run| run.recorded_whole().unwrap_or_default())
    }

    /// From a prompt on, or all.
    pub fn prompts(&self, since: &str) -> String {
        self.session.with_run(|run| to_text(&run.prompts_since(since)))
    }

    /// Keeps what plugins are to find again, in the order of what tools do; the checkpoint has it.
    #[wasm_bindgen(js_name = setPlugins)]
    pub fn set_plugins(&self, states: &str) -> Result<(), JsValue> {
        self.session.set_plugins(json(states)?);
        Ok(())
    }

    /// What the page tells the model of itself in the request that runs.
    #[wasm_bindgen(js_name = setContext)]
    pub fn set_context(&self, text: String) {
        self.session.set_context(text);
    }

    pub fn checkpoint(&self) -> String {
        self.session.with_run(|run| run.checkpoint())
    }

    /// Stops all work without ending anything. Call it before `free`.
    pub fn close(&self) {
        self.session.close();
        self.feed.end();
    }

    /// The running tool of a call.
    fn tool_run(&self, owner: Option<&str>) -> Option<Arc<ToolRun>> {
        self.session.tool_run(owner?)
    }

    fn promise_of(response: glove_wasm::runtime::ResponseFuture) -> Promise {
        promise(Box::pin(async move {
            let end = response.await;
            match CoreOutcome::of(&end) {
                Ok(outcome) => Ok(JsValue::from_str(&to_text(&outcome))),
                Err(refusal) => Err(thrown(refusal)),
            }
        }))
    }
}

fn show(owner: Option<String>, renderer: &str, input: &str) -> Result<Show, JsValue> {
    Ok(Show { renderer: renderer.to_owned(), input: json(input)?, owner, check: None })
}

fn json(text: &str) -> Result<Json, JsValue> {
    Json::parse(text).map_err(|error| protocol(&error.to_string()))
}

impl std::fmt::Debug for CoreSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.session.fmt(f)
    }
}
