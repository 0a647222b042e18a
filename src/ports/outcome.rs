//! Converts what a Rust tool returns into the outcome of its call.

use std::error::Error;

use serde::Serialize;
use serde_json::Value;

use crate::display::DisplayError;
use crate::json::Json;
use crate::message::ToolResultData;
use crate::run::input::ToolOutcome;

/// What a tool's closure may return: plain values, JSON, a whole [`ToolResultData`], any serialisable value wrapped
/// in [`Data`], or a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    note = "it returns a plain value, `Json`, `Data(…)` of anything that serde can write, `ToolResultData`, or a `Result` of these"
)]
pub trait IntoOutcome {
    fn into_outcome(self) -> ToolOutcome;
}

/// Any serialisable value as the data of a successful result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data<T>(pub T);

/// Why a tool failed. Made by `?` from any error; a [`DisplayError`] that says that a person turned the question
/// down becomes a rejection, which is not repeated.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolFailure {
    Failed(String),
    /// The user rejected this.
    Rejected(Option<String>),
}

impl ToolFailure {
    pub fn new(message: impl Into<String>) -> Self {
        ToolFailure::Failed(message.into())
    }

    pub fn message(self) -> String {
        match self {
            ToolFailure::Failed(message) => message,
            ToolFailure::Rejected(reason) => reason.unwrap_or_else(|| "rejected by the user".to_owned()),
        }
    }
}

// `ToolFailure` is itself no `Error`, so that this covers every error there is.
impl<E: Error + 'static> From<E> for ToolFailure {
    fn from(error: E) -> Self {
        match (&error as &dyn Error).downcast_ref::<DisplayError>() {
            Some(DisplayError::Rejected { reason }) => ToolFailure::Rejected(reason.clone()),
            Some(closed @ (DisplayError::Removed | DisplayError::Cleared)) => {
                ToolFailure::Rejected(Some(closed.to_string()))
            }
            Some(_) | None => ToolFailure::new(with_causes(&error)),
        }
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        // Many errors print their source themselves.
        if !text.ends_with(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}

impl IntoOutcome for ToolOutcome {
    fn into_outcome(self) -> ToolOutcome {
        self
    }
}

impl IntoOutcome for ToolResultData {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::Returned { result: self, outputs: Vec::new() }
    }
}

impl IntoOutcome for Json {
    fn into_outcome(self) -> ToolOutcome {
        ToolResultData::success(self).into_outcome()
    }
}

impl<T: Serialize> IntoOutcome for Data<T> {
    fn into_outcome(self) -> ToolOutcome {
        match Json::of(&self.0) {
            Ok(json) => json.into_outcome(),
            Err(error) => {
                ToolOutcome::Threw(format!("the returned value cannot be converted to JSON: {error}"))
            }
        }
    }
}

impl<T: IntoOutcome, E: Into<ToolFailure>> IntoOutcome for Result<T, E> {
    fn into_outcome(self) -> ToolOutcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => match error.into() {
                ToolFailure::Failed(message) => ToolOutcome::Threw(message),
                ToolFailure::Rejected(reason) => ToolOutcome::Rejected(reason),
            },
        }
    }
}

macro_rules! data {
    ($($plain:ty)*) => {
        $(impl IntoOutcome for $plain {
            fn into_outcome(self) -> ToolOutcome {
                Data(self).into_outcome()
            }
        })*
    };
}

data! { () bool i32 i64 u32 u64 usize f32 f64 String &str Value }

impl<T: Serialize> IntoOutcome for Vec<T> {
    fn into_outcome(self) -> ToolOutcome {
        Data(self).into_outcome()
    }
}

impl<T: Serialize> IntoOutcome for Option<T> {
    fn into_outcome(self) -> ToolOutcome {
        Data(self).into_outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(data: &str) -> ToolOutcome {
        Json::parse(data).unwrap().into_outcome()
    }

    #[test]
    fn raw_values_are_wrapped_as_a_success() {
        assert_eq!("text".into_outcome(), returned("\"text\""));
        assert_eq!(().into_outcome(), returned("null"));
        assert_eq!(Some(2).into_outcome(), returned("2"));
        assert_eq!(Data((1, "b")).into_outcome(), returned("[1,\"b\"]"));
        assert_eq!(Ok::<_, ToolFailure>(vec![1]).into_outcome(), returned("[1]"));
    }

    #[test]
    fn a_rejected_question_ends_a_call_and_other_errors_are_told_with_their_causes() {
        #[derive(Debug, thiserror::Error)]
        #[error("no file")]
        struct Outer(#[source] std::io::Error);
        let rejected = || -> Result<(), ToolFailure> {
            Err(DisplayError::Rejected { reason: Some("not now".to_owned()) })?;
            Ok(())
        };
        let threw = || -> Result<(), ToolFailure> { Err(Outer(std::io::Error::other("disk")))? };
        assert_eq!(rejected().into_outcome(), ToolOutcome::Rejected(Some("not now".to_owned())));
        assert_eq!(threw().into_outcome(), ToolOutcome::Threw("no file: disk".to_owned()));
    }
}
