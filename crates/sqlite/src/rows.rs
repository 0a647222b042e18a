//! Messages, tasks and inbox items as rows: the whole value as JSON, and beside it the columns of the original.

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::{Connection, Row};

use super::failure::{failed, is_damage, unreadable};
use glove_wasm::error::StoreError;
use glove_wasm::json::Json;
use glove_wasm::json::codec::{Fault, Read, Write, from_text, object, to_text};
use glove_wasm::message::{InboxItem, Message, Sender, Task};

pub(super) struct MessageRow {
    sender: &'static str,
    id: Option<String>,
    text: String,
    tool_results: Option<String>,
    tool_calls: Option<String>,
    content: Option<String>,
    json: String,
}

impl MessageRow {
    pub(super) fn of(message: &Message) -> MessageRow {
        MessageRow {
            sender: if message.sender == Sender::User { "user" } else { "agent" },
            id: message.id.clone(),
            text: message.text.clone(),
            tool_results: message.tool_results.as_ref().map(|results| to_text(results)),
            tool_calls: message.tool_calls.as_ref().map(|calls| to_text(calls)),
            content: message.content.as_ref().map(|content| to_text(content)),
            json: to_text(message),
        }
    }

    /// The number of the new row.
    pub(super) fn insert(&self, connection: &Connection, session: &str) -> rusqlite::Result<i64> {
        let insert = "INSERT INTO messages (session_id, sender, msg_id, text, tool_results, tool_calls, content, glove_json)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        connection.prepare_cached(insert)?.insert((
            session,
            self.sender,
            &self.id,
            &self.text,
            &self.tool_results,
            &self.tool_calls,
            &self.content,
            &self.json,
        ))
    }
}

pub(super) fn messages(connection: &Connection, session: &str) -> Result<Vec<Arc<Message>>, StoreError> {
    let texts = message_texts(connection, session).map_err(|error| failed(&error))?;
    let read = |(at, text): (usize, &String)| {
        from_text(text).map_err(|fault: Box<Fault>| unreadable(&format!("message {at}"), &fault))
    };
    texts.iter().enumerate().map(read).collect()
}

/// The JSON of each message.
pub(super) fn message_texts(connection: &Connection, session: &str) -> rusqlite::Result<Vec<String>> {
    let query = "SELECT glove_json, sender, msg_id, text, tool_results, tool_calls, content
         FROM messages WHERE session_id = ?1 ORDER BY id";
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map([session], |row| {
        let whole: rusqlite::Result<Option<String>> = row.get(0);
        match whole.and_then(|whole| whole.map_or_else(|| original_message(row), Ok)) {
            // No message: whoever reads it finds that, and that the others can be read.
            Err(error) if is_damage(&error) => Ok(String::new()),
            text => text,
        }
    })?;
    rows.collect()
}

/// A message that the original wrote, as the JSON that it had.
fn original_message(row: &Row<'_>) -> rusqlite::Result<String> {
    let (sender, text): (String, String) = (row.get(1)?, row.get(3)?);
    let id: Option<String> = row.get(2)?;
    let mut fields: Vec<(&str, &dyn Write)> = vec![("sender", &sender)];
    if let Some(id) = &id {
        fields.push(("id", id));
    }
    fields.push(("text", &text));
    let lists = [("tool_results", row.get(4)?), ("tool_calls", row.get(5)?), ("content", row.get(6)?)];
    let mut json = String::new();
    object(&mut json, &fields);
    // Put in as they are: whoever reads the message finds what is broken in them.
    for (name, list) in lists {
        let list: Option<String> = list;
        if let Some(list) = list {
            json.pop();
            json.push_str(&format!(",\"{name}\":{list}}}"));
        }
    }
    Ok(json)
}

/// Tasks in their order. What the original changed of one stands in its columns.
pub(super) fn tasks(connection: &Connection, session: &str) -> Result<Vec<Task>, StoreError> {
    let query =
        "SELECT glove_json, id, content, active_form, status FROM tasks WHERE session_id = ?1 ORDER BY rowid";
    let read = |row: &Row<'_>| {
        let task = Task {
            id: row.get(1)?,
            content: row.get(2)?,
            active_form: row.get(3)?,
            status: row.get(4)?,
            ..Task::blank()
        };
        Ok((row.get(0)?, task))
    };
    let join = |whole: Task, task: Task| Task { id: whole.id, extra: whole.extra, ..task };
    values(connection, query, session, "a task", read, join)
}

/// The items that are not consumed, in their order.
pub(super) fn inbox(connection: &Connection, session: &str) -> Result<Vec<InboxItem>, StoreError> {
    let query = "SELECT glove_json, id, tag, request, response, status, blocking, resolved_at
         FROM inbox WHERE session_id = ?1 AND status <> 'consumed' ORDER BY rowid";
    let read = |row: &Row<'_>| {
        let item = InboxItem {
            id: row.get(1)?,
            tag: row.get(2)?,
            request: row.get(3)?,
            response: row.get(4)?,
            status: row.get(5)?,
            blocking: row.get(6)?,
            resolved_at: row.get(7)?,
            ..InboxItem::blank()
        };
        Ok((row.get(0)?, item))
    };
    let join = |whole: InboxItem, item: InboxItem| InboxItem { extra: whole.extra, ..item };
    values(connection, query, session, "an inbox item", read, join)
}

fn values<T: Read>(
    connection: &Connection,
    query: &str,
    session: &str,
    place: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<(Option<String>, T)>,
    join: impl Fn(T, T) -> T,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(query).map_err(|error| failed(&error))?;
    let rows = statement.query_map([session], |row| read(row)).map_err(|error| failed(&error))?;
    let mut values = Vec::new();
    for row in rows {
        let (whole, columns) = row.map_err(|error| failed(&error))?;
        values.push(match whole {
            Some(whole) => {
                let whole = from_text(&whole).map_err(|fault: Box<Fault>| unreadable(place, &fault))?;
                join(whole, columns)
            }
            None => columns,
        });
    }
    Ok(values)
}

/// Replaces the list. The column of ids is unique, ids that a model makes up are not: the whole value has the real one.
pub(super) fn set_tasks(connection: &Connection, session: &str, tasks: &[Task]) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM tasks WHERE session_id = ?1", [session])?;
    let insert = "INSERT INTO tasks (session_id, id, content, active_form, status, glove_json) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = connection.prepare_cached(insert)?;
    let mut ids = HashSet::new();
    for (at, task) in tasks.iter().enumerate() {
        let id = if ids.insert(task.id.clone()) { task.id.clone() } else { format!("{}#{at}", task.id) };
        statement.execute((session, id, &task.content, &task.active_form, &task.status, to_text(task)))?;
    }
    Ok(())
}

pub(super) fn add_inbox_item(
    connection: &Connection,
    session: &str,
    item: &InboxItem,
) -> rusqlite::Result<()> {
    let InboxItem { id, tag, request, response, status, blocking, resolved_at, extra } = item;
    let created = extra.0.iter().find(|(name, _)| name == "created_at");
    let created = created.and_then(|(_, value)| Json::to_text(value));
    let insert = "INSERT INTO inbox (session_id, id, tag, request, response, status, blocking, created_at, resolved_at, glove_json)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, COALESCE(?8, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), ?9, ?10)";
    let values = (session, id, tag, request, response, status, blocking, created, resolved_at, to_text(item));
    connection.execute(insert, values)?;
    Ok(())
}
