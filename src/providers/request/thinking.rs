//! How much a model is asked to think before it answers, as each provider wants it said.

use crate::json_write::Object;
use crate::providers::request::{ChatDialect, Options};

/// Said as a word or in tokens; what a provider does not take is made of what was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thinking {
    /// `low`, `medium`, `high` or another word that the model knows; `none` asks for no thoughts.
    pub effort: Option<String>,
    /// How many tokens thoughts may take.
    pub budget: Option<u32>,
}

/// Anthropic refuses less.
const SMALLEST: u32 = 1_024;

impl Thinking {
    /// Nothing is said of it, so a model does as it likes.
    fn is_open(&self) -> bool {
        self.effort.is_none() && self.budget.is_none()
    }

    fn is_off(&self) -> bool {
        self.budget == Some(0) || self.budget.is_none() && self.effort.as_deref() == Some("none")
    }

    fn word(&self) -> &str {
        match (&self.effort, self.budget) {
            (Some(effort), _) => effort,
            (None, Some(0)) => "none",
            (None, Some(..=4_096)) => "low",
            (None, Some(..=16_384)) => "medium",
            (None, _) => "high",
        }
    }

    /// The tokens that Google names for these words, which are sensible ones elsewhere too.
    fn tokens(&self) -> u32 {
        match (self.budget, self.effort.as_deref()) {
            (Some(budget), _) => budget,
            (None, Some("none")) => 0,
            (None, Some("minimal" | "low")) => SMALLEST,
            (None, Some("medium")) => 8_192,
            (None, _) => 24_576,
        }
    }
}

impl Options {
    /// Anthropic wants the thoughts of a turn back while it goes on.
    pub(super) fn anthropic_thinks(&self) -> bool {
        !self.thinking.is_open() && !self.thinking.is_off()
    }
}

/// Thoughts count into `max_tokens`, so the answer's own share is kept.
pub(super) fn anthropic(options: &Options, max_tokens: u32, body: &mut Object<'_>) {
    let thinking = &options.thinking;
    let in_tokens = thinking.budget.is_some() || !takes_effort(&options.model);
    let budget = if options.anthropic_thinks() && in_tokens { thinking.tokens().max(SMALLEST) } else { 0 };
    body.raw("max_tokens", &max_tokens.saturating_add(budget).to_string());
    if budget > 0 {
        body.raw("thinking", &format!(r#"{{"type":"enabled","budget_tokens":{budget}}}"#));
    } else if options.anthropic_thinks() {
        body.raw("thinking", r#"{"type":"adaptive"}"#);
        let mut output = Object::new(body.key("output_config"));
        output.text("effort", thinking.word());
        output.end();
    }
}

/// Claude from 4.6 on chooses by itself how much it thinks, and newer ones take no tokens any more.
fn takes_effort(model: &str) -> bool {
    let mut numbers = model
        .split(['-', '.', '@', ':'])
        .filter(|part| part.len() < 3)
        .filter_map(|part| part.parse::<u8>().ok());
    let version = (numbers.next(), numbers.next().unwrap_or(0));
    model.starts_with("claude") && version >= (Some(4), 6)
}

pub(super) fn openai_chat(options: &Options, body: &mut Object<'_>) {
    let thinking = &options.thinking;
    if thinking.is_open() {
        return;
    }
    match (options.dialect, thinking.budget) {
        (ChatDialect::OpenRouter, Some(budget)) => {
            body.raw("reasoning", &format!(r#"{{"max_tokens":{budget}}}"#));
        }
        (ChatDialect::OpenRouter, None) => {
            let mut reasoning = Object::new(body.key("reasoning"));
            reasoning.text("effort", thinking.word());
            reasoning.end();
        }
        (ChatDialect::Google, Some(budget)) => {
            let config = format!(r#"{{"thinking_budget":{budget},"include_thoughts":true}}"#);
            body.raw("extra_body", &format!(r#"{{"google":{{"thinking_config":{config}}}}}"#));
        }
        _ => {
            body.text("reasoning_effort", thinking.word());
        }
    }
}

pub(super) fn openai_responses(options: &Options, body: &mut Object<'_>) {
    if options.thinking.is_open() {
        return;
    }
    let mut reasoning = Object::new(body.key("reasoning"));
    reasoning.text("effort", options.thinking.word());
    reasoning.end();
}

/// Models before Gemini 3 take tokens, those from it on words.
pub(super) fn gemini(options: &Options, config: &mut Object<'_>) {
    let thinking = &options.thinking;
    if thinking.is_open() {
        return;
    }
    let mut written = Object::new(config.key("thinkingConfig"));
    if thinking.budget.is_some() || thinking.is_off() || options.model.starts_with("gemini-2") {
        written.raw("thinkingBudget", &thinking.tokens().to_string());
    } else {
        written.text("thinkingLevel", thinking.word());
    }
    if !thinking.is_off() {
        written.raw("includeThoughts", "true");
    }
    written.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_in_a_name_says_whether_a_model_takes_a_word() {
        for (model, takes) in [
            ("claude-3-7-sonnet-20250219", false),
            ("claude-sonnet-4-20250514", false),
            ("claude-opus-4-1-20250805", false),
            ("claude-haiku-4-5-20251001", false),
            ("claude-opus-4-6", true),
            ("claude-sonnet-4.6", true),
            ("claude-opus-4-10", true),
            ("claude-something-5", true),
            ("claude-latest", false),
            ("MiniMax-M2.5", false),
            ("kimi-5-1", false),
        ] {
            assert_eq!(takes_effort(model), takes, "{model}");
        }
    }
}
