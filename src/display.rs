//! What is shown to people, as plain data, and what became of it. Who waits for an answer and who listens is the
//! runtime's business.

use crate::portable::MAY_BE_IN_PAGE;

pub use crate::message::{Slot, SlotStatus};

/// What people answer to it is written nowhere.
pub const SECRET_RENDERER: &str = "secret";

/// Why something shown gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DisplayError {
    #[error("{}", .reason.as_deref().unwrap_or("rejected by the user"))]
    Rejected { reason: Option<String> },
    #[error("the question was removed before it was answered")]
    Removed,
    #[error("the display was cleared before the question was answered")]
    Cleared,
    #[error("the input does not match the schema of the renderer `{renderer}`: {why}")]
    WrongInput { renderer: String, why: String },
    #[error("the answer does not match the schema of `{renderer}`, so the question stays open: {why}")]
    WrongOutput { renderer: String, why: String },
    #[error("{}", ON_SERVER)]
    OnServer,
}

/// No page is a server.
const ON_SERVER: &str = match MAY_BE_IN_PAGE {
    false => {
        "a tool of the endpoint asks nobody: ask before the call with `approval_if`, or make it a tool of the page"
    }
    true => "",
};

impl DisplayError {
    pub fn code(&self) -> &'static str {
        match self {
            DisplayError::Rejected { .. } => "DISPLAY_REJECTED",
            DisplayError::Removed => "DISPLAY_REMOVED",
            DisplayError::Cleared => "DISPLAY_CLEARED",
            DisplayError::WrongInput { .. } => "DISPLAY_WRONG_INPUT",
            DisplayError::WrongOutput { .. } => "DISPLAY_WRONG_OUTPUT",
            DisplayError::OnServer => "DISPLAY_ON_SERVER",
        }
    }
}
