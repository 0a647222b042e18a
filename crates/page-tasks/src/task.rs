//! The task that JavaScript holds: an agent with the models and tools of the page, and the task of one workspace.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{Either, select};
use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::credentials::PageBroker;
use crate::memory::memory_of;
use crate::sessions::PageSessions;
use crate::task_loop::PageLoop;
use crate::task_thrown;
use crate::workspace::{PageFiles, PageWorkspace};
use glove_wasm::json::codec::{Write, object, to_text};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortHandle, Clock, ToolFailure};
use glove_wasm::runtime::ToolRun;
use glove_wasm_page::bindings::PageBindings;
use glove_wasm_page::environment::{PageClock, PageIds, promise};
use glove_wasm_page::model::model_of;
use glove_wasm_page::steps;
use glove_wasm_page::tools::PageTools;
use glove_wasm_page::values::{read, reason, settled};
use glove_wasm_task::export::exported_files;
use glove_wasm_task::layout::WorkspacePath;
use glove_wasm_task::memory::MemoryBinding;
use glove_wasm_task::runtime::{
    AgentMemory, RunOptions, StepContext, TaskAgent, TaskAgentBuilder, TaskHandle, client_state, decide,
    result, stop,
};
use glove_wasm_task::wire::{
    LoopName, PageBinding, PageDecision, PageSkill, PolicyChange, SkillParts, TaskAgentOptions,
    TaskRunOptions,
};
use glove_wasm_task::{ApprovalPolicy, ClientTask, ClientUse, TaskError, TaskErrorKind, TaskEvent, TaskSpec};

#[wasm_bindgen]
extern "C" {
    /// Does the steps that the page has functions for.
    pub type PageSteps;

    /// The text that a model would have answered. `context` is JSON.
    #[wasm_bindgen(method, structural, catch)]
    fn phase(this: &PageSteps, name: &str, context: &str) -> Result<Promise, JsValue>;
}

#[wasm_bindgen]
pub struct CoreTask {
    agent: TaskAgent,
    memory: Option<AgentMemory>,
    files: PageWorkspace,
    host: PageBindings,
    handle: Rc<RefCell<Option<TaskHandle>>>,
    closed: AbortHandle,
}

/// Whether a path is one of a workspace, as a clean path; what is wrong with it otherwise.
#[wasm_bindgen(js_name = workspacePath)]
pub fn workspace_path(path: &str) -> Result<String, JsValue> {
    let path = WorkspacePath::parse(path).map_err(|error| task_thrown(&error))?;
    Ok(path.as_str().to_owned())
}

/// A skill, checked: JSON `TaskSkillFiles` in, `TaskSkillParts` out.
#[wasm_bindgen(js_name = skillOf)]
pub fn skill_of(skill: &str) -> Result<String, JsValue> {
    let skill: PageSkill = read(skill, "the skill")?;
    let bundle = skill.bundle().map_err(|error| task_thrown(&error))?;
    Ok(to_text(&SkillParts::from(bundle)))
}

/// Whether this is an exported workspace whose task can be taken up. Gives JSON: the clean paths, in the order in which they are written.
#[wasm_bindgen(js_name = exportedPaths)]
pub fn exported_paths(export: &str) -> Result<String, JsValue> {
    let files = exported_files(export).map_err(|error| task_thrown(&error))?;
    Ok(to_text(&files.into_iter().map(|(path, _)| path.as_str().to_owned()).collect::<Vec<_>>()))
}

/// A path that the client of a server may `read`, `edit` or `upload`, cleaned; what is wrong with it otherwise.
#[wasm_bindgen(js_name = clientPath)]
pub fn client_path(path: &str, wanted: &str) -> Result<String, JsValue> {
    let allowed = WorkspacePath::parse(path).and_then(|path| {
        let wanted = match wanted {
            "edit" => ClientUse::Edit,
            "upload" => ClientUse::Upload,
            _ => ClientUse::Read,
        };
        path.allows(wanted).map(|()| path)
    });
    allowed.map(|path| path.as_str().to_owned()).map_err(|error| task_thrown(&error))
}

