//! What goes into a request, and what comes back.

use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::event::{Question, Rule};
use crate::json::Json;
use crate::message::{ANSWER_SCHEMA, ContentPart, Message, TRIGGER};
use crate::run::effect::Outcome;
use crate::run::input::{Reply, WhenBusy};
use crate::tool::ANSWER_TOOL;

/// A request to an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// An id that no other request of the session has had; made where it is `None`.
    pub id: Option<String>,
    pub message: Message,
    pub when_busy: WhenBusy,
    /// The last answer is given again; nothing else of this counts.
    pub regenerate: bool,
    /// The message of a person in whose place this one is said.
    pub edits: Option<String>,
    pub leave_when_waiting: bool,
}

impl Prompt {
    pub fn new(text: impl Into<String>) -> Self {
        Prompt::from(Message::user(text))
    }

    /// Asks for another answer in the place of the last one.
    pub fn again() -> Self {
        Prompt { regenerate: true, ..Prompt::new("") }
    }

    /// Begins a prompt that nobody wrote: a timer, a notification. The model reads the reason, and a chat shows the answer alone.
    pub fn trigger(reason: impl Into<String>) -> Self {
        let mut prompt = Prompt::new(reason);
        prompt.message.framework_context = Some(TRIGGER.to_owned());
        prompt
    }

    /// Of a trigger: no person sees it, neither a screen nor a title. What it asks a person is seen in any case.
    pub fn hidden(mut self) -> Self {
        self.message.hidden = true;
        self
    }

    /// Says something else in the place of an earlier message of a person. A request that runs is stopped first.
    pub fn edit(message: impl Into<String>, text: impl Into<String>) -> Self {
        let when_busy = WhenBusy::Interrupt;
        Prompt { edits: Some(message.into()), when_busy, ..Prompt::new(text) }
    }

    /// Wants an answer with this JSON Schema, whose root is an object; [`Response::answer`] reads it.
    pub fn answer(mut self, schema: impl Into<Json>) -> Self {
        self.message.extra.0.push((ANSWER_SCHEMA.to_owned(), schema.into()));
        self
    }

    /// What becomes of this request when another one runs.
    pub fn when_busy(mut self, choice: WhenBusy) -> Self {
        self.when_busy = choice;
        self
    }

    /// Come back with [`Response::Waiting`] as soon as nothing can go on without a person. The run is stored and
    /// goes on when its questions are answered, in another process too.
    pub fn leave_when_waiting(mut self, leave: bool) -> Self {
        self.leave_when_waiting = leave;
        self
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Prompt::new(text)
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Prompt::new(text)
    }
}

impl From<Message> for Prompt {
    fn from(message: Message) -> Self {
        let when_busy = WhenBusy::default();
        Prompt { id: None, message, when_busy, regenerate: false, edits: None, leave_when_waiting: false }
    }
}

impl From<Vec<ContentPart>> for Prompt {
    fn from(parts: Vec<ContentPart>) -> Self {
        let mut message = Message::user("");
        message.content = Some(parts);
        Prompt::from(message)
    }
}

/// How a request came to an end or to a stop.
#[derive(Debug, Clone, PartialEq)]
pub enum Response {
    /// The answer, with the usage of the last model call alone.
    Completed(Reply),
    /// How many actions were taken back, and why no more were.
    Undone { steps: u32, error: Option<String> },
    /// Another branch is shown.
    Switched,
    /// Not begun, because another request was running.
    Dropped,
    /// A budget is used up; `resume` goes on.
    Paused { rule: Rule, message: String },
    /// Nothing can go on before a person has answered these.
    Waiting { questions: Vec<Question> },
}

impl Response {
    /// The text of the answer; empty where there is none.
    pub fn text(&self) -> String {
        match self {
            Response::Completed(reply) => {
                reply.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n")
            }
            Response::Paused { message, .. } => message.clone(),
            Response::Undone { .. } | Response::Switched | Response::Dropped | Response::Waiting { .. } => {
                String::new()
            }
        }
    }

    /// The answer of a request that wanted one with a schema. `ANSWER_MISSING` where the model gave none that fits, also after it was
    /// told what was wrong.
    pub fn answer<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let missing = |why: &str| Error::Refused {
            code: "ANSWER_MISSING",
            message: format!("The model gave no answer that matches the schema{why}."),
        };
        let Response::Completed(reply) = self else {
            return Err(missing(", because the request did not complete"));
        };
        let calls = reply.messages.iter().flat_map(|message| message.calls());
        let mut read = calls.filter(|call| call.tool_name == ANSWER_TOOL).map(|call| call.input_args.read());
        match read.rfind(Result::is_ok).or(read.next()) {
            Some(answer) => answer.map_err(|error| missing(&format!(": {error}"))),
            None => Err(missing("")),
        }
    }

    pub(crate) fn of(outcome: Outcome) -> Result<Response, Error> {
        match outcome {
            Outcome::Completed(reply) => Ok(Response::Completed(reply)),
            Outcome::Undone { steps, error } => Ok(Response::Undone { steps, error }),
            Outcome::Switched => Ok(Response::Switched),
            Outcome::Dropped => Ok(Response::Dropped),
            Outcome::Paused { rule, message } => Ok(Response::Paused { rule, message }),
            Outcome::Aborted => Err(Error::Aborted),
            Outcome::ModelFailed(error) => Err(Error::Model(error)),
            Outcome::StoreFailed(error) => Err(Error::Store(error)),
        }
    }
}
