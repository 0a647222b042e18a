//! Beginning and continuing sessions.

use std::fs;
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use futures_executor::block_on;
use glove_wasm::display::Slot;
use glove_wasm::native::{SqliteDatabase, StoredSession};
use glove_wasm::run::PhaseName;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::agent::{Opened, Parts};
use crate::args::{Chat, Places, Resume, Talk};
use crate::config::{Config, database_path};
use crate::failure::Failure;
use crate::incoming::{Inbox, end_on_signals};
use crate::lines;
use crate::model::Models;
use crate::screen::{self, Setting};

pub(crate) fn chat(places: &Places, options: &Chat) -> Result<(), Failure> {
    begin(places, None, &options.folder, &options.talk)
}

pub(crate) fn resume(places: &Places, options: &Resume) -> Result<(), Failure> {
    let database = open(places)?;
    let session = find(&database, options.session.as_deref())?;
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None if session.working_dir.is_empty() => PathBuf::from("."),
        None => PathBuf::from(&session.working_dir),
    };
    drop(database);
    begin(places, Some(session.id), &folder, &options.talk)
}

pub(crate) fn open(places: &Places) -> Result<SqliteDatabase, Failure> {
    let path = database_path(places)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format!("`{}`: {error}", folder.display())))?;
    }
    Ok(SqliteDatabase::open(path)?)
}

/// By its id or the beginning of it; the one that was used last if nothing is said.
pub(crate) fn find(database: &SqliteDatabase, wanted: Option<&str>) -> Result<StoredSession, Failure> {
    let sessions = block_on(database.sessions())?;
    let Some(wanted) = wanted else {
        return sessions
            .into_iter()
            .next()
            .ok_or_else(|| Failure::new("there is no session yet; begin one with `glove chat`"));
    };
    if let Some(exact) = sessions.iter().find(|session| session.id == wanted) {
        return Ok(exact.clone());
    }
    let mut begin = sessions.into_iter().filter(|session| session.id.starts_with(wanted));
    match (begin.next(), begin.next()) {
        (Some(session), None) => Ok(session),
        (Some(_), Some(_)) => {
            Err(Failure::new(format!("several sessions begin with `{wanted}`; give more of the id")))
        }
        (None, _) => {
            Err(Failure::new(format!("there is no session `{wanted}`; `glove sessions` lists them")))
        }
    }
}

fn begin(places: &Places, session: Option<String>, folder: &Path, talk: &Talk) -> Result<(), Failure> {
    let mut models = Models::new(Config::read(places)?, talk.model.base_url.clone());
    let model = models.choose(talk.model.model.as_deref())?;
    let database = open(places)?;
    let is_new = session.is_none();
    let (system_prompt, record) = (talk.system.as_deref(), talk.record.clone());
    let parts = Parts { database: &database, session, folder, model, system_prompt, record };
    let opened = Opened::new(parts)?;
    let inbox = Inbox::new();
    let runtime = threads()?;
    inbox.watch_signals(&runtime)?;
    if is_screen(talk) {
        return screen::talk(
            Setting { database, models, opened, is_new, allow: talk.allow.clone() },
            &runtime,
            &inbox,
        );
    }
    end_on_signals(&runtime, &opened.agent)?;
    let _follow = inbox.follow(&runtime, &opened.agent);
    let continues = talk.message.is_none() && is_unfinished(&opened);
    let ended = lines::talk(&opened, &runtime, &inbox, talk, continues);
    let left = opened.leave(&runtime);
    ended.and(left)
}

/// Its last request has neither ended nor failed for good.
pub(crate) fn is_unfinished(opened: &Opened) -> bool {
    opened.agent.session().phase() != PhaseName::Idle
}

fn is_screen(talk: &Talk) -> bool {
    let has_terminal = stdin().is_terminal() && stdout().is_terminal();
    has_terminal
        && !talk.json
        && !talk.plain
        && talk.message.is_none()
        && std::env::var("TERM").is_ok_and(|term| term != "dumb")
}

fn threads() -> Result<Runtime, Failure> {
    Ok(Builder::new_multi_thread().worker_threads(2).thread_name("glove").enable_all().build()?)
}

/// The tool that a question of the run is about.
pub(crate) fn tool_of(slot: &Slot) -> Option<String> {
    let input: Value = slot.input.read().ok()?;
    Some(input.get("toolName")?.as_str()?.to_owned())
}