#[wasm_bindgen]
impl CoreTask {
    /// `options` is the JSON of a `TaskAgentOptions`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, host: PageBindings, files: PageFiles) -> Result<CoreTask, JsValue> {
        let options: TaskAgentOptions = read(options, "the agent's options")?;
        let model = model_of(&host, options.model);
        let tools = Arc::new(PageTools::new(host.clone(), options.tools, Some(false)));
        let phases = options.tool_phases.into_iter().map(|entry| (entry.tool, entry.phases)).collect();
        let mut builder = TaskAgentBuilder::new(model, Arc::new(PageClock), Arc::new(PageIds))
            .tools_of(tools, phases)
            .persona(options.persona)
            .capabilities(options.capabilities.iter().map(String::as_str))
            .seed_messages(options.seed_messages);
        if let Some(id) = options.id {
            builder = builder.id(id);
        }
        if let Some(name) = options.name {
            builder = builder.name(name);
        }
        if let Some(budgets) = options.budgets {
            builder = builder.default_budgets(budgets);
        }
        if let Some(approvals) = options.approvals {
            builder = builder.approvals(approvals);
        }
        if let Some(every) = options.poll_ms {
            builder = builder.poll_ms(every);
        }
        if let Some(grace) = options.stop_grace_ms {
            builder = builder.stop_grace_ms(grace);
        }
        if let Some(LoopName { name, version }) = options.by {
            builder = builder.task_loop(PageLoop { name, version, host: host.clone() });
        }
        let memory = options.memory.map(|given| memory_of(&host, given));
        if let Some(memory) = &memory {
            builder = builder.memory(memory.clone());
        }
        if options.credentials {
            builder = builder.broker(PageBroker(host.clone()));
        }
        if options.sessions {
            builder = builder.sessions(PageSessions(host.clone()));
        }
        for skill in options.skills {
            builder = builder.skill(skill.bundle().map_err(|error| task_thrown(&error))?);
        }
        for name in options.functions {
            let page = host.clone();
            builder = builder.phase(name, move |context: StepContext| in_page(&page, &context));
        }
        let agent = builder.build().map_err(|error| task_thrown(&error))?;
        let (handle, closed) = (Rc::default(), AbortHandle::new());
        Ok(CoreTask { agent, memory, files: PageWorkspace { files }, host, handle, closed })
    }

    /// Begins the task of a workspace that has none. Nothing runs yet.
    pub fn start(&self, spec: &str) -> Result<Promise, JsValue> {
        let spec: TaskSpec = read(spec, "the task")?;
        let (agent, files) = (self.agent.clone(), self.files.clone());
        Ok(self.opened(Box::pin(async move { agent.start_task(files, spec).await })))
    }

    /// Takes up the task of a workspace.
    pub fn resume(&self) -> Promise {
        let (agent, files) = (self.agent.clone(), self.files.clone());
        self.opened(Box::pin(async move { agent.resume(files).await }))
    }

    /// JSON `{view?, leaveWhenWaiting?}`. Resolves with the JSON of a `TaskResult`.
    pub fn run(&self, options: &str) -> Result<Promise, JsValue> {
        let TaskRunOptions { view, leave_when_waiting } = read(options, "the options of the run")?;
        let handle = self.open()?;
        Ok(self.json(Box::pin(async move {
            let result = handle.run(RunOptions { view, leave_when_waiting }).await?;
            Ok(to_text(&result))
        })))
    }

    #[wasm_bindgen(js_name = stepOnce)]
    pub fn step_once(&self) -> Result<Promise, JsValue> {
        let handle = self.open()?;
        Ok(self.json(Box::pin(async move { Ok(to_text(&handle.step_once().await?)) })))
    }

    /// JSON `{view?}`; what came of the task so far, by its files where it is not open here.
    pub fn result(&self, options: &str) -> Result<Promise, JsValue> {
        let TaskRunOptions { view, .. } = read(options, "the options of the result")?;
        let (handle, files) = (self.handle.borrow().clone(), self.files.clone());
        Ok(self.json(Box::pin(async move {
            Ok(to_text(&match handle {
                Some(handle) => handle.result(view).await?,
                None => result(&files, view).await?,
            }))
        })))
    }

    /// The JSON of a `RemoteTaskState`, by the files of the task.
    #[wasm_bindgen(js_name = clientState)]
    pub fn client_state(&self, running: bool) -> Promise {
        let files = self.files.clone();
        self.json(Box::pin(async move { Ok(to_text(&client_state(&files, running).await?)) }))
    }

    /// The JSON of a `RemoteTaskEntry`, by the files of the task; nothing where there is none.
    #[wasm_bindgen(js_name = clientEntry)]
    pub fn client_entry(&self, id: String, running: bool) -> Promise {
        let files = self.files.clone();
        self.json(Box::pin(async move {
            match client_state(&files, running).await {
                Err(error) if error.kind == TaskErrorKind::Missing => Ok(String::new()),
                state => Ok(to_text(&ClientTask::new(id, state))),
            }
        }))
    }

    /// The channels that steps read which begin later: JSON `[MemoryBinding, …]`.
    #[wasm_bindgen(js_name = setMemoryView)]
    pub fn set_memory_view(&self, view: &str) -> Result<(), JsValue> {
        let view: Vec<PageBinding> = read(view, "the view of the memory")?;
        if let Some(memory) = &self.memory {
            memory.set_view(view.into_iter().map(MemoryBinding::from).collect());
        }
        Ok(())
    }

    /// Stops the task after the call in flight: here, or by the STOP file where somebody else runs it.
    pub fn stop(&self, why: &str) -> Promise {
        let (handle, files, why) = (self.handle.borrow().clone(), self.files.clone(), why.to_owned());
        self.done(Box::pin(async move {
            match handle {
                Some(handle) => handle.stop_because(why),
                None => stop(&files, &why).await?,
            }
            Ok(())
        }))
    }

    /// Decides about a request, whoever runs the task.
    pub fn decide(&self, decision: &str) -> Result<Promise, JsValue> {
        let decision = read::<PageDecision>(decision, "the decision")?.at(PageClock.now());
        let decision = decision.map_err(|error| task_thrown(&error))?;
        let (handle, files) = (self.handle.borrow().clone(), self.files.clone());
        Ok(self.done(Box::pin(async move {
            match handle {
                Some(handle) => handle.decide(&decision).await,
                None => decide(&files, PageClock.now(), &decision).await,
            }
        })))
    }

    #[wasm_bindgen(js_name = pushContext)]
    pub fn push_context(&self, text: String) -> Result<Promise, JsValue> {
        let handle = self.open()?;
        Ok(self.done(Box::pin(async move { handle.push_context(text).await })))
    }

    #[wasm_bindgen(js_name = setBudgets)]
    pub fn set_budgets(&self, budgets: &str) -> Result<Promise, JsValue> {
        let (budgets, handle) = (read(budgets, "the budgets")?, self.open()?);
        Ok(self.done(Box::pin(async move { handle.set_budgets(budgets).await })))
    }

    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(&self, policy: &str) -> Result<Promise, JsValue> {
        let PolicyChange { approvals } = read(policy, "the policy of approvals")?;
        let (approvals, handle) = (approvals.unwrap_or_else(ApprovalPolicy::permissive), self.open()?);
        Ok(self.done(Box::pin(async move { handle.set_policy(approvals).await })))
    }

    /// The JSON of a `TaskState`; nothing where no task is open here.
    pub fn state(&self) -> Option<String> {
        self.handle.borrow().as_ref().map(|handle| to_text(&handle.state()))
    }

    #[wasm_bindgen(js_name = beginStep)]
    pub fn begin_step(&self, call_id: &str, name: &str, deterministic: bool) -> Option<Promise> {
        Some(steps::begin(&*self.tool_run(call_id)?, &self.clean(name, false), deterministic))
    }

    #[wasm_bindgen(js_name = endStep)]
    pub fn end_step(&self, call_id: &str, key: String, result: &str) -> Result<Promise, JsValue> {
        steps::end(self.tool_run(call_id), key, &self.clean(result, true))
    }

    pub fn validated(&self, call_id: &str, validated: &str) -> Result<(), JsValue> {
        steps::validated(self.tool_run(call_id), validated)
    }

    pub fn returned(&self, call_id: &str, outcome: &str) -> Result<(), JsValue> {
        steps::returned(self.tool_run(call_id), &self.clean(outcome, true))
    }

    /// A text without the secrets that calls had, before a tool writes it into a file.
    pub fn strike(&self, text: &str) -> String {
        self.clean(text, false)
    }

    /// The messages that the next step would read of what came before, as JSON.
    #[wasm_bindgen(js_name = historySnapshot)]
    pub fn history_snapshot(&self) -> Result<Promise, JsValue> {
        let handle = self.open()?;
        Ok(self.json(Box::pin(async move { Ok(to_text(&handle.history_snapshot().await?)) })))
    }

    /// Ends all work where it is and gives the lease back; what runs fails with `TASK_CLOSED`. Call it before `free`.
    pub fn close(&self) {
        self.closed.abort();
        if let Some(session) = self.handle.borrow_mut().take().and_then(|handle| handle.session()) {
            session.close();
        }
    }
}

