//! The server.

use std::io::{Write, stderr};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm_coding::Workspace;
use glove_wasm_serve::{SHORTEST_SECRET, ServedTasks, Server};
use glove_wasm_task::{TaskError, TaskErrorKind};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::agent;
use crate::args::{Approve, Places, Serve};
use crate::config::{Config, variables};
use crate::database::open;
use crate::failure::Failure;
use crate::model::Models;
use crate::powers::TaskPowers;
use crate::task;
use crate::terminal_text::{clean, print_error};
use crate::traces::Exporting;

/// Whoever knows it may use the server.
const TOKEN: &str = "GLOVE_TOKEN";
const SHORTEST_TOKEN: usize = 16;
/// What calls of the endpoint's tools are signed with.
const TOOL_SECRET: &str = "GLOVE_TOOL_SECRET";

pub(crate) fn serve(places: &Places, options: &Serve) -> Result<(), Failure> {
    let config = Config::read(places)?;
    let variables: Arc<[(String, String)]> = variables(&config, &options.env)?.into();
    let token = config.get(TOKEN);
    check(options.listen, token.as_deref())?;
    let tool_secret = config.get(TOOL_SECRET);
    if tool_secret.as_ref().is_some_and(|secret| secret.chars().count() < SHORTEST_SECRET) {
        return Err(Failure::new(format!(
            "{TOOL_SECRET} can be guessed; it needs at least {SHORTEST_SECRET} random characters"
        )));
    }
    let powers = TaskPowers::new(&config, &options.powers, variables.to_vec())?;
    let mut models = Models::new(config, options.model.base_url.clone());
    // Said now, and not with the first request.
    models.choose(options.model.model.as_deref())?;
    let key = models.key(options.model.model.as_deref());
    let tool_secret = tool_secret.or(key.filter(|key| key.chars().count() >= SHORTEST_SECRET));
    let (models, wanted) = (Mutex::new(models), options.model.model.clone());
    let model = Arc::new(move || {
        let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |failure: Failure| ModelError::new(ModelErrorKind::Config, failure.message);
        models.choose(wanted.as_deref()).map_err(failed)
    });
    let choose = Arc::clone(&model);
    let mut server = Server::new(open(places)?, move || choose());
    if let Some(address) = &options.address {
        server = server.address(address.trim_end_matches('/'));
    }
    if let Some(folder) = &options.tasks {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format!("`{}`: {error}", folder.display())))?;
        let approvals = task::policy(options.approve.unwrap_or(Approve::Strict));
        server = server.tasks(ServedTasks::in_folders(folder, move |user, folder| {
            let failed = |message: String| TaskError::new(TaskErrorKind::Config, message);
            let model = model().map_err(|error| failed(error.message))?;
            let agent = powers.agent(model, folder, user).map_err(|failure| failed(failure.message))?;
            agent.approvals(approvals.clone()).build()
        }));
    } else if options.powers.is_any() {
        let message = "what an agent may use here is for tasks: give `--tasks FOLDER` too";
        return Err(Failure::new(message));
    }
    if let Some(folder) = &options.folder {
        let failed = |error| Failure::new(format!("`{}`: {error}", folder.display()));
        let path = Workspace::open(folder).map_err(failed)?.path().to_owned();
        server = server.system_prompt(agent::instructions(&path));
        let (of_pages, given) = (path.clone(), Arc::clone(&variables));
        server = server.tell_tool_failures().chat_tools(move |_| match Workspace::open(&of_pages) {
            Ok(workspace) => {
                agent::give(&workspace, &given);
                workspace.tools()
            }
            Err(error) => {
                print_error(&format!("`{}`: {error}; the endpoint has no tools", of_pages.display()));
                Vec::new()
            }
        });
        // One for each session: they have no secrets in common.
        server = server.tools(move |_| match Workspace::open(&path) {
            Ok(workspace) => {
                agent::give(&workspace, &variables);
                agent::tools(&workspace)
            }
            Err(error) => {
                print_error(&format!("`{}`: {error}; a session has no tools", path.display()));
                Vec::new()
            }
        });
    }
    if let Some(secret) = tool_secret {
        server = server.tool_secret(secret);
    }
    if let Some(system) = &options.system {
        server = server.system_prompt(system);
    }
    if let Some(token) = token {
        let token: Arc<str> = token.into();
        server = server.authorize(move |caller| {
            let sent = caller.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
            let may = sent.is_some_and(|sent| is_same(sent.trim(), &token));
            Box::pin(std::future::ready(may.then(String::new)))
        });
    }
    let server = server.log(print_error);
    open_many();
    let _traces = Exporting::begin()?;
    let runtime = Builder::new_multi_thread().thread_name("glove").enable_all().build()?;
    runtime.block_on(async {
        let unusable = |error| Failure::new(format!("cannot listen at {}: {error}", options.listen));
        let listener = TcpListener::bind(options.listen).await.map_err(unusable)?;
        let _ = writeln!(stderr(), "glove serves at http://{}", clean(&listener.local_addr()?.to_string()));
        let (mut interrupt, mut terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let shutdown = async move {
            let (interrupt, terminate) = (std::pin::pin!(interrupt.recv()), std::pin::pin!(terminate.recv()));
            futures_util::future::select(interrupt, terminate).await;
        };
        Ok(server.serve(listener, shutdown).await?)
    })
}

/// Each connection is an open file, and the usual limit of a program is 1,024 of them, while the system gives it more when it asks.
fn open_many() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // With fewer, clients wait until others leave.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Beyond this machine, not everybody may use the key and the tools.
fn check(listen: SocketAddr, token: Option<&str>) -> Result<(), Failure> {
    match token {
        None if !listen.ip().is_loopback() => Err(Failure::new(format!(
            "{listen} can be reached from other machines; set {TOKEN} to a secret, which they send as `Authorization: Bearer …`"
        ))),
        Some(token) if token.len() < SHORTEST_TOKEN => Err(Failure::new(format!(
            "{TOKEN} can be guessed; it needs at least {SHORTEST_TOKEN} characters"
        ))),
        _ => Ok(()),
    }
}

/// In a time that does not tell how much of it is right.
fn is_same(sent: &str, token: &str) -> bool {
    let (sent, token) = (sent.as_bytes(), token.as_bytes());
    let differ = sent.iter().zip(token).fold(0, |differ, (a, b)| differ | (a ^ b));
    sent.len() == token.len() && differ == 0
}
