//! The list of sessions.

use std::io::stdout;

use futures_executor::block_on;
use serde_json::json;

use crate::args::{Places, Sessions};
use crate::chat::{find, open};
use crate::failure::Failure;
use crate::words::{clean, cut, line};

pub(crate) fn list(places: &Places, options: &Sessions) -> Result<(), Failure> {
    let database = open(places)?;
    let mut out = stdout();
    if let Some(wanted) = &options.delete {
        let session = find(&database, Some(wanted))?;
        block_on(database.delete(&session.id))?;
        return Ok(line(&mut out, &format!("deleted {}", session.id))?);
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
        let short: String = session.id.chars().take(12).collect();
        line(
            &mut out,
            &format!("{short:12}  {:4} messages  {phase:10}  {}", session.messages, cut(&clean(name), 60)),
        )?;
    }
    Ok(())
}
