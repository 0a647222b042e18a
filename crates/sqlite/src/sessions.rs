//! What a database knows of all its sessions.

use rusqlite::{Connection, Row};

use super::failure::failed;
use super::lease::{self, Lease};
use super::worker::Work;
use glove_wasm::error::StoreError;
use glove_wasm_native::StoredSession;
use glove_wasm_native::internal::one_line;

pub(super) fn list(connection: &Connection) -> Result<Vec<StoredSession>, StoreError> {
    let query = "SELECT s.session_id, s.name, s.working_dir, CAST(strftime('%s', s.created_at) AS INTEGER) * 1000,
           r.updated_at, COALESCE(r.phase, 'idle'), COALESCE(r.asks, 0),
           (SELECT COUNT(*) FROM messages m WHERE m.session_id = s.session_id),
           (SELECT m.text FROM messages m WHERE m.session_id = s.session_id AND m.sender = 'user' AND m.tool_results IS NULL
              AND trim(m.text) <> '' ORDER BY m.id LIMIT 1),
           COALESCE(r.deaths, 0)
         FROM sessions s LEFT JOIN glove_runs r USING (session_id)";
    let read = || -> rusqlite::Result<Vec<StoredSession>> {
        connection.prepare_cached(query)?.query_map([], session)?.collect()
    };
    let mut sessions = read().map_err(|error| failed(&error))?;
    sessions.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.id.cmp(&b.id)));
    Ok(sessions)
}

fn session(row: &Row<'_>) -> rusqlite::Result<StoredSession> {
    let created_at = row.get::<_, Option<u64>>(3)?.unwrap_or_default();
    let updated_at = row.get::<_, Option<u64>>(4)?.filter(|at| *at > 0).unwrap_or(created_at);
    let first: Option<String> = row.get(8)?;
    Ok(StoredSession {
        id: row.get(0)?,
        name: row.get(1)?,
        title: one_line(&first.unwrap_or_default()),
        working_dir: row.get(2)?,
        messages: row.get(7)?,
        created_at,
        updated_at,
        phase: row.get(5)?,
        asks: row.get(6)?,
        deaths: row.get(9)?,
    })
}

pub(crate) fn contains(connection: &Connection, session: &str) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM sessions WHERE session_id = ?1")?.exists([session])
}

pub(crate) fn delete(work: &mut Work, session: &str) -> Result<bool, StoreError> {
    // A lease with an empty holder: the session has to be free.
    let nobody = Lease::new(session.to_owned(), String::new());
    let own = work.leases_of(session);
    work.atomically(|connection| {
        // Another process may have taken it over from a store of this one.
        let lease_row = lease::lease_row(connection, session)?;
        if !own.iter().any(|lease| lease_row.is_by(&lease.holder)) {
            lease::take(connection, &nobody, false)?;
        }
        let mut deleted = 0;
        for table in ["glove_records", "glove_runs", "messages", "tasks", "permissions", "inbox", "sessions"]
        {
            let delete = format!("DELETE FROM {table} WHERE session_id = ?1");
            deleted = connection.execute(&delete, [session]).map_err(|error| failed(&error))?;
        }
        Ok(deleted > 0)
    })
}

pub(super) fn resolve_inbox_item(
    connection: &Connection,
    id: &str,
    response: &str,
) -> Result<bool, StoreError> {
    let update = "UPDATE inbox SET status = 'resolved', response = ?2, resolved_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
         WHERE id = ?1 AND status = 'pending'";
    Ok(connection.execute(update, (id, response)).map_err(|error| failed(&error))? > 0)
}
