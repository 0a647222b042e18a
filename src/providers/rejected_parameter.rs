//! The one parameter that a refusal names as what the model does not take. Only parameters of a closed list are left out: a request
//! never loses its messages, its model or its tools.

use crate::error::{ModelError, ModelErrorKind};
use crate::json::reader::{Broken, Reader};
use crate::json::scan::word_at;
use crate::providers::adjusted_body::{Change, DEEPEST, LISTS, MARKS, is_in, number, value_of};
use crate::providers::format::Format;

/// What a request can do without, where it stands in the body of any format.
const PARAMETERS: [&str; 33] = [
    "temperature",
    "top_p",
    "top_k",
    "stop",
    "stop_sequences",
    "seed",
    "stream",
    "stream_options",
    "parallel_tool_calls",
    "tool_choice",
    "reasoning_effort",
    "reasoning",
    "reasoning_format",
    "include_reasoning",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs",
    "extra_body",
    "output_config.effort",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "response_format",
    "frequency_penalty",
    "presence_penalty",
    "store",
    "include",
    "cache_control",
    "generationConfig.temperature",
    "generationConfig.topP",
    "generationConfig.stopSequences",
    "generationConfig.thinkingConfig",
    "generationConfig.maxOutputTokens",
];

/// Words of every sentence: they are a parameter where they are marked as one.
const WORDS: [&str; 7] = ["stop", "seed", "stream", "reasoning", "thinking", "store", "include"];

/// That a parameter is not taken at all.
const COMPLAINTS: [&str; 19] = [
    "unsupported",
    "not supported",
    "not support",
    "unknown",
    "unrecognized",
    "unexpected",
    "not permitted",
    "extra_forbidden",
    "not allowed",
    "deprecated",
    "no longer",
    "not enabled",
    "may only be",
    "may not be",
    "not available",
    "not compatible",
    "cannot find field",
    "cannot both",
    "must be verified to",
];

/// That thoughts are not those of this conversation: of another model or account, or of another beginning.
const BOUND: [&str; 3] =
    ["invalid `signature` in `thinking` block", "bound to a different", "encrypted content"];

/// How a request holds thoughts that are bound so.
const HELD: [&str; 3] = [r#""signature":"#, r#""encrypted_content":"#, r#""reasoning_details":"#];

/// In front of the most that is allowed.
const LIMITS: [&str; 4] = [" > ", "at most ", "less than or equal to ", "[1, "];

/// What would make the request one that is not refused in the same way. `sent` is its body, `refusal` that of the answer.
pub(crate) fn change(format: Format, sent: &str, error: &ModelError, refusal: &str) -> Option<Change> {
    let refused = match error.kind {
        ModelErrorKind::BadRequest => true,
        // Some servers of one's own answer what they do not know so.
        ModelErrorKind::Server => matches!(error.status, Some(500 | 501)),
        _ => false,
    };
    if !refused {
        return None;
    }
    // A web page names nothing.
    if !refusal.trim_start().starts_with(['{', '[', '"']) {
        return None;
    }
    let fault = FaultPlace::read(refusal).ok()?;
    let message = error.message.to_ascii_lowercase();
    let mentions = |words: &[&str]| words.iter().any(|word| word_at(&message, word).is_some());
    if mentions(&BOUND) && HELD.iter().any(|held| word_at(sent, held).is_some()) {
        return Some(Change::WithoutThoughts);
    }
    let complains = mentions(&COMPLAINTS)
        || fault.codes.iter().any(|code| COMPLAINTS.iter().any(|word| word_at(code, word).is_some()));
    let most = most(&message);
    let mut names = Vec::new();
    for place in &fault.places {
        // It is about what is said or about a tool.
        if parameter(place, true).is_none() && LISTS.contains(&first_step(place)) {
            return None;
        }
        names.extend(named(place, true));
    }
    names.extend(named(&error.message, false));
    for path in names {
        let Some(path) = sent_as(sent, path) else { continue };
        let counts = path.ends_with("_tokens") || path.ends_with("Tokens");
        match most.filter(|most| counts && *most > 0 && !is_unknown(&message)) {
            Some(most) => return Some(Change::Lowered(path, most)),
            None if !complains => continue,
            None if format == Format::OpenAiChat && path == "max_tokens" => {
                return Some(Change::Renamed(path, "max_completion_tokens"));
            }
            None if format == Format::OpenAiChat && path == "max_completion_tokens" => {
                return Some(Change::Renamed(path, "max_tokens"));
            }
            // Anthropic answers no request without it.
            None if format == Format::Anthropic && path == "max_tokens" => continue,
            None if path == "stream" && format == Format::Gemini => continue,
            None => return Some(Change::Without(path)),
        }
    }
    None
}

/// What providers call the form of an answer in a refusal.
const ANSWER_FORMS: [&str; 17] = [
    "response_format",
    "response format",
    "responseformat",
    "json_schema",
    "json schema",
    "json mode",
    "structured output",
    "output_config",
    "output format",
    "text.format",
    "response mime type",
    "responsemimetype",
    "responsejsonschema",
    "response_json_schema",
    "response_schema",
    "json_validate_failed",
    "grammar",
];

/// Phrases of an error that concerns one schema or one answer only.
const OF_THIS_ONE: [&str; 5] =
    ["invalid schema", "json_validate_failed", "failed_generation", "too complex", "grammar"];

/// Whether a request was refused because its answer was to be a text in the form of a schema; and then whether no answer ever may be,
/// or this schema alone is not taken, or was not kept to.
pub(crate) fn refuses_answer_form(error: &ModelError, refusal: &str) -> Option<bool> {
    let is_refusal = match error.kind {
        ModelErrorKind::BadRequest => true,
        ModelErrorKind::Server => matches!(error.status, Some(500 | 501)),
        _ => false,
    };
    let said = format!("{} {refusal}", error.message).to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| word_at(&said, word).is_some());
    (is_refusal && says(&ANSWER_FORMS)).then_some(!says(&OF_THIS_ONE))
}

