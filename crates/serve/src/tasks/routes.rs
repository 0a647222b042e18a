//! Which request wants what of which task.

use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_DISPOSITION, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use serde_json::{Value, json};

use super::events::{Wish, stream};
use super::request_body::{self, BudgetEdit, Decided, Verdict};
use super::running_tasks::{Leaving, Tasks};
use super::stream_token::stream_token;
use super::tail::Tail;
use super::{list, multipart, owners};
use crate::body;
use crate::failures::invalid;
use crate::reply::{self, Reply};
use crate::shared::{Caller, Shared};
use glove_wasm::endpoint::Refusal;
use glove_wasm::json::codec::{Write, to_text};
use glove_wasm::ports::{Clock, IdSource};
use glove_wasm::system::{RandomIds, SystemClock};
use glove_wasm_native::TaskFolder;
use glove_wasm_task::layout::{PROGRESS, STOP, TASK};
use glove_wasm_task::runtime::{self, RunOptions, TaskHandle, Workspace, client_state, state};
use glove_wasm_task::{
    ApprovalDecision, ClientTask, ClientUse, Decision, ResultView, TaskError, TaskErrorKind, TaskResult,
    TaskSpec, TaskStatus, WorkspacePath,
};

/// Tasks in one list.
const USUAL_LISTED: usize = 100;
const MOST_LISTED: usize = 1_000;

/// A request about tasks.
struct TaskRequest<'a> {
    shared: &'a Arc<Shared>,
    tasks: &'a Arc<Tasks>,
    user: &'a str,
    /// When the caller's right to the events ends, in milliseconds since 1970.
    until: Option<u64>,
    caller: &'a Caller,
    query: &'a str,
    body: Incoming,
}

/// Below `/agent`: `tasks/do`, `tasks/{id}/events`, `approvals/{request}/decision` and the others of the guide.
pub(crate) async fn route(
    shared: &Arc<Shared>,
    tasks: &Arc<Tasks>,
    (user, until): (&str, Option<u64>),
    caller: &Caller,
    query: &str,
    path: &[&str],
    body: Incoming,
) -> Result<Reply, Refusal> {
    let task_request = TaskRequest { shared, tasks, user, until, caller, query, body };
    let method = caller.method.as_str();
    match (method, path) {
        ("POST", ["tasks", "do"]) => task_request.begin(true).await,
        ("POST", ["tasks", "do", "async"]) => task_request.begin(false).await,
        ("POST", ["approvals", request, "decision"]) => task_request.decide(None, request).await,
        ("POST", ["tasks", id, "approvals", request, "decision"]) => {
            task_request.decide(Some(id), request).await
        }
        // No id, whatever the method.
        (_, ["tasks", "do"] | ["tasks", "do", "async"]) => Ok(only("POST")),
        ("GET", ["tasks"]) => task_request.list().await,
        ("GET", ["tasks", id]) => task_request.state(id).await,
        ("GET", ["tasks", id, "events"]) => task_request.events(id).await,
        ("GET", ["tasks", id, "result"]) => task_request.result(id).await,
        ("GET", ["tasks", id, "files"]) => task_request.files(id).await,
        ("GET", ["tasks", id, "file"]) => task_request.file(id).await,
        ("POST", ["tasks", id, "file"]) => task_request.edit(id).await,
        ("POST", ["tasks", id, "stop"]) => task_request.stop(id).await,
        ("POST", ["tasks", id, "resume"]) => task_request.resume(id).await,
        ("POST", ["tasks", id, "upload"]) => task_request.upload(id).await,
        (_, ["approvals", _, "decision"] | ["tasks", _, "approvals", _, "decision"])
        | (_, ["tasks", _, "stop" | "resume" | "upload"]) => Ok(only("POST")),
        (_, ["tasks", _, "file"]) => Ok(only("GET, POST")),
        (_, ["tasks"] | ["tasks", _] | ["tasks", _, "events" | "result" | "files"]) => Ok(only("GET")),
        _ => Err(Refusal::new(404, "NOT_FOUND", "There is nothing at this address.")),
    }
}

fn only(allowed: &'static str) -> Reply {
    let message = format!("This address accepts only {allowed}.");
    let mut reply = reply::refused(&Refusal::new(405, "METHOD_NOT_ALLOWED", message));
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    reply
}

/// The JSON of an object, with the id of the task in front.
fn with_id(status: u16, id: &str, object: &dyn Write) -> Reply {
    let text = to_text(object);
    let rest = text.strip_prefix('{').unwrap_or_default();
    reply::json(status, format!("{{\"id\":{},{rest}", Value::from(id)))
}

