//! What is known of hosts and models: what they refuse, and what they want said in another way. One table, with the date and the
//! source of each row, which an application can add to.

use std::sync::OnceLock;

use crate::json::codec::{Read, Write, from_text};
use crate::providers::format::Format;
use crate::providers::host::{ends_with, is_at};

/// The field that bounds an answer in the chat format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum TokensField {
    MaxTokens,
    MaxCompletionTokens,
}

/// Which PDFs a server takes. In the chat format it is none unless said otherwise, in Anthropic's any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum Documents {
    None,
    /// In the request itself.
    Embedded,
    /// Also by their address.
    Any,
}

/// How much of JSON Schema is taken for the arguments of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum Schemas {
    /// All but a few words.
    JsonSchema,
    /// What Gemini takes of OpenAPI's form.
    #[json(rename = "openapi")]
    OpenApi,
}

/// How a model gives an answer that has a schema. Where nothing is known, by a tool that it is made to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum Answers {
    Tool,
    /// As its text, which the server keeps to a JSON Schema.
    JsonSchema,
    /// The same, for schemas whose objects list all their keys.
    Strict,
}

/// What the ids of calls are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum CallIds {
    Any,
    /// Nine letters and digits.
    Nine,
}

/// Whether a model's earlier reasoning goes back to it in the chat format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum ReasoningBack {
    /// It is refused.
    Never,
    /// Where the application asks for it.
    Asked,
    /// With every turn that has calls, as long as the model thinks: it is refused without.
    Calls,
    /// As OpenRouter's `reasoning_details`, where the application asks for it.
    Details,
    /// The same, always.
    DetailsAlways,
}

/// How a model is told how much it is to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum ThinkingForm {
    /// Nothing can be said.
    None,
    /// A word in a field of the body.
    Effort,
    /// OpenRouter's object of its own.
    Reasoning,
    /// A word, or tokens in Google's own part of the body.
    Google,
    /// On or off.
    Switch,
    /// On or off, and a word.
    SwitchAndEffort,
    /// In tokens.
    Budget,
    /// Anthropic's newer models choose for themselves; a word says how eagerly.
    Adaptive,
    /// Gemini's word.
    Level,
}

/// How a model is told not to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Write)]
pub enum ThinkingOff {
    /// By saying nothing.
    Silence,
    /// By saying so.
    Said,
    /// As Anthropic's least: no thoughts in front, short ones between calls.
    BetweenTools,
    /// It always thinks.
    Never,
}

/// What is known of the models and hosts that it names. What it leaves open others may say: of each fact the most specific row
/// counts.
#[derive(Debug, Clone, Default, PartialEq, Read)]
#[json(rename_all = "camelCase")]
pub struct Fact {
    /// A domain and those below it, or its end behind a `*`; several with blanks between.
    pub host: Option<String>,
    /// `anthropic`, `openai_chat`, `openai_responses` or `gemini`.
    pub format: Option<String>,
    /// A model's name, in which `*` is any text; several with blanks between. What stands before the last `/` of a model's name
    /// does not count, nor whether a version is written with points or dashes.
    pub model: Option<String>,

    pub max_tokens_field: Option<TokensField>,
    /// The longest answer, with thoughts.
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<bool>,
    pub max_temperature: Option<f64>,
    pub top_p: Option<bool>,
    /// Takes only one of the two.
    pub temperature_or_top_p: Option<bool>,
    pub stop: Option<bool>,
    /// How many texts may end an answer.
    pub max_stops: Option<u32>,
    pub seed: Option<bool>,
    /// The name of the field that has the seed.
    pub seed_field: Option<String>,
    /// Takes tools at all.
    pub tools: Option<bool>,
    /// A model can be made to use a tool.
    pub forced_tools: Option<bool>,
    pub parallel_tool_calls: Option<bool>,
    /// Takes tools in the chat format of OpenAI from a model that thinks.
    pub thinking_beside_tools: Option<bool>,
    /// Is asked by OpenAI's Responses API where the application names no format.
    pub responses: Option<bool>,
    pub answers: Option<Answers>,
    /// Tools may be called in a request whose answer is kept to a schema.
    pub answers_beside_tools: Option<bool>,
    pub stream_options: Option<bool>,
    pub images: Option<bool>,
    /// Fetches pictures from their addresses.
    pub image_addresses: Option<bool>,
    pub videos: Option<bool>,
    pub documents: Option<Documents>,
    pub call_ids: Option<CallIds>,
    /// A user's message may stand right behind a tool's.
    pub user_behind_tool: Option<bool>,
    /// Calls may stand beside `content: null`.
    pub null_content: Option<bool>,
    pub schemas: Option<Schemas>,
    /// Takes marks that ask for caching.
    pub cache_marks: Option<bool>,
    /// Wants back the `extra_content` of calls.
    pub extra_content: Option<bool>,
    /// The first call of an answer has a signature, or one that stands for none.
    pub signed_calls: Option<bool>,
    pub reasoning_back: Option<ReasoningBack>,
    pub thinking: Option<ThinkingForm>,
    pub thinking_off: Option<ThinkingOff>,
    /// The words that say how much to think, with blanks between.
    pub efforts: Option<String>,
    pub min_budget: Option<u32>,
    pub max_budget: Option<u32>,
}

