//! One statement with its values.

use std::time::Instant;

use futures_channel::oneshot;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use glove_wasm::error::StoreError;

pub(super) type Value = (Box<dyn ToSql + Send + Sync>, Type);

pub(super) struct Call {
    pub(super) statement: &'static str,
    pub(super) values: Vec<Value>,
    /// The place of the value that is true where this may have been done already.
    pub(super) unsure: Option<usize>,
    pub(super) made: Instant,
    pub(super) reply: oneshot::Sender<Result<Vec<Row>, StoreError>>,
}

impl Call {
    pub(super) fn may_be_done(&mut self) {
        if let Some(value) = self.unsure.and_then(|place| self.values.get_mut(place)) {
            *value = (Box::new(true), Type::BOOL);
        }
    }
}

pub(super) fn text(text: impl Into<String>) -> Value {
    (Box::new(text.into()), Type::TEXT)
}

pub(super) fn texts(texts: Vec<String>) -> Value {
    (Box::new(texts), Type::TEXT_ARRAY)
}

pub(super) fn number(number: u64) -> Value {
    (Box::new(i64::try_from(number).unwrap_or(i64::MAX)), Type::INT8)
}

pub(super) fn flag(flag: bool) -> Value {
    (Box::new(flag), Type::BOOL)
}

pub(super) fn bytes(bytes: Option<Vec<u8>>) -> Value {
    (Box::new(bytes), Type::BYTEA)
}
