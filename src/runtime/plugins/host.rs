//! Lets plugins prepare before each call of the model, and runs their tools beside those of the agent.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::future::join_all;
use serde_json::{Map, Value};

use crate::error::{Error, StoreError, StoreErrorKind};
use crate::event::Event;
use crate::json::Json;
use crate::portable::{BoxFuture, MaybeSend};
use crate::ports::{CallRef, Checked, ModelAdapter, ToolContext, ToolHost, Tools};
use crate::run::input::{ApprovalVerdict, PermissionVerdict, ToolOutcome, Validated};
use crate::runtime::session::{Session, WeakSession};
use crate::tool::{ToolDefinition, ToolSpec};

use super::{Plugin, PluginRound, PluginShare, USUAL_MS, within};

/// All states of a session together: they are part of each write.
const MOST_STATE_BYTES: usize = 64 * 1024;

/// The plugins of a session. Clones are the same.
#[derive(Clone)]
pub(crate) struct Plugins(Arc<Inner>);

struct Inner {
    list: Vec<Plugin>,
    session: OnceLock<WeakSession>,
    /// The tools of the agent itself.
    own: Mutex<Arc<dyn ToolHost>>,
    /// What they added last.
    added: Mutex<Tools>,
    /// They have prepared in this process, or could not.
    is_prepared: AtomicBool,
    /// The system prompt that was made last, and the one in front of what plugins have added to it.
    prompts: Mutex<Option<(String, String)>>,
    models: Mutex<Option<Models>>,
}

struct Models {
    /// The one that calls are made by, which a plugin may have chosen.
    made: Arc<dyn ModelAdapter>,
    /// The one in whose place it stands.
    own: Arc<dyn ModelAdapter>,
}

impl Plugins {
    /// Fails where two have one id.
    pub(crate) fn new(list: Vec<Plugin>, own: Arc<dyn ToolHost>) -> Result<Self, Error> {
        for (at, plugin) in list.iter().enumerate() {
            if list.iter().take(at).any(|other| other.id == plugin.id) {
                let message = format!("Two plugins have the id \"{}\"; rename one of them.", plugin.id);
                return Err(Error::Refused { code: "PLUGIN_ID_TAKEN", message });
            }
        }
        Ok(Plugins(Arc::new(Inner {
            list,
            session: OnceLock::new(),
            own: Mutex::new(own),
            added: Mutex::default(),
            is_prepared: AtomicBool::new(false),
            prompts: Mutex::default(),
            models: Mutex::default(),
        })))
    }

    /// Prepares for the calls of this session from now on.
    pub(crate) fn prepare_for(&self, session: &Session) {
        let _ = self.0.session.set(session.downgrade());
    }

    /// The tools of the agent itself are others. What plugins have added stays for calls that are open, but for names that are taken now.
    pub(crate) fn replace_tools(&self, session: &Session, tools: Arc<dyn ToolHost>) -> Result<(), Error> {
        let before = locked(&self.0.added).clone();
        let own = tools.definitions();
        let mut added = Tools::new();
        for tool in before.definitions().iter().filter_map(|definition| before.get(&definition.name)) {
            if !is_taken(&own, tool.name()) {
                added.register(tool.clone())?;
            }
        }
        session.replace_tools(Arc::new(Host { plugins: self.clone(), own: Arc::clone(&tools), added }))?;
        *locked(&self.0.own) = tools;
        Ok(())
    }

    /// The tools of the agent, and those that were added for the next call.
    pub(crate) fn host(&self, added: Tools) -> Arc<dyn ToolHost> {
        let own = Arc::clone(&locked(&self.0.own));
        Arc::new(Host { plugins: self.clone(), own, added })
    }

