//! What a task may ask of the web: tools, and the credentials that sandboxed code may name.

use std::future::ready;

use glove_wasm::ports::{Credentials, ToolFailure};
use glove_wasm_native::{WebError, WebPage, WebTools, searxng_search};
use glove_wasm_sandbox::Sandbox;
use glove_wasm_task::runtime::{CredentialRequest, TaskAgentBuilder};

use crate::args::Powers;
use crate::config::Config;
use crate::failure::Failure;

const MAX_FOUND: usize = 8;
const WIDTH: usize = 120;

/// A credential, by its name.
#[derive(Clone)]
pub(crate) struct Credential {
    name: String,
    host: String,
    value: String,
}

pub(crate) fn credentials(config: &Config, options: &Powers) -> Result<Vec<Credential>, Failure> {
    let mut all = Vec::new();
    for given in &options.credential {
        let Some((name, host)) = given.split_once('=') else {
            // What was meant as a value is not said again.
            let message = "`--credential` is `NAME=HOST`: the name of a value in the environment or the configuration, and the host that may have it";
            return Err(Failure::new(message));
        };
        let Some(value) = config.get(name) else {
            let message = format!("`{name}` is set neither in the environment nor in the configuration");
            return Err(Failure::new(message));
        };
        all.push(Credential { name: name.to_owned(), host: host.to_owned(), value });
    }
    Ok(all)
}

pub(crate) fn tools(mut builder: TaskAgentBuilder, options: &Powers) -> Result<TaskAgentBuilder, Failure> {
    if !options.web.is_empty() {
        let web = WebTools::new(options.web.clone())?;
        builder = builder
            .tool_for(["gather", "act"], web.http_fetch())
            .tool_for(["gather", "act"], web.url_extract(readable))
            .tool_for(["act"], web.http_post())
            .tool_for(["verify"], web.links_check());
    }
    if let Some(address) = &options.search {
        builder = builder.tool_for(["gather", "act"], searxng_search(address, MAX_FOUND)?);
    }
    Ok(builder)
}

/// The text of a page: headings, paragraphs, lists and links, without markup.
fn readable(page: WebPage) -> Result<String, ToolFailure> {
    match page.kind.contains("html") {
        true => Ok(html2text::from_read(page.text.as_bytes(), WIDTH)?),
        false => Ok(page.text),
    }
}

/// What sandboxed code reaches of the web.
pub(crate) fn reach(
    sandbox: Sandbox,
    options: &Powers,
    credentials: &[Credential],
) -> Result<Sandbox, Failure> {
    let mut sandbox = sandbox.hosts(options.web.clone())?;
    let mut done: Vec<&str> = Vec::new();
    for Credential { name, .. } in credentials {
        if !done.contains(&name.as_str()) {
            done.push(name);
            let own = credentials.iter().filter(|other| other.name == *name);
            sandbox = sandbox.credential(name, own.map(|other| other.host.clone()))?;
        }
    }
    Ok(sandbox)
}

/// Calls of sandboxed code have them, and no other ones.
pub(crate) fn with_credentials(
    builder: TaskAgentBuilder,
    credentials: Vec<Credential>,
    sandboxed: Vec<String>,
) -> Result<TaskAgentBuilder, Failure> {
    if sandboxed.is_empty() {
        let message = "`--credential` is for sandboxed code: give `--sandbox`, or a skill with tools";
        return Err(Failure::new(message));
    }
    Ok(builder.credentials(move |request: CredentialRequest| {
        let own = credentials.iter().filter(|_| sandboxed.contains(&request.tool));
        let own = own.map(|credential| (credential.name.clone(), credential.value.clone()));
        ready(Ok::<_, ToolFailure>(Credentials::new(own)))
    }))
}

impl From<WebError> for Failure {
    fn from(error: WebError) -> Self {
        Failure::new(format!("{error} ({})", error.code()))
    }
}
