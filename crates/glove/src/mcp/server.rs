//! What is done for a client: its tools are listed, and its calls run, each behind the rules of the project.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use glove_wasm::ports::{IdSource, ModelAdapter, ToolHost, Tools};
use glove_wasm::run::PhaseName;
use glove_wasm::runtime::Prompt;
use glove_wasm::system::RandomIds;
use glove_wasm_coding::Workspace;
use glove_wasm_sqlite::SqliteDatabase;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ElicitRequest, ErrorData,
    Implementation, InputRequest, InputRequiredResult, JsonObject, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ServerCapabilities, ServerConfig, ServerRequest, Tool,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::conversation::{self, IN_USE, NO_CONVERSATION};
use super::direct::Caller;
use super::offered::{self, AGENT};
use super::question::{self, Form, Said};
use super::result::{failed, of_tool};
use super::running::{Next, Running};
use crate::agent::{OpenAgent, Parts};
use crate::args::Mcp;
use crate::chat::tool_of;
use crate::failure::Failure;
use crate::modes::Modes;
use crate::terminal_text;

/// So many calls run at once, and so many wait for an answer that their client brings with another request.
const MOST_CALLS: u32 = 16;
/// So long calls may take to end that are to end with the program.
const ENDING: Duration = Duration::from_secs(15);
const TOO_MANY: &str = "Too many calls run at once. Wait for one of them; this one has not begun.";
const STOPPED: &str = "The call was stopped.";
/// The only question of an answer, by its name there.
const QUESTION: &str = "answer";

/// All that calls share.
pub(super) struct Served {
    database: SqliteDatabase,
    folder: PathBuf,
    /// `None` where the agent is not offered.
    model: Option<Arc<dyn ModelAdapter>>,
    system_prompt: Option<String>,
    variables: Vec<(String, String)>,
    allow: Vec<String>,
    tools: Vec<Tool>,
    calls: Semaphore,
    /// Conversations that are used now.
    used: Mutex<Vec<String>>,
    /// Sessions for calls of single tools, in which nothing runs.
    idle: Mutex<Vec<(Caller, OpenAgent)>>,
    waiting: Mutex<BTreeMap<String, Waiting>>,
}

/// A call, with what it runs in.
struct Call {
    name: String,
    input: JsonObject,
    of: Of,
    running: Running,
    /// Grows with each notification.
    progress: f64,
}

enum Of {
    Agent(Used),
    Tool(Caller),
}

/// A question that the client answers with another request.
struct Waiting {
    call: Call,
    slot: glove_wasm::display::Slot,
    form: Form,
}

/// A conversation is used for as long as this is there.
struct Used {
    id: String,
    served: Arc<Served>,
}

impl Drop for Used {
    fn drop(&mut self) {
        locked(&self.served.used).retain(|used| *used != self.id);
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) struct Server(pub Arc<Served>);

impl Served {
    pub(super) fn new(
        database: SqliteDatabase,
        folder: PathBuf,
        model: Option<Arc<dyn ModelAdapter>>,
        variables: Vec<(String, String)>,
        options: &Mcp,
    ) -> Result<Self, Failure> {
        let mut tools = Vec::new();
        if model.is_some() {
            tools.push(offered::agent(&folder));
        }
        if options.tools {
            let workspace = Workspace::open(&folder)?;
            let mut all = Tools::new();
            for tool in workspace.tools() {
                all.register(tool).map_err(glove_wasm::error::Error::Tool)?;
            }
            for definition in all.definitions() {
                tools.push(offered::direct(&definition)?);
            }
        }
        Ok(Served {
            database,
            folder,
            model,
            system_prompt: options.system.clone(),
            variables,
            allow: options.allow.clone(),
            tools,
            calls: Semaphore::new(MOST_CALLS as usize),
            used: Mutex::default(),
            idle: Mutex::default(),
            waiting: Mutex::default(),
        })
    }

    /// Nothing runs on when the program ends; what is stopped is written as stopped.
    pub(super) async fn close(&self) {
        let waiting = std::mem::take(&mut *locked(&self.waiting));
        for (_, Waiting { mut call, .. }) in waiting {
            call.running.stop().await;
            call.running.open_agent.close().await;
        }
        let _ = tokio::time::timeout(ENDING, self.calls.acquire_many(MOST_CALLS)).await;
        let idle = std::mem::take(&mut *locked(&self.idle));
        for (_, open_agent) in idle {
            open_agent.close().await;
        }
    }

    fn open(&self, session: Option<String>, model: Arc<dyn ModelAdapter>) -> Result<OpenAgent, Failure> {
        static TELLS: Once = Once::new();
        let open_agent = OpenAgent::new(Parts {
            database: &self.database,
            session,
            folder: &self.folder,
            model,
            system_prompt: self.system_prompt.as_deref(),
            variables: &self.variables,
            modes: Modes::default(),
            record: None,
        })?;
        TELLS.call_once(|| {
            for line in open_agent.about_project() {
                terminal_text::print_error(&line);
            }
        });
        Ok(open_agent)
    }

