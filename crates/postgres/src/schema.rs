//! The tables and functions of the database, and which version of them it has.

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::failure::failed;
use glove_wasm::error::{StoreError, StoreErrorKind};

/// A database with a newer one is refused.
const VERSION: i64 = 3;
/// Two servers that start at once make the tables one after the other.
const LOCK: i64 = 0x0067_6c6f_7665;

pub(super) async fn prepare(client: &Client) -> Result<(), StoreError> {
    let found = version(client).await?;
    if found > VERSION {
        let message = format!(
            "this database was written by a newer version (format {found}, this one reads up to {VERSION}); update to open it"
        );
        return Err(StoreError::new(StoreErrorKind::Newer, message));
    }
    if found == VERSION {
        return Ok(());
    }
    let (tables, functions) = (include_str!("tables.sql"), include_str!("functions.sql"));
    let all = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({LOCK}); {tables} {functions} INSERT INTO glove_version VALUES ({VERSION}); COMMIT"
    );
    client.batch_execute(&all).await.map_err(|error| failed(&error))
}

/// 0 for a database that has none of it.
async fn version(client: &Client) -> Result<i64, StoreError> {
    match client.query_typed("SELECT max(version) FROM glove_version", &[]).await {
        Ok(rows) => {
            let version = rows.first().and_then(|row| row.try_get::<_, Option<i64>>(0).ok()).flatten();
            Ok(version.unwrap_or(0))
        }
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Ok(0),
        Err(error) => Err(failed(&error)),
    }
}
