//! What a provider says went wrong, as one typed error: from an error body or from an event in mid-stream.

use super::error_body::{Behind, read};
use super::error_kind::{has_no_model, kind_of};
use super::error_text::{cut, excerpt, quoted};
use crate::error::{MODEL_NOT_FOUND, ModelError, ModelErrorKind};
use crate::json::scan::word_at;
use crate::portable::SPEAKS_TO_PROVIDERS;
use crate::providers::media_rejection::is_about_media;

pub(crate) const AI_SDK_STREAM: &str =
    "The endpoint is a route of the AI SDK; let `createChatHandler` of `glove-wasm/server` answer.";
const UNEXPECTED: &str = "the answer does not match the requested format";

/// The error for an HTTP answer that is no success. `retry_after_ms` and `request_id` are what the body says;
/// headers are the transport's to add.
pub fn from_response(status: u16, body: &str) -> ModelError {
    classify(Some(status), body).0
}

/// The error for a failure reported inside a stream that began well.
pub(crate) fn from_event(body: &str) -> ModelError {
    classify(None, body).0
}

/// What a chat endpoint says of a request that it refuses itself has the code that it tells. Of a provider behind it, it may say more.
pub(crate) fn from_endpoint(status: Option<u16>, body: &str) -> ModelError {
    let (mut error, vendor_code, provider) = classify(status, body);
    error.code =
        vendor_code.and_then(|vendor_code| vendor_code.here(status)).filter(|code| code != error.kind.code());
    error.status = provider.status.or(error.status);
    error.provider_code = provider.code;
    error.transient = provider.transient.unwrap_or(error.transient);
    error.media = provider.media;
    error
}

/// What an endpoint calls a failure.
struct ProviderCode {
    code: String,
    /// It is of the model, and has a kind, by which it is known in most cases.
    of_model: bool,
}

impl ProviderCode {
    /// What it is called on this side of the endpoint.
    fn here(self, status: Option<u16>) -> Option<String> {
        let is_code = |byte: u8| byte == b'_' || byte.is_ascii_uppercase();
        if self.code.len() > 40 || !self.code.bytes().all(is_code) {
            return None;
        }
        if !self.of_model || self.code == MODEL_NOT_FOUND {
            return Some(self.code);
        }
        // What is behind an endpoint and wants to be set up or paid there looks by its status like a provider that is down. Its connection
        // is not the client's own.
        match (status, self.code.as_str()) {
            (None | Some(..500), _) | (_, "MODEL_NETWORK") => None,
            (_, code) => code.starts_with("MODEL_").then_some(self.code),
        }
    }
}

/// An answer that says to ask elsewhere: keys and the conversation would go along. Browsers do not tell where it leads.
pub(crate) fn redirected(location: Option<&str>) -> ModelError {
    let to = location.map(|place| format!(" to {}", excerpt(place))).unwrap_or_default();
    let message = format!(
        "the answer is a redirect{to}, which is not followed because it would expose the key: use that URL as `baseURL`"
    );
    ModelError::new(ModelErrorKind::Config, message)
}

/// A body of another kind than the one asked for.
pub(crate) fn unexpected(body: &str) -> ModelError {
    let error = from_event(body);
    if read(body).is_ok_and(|details| details.message.is_some()) {
        return error;
    }
    // A line of the AI SDK's older stream is a letter or digit for its kind and then JSON: `0:"text"`.
    if let [_, b':', b'"' | b'[' | b'{', ..] = body.as_bytes() {
        return ModelError::new(ModelErrorKind::BadResponse, AI_SDK_STREAM);
    }
    ModelError::new(ModelErrorKind::BadResponse, format!("{UNEXPECTED}: {}", quoted(body)))
}

/// Whether an answer had no words about what is wrong: then it matters where it came from.
pub(crate) fn says_nothing(error: &ModelError) -> bool {
    let quotes = |status: u16| error.message.starts_with(&format!("HTTP {status}"));
    error.message.starts_with(UNEXPECTED) || error.status.is_some_and(quotes)
}

/// Whether a model was refused for the tools that it was given: what to do then is not in the provider's words.
pub(crate) fn takes_no_tools(error: &ModelError) -> bool {
    let message = error.message.to_ascii_lowercase();
    let phrases = [
        "does not support tools",
        "support tool use",
        "tool calling is not supported",
        "tool use is not supported",
        "function calling is not enabled",
        "--enable-auto-tool-choice",
        "tools param requires",
    ];
    SPEAKS_TO_PROVIDERS && phrases.iter().any(|words| word_at(&message, words).is_some())
}

