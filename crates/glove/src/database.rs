//! The database of sessions: a file, or a server that others use too.

use std::fs;
use std::path::{Path, PathBuf};

use futures_executor::block_on;
use glove_wasm_native::StoredSession;
use glove_wasm_native::environment::variable;
use glove_wasm_serve::SessionDatabase;
use glove_wasm_sqlite::SqliteDatabase;

use crate::args::Places;
use crate::config::{Config, data_folder};
use crate::failure::Failure;

const DATABASE: &str = "GLOVE_DATABASE";

/// As it is called, or configured, or a file in the user's data folder.
fn database_path(places: &Places) -> Result<PathBuf, Failure> {
    if let Some(database_path) = &places.database {
        return Ok(database_path.clone());
    }
    // The configuration may be of no use, and is not needed then.
    let set = match variable(DATABASE).filter(|set| !set.trim().is_empty()) {
        None => Config::read(places)?.get(DATABASE),
        set => set,
    };
    if let Some(database_path) = set {
        return Ok(database_path.into());
    }
    Ok(data_folder()?.join("sessions.db"))
}

/// An address of a database server.
fn address(database_path: &Path) -> Option<&str> {
    database_path.to_str().filter(|text| text.contains("://") && !text.starts_with("sqlite:"))
}

pub(crate) fn open(places: &Places) -> Result<SessionDatabase, Failure> {
    let database_path = database_path(places)?;
    match address(&database_path) {
        Some(address) => Ok(SessionDatabase::open(address)?),
        None => Ok(open_path(&database_path)?.into()),
    }
}

/// For sessions whose agent works in a folder of this machine.
pub(crate) fn open_file(places: &Places) -> Result<SqliteDatabase, Failure> {
    let database_path = database_path(places)?;
    match address(&database_path) {
        Some(address) => {
            let scheme = address.split("://").next().unwrap_or_default();
            let message = format!(
                "sessions in the terminal are kept in a file, and --database or {DATABASE} names one of `{scheme}://`; `glove serve` uses that"
            );
            Err(Failure::new(message))
        }
        None => open_path(&database_path),
    }
}

fn open_path(path: &Path) -> Result<SqliteDatabase, Failure> {
    let named = path.to_str().and_then(|text| text.strip_prefix("sqlite:"));
    let path = named.map_or(path, |name| Path::new(name.strip_prefix("//").unwrap_or(name)));
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format!("`{}`: {error}", folder.display())))?;
    }
    Ok(SqliteDatabase::open(path)?)
}

/// By its id or the beginning of it; the one that was used last if nothing is said.
pub(crate) fn find(database: &SessionDatabase, prefix: Option<&str>) -> Result<StoredSession, Failure> {
    let sessions = block_on(database.sessions())?;
    let Some(prefix) = prefix else {
        return sessions
            .into_iter()
            .next()
            .ok_or_else(|| Failure::new("there is no session yet; begin one with `glove chat`"));
    };
    if let Some(exact) = sessions.iter().find(|session| session.id == prefix) {
        return Ok(exact.clone());
    }
    let mut begin = sessions.into_iter().filter(|session| session.id.starts_with(prefix));
    match (begin.next(), begin.next()) {
        (Some(session), None) => Ok(session),
        (Some(_), Some(_)) => {
            Err(Failure::new(format!("several sessions begin with `{prefix}`; give more of the id")))
        }
        (None, _) => {
            Err(Failure::new(format!("there is no session `{prefix}`; `glove sessions` lists them")))
        }
    }
}