    async fn prepare(self) -> Result<(), StoreError> {
        let Some(session) = self.0.session.get().and_then(WeakSession::upgrade) else { return Ok(()) };
        let mut states = states_of(&session);
        let input = session.with_run(|run| {
            let asked = run.messages().iter().rev().find(|message| message.begins_prompt());
            asked.map(|message| message.as_written().to_owned())
        });
        let shares = join_all(self.0.list.iter().map(|plugin| {
            let state = states.get(&plugin.id).and_then(|states| states.get(NOBODY)).cloned().map(Json::from);
            share_of(plugin, PluginRound { input: input.clone(), state, session: session.clone() })
        }));
        let mut tools = Tools::new();
        let mut context = Vec::new();
        let (mut has_kept, mut chosen) = (false, None);
        let own = locked(&self.0.own).definitions();
        for (plugin, share) in self.0.list.iter().zip(shares.await) {
            let taken = share.and_then(|share| {
                let with = with_tools(&tools, &own, &share)?;
                if let Some(state) = &share.state {
                    states = with_state(&states, &plugin.id, state)?;
                    has_kept = true;
                }
                Ok((with, share.context, share.model))
            });
            match taken {
                Ok((with, mut added, model)) => {
                    tools = with;
                    chosen = model.or(chosen);
                    context.append(&mut added);
                }
                Err(why) => {
                    let message = format!("The plugin \"{}\" failed: {why}", plugin.id);
                    if plugin.required {
                        return Err(StoreError { kind: StoreErrorKind::Unavailable, message });
                    }
                    let request = session.with_run(|run| run.request().map(str::to_owned));
                    let event = Event::Error { code: "PLUGIN_FAILED".to_owned(), message };
                    session.shared.listeners.tell(request.as_deref(), &event);
                }
            }
        }
        self.show(&session, &context);
        self.choose(&session, chosen);
        locked(&self.0.added).clone_from(&tools);
        let replaced = session.replace_tools_now(self.host(tools));
        if has_kept {
            session.set_plugins(Json::from(Value::Object(states)));
        }
        replaced.map_err(|error| StoreError {
            kind: StoreErrorKind::Unavailable,
            message: format!("The tools of plugins cannot be used: {error}"),
        })
    }

    /// The system prompt of the agent, which may be another one by now, and behind it what was added.
    fn show(&self, session: &Session, context: &[String]) {
        let mut prompts = locked(&self.0.prompts);
        let now = session.system_prompt();
        let own = match prompts.take() {
            Some((made, own)) if made == now => own,
            Some(_) | None => now.clone(),
        };
        let mut parts: Vec<&str> = vec![&own];
        parts.extend(context.iter().map(String::as_str));
        parts.retain(|part| !part.is_empty());
        let made = parts.join("\n\n");
        if made != now {
            session.set_system_prompt(&made);
        }
        *prompts = Some((made, own));
    }

    /// The model of the agent, which may be another one by now, unless a plugin has chosen one for this call.
    fn choose(&self, session: &Session, chosen: Option<Arc<dyn ModelAdapter>>) {
        let mut models = locked(&self.0.models);
        let now = session.model();
        let own = match models.take() {
            Some(Models { made, own }) if Arc::ptr_eq(&made, &now) => own,
            Some(_) | None => Arc::clone(&now),
        };
        let made = chosen.unwrap_or_else(|| Arc::clone(&own));
        if !Arc::ptr_eq(&made, &now) {
            session.set_model(Arc::clone(&made));
        }
        *models = Some(Models { made, own });
    }
}

/// As pages keep them: by plugin, then by user.
const NOBODY: &str = "";

fn states_of(session: &Session) -> Map<String, Value> {
    session.with_run(|run| run.plugins().and_then(|states| states.read().ok())).unwrap_or_default()
}

fn with_state(states: &Map<String, Value>, id: &str, state: &Json) -> Result<Map<String, Value>, String> {
    let state: Value = state.read().map_err(|error| format!("what it keeps is no JSON: {error}"))?;
    let mut with = states.clone();
    let mut of_users = with.remove(id).and_then(|known| known.as_object().cloned()).unwrap_or_default();
    of_users.insert(NOBODY.to_owned(), state);
    with.insert(id.to_owned(), Value::Object(of_users));
    if Value::Object(with.clone()).to_string().len() > MOST_STATE_BYTES {
        return Err(format!("all plugins together keep up to {MOST_STATE_BYTES} bytes"));
    }
    Ok(with)
}

async fn share_of(plugin: &Plugin, round: PluginRound) -> Result<PluginShare, String> {
    let clock = Arc::clone(&round.session.shared.clock);
    let prepared = within(clock.as_ref(), USUAL_MS, plugin.prepare.call(round)).await;
    prepared.unwrap_or_else(|| Err(format!("it took longer than {} seconds", USUAL_MS / 1000)))
}

fn is_taken(own: &[ToolDefinition], name: &str) -> bool {
    own.iter().any(|other| other.name.eq_ignore_ascii_case(name))
}