/// What is known of one model at one host. Of a model that nobody knows nothing is, so it is asked in the way that most take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts(Fact);

impl std::ops::Deref for Facts {
    type Target = Fact;

    fn deref(&self) -> &Fact {
        &self.0
    }
}

impl Facts {
    /// Looks up a model. `own` are rows of the application, which count before those of the table.
    pub fn of(format: Format, host: &str, model: &str, own: &[Fact]) -> Self {
        let mut found = Vec::new();
        for (is_own, row) in known().iter().map(|row| (false, row)).chain(own.iter().map(|row| (true, row))) {
            if let Some(weight) = row.weight(format, host, model) {
                // If two facts are equally specific, the later one counts.
                let at = found.partition_point(|(own, other, _)| (*own, *other) <= (is_own, weight));
                found.insert(at, (is_own, weight, row));
            }
        }
        let mut facts = Facts::default();
        for (_, _, row) in found {
            facts.0.take(row);
        }
        facts
    }
}

/// Copies the facts that a row states.
macro_rules! take {
    ($to:ident, $from:ident, $($field:ident)*) => {
        $(if $from.$field.is_some() {
            $to.$field.clone_from(&$from.$field);
        })*
    };
}

impl Fact {
    fn take(&mut self, row: &Fact) {
        take!(self, row, max_tokens_field max_output_tokens temperature top_p temperature_or_top_p max_temperature stop max_stops seed
            seed_field tools forced_tools parallel_tool_calls thinking_beside_tools responses answers answers_beside_tools stream_options images image_addresses videos documents call_ids
            user_behind_tool null_content schemas cache_marks extra_content signed_calls reasoning_back thinking thinking_off efforts
            min_budget max_budget);
    }

    /// How specific the row is about this model; `None` where it is about others.
    fn weight(&self, format: Format, host: &str, model: &str) -> Option<(usize, usize)> {
        let mut weight = (0, 0);
        if let Some(formats) = &self.format {
            formats.split(' ').find(|word| *word == word_of(format))?;
            weight.0 += 1;
        }
        if let Some(hosts) = &self.host {
            hosts.split(' ').find(|pattern| is_host(host, pattern))?;
            weight.0 += 2;
        }
        if let Some(models) = &self.model {
            let model = plain(model.rsplit('/').next().unwrap_or(model));
            let fitting = models.split(' ').filter(|pattern| is_like(&model, &plain(pattern)));
            weight = (weight.0 + 4, fitting.map(str::len).max()?);
        }
        Some(weight)
    }
}

/// The table, read once.
fn known() -> &'static [Fact] {
    static KNOWN: OnceLock<Vec<Fact>> = OnceLock::new();
    KNOWN.get_or_init(|| from_text(include_str!("facts.json")).unwrap_or_default())
}

fn word_of(format: Format) -> &'static str {
    match format {
        Format::Anthropic => "anthropic",
        Format::OpenAiChat => "openai_chat",
        Format::OpenAiResponses => "openai_responses",
        Format::Gemini => "gemini",
        Format::Endpoint => "endpoint",
    }
}

fn is_host(host: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(end) => ends_with(host, end).is_some(),
        None => is_at(host, pattern),
    }
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('.', "-")
}

