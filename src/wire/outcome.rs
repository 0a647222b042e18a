//! How a request ended, and the errors that tell of it.

use crate::error::{Error, ModelError};
use crate::event::{Question, Rule};
use crate::json::Json;
use crate::json::codec::{Ts, Write};
use crate::ports::Step;
use crate::run::input::Reply;
use crate::run::log::StepResult;
use crate::runtime::Response;

/// An error of the core; one that refuses what was asked is thrown in this form.
#[derive(Debug, Clone, Ts, Write)]
pub struct CoreError<'a> {
    pub code: &'a str,
    pub message: String,
    /// What is known of a call of a model; it lacks what is false.
    #[ts(type = "ToldFailure")]
    pub model: Option<&'a ModelError>,
}

impl<'a> From<&'a Error> for CoreError<'a> {
    fn from(error: &'a Error) -> Self {
        let model = match error {
            Error::Model(error) => Some(error),
            _ => None,
        };
        CoreError { code: error.code(), message: error.to_string(), model }
    }
}

/// How a request ended or stopped. What was refused is thrown.
#[derive(Debug, Clone, Ts, Write)]
#[json(tag = "outcome")]
pub enum CoreOutcome<'a> {
    Completed {
        #[ts(type = "Required<Pick<RunReply, \"messages\" | \"usage\">>")]
        reply: &'a Reply,
    },
    Undone {
        steps: u32,
        error: Option<&'a String>,
    },
    Switched,
    Dropped,
    Aborted,
    Failed {
        error: CoreError<'a>,
    },
    Paused {
        rule: Rule,
        message: &'a String,
    },
    Waiting {
        questions: &'a Vec<Question>,
    },
}

impl<'a> CoreOutcome<'a> {
    /// The error itself where nothing was begun: the core has refused it.
    pub fn of(end: &'a Result<Response, Error>) -> Result<Self, &'a Error> {
        Ok(match end {
            Ok(Response::Completed(reply)) => CoreOutcome::Completed { reply },
            Ok(Response::Undone { steps, error }) => {
                CoreOutcome::Undone { steps: *steps, error: error.as_ref() }
            }
            Ok(Response::Switched) => CoreOutcome::Switched,
            Ok(Response::Dropped) => CoreOutcome::Dropped,
            Ok(Response::Paused { rule, message }) => CoreOutcome::Paused { rule: *rule, message },
            Ok(Response::Waiting { questions }) => CoreOutcome::Waiting { questions },
            Err(Error::Aborted) => CoreOutcome::Aborted,
            Err(error @ (Error::Model(_) | Error::Store(_))) => CoreOutcome::Failed { error: error.into() },
            Err(error @ (Error::Tool(_) | Error::Closed | Error::Protocol(_) | Error::Refused { .. })) => {
                return Err(error);
            }
        })
    }
}

/// `begins`: the step is to be done now, under this key. Else what came of it before.
#[derive(Debug, Clone, Default, Ts, Write)]
pub struct CoreStep {
    pub begins: Option<String>,
    pub returned: Option<Json>,
    pub threw: Option<String>,
}

impl From<Step> for CoreStep {
    fn from(step: Step) -> Self {
        let none = CoreStep::default();
        match step {
            Step::Begins(key) => CoreStep { begins: Some(key), ..none },
            Step::Done(StepResult::Returned(value)) => CoreStep { returned: Some(value), ..none },
            Step::Done(StepResult::Threw(message)) => CoreStep { threw: Some(message), ..none },
        }
    }
}