fn with_tools(tools: &Tools, own: &[ToolDefinition], share: &PluginShare) -> Result<Tools, String> {
    let mut with = tools.clone();
    for tool in &share.tools {
        if is_taken(own, tool.name()) {
            return Err(format!("the name `{}` of a tool is taken", tool.name()));
        }
        with.register(tool.clone()).map_err(|error| error.to_string())?;
    }
    Ok(with)
}

struct Host {
    plugins: Plugins,
    own: Arc<dyn ToolHost>,
    added: Tools,
}

impl Host {
    fn of(&self, tool: &str) -> &dyn ToolHost {
        if self.added.get(tool).is_some() { &self.added } else { self.own.as_ref() }
    }

    /// A call from before the process began may be of a tool that plugins add: they add it first.
    fn later<T: 'static>(
        &self,
        call: CallRef<'_>,
        ask: impl FnOnce(&dyn ToolHost, CallRef<'_>) -> BoxFuture<'static, T> + MaybeSend + 'static,
    ) -> BoxFuture<'static, T> {
        let is_known = self.plugins.0.is_prepared.load(Ordering::SeqCst)
            || self.own.specs().iter().any(|spec| spec.name == call.tool_name);
        if is_known {
            return ask(self.of(call.tool_name), call);
        }
        let (plugins, call) = (self.plugins.clone(), Call::of(call));
        Box::pin(async move {
            // What they could not add is told as a tool that is gone.
            let _ = plugins.clone().prepare().await;
            plugins.0.is_prepared.store(true, Ordering::SeqCst);
            let added = locked(&plugins.0.added).clone();
            let asked = ask(plugins.host(added).as_ref(), call.borrowed());
            asked.await
        })
    }
}

/// A call that is held while plugins prepare.
struct Call {
    call_id: String,
    tool_name: String,
    input: Json,
    validated: Option<Validated>,
    judged: Option<Json>,
    attempt: u32,
    idempotency_key: String,
}

impl Call {
    fn of(call: CallRef<'_>) -> Self {
        Call {
            call_id: call.call_id.to_owned(),
            tool_name: call.tool_name.to_owned(),
            input: call.input.clone(),
            validated: call.validated.cloned(),
            judged: call.judged.cloned(),
            attempt: call.attempt,
            idempotency_key: call.idempotency_key.to_owned(),
        }
    }

    fn borrowed(&self) -> CallRef<'_> {
        CallRef {
            call_id: &self.call_id,
            tool_name: &self.tool_name,
            input: &self.input,
            validated: self.validated.as_ref(),
            judged: self.judged.as_ref(),
            attempt: self.attempt,
            idempotency_key: &self.idempotency_key,
        }
    }
}

impl ToolHost for Host {
    fn definitions(&self) -> Vec<ToolDefinition> {
        let mut definitions = self.own.definitions();
        definitions.append(&mut self.added.definitions());
        definitions
    }

    fn specs(&self) -> Vec<ToolSpec> {
        let mut specs = self.own.specs();
        // Their calls wait where they are not added yet.
        specs.extend(self.added.specs().into_iter().map(|spec| ToolSpec { added: true, ..spec }));
        specs
    }

    fn wants_tasks(&self) -> bool {
        self.own.wants_tasks()
    }

    fn prepare(&self) -> Option<BoxFuture<'static, Result<(), StoreError>>> {
        let (plugins, own) = (self.plugins.clone(), self.own.prepare());
        Some(Box::pin(async move {
            if let Some(own) = own {
                own.await?;
            }
            plugins.0.is_prepared.store(true, Ordering::SeqCst);
            plugins.prepare().await
        }))
    }

    fn permission(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<PermissionVerdict>> {
        self.later(call, |tools, call| tools.permission(call))
    }

    fn approval(&self, call: CallRef<'_>) -> BoxFuture<'static, Checked<ApprovalVerdict>> {
        self.later(call, |tools, call| tools.approval(call))
    }

    fn run(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, ToolOutcome> {
        self.later(call, |tools, call| tools.run(call, context))
    }

    fn undo(&self, call: CallRef<'_>, context: ToolContext) -> BoxFuture<'static, Result<(), String>> {
        self.later(call, |tools, call| tools.undo(call, context))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.list).finish()
    }
}
