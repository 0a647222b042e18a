//! How much a model is asked to think before it answers, as each provider wants it said.

use crate::json::writer::Object;
use crate::providers::facts::{ThinkingForm, ThinkingOff};
use crate::providers::format::Format;
use crate::providers::request::options::Options;
use crate::providers::request::options::SMALLEST;
use crate::providers::request::parts::RequestParts;

/// From the least on.
const WORDS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const OPTION: &str = "reasoningEffort";

impl Options {
    pub(in crate::providers) fn is_told_to_think(&self) -> bool {
        !self.thinking.is_open() && !self.thinking.is_off() && self.facts.thinking != Some(ThinkingForm::None)
    }

    /// Whether the model thinks; some models think by default.
    pub(in crate::providers) fn thinks_by_itself(&self) -> bool {
        !self.thinking.is_off()
            || matches!(self.facts.thinking_off, Some(ThinkingOff::BetweenTools | ThinkingOff::Never))
    }

    /// Anthropic wants the thoughts of a turn back while it goes on.
    pub(in crate::providers) fn anthropic_thinks(&self) -> bool {
        let by_itself = self.facts.thinking == Some(ThinkingForm::Adaptive)
            && matches!(
                self.facts.thinking_off,
                Some(ThinkingOff::Said | ThinkingOff::BetweenTools | ThinkingOff::Never)
            );
        self.is_told_to_think() || by_itself && self.thinks_by_itself()
    }
}

/// How the model is told, where nothing is known of it too.
pub(in crate::providers) fn form(prompt: &RequestParts<'_>) -> ThinkingForm {
    prompt.options.facts.thinking.unwrap_or(match prompt.format {
        Format::Anthropic => ThinkingForm::Budget,
        Format::Gemini => ThinkingForm::Level,
        Format::OpenAiChat | Format::OpenAiResponses | Format::Endpoint => ThinkingForm::Effort,
    })
}

/// What was wished, in a word that the model knows.
fn word<'a>(prompt: &RequestParts<'a>) -> &'a str {
    let wanted = prompt.options.thinking.word();
    let known = prompt.options.facts.efforts.as_deref().unwrap_or_default();
    let word = nearest(wanted, known);
    if word != wanted {
        prompt.changed(OPTION, wanted, word);
    }
    word
}

/// The nearest of the words that are known; of two the higher.
fn nearest<'w>(wanted: &'w str, known: &'w str) -> &'w str {
    let rank = |word: &str| WORDS.iter().position(|other| *other == word);
    let Some(place) = rank(wanted) else { return wanted };
    // Not to think at all is no nearness.
    let thinks = |word: &&str| *word != "none" || wanted == "none";
    let near =
        |word: &&str| rank(word).map_or((usize::MAX, true), |rank| (rank.abs_diff(place), rank < place));
    known.split(' ').filter(|word| !word.is_empty()).filter(thinks).min_by_key(near).unwrap_or(wanted)
}

fn says_nothing(prompt: &RequestParts<'_>) {
    if !prompt.options.thinking.is_off() {
        prompt.leave_out(OPTION, "is not told how much to think");
    }
}