    fn is_allowed(&self, slot: &glove_wasm::display::Slot) -> bool {
        slot.renderer == "permission_request" && tool_of(slot).is_some_and(|tool| self.allow.contains(&tool))
    }
}

impl Server {
    /// A sentence where it cannot begin.
    async fn begin(&self, name: String, input: JsonObject) -> Result<Call, String> {
        let served = Arc::clone(&self.0);
        let begun = tokio::task::spawn_blocking(move || match name == AGENT {
            true => begin_conversation(&served, name, input),
            false => begin_tool(&served, name, input),
        });
        begun.await.map_err(|error| error.to_string())?
    }

    /// Until there is a result, or a question that the client answers with another request.
    async fn serve(&self, mut call: Call, context: &RequestContext<RoleServer>) -> CallToolResponse {
        let asks_people = question::asks_people(context.client_capabilities().as_ref());
        let is_modern =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        loop {
            let slot = match call.running.next(&context.ct).await {
                Next::Progress(line) => {
                    call.tell(context, line).await;
                    continue;
                }
                Next::Ended(ended) => {
                    let result = call.result(*ended);
                    self.leave(call).await;
                    return result.into();
                }
                Next::Left => {
                    call.running.stop().await;
                    self.leave(call).await;
                    return failed(STOPPED).into();
                }
                Next::Asks(slot) if self.0.is_allowed(&slot) => {
                    call.running.allow(&slot);
                    continue;
                }
                Next::Asks(slot) => slot,
            };
            if !asks_people {
                call.running.turn_down(&slot, question::unasked(&slot));
                continue;
            }
            let open_agent = &call.running.open_agent;
            match question::form(&slot, &open_agent.workspace, open_agent.agent.session()) {
                Err(why) => call.running.turn_down(&slot, why),
                Ok(form) if is_modern => return self.wait(Waiting { call, slot, form }).await,
                Ok(form) => match ask(context, &form).await {
                    Ok(said) => call.running.answer(&slot, form.answer(&said)),
                    Err(why) => call.running.turn_down(&slot, why),
                },
            }
        }
    }

    /// Its client comes again with the answer.
    async fn wait(&self, waiting: Waiting) -> CallToolResponse {
        let requests = BTreeMap::from([(
            QUESTION.to_owned(),
            InputRequest::Elicitation(ElicitRequest::new(waiting.form.params.clone())),
        )]);
        let id = RandomIds.fresh();
        let too_many = {
            let mut all = locked(&self.0.waiting);
            match all.len() < MOST_CALLS as usize {
                true => all.insert(id.clone(), waiting),
                false => Some(waiting),
            }
        };
        if let Some(Waiting { mut call, .. }) = too_many {
            call.running.stop().await;
            self.leave(call).await;
            return failed("Too many calls wait for a person. This one was stopped.").into();
        }
        InputRequiredResult::new(Some(requests), Some(id)).into()
    }

    /// The call that a client brings an answer for, which has it.
    fn answered(&self, state: &str, request: &CallToolRequestParams) -> Result<Call, String> {
        let mut all = locked(&self.0.waiting);
        let Some(waiting) = all.get(state) else {
            return Err(format!(
                "Nothing is known of this call any more. If it was answered before, `{}` may have run.",
                terminal_text::in_line(&request.name)
            ));
        };
        let input = request.arguments.clone().unwrap_or_default();
        if waiting.call.name != request.name || waiting.call.input != input {
            return Err(
                "The answer belongs to a call with other arguments. Nothing was run for it.".to_owned()
            );
        }
        let Some(Waiting { mut call, slot, form }) = all.remove(state) else { return Err(String::new()) };
        let said = request.input_responses.as_ref().and_then(|said| said.get(QUESTION)).cloned();
        // What is no answer allows nothing.
        match said.map(serde_json::from_value::<Said>) {
            Some(Ok(said)) => call.running.answer(&slot, form.answer(&said)),
            Some(Err(_)) | None => call.running.turn_down(&slot, "The person gave no answer.".to_owned()),
        }
        Ok(call)
    }

    /// Others may use the session now.
    async fn leave(&self, call: Call) {
        let open_agent = call.running.open_agent;
        match call.of {
            Of::Tool(caller) if open_agent.agent.session().phase() == PhaseName::Idle => {
                locked(&self.0.idle).push((caller, open_agent));
            }
            Of::Tool(_) => open_agent.close().await,
            Of::Agent(used) => {
                open_agent.close().await;
                drop(used);
            }
        }
    }
}

impl Call {
    fn result(
        &mut self,
        ended: Result<glove_wasm::runtime::Response, glove_wasm::error::Error>,
    ) -> CallToolResult {
        let name = terminal_text::in_line(&self.name);
        match &self.of {
            Of::Agent(used) => conversation::ended(ended, &used.id, &self.running.not_allowed),
            Of::Tool(_) => match (self.running.result(), ended) {
                (Some(result), _) => of_tool(&name, &result.result),
                (None, Err(error)) => failed(format!(
                    "{name} could not be run, or its result could not be kept: {error}. It may have run."
                )),
                (None, Ok(_)) => failed(format!("{name} could not be run.")),
            },
        }
    }

