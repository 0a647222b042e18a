//! What is printed beside calls and results: plans, failures, numbers.

use std::io::{Write, stderr};

use glove_wasm::error::Error;
use glove_wasm::runtime::Response;
use glove_wasm_task::Plan;
pub(crate) use glove_wasm_terminal::parts::text::*;
use unicode_width::UnicodeWidthStr;

pub(crate) fn print_error(message: &str) {
    if !message.is_empty() {
        let _ = writeln!(stderr(), "glove: {}", clean(message));
    }
}

/// A plan, to its end: nobody approves what they cannot read.
pub(crate) fn plan_lines(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    if !plan.objective.is_empty() {
        lines.extend(prefixed("", "", &plan.objective));
    }
    for step in &plan.steps {
        lines.extend(prefixed(&format!("{}: ", isolated_name(&step.id)), "    ", &step.title));
        if !step.instructions.is_empty() {
            lines.extend(prefixed("    ", "    ", &step.instructions));
        }
        if !step.tools.is_empty() {
            let tools: Vec<String> = step.tools.iter().map(|tool| isolated_name(tool)).collect();
            lines.push(format!("    with {}", tools.join(", ")));
        }
    }
    for constraint in &plan.constraints {
        lines.extend(prefixed("within: ", "    ", constraint));
    }
    for wanted in &plan.acceptance {
        lines.extend(prefixed("must hold: ", "    ", &wanted.criterion));
    }
    lines
}

/// Why a request failed: in a person's words, and in those of whoever it failed at.
#[derive(Debug, PartialEq)]
pub(crate) struct FailureText {
    pub words: String,
    pub details: Option<String>,
}

impl FailureText {
    fn of(error: &Error) -> FailureText {
        let details = format!("{} ({})", error.to_string().trim_end(), error.code());
        match words_of(error.code()) {
            Some(words) => FailureText { words: words.to_owned(), details: Some(details) },
            None => FailureText { words: details, details: None },
        }
    }

    /// All of it in one line.
    pub(crate) fn line(&self) -> String {
        match &self.details {
            Some(details) => format!("{}: {details}", self.words),
            None => self.words.clone(),
        }
    }
}

/// Other errors have a message for a person already: it says what happened and what to do.
fn words_of(code: &str) -> Option<&'static str> {
    Some(match code {
        "MODEL_NETWORK" => "there is no connection to the model",
        "MODEL_STREAM_CUT" => "the connection broke in the middle of the answer",
        "MODEL_TIMEOUT" => "the model took too long to answer",
        "MODEL_RATE_LIMIT" => "the model has been asked too often, or what may be used of it is used up",
        "MODEL_OVERLOADED" => "the model is overloaded right now",
        "MODEL_SERVER" => "the model's provider has a problem right now",
        "MODEL_NOT_FOUND" => "there is no such model at this provider",
        "MODEL_AUTHENTICATION" => "the provider did not accept the key",
        "MODEL_BAD_REQUEST" => "the provider did not take this request",
        "MODEL_BAD_RESPONSE" => "the answer cannot be read",
        "MODEL_CONTEXT_LENGTH" => {
            "the conversation has become too long for this model; /new begins another one"
        }
        "STORE_QUOTA" => "there is no space left to save the conversation",
        "STORE_UNAVAILABLE" => "the conversation cannot be saved or read at the moment",
        _ => return None,
    })
}

/// What is said at the end of a request beside the answer; `Err` for a failure.
pub(crate) fn ending(done: &Result<Response, Error>) -> Result<Option<String>, FailureText> {
    match done {
        Ok(Response::Completed(_) | Response::Waiting { .. } | Response::Switched) => Ok(None),
        Ok(Response::Dropped) => Ok(Some("not begun: another request is running".to_owned())),
        Ok(Response::Paused { message, .. }) => Ok(Some(format!("paused: {message}"))),
        Ok(Response::Undone { steps, error }) => {
            let steps = match steps {
                0 => "nothing was taken back".to_owned(),
                1 => "1 action was taken back".to_owned(),
                more => format!("{more} actions were taken back"),
            };
            Ok(Some(error.as_ref().map_or_else(|| steps.clone(), |why| format!("{steps}: {why}"))))
        }
        Err(Error::Aborted) => Ok(Some("stopped".to_owned())),
        Err(error) => Err(FailureText::of(error)),
    }
}

/// That older messages gave way to a summary.
pub(crate) fn summarised(before: u64, after: u64) -> String {
    format!(
        "what was said before is summarised for the model: {} tokens are now {}; the session keeps all of it",
        count(before),
        count(after)
    )
}

/// A text in rows of this width, broken between its words: the first begins with `sign`, the others as far in.
pub(crate) fn broken(sign: &str, text: &str, width: usize) -> Vec<String> {
    let inner = width.saturating_sub(sign.width()).max(1);
    let rows = words_within(text, inner);
    let space = " ".repeat(sign.width());
    rows.into_iter()
        .enumerate()
        .map(|(at, row)| format!("{}{row}", if at == 0 { sign } else { &space }))
        .collect()
}

/// The same without a sign. A word that is longer than a row has one of its own.
pub(crate) fn words_within(text: &str, width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let Some(row) = rows.last_mut() else { break };
        if row.is_empty() {
            row.push_str(word);
        } else if row.width() + 1 + word.width() <= width {
            row.push(' ');
            row.push_str(word);
        } else {
            rows.push(word.to_owned());
        }
    }
    rows
}

/// A number of tokens, as short as it can be told.
pub(crate) fn count(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}.{}k", tokens / 1_000, tokens % 1_000 / 100),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
    }
}

/// That a model is asked again by itself, and when.
pub(crate) fn waiting(code: &str, wait_ms: u64) -> String {
    let why = match code {
        "MODEL_RATE_LIMIT" | "MODEL_OVERLOADED" => "the model is busy; ",
        _ => "the model does not answer; ",
    };
    format!("{why}trying again in {} s", wait_ms.div_ceil(1_000))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn why_a_request_failed_is_told_before_the_words_of_the_provider() {
        use glove_wasm::error::{ModelError, ModelErrorKind};
        let error = Error::Model(ModelError::new(ModelErrorKind::RateLimit, "429 slow down"));
        let failure = ending(&Err(error)).unwrap_err();
        assert!(failure.words.starts_with("the model has been asked too often"), "{failure:?}");
        assert_eq!(failure.details.as_deref(), Some("429 slow down (MODEL_RATE_LIMIT)"));
        let failure = ending(&Err(Error::Closed)).unwrap_err();
        assert_eq!(failure.line(), "the session is closed; open a new one to continue (SESSION_CLOSED)");
    }

    #[test]
    fn a_number_of_tokens_is_short() {
        assert_eq!([7, 999, 1_000, 99_950, 1_234_567].map(count), ["7", "999", "1.0k", "99.9k", "1.2M"]);
    }

    #[test]
    fn a_plan_and_a_result_are_isolated_from_what_stands_beside_them() {
        let plan =
            json!({ "objective": "ok", "steps": [{ "id": "אב", "title": "כן 1", "tools": ["קרא", "b"] }] });
        let plan: Plan = serde_json::from_value(plan).unwrap();
        assert_eq!(
            plan_lines(&plan),
            ["ok", "\u{2068}אב\u{2069}: \u{2068}כן 1\u{2069}", "    with \u{2068}קרא\u{2069}, b"]
        );
        let result = json!({ "status": "success", "data": "שלום 1" });
        assert_eq!(result_lines(&serde_json::from_value(result).unwrap()), ["\u{2068}שלום 1\u{2069}"]);
    }
}
