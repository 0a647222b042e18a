//! What may be asked of a model beside the conversation.

use crate::json::Json;
use crate::json::codec::{Read, Write};
use crate::providers::facts::Facts;

/// How long a provider keeps a cached prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum CacheTtl {
    #[json(rename = "5m")]
    FiveMinutes,
    #[json(rename = "1h")]
    OneHour,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    pub model: String,
    pub max_tokens: Option<u32>,
    pub stream: bool,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub seed: Option<u64>,
    /// Texts that end an answer.
    pub stop_sequences: Vec<String>,
    pub tool_choice: Option<ToolChoice>,
    /// Whether the model may make several calls at once.
    pub parallel_tool_calls: Option<bool>,
    /// Marks the prompt for caching where the provider does not cache by itself.
    pub cache: Option<CacheTtl>,
    /// Sends earlier reasoning back; without it none ever leaves.
    pub echo_reasoning: bool,
    pub thinking: Thinking,
    /// Where a model that is asked for its calls as text is to stop, for providers that can be told so.
    pub stop: Option<&'static str>,
    /// The answer is to be a text in this form.
    pub answer: Option<AnswerFormat>,
    /// What is known of the model and its host, from [`Facts::of`].
    pub facts: Facts,
    /// An object whose fields are added to the request body. They replace fields of the same name; two objects of the same name are
    /// merged.
    pub extra: Option<Json>,
}

/// The form of an answer, as its provider takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFormat {
    pub(in crate::providers) schema: String,
    /// Its objects list all their keys, and the server is asked to keep to that.
    pub(in crate::providers) strict: bool,
}

/// What a model is told of the tools that it gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// It chooses.
    #[default]
    Auto,
    /// It uses none.
    None,
    /// It uses one, whichever it likes.
    Required,
    /// It uses this one.
    Tool(String),
}

impl ToolChoice {
    pub(super) fn is_forced(&self) -> bool {
        match self {
            ToolChoice::Auto | ToolChoice::None => false,
            ToolChoice::Required | ToolChoice::Tool(_) => true,
        }
    }
}

/// An effort by name or a budget in tokens. If a provider supports only one of them, it is derived from the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thinking {
    /// `low`, `medium`, `high` or another word that the model knows; `none` asks for no thoughts.
    pub effort: Option<String>,
    /// How many tokens thoughts may take.
    pub budget: Option<u32>,
}

/// Anthropic refuses less.
pub(super) const SMALLEST: u32 = 1_024;

impl Thinking {
    /// Nothing is said of it, so a model does as it likes.
    pub(super) fn is_open(&self) -> bool {
        self.effort.is_none() && self.budget.is_none()
    }

    pub(super) fn is_off(&self) -> bool {
        self.budget == Some(0) || self.budget.is_none() && self.effort.as_deref() == Some("none")
    }

    pub(super) fn word(&self) -> &str {
        match (&self.effort, self.budget) {
            (Some(effort), _) => effort,
            (None, Some(0)) => "none",
            (None, Some(..=4_096)) => "low",
            (None, Some(..=16_384)) => "medium",
            (None, _) => "high",
        }
    }

    /// The tokens that Google names for these words, which are sensible ones elsewhere too.
    pub(super) fn tokens(&self) -> u32 {
        match (self.budget, self.effort.as_deref()) {
            (Some(budget), _) => budget,
            (None, Some("none")) => 0,
            (None, Some("minimal" | "low")) => SMALLEST,
            (None, Some("medium")) => 8_192,
            (None, _) => 24_576,
        }
    }
}
