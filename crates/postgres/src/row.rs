//! What a statement answers.

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use glove_wasm::error::StoreError;
use glove_wasm_native::internal::unreadable;

pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, place: usize) -> Result<T, StoreError> {
    row.try_get(place).map_err(|error| unreadable(&format!("a value ({error})")))
}

/// What a function answered.
pub(super) fn flag(rows: &[Row]) -> Result<bool, StoreError> {
    Ok(rows.first().map(|row| get(row, 0)).transpose()?.unwrap_or(false))
}
