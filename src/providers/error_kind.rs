//! Which kind of error it is, by its status, its codes and its words.

use crate::error::ModelErrorKind;
use crate::json::scan::word_at;
use crate::portable::SPEAKS_TO_PROVIDERS;

/// The kind, and whether an account has to be paid or raised first.
pub(super) fn kind_of(status: Option<u16>, codes: &str, message: &str) -> (ModelErrorKind, bool) {
    let code = |words: &[&str]| words.iter().any(|word| word_at(codes, word).is_some());
    let mentions = |words: &[&str]| words.iter().any(|word| word_at(message, word).is_some());
    // The page hears of a provider from a chat handler, which knows these.
    let provider_mentions = |words: &[&str]| SPEAKS_TO_PROVIDERS && mentions(words);
    let too_long = [
        "prompt is too long",
        "maximum context length",
        "context window",
        "context length",
        "context size",
        "input token count",
        "exceeds the maximum number of tokens",
        "maximum prompt length",
    ];
    // For these errors a retry does not help.
    let far_too_long = [
        "request too large for",
        "exceed context limit",
        "exceeded model token limit",
        "prompt exceeds max length",
        "range of input length",
    ];
    let status_in = |range: std::ops::RangeInclusive<u16>| status.is_some_and(|code| range.contains(&code));
    if code(&["context_length", "context_window", "exceed_context"])
        || mentions(&too_long) && !status_in(429..=429)
        || provider_mentions(&far_too_long)
    {
        return (ModelErrorKind::ContextLength, false);
    }
    if status == Some(402)
        || code(&["insufficient_quota", "billing", "insufficient_balance", "insufficient_credits"])
        || mentions(&["credit balance is too low"])
        || provider_mentions(&[
            "insufficient balance",
            "all available credits",
            "reached your specified",
            "enable billing",
            "余额不足",
        ])
        || SPEAKS_TO_PROVIDERS && code(&["exceeded_current_quota"])
    {
        return (ModelErrorKind::RateLimit, true);
    }
    let kind = if status == Some(529)
        || code(&["overloaded", "unavailable"])
        || provider_mentions(&["overloaded", "at capacity", "capacity exceeded"])
        || SPEAKS_TO_PROVIDERS && status == Some(498)
    {
        ModelErrorKind::Overloaded
    } else if status == Some(429) || code(&["rate_limit", "resource_exhausted", "too_many_requests"]) {
        ModelErrorKind::RateLimit
    } else if status == Some(403) && provider_mentions(&["moderation", "flagged"]) {
        ModelErrorKind::BadRequest
    } else if status_in(401..=401)
        || status_in(403..=403)
        || code(&["authentication", "api_key", "permission", "unauthenticated", "unauthorized"])
        || provider_mentions(&["incorrect api key", "invalid api key", "organization has been disabled"])
    {
        ModelErrorKind::Authentication
    } else if is_too_large(status, codes, message) {
        ModelErrorKind::TooLarge
    } else if status == Some(408) || status == Some(504) || code(&["timeout", "deadline"]) {
        ModelErrorKind::Timeout
    } else if status_in(500..=599)
        || !status_in(400..=499) && code(&["api_error", "server_error", "internal"])
    {
        ModelErrorKind::Server
    } else if status_in(400..=499) || code(&["invalid", "not_found", "bad_request", "failed_precondition"]) {
        ModelErrorKind::BadRequest
    } else {
        ModelErrorKind::Server
    };
    (kind, false)
}

/// The provider has no such model, or none for this account. Each says it in words of its own; `param` is what it calls the field that is
/// at fault.
pub(super) fn has_no_model(status: Option<u16>, codes: &str, param: Option<&str>, message: &str) -> bool {
    if !SPEAKS_TO_PROVIDERS || status.is_some_and(|code| !(400..=499).contains(&code)) {
        return false;
    }
    let any = |text: &str, words: &[&str]| words.iter().any(|word| word_at(text, word).is_some());
    let named = [
        "model_not_",
        "model_decommissioned",
        "invalid_model",
        "unknown_model",
        "modelnotfound",
        "deploymentnotfound",
    ];
    let said = [
        "model not found",
        "not found the model",
        "model not exist",
        "invalid model identifier",
        "unknown model",
        "unable to access model",
        "is not a valid model",
        "model identifier is invalid",
        "has been decommissioned",
        "no endpoints found for",
        "does not have access to model",
        "invalid model name",
        "modelcode: does not exist",
        // NVIDIA runs each model as a function.
        "not found for account",
        "模型不存在",
    ];
    let begins = message.starts_with("model ") && any(message, &["not found", "does not exist"]);
    if any(codes, &named) || any(message, &said) || begins {
        return true;
    }
    // What is not found may be the address or a file; and a router has models, but none for what a request wants of it.
    let is_not_found = status == Some(404) || any(codes, &["not_found", "notfound"]);
    is_not_found
        && (param == Some("model") || any(message, &["model"]))
        && !any(message, &["no endpoints found", "file"])
}

/// The request is, or what it carries. A chat handler counts with the same status what is no matter of bytes.
fn is_too_large(status: Option<u16>, codes: &str, message: &str) -> bool {
    let counted = || ["too_many", "too_long"].iter().any(|word| word_at(codes, word).is_some());
    if status == Some(413) {
        return !counted();
    }
    let named = ["request_too_large", "image_too_large"].iter().any(|word| word_at(codes, word).is_some());
    let phrases = ["request payload size exceeds", "image exceeds", "image dimensions exceed"];
    SPEAKS_TO_PROVIDERS && (named || phrases.iter().any(|word| word_at(message, word).is_some()))
}