/// For what a task at its end cannot do.
async fn unfinished(folder: &TaskFolder) -> Result<(), Refusal> {
    match state(folder).await?.status {
        TaskStatus::Finished => {
            Err(TaskError::new(TaskErrorKind::Finished, "This task is at its end.").into())
        }
        _ => Ok(()),
    }
}

/// For a file of a client's where nothing else can be.
async fn fits(folder: &TaskFolder, path: &WorkspacePath) -> Result<(), Refusal> {
    match folder.in_the_way(path).await? {
        None => Ok(()),
        Some((other, is_folder)) => {
            let kind = if is_folder { "a folder" } else { "a file" };
            Err(request_body::in_the_way(path, &other, kind).into())
        }
    }
}

/// Other budgets for a task that is there. The server says of them what it says of those of a new one.
async fn give(
    task: &TaskHandle,
    more: &BudgetEdit,
    decide: impl FnOnce(TaskSpec) -> Result<TaskSpec, TaskError>,
) -> Result<(), Refusal> {
    let spec = task.state().spec;
    let (now, requested) = (spec.budgets.clone(), more.over(&spec.budgets));
    let accepted = decide(TaskSpec { budgets: requested.clone(), ..spec })?.budgets;
    if accepted == now && requested != now {
        let message = "The server gives this task no more than it has.";
        return Err(Refusal::new(403, "TASK_BUDGET_REFUSED", message));
    }
    Ok(task.set_budgets(accepted).await?)
}

