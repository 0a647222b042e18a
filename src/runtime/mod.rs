//! What runs the machine: the loop that takes its effects, does them, and gives back what came of it.
//!
//! Most programs use [`Glove`], or [`Session`] where they bring their own ports. What both do can be written by hand,
//! since the machine and the ports are all there is to it:
//!
//! ```
//! use std::collections::VecDeque;
//! use std::sync::Arc;
//!
//! use glove_wasm::ports::*;
//! use glove_wasm::message::Message;
//! use glove_wasm::system::{RandomIds, SystemClock};
//! use glove_wasm::run::effect::{Effect, Outcome};
//! use glove_wasm::run::input::{Input, Request};
//! use glove_wasm::run::settings::{Compaction, Limits, Settings};
//! use glove_wasm::run::Run;
//! use glove_wasm::runtime::DisplayManager;
//! use glove_wasm::store::MemoryStore;
//! use glove_wasm::testing::{Line, ScriptedModel};
//! use serde_json::{Value, json};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # futures_executor::block_on(async {
//! let store = MemoryStore::new("my-agent");
//! let model = ScriptedModel::new([Line::call("now", "c1", json!({})), Line::text("It is noon.")]);
//! let mut tools = Tools::new();
//! tools.register(Tool::new("now", "Tells the time", json!({}), async |_: Value, _: ToolContext| "12:00"))?;
//! let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIds));
//! let display = Arc::new(DisplayManager::new(ids.clone(), clock.clone()));
//!
//! let settings = Settings {
//!     tools: tools.specs(),
//!     limits: Limits { turns: 50, ..Limits::default() },
//!     compaction: Compaction { context_limit: 100_000, ..Compaction::default() },
//!     ..Settings::default()
//! };
//! let mut run = Run::new(settings, store.load().await?.messages);
//!
//! let request = Request {
//!     id: ids.fresh(),
//!     message: Message::user("What time is it?"),
//!     when_busy: Default::default(),
//!     regenerate: false,
//!     edits: None,
//!     inbox: Vec::new(),
//! };
//! let mut effects = VecDeque::from(run.step(clock.now(), Input::Request(Box::new(request)))?);
//! let answer = loop {
//!     let input = match effects.pop_front().ok_or("nothing is left to do")? {
//!         Effect::Persist { .. } => {
//!             store.append(run.unsaved(), Durability::Strict).await?;
//!             run.saved();
//!             continue;
//!         }
//!         Effect::CallModel { call } => {
//!             let request = ModelRequest {
//!                 purpose: Purpose::Turn,
//!                 system_prompt: "You are a helpful assistant.",
//!                 messages: run.model_request(),
//!                 tools: &tools.definitions(),
//!             };
//!             let answer = model.prompt(request, DeltaSink::to(|_| {}), AbortHandle::new().signal());
//!             Input::ModelFinished { call, reply: answer.await? }
//!         }
//!         Effect::RunTool { call_id, attempt } => {
//!             let call = run.call(&call_id).ok_or("no such call")?;
//!             let key = call.idempotency_key();
//!             let (tool_name, input) = (call.tool_name, call.input);
//!             let call = CallRef { call_id: &call_id, tool_name, input, attempt, validated: None, judged: None, idempotency_key: &key };
//!             let display = CallDisplay::new(&call_id, display.clone());
//!             let running = tools.run(call, ToolContext::new(call, display, AbortHandle::new().signal()));
//!             Input::ToolFinished { outcome: running.await, call_id }
//!         }
//!         Effect::Emit(event) => {
//!             println!("{event:?}");
//!             continue;
//!         }
//!         Effect::Finish { outcome: Outcome::Completed(reply), .. } => break reply,
//!         other => return Err(format!("{other:?} is left out here").into()),
//!     };
//!     effects.extend(run.step(clock.now(), input)?);
//! };
//! assert_eq!(answer.messages[0].text, "It is noon.");
//! assert_eq!(store.load().await?.messages, run.messages());
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # })
//! # }
//! ```

mod command;
mod display;
mod driver;
mod enqueue;
mod glove;
mod handle_command;
mod in_flight;
mod listeners;
mod partial_answer;
mod plugins;
mod questions;
mod response;
mod session;
mod session_tools;
mod shared;
mod shared_driver;
mod stored_query;
mod tool_run;
mod work;

pub use display::{DisplayManager, Renderer, StackListener};
pub use glove::{Glove, GloveBuilder};
pub use listeners::{Follower, Subscription};
pub use plugins::{HookCall, HookResult, Hooks, Plugin, PluginRound, PluginShare};
pub use response::{Prompt, Response};
pub use session::{Parts, ResponseFuture, Session};
pub use tool_run::{AnswerFuture, ToolRun};