/// Thoughts count into `max_tokens`, so the answer's own share is kept as far as the model's limit allows.
pub(in crate::providers) fn anthropic(prompt: &RequestParts<'_>, max_tokens: u32, body: &mut Object<'_>) {
    let (thinking, facts) = (&prompt.options.thinking, &prompt.options.facts);
    let form = form(prompt);
    let limit = facts.max_output_tokens.unwrap_or(u32::MAX);
    let thinks = prompt.options.is_told_to_think();
    let in_tokens = thinks && !matches!(form, ThinkingForm::Adaptive);
    let wanted = if in_tokens { thinking.tokens().max(SMALLEST) } else { 0 };
    let total = max_tokens.saturating_add(wanted).min(limit);
    body.raw("max_tokens", &total.to_string());
    let budget = wanted.min(total - max_tokens.min(total / 2));
    let mut effort = None;
    match (form, facts.thinking_off) {
        _ if thinking.is_open() => {}
        (ThinkingForm::None, _) => says_nothing(prompt),
        (_, Some(ThinkingOff::Said)) if thinking.is_off() => {
            body.raw("thinking", r#"{"type":"disabled"}"#);
        }
        // An effort beside it stays that of the model: it takes none above `high`.
        (_, Some(ThinkingOff::BetweenTools)) if thinking.is_off() => {
            body.raw("thinking", r#"{"type":"between_tools"}"#);
        }
        (_, Some(ThinkingOff::Never)) if thinking.is_off() => effort = Some(word(prompt)),
        _ if thinking.is_off() => {}
        (ThinkingForm::Adaptive, _) => {
            body.raw("thinking", r#"{"type":"adaptive"}"#);
            effort = Some(word(prompt));
        }
        _ if budget < SMALLEST => prompt.leave_out(OPTION, "has too few tokens for thoughts"),
        _ => {
            body.raw("thinking", &format!(r#"{{"type":"enabled","budget_tokens":{budget}}}"#));
        }
    }
    let answer = &prompt.options.answer;
    if effort.is_none() && answer.is_none() {
        return;
    }
    let mut output = Object::new(body.key("output_config"));
    if let Some(effort) = effort {
        output.text("effort", effort);
    }
    if let Some(answer) = answer {
        output.raw("format", &format!(r#"{{"type":"json_schema","schema":{}}}"#, answer.schema));
    }
    output.end();
}

pub(in crate::providers) fn openai_chat(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    let thinking = &prompt.options.thinking;
    if prompt.options.facts.thinking_beside_tools == Some(false) && prompt.takes_tools() {
        if prompt.options.is_told_to_think() {
            prompt.changed(OPTION, thinking.word(), "none");
        }
        body.text("reasoning_effort", "none");
        return;
    }
    if thinking.is_open() {
        return;
    }
    match (form(prompt), thinking.budget) {
        (ThinkingForm::None, _) => says_nothing(prompt),
        (ThinkingForm::Reasoning, Some(budget)) if budget > 0 => {
            body.raw("reasoning", &format!(r#"{{"max_tokens":{budget}}}"#));
        }
        (ThinkingForm::Reasoning, _) => {
            let mut reasoning = Object::new(body.key("reasoning"));
            reasoning.text("effort", word(prompt));
            reasoning.end();
        }
        (ThinkingForm::Google, Some(budget)) if budget > 0 => {
            let config = format!(r#"{{"thinking_budget":{budget},"include_thoughts":true}}"#);
            body.raw("extra_body", &format!(r#"{{"google":{{"thinking_config":{config}}}}}"#));
        }
        (form @ (ThinkingForm::Switch | ThinkingForm::SwitchAndEffort), _) => {
            let on = !thinking.is_off();
            body.raw("thinking", if on { r#"{"type":"enabled"}"# } else { r#"{"type":"disabled"}"# });
            if on && form == ThinkingForm::SwitchAndEffort {
                body.text("reasoning_effort", word(prompt));
            }
        }
        _ => {
            body.text("reasoning_effort", word(prompt));
        }
    }
}

pub(in crate::providers) fn openai_responses(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    match form(prompt) {
        _ if prompt.options.thinking.is_open() => {}
        ThinkingForm::None => says_nothing(prompt),
        _ => {
            let mut reasoning = Object::new(body.key("reasoning"));
            reasoning.text("effort", word(prompt));
            reasoning.end();
        }
    }
}

/// Models before Gemini 3 take tokens, those from it on words.
pub(in crate::providers) fn gemini(prompt: &RequestParts<'_>, config: &mut Object<'_>) {
    let (thinking, facts) = (&prompt.options.thinking, &prompt.options.facts);
    let form = form(prompt);
    if form == ThinkingForm::None {
        return says_nothing(prompt);
    }
    let off = thinking.is_off() && facts.thinking_off != Some(ThinkingOff::Never);
    let mut written = Object::new(config.key("thinkingConfig"));
    if form == ThinkingForm::Budget || off {
        let (least, most) = (facts.min_budget.unwrap_or(0), facts.max_budget.unwrap_or(u32::MAX));
        let wanted = thinking.tokens();
        let budget = if off { 0 } else { wanted.min(most).max(least) };
        if budget != wanted {
            prompt.changed("reasoningBudget", &wanted.to_string(), &budget.to_string());
        }
        written.raw("thinkingBudget", &budget.to_string());
    } else {
        written.text("thinkingLevel", word(prompt));
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
    fn a_word_that_a_model_does_not_know_becomes_the_nearest_that_it_knows() {
        for (wanted, known, expected) in [
            ("low", "", "low"),
            ("low", "low medium high", "low"),
            ("minimal", "low medium high", "low"),
            ("none", "low medium high", "low"),
            ("none", "none high", "none"),
            ("minimal", "none high", "high"),
            ("medium", "low high", "high"),
            ("max", "low medium high", "high"),
            ("xhigh", "low high max", "max"),
            ("deep", "low high", "deep"),
        ] {
            assert_eq!(nearest(wanted, known), expected, "{wanted} of {known}");
        }
    }
}