impl TaskRequest<'_> {
    /// Empty where there is no body.
    async fn optional_text(self) -> Result<String, Refusal> {
        match self.caller.header("content-type") {
            Some(_) => self.text().await,
            None => Ok(String::new()),
        }
    }

    async fn text(self) -> Result<String, Refusal> {
        body::read(self.shared, self.caller, self.body).await
    }

    fn query(&self, name: &str) -> Option<String> {
        let mut pairs = form_urlencoded::parse(self.query.as_bytes());
        pairs.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }

    fn view(&self) -> Result<ResultView, Refusal> {
        match self.query("view").as_deref() {
            None | Some("summary") => Ok(ResultView::Summary),
            Some("minimal") => Ok(ResultView::Minimal),
            Some("full") => Ok(ResultView::Full),
            Some(_) => Err(invalid("`view` is minimal, summary or full.")),
        }
    }

    fn path(&self, client: ClientUse) -> Result<WorkspacePath, Refusal> {
        let path = WorkspacePath::parse(&self.query("path").unwrap_or_default())?;
        path.allows(client)?;
        Ok(path)
    }

    /// The name and the folder of a task of the caller's that was begun.
    fn known(&self, id: &str) -> Result<(String, TaskFolder), Refusal> {
        let name = owners::name(self.user, id)?;
        let folder = owners::known(&self.tasks.served.folder, &name)?;
        Ok((name, folder))
    }

    fn open(&self) -> Result<(), Refusal> {
        match *self.shared.ending.borrow() {
            true => {
                let message = "The server is about to end. Try again.";
                Err(Refusal { retryable: true, ..Refusal::new(503, "SERVER_ENDS", message) })
            }
            false => Ok(()),
        }
    }

    /// Logs the failure of a task that continues after its response. A normal end is in the task's files.
    fn logged(&self, id: &str) -> impl FnOnce(&Result<TaskResult, TaskError>) + Send + 'static {
        let (shared, id) = (Arc::clone(self.shared), id.to_owned());
        move |ended| {
            if let Err(error) = ended {
                (shared.log)(&format!("task {id}: {error} ({})", error.code()));
            }
        }
    }

    async fn begin(self, wait: bool) -> Result<Reply, Refusal> {
        self.open()?;
        let view = self.view()?;
        let (user, tasks, shared) = (self.user, Arc::clone(self.tasks), Arc::clone(self.shared));
        let id = RandomIds.fresh();
        let logged = self.logged(&id);
        let (spec, files) = request_body::wanted(&self.text().await?)?;
        let inputs = request_body::inputs(files)?;
        let mut spec = (tasks.served.task)(spec, user)?;
        spec.id = Some(id.clone());
        if !user.is_empty() {
            spec.user_id = Some(user.to_owned());
        }
        let name = owners::name(user, &id)?;
        let open = async {
            let (path, folder) = owners::made(&tasks.served.folder, &name)?;
            let begun = async {
                let agent = (tasks.served.agent)(user, &path)?;
                for (path, content) in inputs {
                    folder.write(&path, content).await?;
                }
                Ok(agent.start_task(folder.clone(), spec).await?)
            };
            begun.await.inspect_err(|_: &Refusal| {
                // Nobody would look for what is there of it.
                let _ = std::fs::remove_dir_all(path);
            })
        };
        // Whoever waits for the result cannot decide meanwhile.
        let options = RunOptions { view, leave_when_waiting: wait };
        let (handle, work) = tasks.run(&name, open, options, logged).await?;
        if !wait {
            let token = stream_token(&shared, &tasks, user, &id);
            return Ok(reply::json(
                202,
                json!({ "id": id, "task_id": id, "stream_token": token }).to_string(),
            ));
        }
        let mut leaving = Leaving(Some(handle));
        let result = work.await;
        leaving.0 = None;
        match result {
            Ok(result) => Ok(with_id(200, &id, &result?)),
            Err(_) => Err(Refusal::new(503, "SERVER_ENDS", "The server is about to end; `resume` goes on.")),
        }
    }

    async fn decide(self, of: Option<&str>, request: &str) -> Result<Reply, Refusal> {
        let (user, tasks) = (self.user, Arc::clone(self.tasks));
        // Whose it is comes first where the address says it.
        let at = of.map(|id| self.known(id)).transpose()?;
        let (name_of, base) = (|id: &str| owners::name(user, id), tasks.served.folder.clone());
        let mut decided = request_body::decision(&self.text().await?)?;
        let said = decided.said(request)?;
        let Decided { task_id, decision, reason, .. } = decided;
        let Some(id) = of.map(str::to_owned).or(task_id) else {
            return Err(invalid("the decision does not say of which task: add `task_id`"));
        };
        let (name, folder) = match at {
            Some(at) => at,
            None => {
                let name = name_of(&id)?;
                let folder = owners::known(&base, &name)?;
                (name, folder)
            }
        };
        let (decided, word) = match decision {
            Verdict::Approved => (Decision::Approved, "approved"),
            Verdict::Denied => (Decision::Denied, "denied"),
            Verdict::Expired => (Decision::Expired, "expired"),
        };
        let now = SystemClock.now();
        let mut decision = ApprovalDecision::of_client(request, decided, user, said, now)?;
        decision.reason = reason;
        let done = match tasks.handle(&name) {
            Some(task) => task.decide(&decision).await,
            None => runtime::decide(&folder, now, &decision).await,
        };
        done?;
        Ok(reply::json(200, json!({ "id": id, "request": request, "decision": word }).to_string()))
    }

    async fn list(self) -> Result<Reply, Refusal> {
        let most = match self.query("limit").map(|limit| limit.parse::<usize>()) {
            None => USUAL_LISTED,
            Some(Ok(limit)) if (1..=MOST_LISTED).contains(&limit) => limit,
            Some(_) => return Err(invalid("`limit` is a number from 1 to 1000.")),
        };
        let ids = list::newest(&self.tasks.served.folder, self.user).await?;
        let mut tasks = Vec::new();
        for id in ids.iter().take(most) {
            // One that is deleted meanwhile is none.
            let Ok((name, folder)) = self.known(id) else { continue };
            let running = self.is_running(&name, &folder).await?;
            let state = client_state(&folder, running).await;
            if state.as_ref().is_err_and(|error| error.kind == TaskErrorKind::Missing) {
                continue;
            }
            tasks.push(to_text(&ClientTask::new(id.clone(), state)));
        }
        let more = ids.len() > most;
        Ok(reply::json(200, format!("{{\"tasks\":[{}],\"more\":{more}}}", tasks.join(","))))
    }

    async fn is_running(&self, name: &str, folder: &TaskFolder) -> Result<bool, TaskError> {
        Ok(self.tasks.get(name).is_some() || folder.is_leased().await?)
    }

    async fn state(self, id: &str) -> Result<Reply, Refusal> {
        let (name, folder) = self.known(id)?;
        let running = self.is_running(&name, &folder).await?;
        Ok(reply::json(200, to_text(&client_state(&folder, running).await?)))
    }

    async fn events(self, id: &str) -> Result<Reply, Refusal> {
        let (name, folder) = self.known(id)?;
        // Said before the stream begins, and not in the middle of it.
        state(&folder).await?;
        let after = self.caller.header("last-event-id").map(str::to_owned).or_else(|| self.query("after"));
        let wish = Wish {
            sse: !self.caller.header("accept").unwrap_or_default().contains("ndjson"),
            follow: self.query("follow").as_deref() != Some("false"),
            until: self.until,
        };
        let tail = Tail::new(folder, &after.unwrap_or_default());
        Ok(stream(self.shared, self.tasks, name, tail, wish))
    }

    async fn result(self, id: &str) -> Result<Reply, Refusal> {
        let view = self.view()?;
        let (_, folder) = self.known(id)?;
        Ok(with_id(200, id, &runtime::result(&folder, view).await?))
    }

    async fn files(self, id: &str) -> Result<Reply, Refusal> {
        let (_, folder) = self.known(id)?;
        let mut files = Vec::new();
        for part in [PROGRESS, TASK] {
            for entry in folder.list(&WorkspacePath::known(part)).await? {
                if entry.path.allows(ClientUse::Read).is_ok() {
                    files.push(json!({ "path": entry.path.as_str(), "size": entry.size }));
                }
            }
        }
        Ok(reply::json(200, json!({ "id": id, "files": files }).to_string()))
    }

    async fn file(self, id: &str) -> Result<Reply, Refusal> {
        let (_, folder) = self.known(id)?;
        let missing =
            || Refusal::new(404, "TASK_FILE_MISSING", "The task has no such file that clients may read.");
        let path = self.path(ClientUse::Read).map_err(|_| missing())?;
        if folder.in_the_way(&path).await?.is_some_and(|(_, is_folder)| is_folder) {
            return Err(missing());
        }
        let content = folder.read(&path).await?.ok_or_else(missing)?;
        let mut reply = reply::bytes(Bytes::from(content));
        // A page that a task made is none of this server's.
        let headers = reply.headers_mut();
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        Ok(reply)
    }

    async fn edit(self, id: &str) -> Result<Reply, Refusal> {
        let (_, folder) = self.known(id)?;
        let path = self.path(ClientUse::Edit)?;
        unfinished(&folder).await?;
        let content = request_body::edited(&self.text().await?)?;
        fits(&folder, &path).await?;
        folder.write(&path, content.into_bytes()).await?;
        Ok(reply::json(200, json!({ "id": id, "path": path.as_str() }).to_string()))
    }

    async fn stop(self, id: &str) -> Result<Reply, Refusal> {
        let (name, folder) = self.known(id)?;
        unfinished(&folder).await?;
        let tasks = Arc::clone(self.tasks);
        let reason = request_body::reason(&self.optional_text().await?)?;
        let reason = reason.unwrap_or_else(|| "stopped by the user".to_owned());
        if let Some(live) = tasks.get(&name) {
            live.stop(&reason);
        }
        // The process that runs the task may die before it sees this, so write the file first.
        runtime::stop(&folder, &reason).await?;
        if let Some(task) = tasks.handle(&name) {
            task.stop_because(reason);
        }
        Ok(reply::json(200, json!({ "id": id }).to_string()))
    }

    async fn upload(self, id: &str) -> Result<Reply, Refusal> {
        let (_, folder) = self.known(id)?;
        unfinished(&folder).await?;
        let kind = self.caller.header("content-type").unwrap_or_default();
        let sent = match multipart::boundary(kind) {
            Some(boundary) => {
                request_body::sent(&body::read_bytes(self.shared, self.body).await?, &boundary)?
            }
            None => request_body::uploaded(&self.text().await?)?,
        };
        let inputs = request_body::inputs(sent)?;
        let mut files = Vec::new();
        for (path, _) in &inputs {
            fits(&folder, path).await?;
        }
        for (path, content) in inputs {
            folder.write(&path, content).await?;
            files.push(path.as_str().to_owned());
        }
        Ok(reply::json(200, json!({ "id": id, "files": files }).to_string()))
    }

    async fn resume(self, id: &str) -> Result<Reply, Refusal> {
        self.open()?;
        let (name, folder) = self.known(id)?;
        unfinished(&folder).await?;
        let stop = folder.read(&WorkspacePath::known(STOP)).await?;
        let (user, tasks, logged) = (self.user, Arc::clone(self.tasks), self.logged(id));
        let more = request_body::budgets(&self.optional_text().await?)?;
        let agent = (tasks.served.agent)(user, &tasks.served.folder.join(&name))?;
        let open = async {
            let task = agent.resume(folder.clone()).await?;
            if let Some(more) = more {
                give(&task, &more, |requested| (tasks.served.task)(requested, user)).await?;
            }
            tasks.forget_stop(&name, &folder, stop).await?;
            Ok(task)
        };
        tasks.run(&name, open, RunOptions::default(), logged).await?;
        Ok(reply::json(202, json!({ "id": id }).to_string()))
    }
}