impl CoreTask {
    fn open(&self) -> Result<TaskHandle, JsValue> {
        self.handle.borrow().clone().ok_or_else(|| task_thrown(&closed()))
    }

    fn clean(&self, text: &str, is_json: bool) -> String {
        let handle = self.handle.borrow();
        let clean = handle.as_ref().map(|handle| handle.without_secrets(text, is_json));
        clean.unwrap_or_else(|| text.to_owned())
    }

    fn tool_run(&self, call_id: &str) -> Option<Arc<ToolRun>> {
        self.handle.borrow().as_ref()?.session()?.tool_run(call_id)
    }

    /// Keeps the handle that comes, and tells the page of its events.
    fn opened(&self, opening: BoxFuture<'static, Result<TaskHandle, TaskError>>) -> Promise {
        let (slot, host) = (Rc::clone(&self.handle), self.host.clone());
        self.json(Box::pin(async move {
            let handle = opening.await?;
            handle.subscribe_events(move |event: &TaskEvent| host.events(&to_text(event)));
            let state = to_text(&handle.state());
            *slot.borrow_mut() = Some(handle);
            Ok(state)
        }))
    }

    fn done(&self, work: BoxFuture<'static, Result<(), TaskError>>) -> Promise {
        self.json(Box::pin(async move { work.await.map(|()| String::new()) }))
    }