/// Whether a name is like a pattern with `*`.
fn is_like(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(inner) = last.replace(part) {
            let Some((_, behind)) = rest.split_once(inner) else { return false };
            rest = behind;
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_about_somebody_and_says_when_and_by_whom_it_was_said() {
        let rows: Vec<serde_json::Value> = serde_json::from_str(include_str!("facts.json")).unwrap();
        assert_eq!(
            known().len(),
            rows.len(),
            "{:?}",
            from_text::<Vec<Fact>>(include_str!("facts.json")).err()
        );
        for (row, text) in known().iter().zip(&rows) {
            assert!(row.host.is_some() || row.model.is_some() || row.format.is_some(), "{text}");
            let mut fact = Fact::default();
            fact.take(row);
            assert_ne!(fact, Fact::default(), "{text}");
            let text = text.as_object().unwrap();
            for key in ["date", "source"] {
                assert!(
                    text.get(key).and_then(|value| value.as_str()).is_some_and(|word| !word.is_empty()),
                    "{text:?}"
                );
            }
            // A fact that is misspelt would be passed over.
            let form = crate::json::codec::ReadFields::form(row);
            let crate::json::codec::Form::Keys(keys, _) = form else { panic!("no object") };
            for key in text.keys() {
                assert!(keys.contains(&key.as_str()) || key == "date" || key == "source", "{key}");
            }
        }
    }

    #[test]
    fn a_pattern_stands_for_any_text_at_its_stars() {
        for (name, pattern, fits) in [
            ("gpt-5", "gpt-5", true),
            ("gpt-5-mini", "gpt-5", false),
            ("gpt-5-mini", "gpt-5*", true),
            ("a-thinking-x", "*thinking*", true),
            ("thinking", "*thinking*", true),
            ("a-b-c", "a*b*c", true),
            ("a-c", "a*b*c", false),
            ("ab", "ab*b", false),
            ("", "*", true),
        ] {
            assert_eq!(is_like(name, pattern), fits, "{name} {pattern}");
        }
    }

    #[test]
    fn of_each_fact_the_most_specific_row_counts_and_those_of_the_application_before_all() {
        let facts = |host, model, own: &[Fact]| Facts::of(Format::OpenAiChat, host, model, own);
        assert_eq!(facts("api.openai.com", "o4-mini", &[]).stop, Some(false));
        assert_eq!(facts("openrouter.ai", "openai/o4-mini:free", &[]).stop, Some(false));
        assert_eq!(facts("api.openai.com", "gpt-4.1", &[]).stop, None);
        assert_eq!(facts("api.mistral.ai", "m", &[]).user_behind_tool, Some(false));
        assert_eq!(*facts("nobody.example", "nothing-1", &[]), Fact::default());
        let open = Fact { stop: Some(true), ..Fact::default() };
        let named = Fact { model: Some("o4*".to_owned()), stop: Some(false), ..Fact::default() };
        assert_eq!(facts("api.openai.com", "o4-mini", std::slice::from_ref(&open)).stop, Some(true));
        assert_eq!(facts("api.openai.com", "o4-mini", &[named.clone(), open.clone()]).stop, Some(false));
        assert_eq!(facts("api.openai.com", "gpt-4.1", &[named, open]).stop, Some(true));
    }

    #[test]
    fn a_host_below_that_of_a_provider_is_that_providers() {
        let documents = |host| Facts::of(Format::OpenAiChat, host, "m", &[]).documents;
        for (host, known) in [
            ("api.openai.com", true),
            ("us.api.openai.com", true),
            ("EU.API.OpenAI.com", true),
            ("x.openai.azure.com", true),
            ("X.OpenAI.Azure.com", true),
            ("evilapi.openai.com", false),
            ("api.openai.com.evil.example", false),
            ("evilopenai.azure.com", false),
            ("", false),
        ] {
            assert_eq!(documents(host) == Some(Documents::Embedded), known, "{host}");
        }
        let google = |host| Facts::of(Format::OpenAiChat, host, "m", &[]).extra_content;
        for (host, known) in [
            ("europe-west1-aiplatform.googleapis.com", true),
            ("aiplatform.googleapis.com", true),
            ("generativelanguage.googleapis.com", true),
            ("evilaiplatform.googleapis.com", false),
        ] {
            assert_eq!(google(host) == Some(true), known, "{host}");
        }
        let mistral = |host| Facts::of(Format::OpenAiChat, host, "m", &[]).call_ids;
        for (host, known) in [
            ("api.mistral.ai", true),
            ("codestral.mistral.ai", true),
            ("evilapi.mistral.ai.example", false),
            ("notmistral.ai", false),
        ] {
            assert_eq!(mistral(host) == Some(CallIds::Nine), known, "{host}");
        }
        assert_eq!(Facts::of(Format::OpenAiChat, "eu.openrouter.ai", "m", &[]).cache_marks, Some(true));
    }

    #[test]
    fn the_name_of_a_claude_says_how_it_is_told_to_think() {
        use ThinkingForm::{Adaptive, Budget, None};
        for (model, form) in [
            ("claude-3-5-haiku-latest", None),
            ("claude-3-7-sonnet-20250219", Budget),
            ("claude-sonnet-4-20250514", Budget),
            ("claude-opus-4-1-20250805", Budget),
            ("claude-haiku-4-5-20251001", Budget),
            ("claude-opus-4-6", Adaptive),
            ("claude-sonnet-4.6", Adaptive),
            ("claude-opus-5-5", Adaptive),
            ("claude-something-6", Adaptive),
        ] {
            assert_eq!(Facts::of(Format::Anthropic, "", model, &[]).thinking, Some(form), "{model}");
        }
        assert_eq!(Facts::of(Format::Anthropic, "", "MiniMax-M2.5", &[]).thinking, Option::None);
        let limit = |model| Facts::of(Format::Anthropic, "", model, &[]).max_output_tokens;
        for (model, tokens) in [
            ("claude-3-haiku-20240307", 4_096),
            ("claude-opus-4-20250514", 32_000),
            ("claude-opus-4-1-20250805", 32_000),
            ("claude-opus-4-5", 64_000),
            ("claude-sonnet-4-5-20250929", 64_000),
        ] {
            assert_eq!(limit(model), Some(tokens), "{model}");
        }
    }
}