/// What has to change along with a change: Anthropic's thoughts are part of `max_tokens`, and have a least length.
pub(crate) fn along(change: &Change, sent: &str) -> Option<Change> {
    const LEAST: u64 = 1_024;
    let Change::Lowered("max_tokens", most) = *change else { return None };
    let thinking = value_of(sent, "thinking").ok().flatten()?;
    let budget = number(value_of(thinking, "budget_tokens").ok().flatten()?)?;
    match (budget >= most, most > LEAST) {
        (false, _) => None,
        (true, true) => Some(Change::Lowered("thinking.budget_tokens", LEAST.max(most / 2))),
        (true, false) => Some(Change::Without("thinking")),
    }
}

/// The most that a refusal allows. Google's range ends in front of its last number.
fn most(message: &str) -> Option<u64> {
    let behind = |text: &str, words: &str| {
        let from = word_at(text, words)? + words.len();
        number(text.get(from..)?)
    };
    let range = || {
        let range = message.get(word_at(message, " range is from ")?..)?;
        let end = behind(range, " to ")?;
        end.checked_sub(word_at(range, &format!("{end} (exclusive)")).map_or(0, |_| 1))
    };
    LIMITS.iter().find_map(|limit| behind(message, limit)).or_else(range)
}

/// The parameter by the path at which it stands in what was sent: Google's stand in an object of their own.
fn sent_as(sent: &str, path: &'static str) -> Option<&'static str> {
    let is_it = |other: &&str| other.rsplit_once('.').is_some_and(|(_, name)| is_same(name, path));
    let inner = || PARAMETERS.iter().copied().filter(is_it).find(|other| is_in(sent, other));
    if is_in(sent, path) { Some(path) } else { inner() }
}

/// The parameter is refused, whatever its value.
fn is_unknown(message: &str) -> bool {
    ["unsupported parameter", "not permitted", "unknown", "unrecognized"]
        .iter()
        .any(|word| word_at(message, word).is_some())
}

/// Where a refusal says that the fault is, and what it calls it.
#[derive(Default)]
struct FaultPlace {
    places: Vec<String>,
    codes: Vec<String>,
}

impl FaultPlace {
    fn read(refusal: &str) -> Result<Self, Broken> {
        let mut fault = FaultPlace::default();
        fault.value(&mut Reader::new(refusal), 0)?;
        Ok(fault)
    }

    fn value(&mut self, reader: &mut Reader<'_>, depth: u8) -> Result<(), Broken> {
        if depth > DEEPEST {
            return reader.skip();
        }
        match reader.peek()? {
            b'[' => {
                reader.array()?;
                while reader.item()? {
                    self.value(reader, depth + 1)?;
                }
                Ok(())
            }
            b'{' => {
                reader.object()?;
                while let Some(key) = reader.key()? {
                    match (key, reader.peek()?) {
                        ("param", b'"') => self.places.push(reader.text()?.into_owned()),
                        ("loc", b'[') => self.places.push(joined(reader.raw()?)?),
                        ("code" | "type", b'"') => self.codes.push(reader.text()?.to_ascii_lowercase()),
                        ("error" | "message" | "detail" | "details", _) => self.value(reader, depth + 1)?,
                        _ => reader.skip()?,
                    }
                }
                Ok(())
            }
            // The body of another server, in a text.
            b'"' => {
                let text = reader.text()?;
                if text.trim_start().starts_with('{') {
                    let _ = self.value(&mut Reader::new(&text), depth + 1);
                }
                Ok(())
            }
            _ => reader.skip(),
        }
    }
}

fn joined(path: &str) -> Result<String, Broken> {
    let (mut reader, mut place) = (Reader::new(path), String::new());
    reader.array()?;
    while reader.item()? {
        place.push_str(reader.raw()?.trim_matches('"'));
        place.push('.');
    }
    Ok(place)
}

/// The parameters that a text names, in its order. `alone`: the text is a path and nothing else.
fn named(text: &str, alone: bool) -> Vec<&'static str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let mut found = Vec::new();
    let mut before = "";
    let mut at = 0;
    for word in text.split(|c| !is_part(c)) {
        let (from, to) = (at, at + word.len());
        // What it was split at may be longer than a byte.
        at = to + text.get(to..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let word = word.trim_end_matches('.');
        if word.is_empty() {
            continue;
        }
        let around =
            [from.checked_sub(1), Some(to)].map(|at| at.and_then(|at| text.as_bytes().get(at)).copied());
        let is_quoted = around.iter().any(|byte| matches!(byte, Some(b'"' | b'\'' | b'`')));
        let is_marked = alone
            || is_quoted
            || word.contains(['.', '_'])
            || ["parameter", "argument", "property", "field", "name", "supplied", "model"].contains(&before)
            || from == 0 && around.last() == Some(&Some(b':'));
        found.extend(parameter(word, is_marked));
        before = word;
    }
    found
}

fn steps(path: &str) -> Vec<&str> {
    path.split(['.', '[', ']']).filter(|step| !step.is_empty() && *step != "body").collect()
}

fn first_step(path: &str) -> &str {
    steps(path).first().copied().unwrap_or_default()
}

/// The parameter that a path leads to or into: `messages.2.assistant.reasoning_content`, `thinking.type.enabled`.
fn parameter(path: &str, is_marked: bool) -> Option<&'static str> {
    let steps = steps(path);
    let (first, last) = (steps.first()?, steps.last()?);
    if steps.len() > 1 && LISTS.contains(first) {
        return MARKS.iter().copied().find(|mark| is_same(mark, last));
    }
    if !is_marked && WORDS.iter().any(|word| is_same(word, last)) {
        return None;
    }
    if steps.len() == 1 && MARKS.contains(last) {
        return MARKS.iter().copied().find(|mark| mark == last);
    }
    PARAMETERS.iter().copied().find(|parameter| match parameter.rsplit_once('.') {
        None => is_same(parameter, first),
        Some((outer, name)) => is_same(name, last) && (steps.len() == 1 || is_same(outer, first)),
    })
}

