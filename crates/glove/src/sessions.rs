//! The sessions of the database: listed, exported, imported.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write, stdin, stdout};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use futures_executor::block_on;
use glove_wasm::store::Transcript;
use glove_wasm::visible_text::isolated;
use glove_wasm_native::ImportOptions;
use serde_json::json;

use crate::args::{Export, Import, Places, Sessions};
use crate::database::{find, open};
use crate::failure::Failure;
use crate::terminal_text::{clean_name, cut, line};
use crate::undo_folders;

pub(crate) fn list(places: &Places, options: &Sessions) -> Result<(), Failure> {
    let database = open(places)?;
    let mut out = stdout();
    if let Some(wanted) = &options.delete {
        let session = find(&database, Some(wanted))?;
        block_on(database.delete(&session.id))?;
        undo_folders::delete(&session.id);
        return Ok(line(&mut out, &format!("deleted {}", clean_name(&session.id)))?);
    }
    for session in block_on(database.sessions())? {
        if options.json {
            let about = json!({
                "id": session.id, "name": session.name, "title": session.title, "folder": session.working_dir,
                "messages": session.messages, "createdAt": session.created_at, "updatedAt": session.updated_at,
                "phase": session.phase, "asks": session.asks,
            });
            line(&mut out, &about.to_string())?;
            continue;
        }
        let name = if session.name.is_empty() { &session.title } else { &session.name };
        let phase = if session.asks { "asks" } else { session.phase.as_str() };
        let short = clean_name(&session.id.chars().take(12).collect::<String>());
        line(
            &mut out,
            &format!(
                "{short:12}  {:4} messages  {phase:10}  {}",
                session.messages,
                isolated(&cut(&clean_name(name), 60))
            ),
        )?;
    }
    Ok(())
}

pub(crate) fn export(places: &Places, options: &Export) -> Result<(), Failure> {
    let database = open(places)?;
    let session = find(&database, options.session.as_deref())?;
    let text = block_on(database.export(&session.id))?.to_text()?;
    match &options.output {
        Some(path) => write(path, &text),
        None => Ok(line(&mut stdout(), &text)?),
    }
}

pub(crate) fn import(places: &Places, options: Import) -> Result<(), Failure> {
    let Import { file, id, with_run } = options;
    let transcript = Transcript::read(&read(&file)?)?;
    let id = block_on(open(places)?.import(transcript, ImportOptions { id, with_run }))?;
    Ok(line(&mut stdout(), &clean_name(&id))?)
}

pub(crate) fn read(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = match file.as_os_str() == "-" {
        true => stdin().read_to_string(&mut text).map(drop),
        false => fs::read_to_string(file).map(|read| text = read),
    };
    read.map_err(|error| of_file(file, &error))?;
    Ok(text)
}

/// What was said is nobody else's business: a new file is the user's alone.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| of_file(path, &error))
}

fn of_file(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("`{}`: {error}", path.display()))
}
