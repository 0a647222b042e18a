//! Beginning and continuing sessions.

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use glove_wasm::display::Slot;
use glove_wasm::run::PhaseName;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::agent::{OpenAgent, Parts};
use crate::args::{Chat, Places, Resume, Talk};
use crate::config::{Config, variables};
use crate::database::{find, open_file};
use crate::end_signals::EndSignals;
use crate::failure::Failure;
use crate::incoming::Inbox;
use crate::lines;
use crate::model::Models;
use crate::modes::Modes;
use crate::screen::{self, Setting};
use crate::terminal_text;
use crate::traces::Exporting;

pub(crate) fn chat(places: &Places, options: &Chat) -> Result<(), Failure> {
    begin(places, None, &options.folder, &options.talk)
}

pub(crate) fn resume(places: &Places, options: &Resume) -> Result<(), Failure> {
    let database = open_file(places)?;
    let session = find(&database.into(), options.session.as_deref())?;
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None if session.working_dir.is_empty() => PathBuf::from("."),
        None => PathBuf::from(&session.working_dir),
    };
    begin(places, Some(session.id), &folder, &options.talk)
}

fn begin(places: &Places, session: Option<String>, folder: &Path, talk: &Talk) -> Result<(), Failure> {
    let config = Config::read(places)?;
    let variables = variables(&config, &talk.env)?;
    let mut models = Models::new(config, talk.model.base_url.clone());
    let model = models.choose(talk.model.model.as_deref())?;
    let database = open_file(places)?;
    let is_new = session.is_none();
    let (system_prompt, record) = (talk.system.as_deref(), talk.record.clone());
    let modes = Modes::default();
    let parts = Parts {
        database: &database,
        session,
        folder,
        model,
        system_prompt,
        variables: &variables,
        modes: modes.clone(),
        record,
    };
    let _traces = Exporting::begin()?;
    let open_agent = OpenAgent::new(parts)?;
    terminal_text::remember_terminal();
    terminal_text::restore_on_panic();
    let inbox = Inbox::new();
    let runtime = threads()?;
    inbox.watch_signals(&runtime)?;
    if is_screen(talk) {
        return screen::talk(
            Setting {
                database,
                models,
                model: talk.model.model.clone(),
                open_agent,
                is_new,
                allow: talk.allow.clone(),
                variables,
                system_prompt: talk.system.clone(),
                modes,
            },
            &runtime,
            &inbox,
        );
    }
    let signals = EndSignals::watch(&runtime, open_agent.agent.session())?;
    let _follow = inbox.follow(&open_agent.agent);
    let continues = talk.message.is_none() && is_unfinished(&open_agent);
    let ended = lines::talk(&open_agent, &runtime, &inbox, talk, continues);
    signals.wait_if_ending(&runtime);
    let left = open_agent.leave(&runtime);
    ended.and(left)
}

/// Its last request has neither ended nor failed for good.
pub(crate) fn is_unfinished(open_agent: &OpenAgent) -> bool {
    open_agent.agent.session().phase() != PhaseName::Idle
}

fn is_screen(talk: &Talk) -> bool {
    let has_terminal = stdin().is_terminal() && stdout().is_terminal();
    has_terminal
        && !talk.json
        && !talk.plain
        && talk.message.is_none()
        && std::env::var("TERM").is_ok_and(|term| term != "dumb")
}

pub(crate) fn threads() -> Result<Runtime, Failure> {
    Ok(Builder::new_multi_thread().worker_threads(2).thread_name("glove").enable_all().build()?)
}

/// The tool that a question of the run is about.
pub(crate) fn tool_of(slot: &Slot) -> Option<String> {
    let input: Value = slot.input.read().ok()?;
    Some(input.get("toolName")?.as_str()?.to_owned())
}