/// `reasoning_effort` is `reasoningEffort` to some.
fn is_same(one: &str, other: &str) -> bool {
    let letters = |text: &str| -> Vec<u8> {
        text.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect()
    };
    letters(one) == letters(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::adjusted_body::changed;
    use crate::providers::errors::from_response;
    use Change::{Lowered, Renamed, Without};
    use Format::{Anthropic, Gemini, OpenAiChat, OpenAiResponses};

    const CHAT: &str = r#"{"model":"m","max_tokens":9000,"stream":true,"stream_options":{"include_usage":true},"temperature":0.2,"top_p":0.5,"stop":["x"],"reasoning_effort":"high","reasoning":{},"parallel_tool_calls":true,"messages":[{"role":"user","content":"\"reasoning_content\": stop"},{"role":"assistant","content":"a","reasoning_content":"b","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}],"tools":[{"function":{"parameters":{"properties":{"temperature":{}}}}}]}"#;
    const CLAUDE: &str = r#"{"model":"m","max_tokens":9000,"temperature":0.2,"top_p":0.5,"thinking":{"type":"enabled"},"output_config":{"effort":"low","format":{}},"system":[{"type":"text","text":"s","cache_control":{}}],"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"cache_control":1},"cache_control":{}}]}]}"#;
    const GOOGLE: &str =
        r#"{"contents":[],"generationConfig":{"temperature":1,"thinkingConfig":{"thinkingBudget":1}}}"#;
    const RESPONSES: &str = r#"{"model":"m","stream":true,"temperature":1,"reasoning":{"effort":"high"},"include":["x"],"max_output_tokens":5,"input":[]}"#;

    fn change_for(format: Format, sent: &str, status: u16, refusal: &str) -> Option<Change> {
        change(format, sent, &from_response(status, refusal), refusal)
    }

    #[test]
    fn each_vendors_refusal_names_the_parameter_to_leave_out() {
        let table: [(Format, &str, u16, &str, Option<Change>); 35] = [
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#,
                Some(Renamed("max_tokens", "max_completion_tokens")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}"#,
                Some(Without("temperature")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}"#,
                Some(Without("stream")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":null,"code":null}}"#,
                Some(Without("reasoning_effort")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"max_tokens is too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}"#,
                Some(Lowered("max_tokens", 4096)),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 9 instead.","type":"invalid_request_error","param":"temperature","code":"decimal_above_max_value"}}"#,
                None,
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"Invalid schema for function 'f': 'temperature' is not permitted in 'properties'.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}"#,
                None,
            ),
            (
                OpenAiResponses,
                RESPONSES,
                400,
                r#"{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model.","type":"invalid_request_error","param":"reasoning.effort","code":"unsupported_parameter"}}"#,
                Some(Without("reasoning")),
            ),
            (
                OpenAiResponses,
                RESPONSES,
                400,
                r#"{"detail":"Unsupported parameter: max_output_tokens"}"#,
                Some(Without("max_output_tokens")),
            ),
            (
                OpenAiResponses,
                RESPONSES,
                400,
                r#"{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}"#,
                Some(Without("include")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"temperature is deprecated for this model."}}"#,
                Some(Without("temperature")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"`temperature` and `top_p` cannot both be specified for this model. Please use only one."}}"#,
                Some(Without("temperature")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"`temperature` may only be set to 1 when thinking is enabled."}}"#,
                Some(Without("temperature")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for m"}}"#,
                Some(Lowered("max_tokens", 8192)),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" instead."}}"#,
                Some(Without("thinking")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"thinking: Extra inputs are not permitted"}}"#,
                Some(Without("thinking")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config.effort: This model does not support the effort parameter."}}"#,
                Some(Without("output_config.effort")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.0.tool_use.cache_control: Extra inputs are not permitted"}}"#,
                Some(Without("cache_control")),
            ),
            (
                Anthropic,
                CLAUDE,
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: unknown"}}"#,
                None,
            ),
            (
                OpenAiChat,
                CHAT,
                422,
                r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"b"}]},"type":"invalid_request_error","param":null,"code":null}"#,
                Some(Without("reasoning_content")),
            ),
            (
                OpenAiChat,
                CHAT,
                422,
                r#"{"detail":[{"type":"extra_forbidden","loc":["body","parallel_tool_calls"],"msg":"Extra inputs are not permitted","input":true}]}"#,
                Some(Without("parallel_tool_calls")),
            ),
            (
                OpenAiChat,
                CHAT,
                422,
                r#"{"object":"error","message":"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"top_p\"],\"msg\":\"Extra inputs are not permitted\",\"input\":0.5}]}","type":"internal_error_proxy","param":null,"code":"1000"}"#,
                Some(Without("top_p")),
            ),
            (
                OpenAiChat,
                CHAT,
                422,
                r#"{"object":"Error","message":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted","input":[]}],"code":3001}"#,
                None,
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}"#,
                Some(Without("reasoning_content")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"property 'reasoning' is unsupported","type":"invalid_request_error"}}"#,
                Some(Without("reasoning")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"message":"messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported","type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"}"#,
                Some(Without("reasoning_content")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model","type":"invalid_request_error"}}"#,
                Some(Lowered("max_tokens", 8192)),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"code":"Client specified an invalid argument","error":"Model grok-4-latest does not support parameter reasoningEffort."}"#,
                Some(Without("reasoning_effort")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"code":"Client specified an invalid argument","error":"Argument not supported on this model: stop"}"#,
                Some(Without("stop")),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
                Some(Lowered("max_tokens", 8192)),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {}}]","type":"BadRequestError","param":null,"code":400}"#,
                Some(Without("stream_options")),
            ),
            (
                Gemini,
                GOOGLE,
                400,
                r#"{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"thinkingConfig\" at 'generation_config': Cannot find field.","status":"INVALID_ARGUMENT"}}"#,
                Some(Without("generationConfig.thinkingConfig")),
            ),
            (
                Gemini,
                r#"{"contents":[],"generationConfig":{"maxOutputTokens":65536}}"#,
                400,
                r#"{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of 65536 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.","status":"INVALID_ARGUMENT"}}"#,
                Some(Lowered("generationConfig.maxOutputTokens", 8192)),
            ),
            (
                Gemini,
                r#"{"contents":[],"generationConfig":{"maxOutputTokens":65536}}"#,
                400,
                r#"{"error":{"code":400,"message":"The supported range is from 1 to 8192 for max_output_tokens.","status":"INVALID_ARGUMENT"}}"#,
                Some(Lowered("generationConfig.maxOutputTokens", 8192)),
            ),
            (
                OpenAiChat,
                CHAT,
                400,
                r#"{"error":"registry.ollama.ai/library/gemma3:latest does not support tools"}"#,
                None,
            ),
        ];
        for (format, sent, status, refusal, expected) in table {
            assert_eq!(change_for(format, sent, status, refusal), expected, "{refusal}");
        }
    }
    #[test]
    fn a_body_loses_what_it_is_to_lose_and_nothing_else() {
        let without = |sent: &str, changes: &[Change]| changed(sent.to_owned(), changes);
        assert_eq!(
            without(
                r#"{"a":1,"max_tokens":9,"stop":["x"],"stream":true,"stream_options":{},"messages":[]}"#,
                &[Renamed("max_tokens", "max_completion_tokens"), Without("stop"), Without("stream"),]
            ),
            r#"{"a":1,"max_completion_tokens":9,"messages":[]}"#
        );
        assert_eq!(
            without(
                CLAUDE,
                &[Without("cache_control"), Without("output_config.effort"), Lowered("max_tokens", 5)]
            ),
            r#"{"model":"m","max_tokens":5,"temperature":0.2,"top_p":0.5,"thinking":{"type":"enabled"},"output_config":{"format":{}},"system":[{"type":"text","text":"s"}],"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"cache_control":1}}]}]}"#
        );
        assert_eq!(
            without(GOOGLE, &[Without("generationConfig.thinkingConfig")]),
            r#"{"contents":[],"generationConfig":{"temperature":1}}"#
        );
        let thoughtless = without(CHAT, &[Without("reasoning_content"), Without("temperature")]);
        assert!(thoughtless.contains(r#""content":"\"reasoning_content\": stop""#), "{thoughtless}");
        assert!(thoughtless.contains(
            r#"{"role":"assistant","content":"a","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}"#
        ));
        assert!(thoughtless.contains(r#"{"properties":{"temperature":{}}}"#) && !thoughtless.contains("0.2"));
        for untouched in [CHAT, CLAUDE, GOOGLE, RESPONSES, "no JSON"] {
            assert_eq!(without(untouched, &[]), untouched);
            assert_eq!(without(untouched, &[Without("seed")]), untouched);
        }
    }

    #[test]
    fn a_choice_of_no_tool_that_cannot_be_said_leaves_the_tools_out() {
        let sent = |choice: &str| {
            let body = format!(
                r#"{{"messages":[],"tools":[{{"tool_choice":"none"}}],"tool_choice":{choice},"parallel_tool_calls":true}}"#
            );
            changed(body, &[Without("tool_choice")])
        };
        let with_tools = r#"{"messages":[],"tools":[{"tool_choice":"none"}],"parallel_tool_calls":true}"#;
        for (choice, left) in [
            (r#""none""#, r#"{"messages":[]}"#),
            (r#"{"type":"none"}"#, r#"{"messages":[]}"#),
            (r#""auto""#, with_tools),
            (r#""required""#, with_tools),
        ] {
            assert_eq!(sent(choice), left, "{choice}");
        }
    }

    #[test]
    fn a_limit_that_is_lower_takes_the_thoughts_along() {
        let sent = r#"{"max_tokens":32768,"thinking":{"type":"enabled","budget_tokens":24576}}"#;
        let table = [
            (8_192, Some(Lowered("thinking.budget_tokens", 4_096))),
            (1_500, Some(Lowered("thinking.budget_tokens", 1_024))),
            (1_024, Some(Without("thinking"))),
            (30_000, None),
        ];
        for (most, expected) in table {
            assert_eq!(along(&Lowered("max_tokens", most), sent), expected, "{most}");
        }
        assert_eq!(along(&Lowered("max_tokens", 5), r#"{"max_tokens":9}"#), None);
        let all = [Lowered("max_tokens", 8_192), Lowered("thinking.budget_tokens", 4_096)];
        assert_eq!(
            changed(sent.to_owned(), &all),
            r#"{"max_tokens":8192,"thinking":{"type":"enabled","budget_tokens":4096}}"#
        );
        let smaller = r#"{"max_tokens":50,"thinking":{"type":"disabled"}}"#;
        assert_eq!(changed(smaller.to_owned(), &all), smaller);
    }

    #[test]
    fn thoughts_that_are_bound_to_something_else_go_without() {
        let claude = r#"{"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"tool_use","id":"c","name":"f","input":{"type":"thinking"}}]}]}"#;
        let bound = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."}}"#;
        let responses = r#"{"model":"m","input":[{"type":"reasoning","id":"rs","encrypted_content":"e"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}"#;
        let broken = r#"{"error":{"message":"The encrypted content for item rs could not be verified.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}"#;
        let table = [
            (
                Anthropic,
                claude,
                bound,
                r#"{"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"type":"thinking"}}]}]}"#,
            ),
            (
                OpenAiResponses,
                responses,
                broken,
                r#"{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}"#,
            ),
        ];
        for (format, sent, refusal, expected) in table {
            let change = change_for(format, sent, 400, refusal).unwrap();
            assert!(!change.is_lasting());
            assert_eq!(changed(sent.to_owned(), &[change]), expected);
            // There is nothing more to leave out.
            assert_ne!(change_for(format, expected, 400, refusal), Some(Change::WithoutThoughts));
        }
        let details = r#"{"messages":[{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.text"}]}]}"#;
        assert_eq!(
            changed(details.to_owned(), &[Change::WithoutThoughts]),
            r#"{"messages":[{"role":"assistant","content":"a"}]}"#
        );
    }

    #[test]
    fn a_failure_that_is_no_refusal_changes_nothing() {
        let refusal = r#"{"error":{"message":"temperature is not supported","param":"temperature","code":"unsupported_parameter"}}"#;
        for status in [401, 403, 408, 429, 503, 529] {
            assert_eq!(change_for(OpenAiChat, CHAT, status, refusal), None, "{status}");
        }
        assert_eq!(change_for(OpenAiChat, r#"{"messages":[]}"#, 400, refusal), None, "it was not sent");
    }
}
