//! What scripts are given, and what they answer.

use ::redis::{FromRedisValue, Value};

use glove_wasm::error::StoreError;
use glove_wasm_native::internal::unreadable;

/// Arguments of a script, as bytes: Redis knows no others.
#[derive(Default)]
pub(super) struct ScriptArgs(pub(super) Vec<Vec<u8>>);

impl ScriptArgs {
    pub(super) fn to(session: &str) -> Self {
        ScriptArgs::default().text(session)
    }

    pub(super) fn text(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.0.push(text.into());
        self
    }

    pub(super) fn number(self, number: u64) -> Self {
        self.text(number.to_string())
    }

    pub(super) fn flag(self, flag: bool) -> Self {
        self.text(if flag { "1" } else { "0" })
    }

    pub(super) fn texts<T: Into<Vec<u8>>>(self, texts: impl IntoIterator<Item = T>) -> Self {
        texts.into_iter().fold(self, ScriptArgs::text)
    }
}

pub(super) fn read<T: FromRedisValue>(value: Value) -> Result<T, StoreError> {
    ::redis::from_redis_value(value).map_err(|error| unreadable(&format!("a value ({error})")))
}