fn classify(http: Option<u16>, body: &str) -> (ModelError, Option<ProviderCode>, Behind) {
    let details = read(body).unwrap_or_default();
    let of_model = details.has_kind;
    let vendor_code = details.code.map(|code| ProviderCode { code, of_model });
    let status = http.or(details.status.filter(|code| (400..=599).contains(code)));
    let message = match details.message.filter(|text| !text.trim().is_empty()) {
        Some(text) => cut(text.into_owned()),
        None => match (quoted(body), http) {
            (text, Some(status)) if text.is_empty() => format!("HTTP {status} without a message"),
            (text, Some(status)) => format!("HTTP {status}: {text}"),
            (text, None) if text.is_empty() => "the provider reported an error without a message".to_owned(),
            (text, None) => text,
        },
    };
    let lower = message.to_ascii_lowercase();
    let no_model = has_no_model(status, &details.codes, details.param.as_deref(), &lower);
    let (kind, unpaid) = match no_model {
        true => (ModelErrorKind::BadRequest, false),
        false => kind_of(status, &details.codes, &lower),
    };
    let mut error = ModelError::new(kind, message);
    error.code = no_model.then(|| MODEL_NOT_FOUND.to_owned());
    // What is too long stays so.
    error.retryable = !unpaid
        && kind != ModelErrorKind::ContextLength
        && match status {
            Some(408 | 409 | 429 | 500..) => true,
            Some(_) => kind == ModelErrorKind::Overloaded,
            None => error.retryable,
        };
    error.transient = error.retryable;
    error.status = status;
    error.retry_after_ms = details.retry_after_ms;
    error.request_id = details.request_id;
    error.provider_code = details.named.map(|(_, name)| name);
    error.media = SPEAKS_TO_PROVIDERS
        && matches!(kind, ModelErrorKind::BadRequest | ModelErrorKind::Server)
        && status.is_some_and(|status| is_about_media(status, details.param.as_deref(), &lower));
    (error, vendor_code, details.provider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ModelErrorKind::*;

    #[test]
    fn every_providers_error_body_gives_its_kind_and_message() {
        let table = [
            (
                401,
                r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}"#,
                Authentication,
                "invalid x-api-key",
                false,
            ),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Overloaded,
                "Overloaded",
                true,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
                ContextLength,
                "prompt is too long: 210000 tokens > 200000 maximum",
                false,
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
                ContextLength,
                "This model's maximum context length is 8192 tokens.",
                false,
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                RateLimit,
                "You exceeded your current quota",
                false,
            ),
            (
                429,
                r#"{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}"#,
                RateLimit,
                "Rate limit reached",
                true,
            ),
            (
                503,
                r#"[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]"#,
                Overloaded,
                "The model is overloaded.",
                true,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}"#,
                Authentication,
                "API key not valid.",
                false,
            ),
            (
                502,
                r#"{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream died","provider_name":"X"}}}"#,
                Server,
                "Provider returned error: upstream died",
                true,
            ),
            (
                402,
                r#"{"error":{"message":"Insufficient credits","code":402}}"#,
                RateLimit,
                "Insufficient credits",
                false,
            ),
            (
                422,
                r#"{"detail":[{"loc":["body"],"msg":"field required","type":"value_error"}]}"#,
                BadRequest,
                "field required",
                false,
            ),
            (404, r#"{"error":"model 'x' not found"}"#, BadRequest, "model 'x' not found", false),
            (409, r#"{"message":"conflict"}"#, BadRequest, "conflict", true),
            (
                504,
                "<html>\n <h1>Gateway\n Time-out</h1></html>",
                Timeout,
                "HTTP 504: a web page (Gateway Time-out)",
                true,
            ),
            (500, "", Server, "HTTP 500 without a message", true),
            (
                404,
                "<!doctype html><pre>Cannot POST /api/chat</pre>",
                BadRequest,
                "HTTP 404: a web page (Cannot POST /api/chat)",
                false,
            ),
            (404, "", BadRequest, "HTTP 404 without a message", false),
            (405, " ", BadRequest, "HTTP 405 without a message", false),
            (
                413,
                r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
                TooLarge,
                "Request exceeds the maximum size",
                false,
            ),
            (
                413,
                "<h1>413 Request Entity Too Large</h1>",
                TooLarge,
                "HTTP 413: a web page (413 Request Entity Too Large)",
                false,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes"}}"#,
                TooLarge,
                "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
                false,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"Request payload size exceeds the limit: 20971520 bytes.","status":"INVALID_ARGUMENT"}}"#,
                TooLarge,
                "Request payload size exceeds the limit: 20971520 bytes.",
                false,
            ),
            (
                413,
                r#"{"error":{"message":"Request too large for model `m` on tokens per minute (TPM)","type":"tokens","code":"rate_limit_exceeded"}}"#,
                ContextLength,
                "Request too large for model `m` on tokens per minute (TPM)",
                false,
            ),
        ];
        for (status, body, kind, message, retryable) in table {
            let error = from_response(status, body);
            let found = (error.kind, error.message.as_str(), error.retryable, error.status);
            assert_eq!(found, (kind, message, retryable, Some(status)), "{body}");
        }
        let with_id = from_response(401, r#"{"error":{"message":"m"},"request_id":"req_1"}"#);
        assert_eq!(with_id.request_id.as_deref(), Some("req_1"));
    }

    #[test]
    fn what_an_endpoint_refuses_itself_has_the_code_that_it_tells() {
        let table = [
            (413, r#"{"error":{"code":"BODY_TOO_LARGE","message":"m"}}"#, TooLarge, "BODY_TOO_LARGE"),
            (413, r#"{"error":{"code":"TOO_MANY_MESSAGES","message":"m"}}"#, BadRequest, "TOO_MANY_MESSAGES"),
            (
                413,
                r#"{"error":{"code":"SYSTEM_PROMPT_TOO_LONG","message":"m"}}"#,
                BadRequest,
                "SYSTEM_PROMPT_TOO_LONG",
            ),
            (401, r#"{"error":{"code":"UNAUTHORIZED","message":"m"}}"#, Authentication, "UNAUTHORIZED"),
            (500, r#"{"error":{"code":"INTERNAL","message":"m"}}"#, Server, "INTERNAL"),
            // The connection that broke is not the client's own.
            (
                502,
                r#"{"error":{"code":"MODEL_NETWORK","message":"m","kind":"network"}}"#,
                Server,
                "MODEL_SERVER",
            ),
            // Errors that the server's operator has to fix are reported as more than a plain failure.
            (
                502,
                r#"{"error":{"code":"MODEL_RATE_LIMIT","message":"m","kind":"rate_limit"}}"#,
                RateLimit,
                "MODEL_RATE_LIMIT",
            ),
            (
                502,
                r#"{"error":{"code":"MODEL_AUTHENTICATION","message":"m","kind":"authentication"}}"#,
                Authentication,
                "MODEL_AUTHENTICATION",
            ),
            (
                500,
                r#"{"error":{"code":"MODEL_CONFIG","message":"m","kind":"config"}}"#,
                Server,
                "MODEL_CONFIG",
            ),
            (
                500,
                r#"{"error":{"code":"MODEL_NOT_FOUND","message":"m","kind":"bad_request"}}"#,
                Server,
                "MODEL_NOT_FOUND",
            ),
            (
                400,
                r#"{"error":{"code":"MODEL_SOMETHING","message":"m","kind":"server"}}"#,
                BadRequest,
                "MODEL_BAD_REQUEST",
            ),
            (400, r#"{"error":{"code":"invalid_value","message":"m"}}"#, BadRequest, "MODEL_BAD_REQUEST"),
        ];
        for (status, body, kind, code) in table {
            let error = from_endpoint(Some(status), body);
            assert_eq!((error.kind, error.code()), (kind, code), "{body}");
            assert_eq!(from_response(status, body).code(), kind.code(), "{body}");
        }
    }

    #[test]
    fn a_model_that_does_not_exist_is_told_from_all_else_that_is_refused() {
        // `seen` is where somebody was told so (a report on GitHub); the others are as we know them.
        let vendor_code: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../../tests/fixtures/no-such-model.json")).unwrap();
        assert!(vendor_code.len() > 35);
        for row in vendor_code {
            let status = u16::try_from(row["status"].as_u64().unwrap()).unwrap();
            let error = from_response(status, &row["body"].to_string());
            let found = (error.code(), error.kind, error.retryable, error.status);
            assert_eq!(found, (MODEL_NOT_FOUND, BadRequest, false, Some(status)), "{}", row["who"]);
        }
        let other = [
            (404, "<!doctype html><h1>Not Found</h1>"),
            (404, r#"{"detail":"Not Found"}"#),
            (404, r#"{"error":{"message":"File Not Found","type":"not_found_error","code":404}}"#),
            (
                404,
                r#"{"error":{"message":"Previous response with id 'r' not found.","type":"invalid_request_error","param":"previous_response_id","code":"previous_response_not_found"}}"#,
            ),
            (404, r#"{"type":"error","error":{"type":"not_found_error","message":"Not found"}}"#),
            (404, r#"{"error":{"message":"No endpoints found that support tool use.","code":404}}"#),
            (404, r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#),
            (
                400,
                r#"{"error":{"message":"This model does not support image input.","type":"invalid_request_error","param":"messages"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","param":"messages","code":"context_length_exceeded"}}"#,
            ),
            (401, r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#),
            (500, r#"{"error":{"message":"model not found","type":"server_error"}}"#),
        ];
        for (status, body) in other {
            assert_ne!(from_response(status, body).code(), MODEL_NOT_FOUND, "{body}");
        }
        // In the middle of a stream it has no status.
        let event = r#"{"error":{"message":"The model `m` does not exist","type":"invalid_request_error","code":"model_not_found"}}"#;
        assert_eq!(from_event(event).code(), MODEL_NOT_FOUND);
    }

    #[test]
    fn documented_refusals_have_their_kind_the_providers_own_name_and_whether_they_pass() {
        let table: [(u16, &str, ModelErrorKind, Option<&str>, bool); 25] = [
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
                RateLimit,
                Some("invalid_request_error"),
                false,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}"#,
                RateLimit,
                Some("invalid_request_error"),
                false,
            ),
            (
                403,
                r#"{"type":"error","error":{"type":"permission_error","message":"no access"}}"#,
                Authentication,
                Some("permission_error"),
                false,
            ),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#,
                BadRequest,
                Some("not_found_error"),
                false,
            ),
            (
                500,
                r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
                Server,
                Some("api_error"),
                true,
            ),
            (
                504,
                r#"{"type":"error","error":{"type":"timeout_error","message":"late"}}"#,
                Timeout,
                Some("timeout_error"),
                true,
            ),
            (
                404,
                r#"{"error":{"message":"The model `m` does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
                BadRequest,
                Some("model_not_found"),
                false,
            ),
            (
                429,
                r#"{"error":{"message":"Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#,
                ContextLength,
                Some("rate_limit_exceeded"),
                false,
            ),
            (
                503,
                r#"{"error":{"message":"The engine is currently overloaded, please try again later","type":"server_error","param":null,"code":null}}"#,
                Overloaded,
                Some("server_error"),
                true,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
                Authentication,
                Some("INVALID_ARGUMENT"),
                false,
            ),
            (
                429,
                r#"{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}"#,
                RateLimit,
                Some("RESOURCE_EXHAUSTED"),
                true,
            ),
            (
                429,
                r#"{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}"#,
                Overloaded,
                Some("3505"),
                true,
            ),
            (
                422,
                r#"{"object":"error","message":"{\"detail\":[]}","type":"internal_error_proxy","param":null,"code":null}"#,
                BadRequest,
                Some("internal_error_proxy"),
                false,
            ),
            (401, r#"{"message":"Unauthorized","request_id":"r"}"#, Authentication, None, false),
            (
                498,
                r#"{"error":{"message":"Flex tier capacity","type":"capacity","code":"capacity_exceeded"}}"#,
                Overloaded,
                Some("capacity_exceeded"),
                true,
            ),
            (
                403,
                r#"{"error":{"message":"m requires moderation. Your input was flagged","code":403,"metadata":{"reasons":["x"]}}}"#,
                BadRequest,
                None,
                false,
            ),
            (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#, RateLimit, None, false),
            (
                400,
                r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***."}"#,
                Authentication,
                Some("Client specified an invalid argument"),
                false,
            ),
            (
                429,
                r#"{"code":"Some resource has been exhausted","error":"Your team has used all available credits."}"#,
                RateLimit,
                Some("Some resource has been exhausted"),
                false,
            ),
            (
                402,
                r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#,
                RateLimit,
                Some("invalid_request_error"),
                false,
            ),
            (
                429,
                r#"{"error":{"message":"paused","type":"exceeded_current_quota_error"}}"#,
                RateLimit,
                Some("exceeded_current_quota_error"),
                false,
            ),
            (
                429,
                r#"{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}"#,
                RateLimit,
                Some("1113"),
                false,
            ),
            (
                400,
                r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}"#,
                ContextLength,
                Some("invalid_request_error"),
                false,
            ),
            (
                503,
                r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
                Overloaded,
                Some("unavailable_error"),
                true,
            ),
            (404, r#"{"error":"model 'M' not found"}"#, BadRequest, None, false),
        ];
        for (status, body, kind, name, passes) in table {
            let error = from_response(status, body);
            let found = (error.kind, error.provider_code.as_deref(), error.transient);
            assert_eq!(found, (kind, name, passes), "{status} {body}");
            assert_eq!((error.status, error.media), (Some(status), false), "{body}");
        }
    }

    #[test]
    fn a_refused_picture_is_known_from_other_refusals() {
        let table = [
            (400, "Could not process image", true),
            (400, "messages.0.content.0.image.source.base64: invalid base64 data", true),
            (400, "You uploaded an unsupported image. Please make sure your image is valid.", true),
            (400, "Unable to process input image. Please retry or report.", true),
            (404, "No endpoints found that support image input", true),
            (400, "m is not a multimodal model", true),
            (
                500,
                "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
                true,
            ),
            (400, "The PDF specified was not valid.", true),
            (400, "messages[0].content must be a string", true),
            (400, "Unsupported parameter: 'temperature'", false),
            (400, "Invalid schema for function 'f'", false),
            (400, "Invalid 'image_url': unsupported", true),
            (400, "unknown variant `image_url`, expected `text`", true),
            (400, "Unsupported MIME type: image/heic", true),
            (415, "video/mp4 is not supported", true),
            (500, "this model is missing data required for image input", true),
            (500, "failed to process inputs: failed to decode image", true),
            (400, "Invalid base64 data", true),
            (400, "messages 参数非法，图片输入格式/解析错误", true),
            (400, "Invalid schema for function 'generate_image': array schema missing items.", false),
            (400, "Invalid schema for function 'draw': 'image' is not supported", false),
            (400, "Invalid value for 'image-search' tool name", false),
            (400, "temperature is invalid for image models", false),
            (400, "The model `my-image-model` cannot be found", false),
            (404, "The image model `m` cannot be found", false),
            (400, "Model vendor/image-2.5 is not supported", false),
            (400, "tools.0.custom.description: image cannot be read", false),
            (400, "messages.1.content.0.tool_use.input.image: invalid", false),
            (500, "cannot write image of state", false),
            (429, "image quota: cannot", false),
            (503, "cannot process image now", false),
        ];
        for (status, message, media) in table {
            let error = from_response(status, &format!(r#"{{"error":{{"message":"{message}"}}}}"#));
            assert_eq!(error.media, media, "{status} {message}");
        }
    }

    #[test]
    fn a_picture_is_refused_where_the_conversation_stands_in_the_request() {
        let table = [
            ("tools[0].function.parameters", false),
            ("tool_choice", false),
            ("model", false),
            ("temperature", false),
            ("messages[0].content[1].image_url", true),
            ("input[0].content", true),
            ("image_url", true),
            ("url", true),
        ];
        for (param, media) in table {
            let body = format!(r#"{{"error":{{"message":"Invalid image.","param":"{param}"}}}}"#);
            assert_eq!(from_response(400, &body).media, media, "{param}");
        }
    }

    #[test]
    fn the_wait_that_a_body_asks_for_is_read() {
        let body = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"@type":"t"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12.5s"}]}}"#;
        let error = from_response(429, body);
        assert_eq!((error.kind, error.retry_after_ms, error.retryable), (RateLimit, Some(12_500), true));
        for absurd in ["-3s", "1e999s", "s", "NaNs"] {
            let body = format!(r#"{{"error":{{"message":"m","details":[{{"retryDelay":"{absurd}"}}]}}}}"#);
            assert_eq!(from_response(429, &body).retry_after_ms, None, "{absurd}");
        }
    }

    #[test]
    fn an_error_in_mid_stream_has_no_http_status_of_its_own() {
        let error =
            from_event(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
        assert_eq!((error.kind, error.status, error.retryable), (Overloaded, None, true));
        let error = from_event(r#"{"error":{"code":400,"message":"Token limit reached"}}"#);
        assert_eq!((error.kind, error.status, error.retryable), (BadRequest, Some(400), false));
        assert_eq!(from_event("{}").kind, Server);
    }

    #[test]
    fn a_long_message_is_cut_where_it_is_read() {
        let body = format!(
            r#"{{"error":{{"message":"{}","code":"{}"}}}}"#,
            "é".repeat(8_000_000),
            "x".repeat(1_000_000)
        );
        let started = std::time::Instant::now();
        let error = from_response(429, &body);
        assert!(error.message.len() < 5_000 && error.message.ends_with('…'));
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    }

    #[test]
    fn a_web_page_in_place_of_a_stream_is_quoted() {
        let error = unexpected("<html>  Sign in </html>");
        assert_eq!((error.kind, error.retryable), (BadResponse, false));
        assert_eq!(error.message, "the answer does not match the requested format: a web page (Sign in)");
        assert_eq!(unexpected(r#"{"error":{"message":"no","type":"invalid_request_error"}}"#).message, "no");
    }
}