    /// The text that comes of it, unless the task is closed before.
    fn json(&self, work: BoxFuture<'static, Result<String, TaskError>>) -> Promise {
        let gone = Box::pin(self.closed.signal().aborted());
        promise(Box::pin(async move {
            let ended = match select(gone, work).await {
                Either::Left(_) => Err(closed()),
                Either::Right((ended, _)) => ended,
            };
            ended.map(|text| JsValue::from_str(&text)).map_err(|error| task_thrown(&error))
        }))
    }
}

fn closed() -> TaskError {
    TaskError::new(TaskErrorKind::Closed, "the task is closed here; resume it to go on")
}

/// A step that a function of the page does.
fn in_page(host: &PageBindings, context: &StepContext) -> BoxFuture<'static, Result<String, ToolFailure>> {
    let fields: [(&str, &dyn Write); 4] = [
        ("step", &context.step),
        ("goal", &context.goal),
        ("plan", &context.plan),
        ("prompt", &context.prompt),
    ];
    let mut text = String::new();
    object(&mut text, &fields);
    let working = host.unchecked_ref::<PageSteps>().phase(&context.step.name, &text);
    Box::pin(async move {
        let answer = settled(working).await.map_err(|error| ToolFailure::new(reason(&error)))?;
        answer.as_string().ok_or_else(|| ToolFailure::new("the function of the step returned no text"))
    })
}

impl std::fmt::Debug for CoreTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CoreTask")
    }
}