    async fn tell(&mut self, context: &RequestContext<RoleServer>, line: String) {
        let Some(token) = context.meta.get_progress_token() else { return };
        self.progress += 1.0;
        let progress = ProgressNotificationParam::new(token, self.progress).with_message(line);
        // Of a client that is gone the call learns otherwise.
        let _ = context.peer.notify_progress(progress).await;
    }
}

fn begin_conversation(served: &Arc<Served>, name: String, input: JsonObject) -> Result<Call, String> {
    let Some(model) = served.model.clone() else { return Err(String::new()) };
    let said = conversation::said(&input)?;
    let id = said.conversation.clone();
    let used = |id: String| -> Result<Used, String> {
        let mut all = locked(&served.used);
        if all.contains(&id) {
            return Err(IN_USE.to_owned());
        }
        all.push(id.clone());
        Ok(Used { id, served: Arc::clone(served) })
    };
    let told = |failure: Failure| failure.message;
    let (used, open_agent) = match id {
        Some(id) => {
            let used = used(id.clone())?;
            let sessions =
                futures_executor::block_on(served.database.sessions()).map_err(|error| told(error.into()))?;
            let here = served.folder.to_string_lossy();
            if !sessions.iter().any(|session| session.id == id && session.working_dir == here) {
                return Err(NO_CONVERSATION.to_owned());
            }
            let open_agent = served.open(Some(id), model).map_err(told)?;
            if open_agent.agent.session().phase() != PhaseName::Idle {
                futures_executor::block_on(open_agent.close());
                return Err(conversation::unfinished(&used.id));
            }
            (used, open_agent)
        }
        None => {
            let open_agent = served.open(None, model).map_err(told)?;
            (used(open_agent.id.clone())?, open_agent)
        }
    };
    let running = start(open_agent, Prompt::new(said.message))?;
    Ok(Call { name, input, of: Of::Agent(used), running, progress: 0.0 })
}

fn begin_tool(served: &Arc<Served>, name: String, input: JsonObject) -> Result<Call, String> {
    let idle = locked(&served.idle).pop();
    let (caller, open_agent) = match idle {
        Some(idle) => idle,
        None => {
            let caller = Caller::default();
            let open_agent =
                served.open(None, Arc::new(caller.clone())).map_err(|failure| failure.message)?;
            (caller, open_agent)
        }
    };
    let prompt = caller.prompt(&name, &Value::Object(input.clone()));
    let running = start(open_agent, prompt)?;
    Ok(Call { name, input, of: Of::Tool(caller), running, progress: 0.0 })
}

fn start(open_agent: OpenAgent, prompt: Prompt) -> Result<Running, String> {
    Running::begin(open_agent, prompt).map_err(|failed| {
        let (open_agent, failure) = *failed;
        futures_executor::block_on(open_agent.close());
        failure.message
    })
}

/// Asks by a request of ours, as versions before 2026-07-28 have it. A sentence where nobody answered.
async fn ask(context: &RequestContext<RoleServer>, form: &Form) -> Result<Said, String> {
    let nobody = || "Nobody answered.".to_owned();
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form.params.clone()));
    let asked = context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let mut asked = asked.map_err(|error| terminal_text::in_line(&error.to_string()))?;
    let answer = tokio::select! {
        answer = &mut asked.rx => answer.map_err(|_| nobody())?,
        () = context.ct.cancelled() => {
            let _ = asked.cancel(Some("The call was stopped.".to_owned())).await;
            return Err(nobody());
        }
    };
    match answer {
        Ok(ClientResult::ElicitResult(said)) => {
            let said = serde_json::to_value(said).and_then(serde_json::from_value);
            said.map_err(|_| nobody())
        }
        Ok(_) => Err(nobody()),
        Err(error) => {
            Err(format!("The client could not ask: {}", terminal_text::in_line(&error.to_string())))
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new("glove", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(name)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.tools.iter().find(|tool| tool.name == name).cloned()
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        std::future::ready(Ok(ListToolsResult::with_all_items(self.0.tools.clone())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.get_tool(&request.name).is_none() {
            let name: String = request.name.chars().take(100).collect();
            let message = format!("There is no tool `{}`.", terminal_text::in_line(&name));
            return Err(ErrorData::invalid_params(message, None));
        }
        let Ok(_permit) = self.0.calls.try_acquire() else { return Ok(failed(TOO_MANY).into()) };
        let begun = match &request.request_state {
            Some(state) => self.answered(state, &request),
            None => self.begin(request.name.into_owned(), request.arguments.unwrap_or_default()).await,
        };
        Ok(match begun {
            Ok(call) => self.serve(call, &context).await,
            Err(why) => failed(why).into(),
        })
    }
}
