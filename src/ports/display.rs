//! The port through which a tool shows something to the user and waits for an answer.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::display::DisplayError;
use crate::json::Json;
use crate::portable::{BoxFuture, MaybeSend, MaybeSync};

/// A slot to put on the display stack.
pub struct Show {
    pub renderer: String,
    pub input: Json,
    /// The call that the slot belongs to.
    pub owner: Option<String>,
    /// Refuses an answer that the waiting tool could not use.
    pub check: Option<Check>,
}

/// Checks a value and says what is wrong with it.
pub type Check = Arc<dyn CheckValue>;

/// A closure `Fn(&Json) -> Result<(), String>` is one.
pub trait CheckValue: MaybeSend + MaybeSync {
    fn check(&self, value: &Json) -> Result<(), String>;
}

impl<F: Fn(&Json) -> Result<(), String> + MaybeSend + MaybeSync> CheckValue for F {
    fn check(&self, value: &Json) -> Result<(), String> {
        self(value)
    }
}

pub trait DisplayPort: MaybeSend + MaybeSync {
    /// Shows something without waiting, and returns its id.
    fn push_and_forget(&self, show: Show) -> Result<String, DisplayError>;

    /// Shows a question. The future resolves exactly once; dropping it removes the question.
    fn push_and_wait(&self, show: Show) -> BoxFuture<'static, Result<Json, DisplayError>>;

    fn remove_slot(&self, id: &str) -> bool;
}

/// The display stack as seen by one call.
#[derive(Clone)]
pub struct CallDisplay {
    owner: String,
    port: Arc<dyn DisplayPort>,
}

impl CallDisplay {
    pub fn new(owner: &str, port: Arc<dyn DisplayPort>) -> Self {
        CallDisplay { owner: owner.to_owned(), port }
    }

    pub fn through(self, port: impl FnOnce(Arc<dyn DisplayPort>) -> Arc<dyn DisplayPort>) -> Self {
        CallDisplay { port: port(self.port), ..self }
    }

    /// Shows something that stays until it is removed, and returns its id.
    pub fn push_and_forget(&self, renderer: &str, input: &impl Serialize) -> Result<String, DisplayError> {
        self.port.push_and_forget(self.show(renderer, input, None)?)
    }

    /// Asks and waits for a value of type `T`; other values are refused and the question stays open. Passing the error
    /// on with `?` ends the call as rejected by the user.
    pub fn push_and_wait<T: DeserializeOwned + 'static>(
        &self,
        renderer: &str,
        input: &impl Serialize,
    ) -> BoxFuture<'static, Result<T, DisplayError>> {
        let check: Check = Arc::new(|value: &Json| value.read::<T>().map(drop).map_err(|e| e.to_string()));
        let answer = self.show(renderer, input, Some(check)).map(|show| self.port.push_and_wait(show));
        let renderer = renderer.to_owned();
        Box::pin(async move {
            let value = answer?.await?;
            value.read().map_err(|error| DisplayError::WrongOutput { renderer, why: error.to_string() })
        })
    }

    pub fn remove_slot(&self, id: &str) -> bool {
        self.port.remove_slot(id)
    }

    fn show(
        &self,
        renderer: &str,
        input: &impl Serialize,
        check: Option<Check>,
    ) -> Result<Show, DisplayError> {
        let input = Json::of(input).map_err(|error| DisplayError::WrongInput {
            renderer: renderer.to_owned(),
            why: error.to_string(),
        })?;
        Ok(Show { renderer: renderer.to_owned(), input, owner: Some(self.owner.clone()), check })
    }
}

impl fmt::Debug for CallDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallDisplay({})", self.owner)
    }
}

impl fmt::Debug for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Show({} {})", self.renderer, self.input)
    }
}
