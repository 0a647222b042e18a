//! What a client is told when it gets no answer: a code, an HTTP status, and a message that gives nothing away.

use std::borrow::Cow;

use crate::endpoint::sensitive_text::struck;
use crate::error::{MODEL_NOT_FOUND, ModelError, ModelErrorKind};
use crate::json::codec::to_text;
use crate::json::scan::word_at;
use crate::json::writer::Object;

/// A failure as a client may see it, and as the server's own log may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    pub code: Cow<'static, str>,
    pub message: String,
    pub kind: Option<ModelErrorKind>,
    pub retryable: bool,
    pub retry_after_ms: Option<u64>,
    pub provider: Box<Provider>,
    /// All that is known, for the server only; never a key.
    pub detail: String,
    /// Of a failure of the model, for the server only.
    pub model: Option<Box<ModelFailure>>,
}

/// What a server knows of a failure of its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFailure {
    /// The error itself as JSON.
    pub error: String,
    /// What stands in the log.
    pub log: String,
}

/// What a client may know of the provider's own answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provider {
    pub status: Option<u16>,
    pub code: Option<String>,
    pub request_id: Option<String>,
    pub transient: bool,
    pub media: bool,
}

impl Provider {
    fn of(error: &ModelError, audience: Audience, disclosure: Disclosure) -> Self {
        let (all, some) = match disclosure {
            Disclosure::None => (false, false),
            // What is about the account of the server is nobody else's business.
            Disclosure::Safe | Disclosure::Application => {
                (false, matches!(audience, Audience::Client | Audience::Setup | Audience::Anyone))
            }
            Disclosure::All | Disclosure::Own => (true, true),
        };
        let code = error.provider_code.as_ref().filter(|_| some);
        Provider {
            status: error.status.filter(|_| some),
            code: code.map(|code| if all { code.clone() } else { struck_code(code) }),
            request_id: error.request_id.clone().filter(|_| all),
            transient: error.transient,
            media: error.media,
        }
    }
}

/// A code is told where it is a word, or a few of them. With dots it may be the name of a machine.
fn struck_code(code: &str) -> String {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ');
    if code.bytes().all(is_word) { struck(code) } else { "…".to_owned() }
}

/// How much of a provider's own message a client is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Disclosure {
    None,
    /// What is wrong with the client's request, without addresses, accounts and keys.
    #[default]
    Safe,
    /// The words are those of the application's own model, without addresses, accounts and keys.
    Application,
    All,
    /// Even what is for the server's log only: the client is the one whose key it is.
    Own,
}

impl Disclosure {
    /// What a client is told of a notice. It may quote the provider.
    pub(crate) fn of_notice(self, message: &str) -> Option<String> {
        match self {
            Disclosure::None => None,
            Disclosure::Safe | Disclosure::Application => Some(struck(message)),
            Disclosure::All | Disclosure::Own => Some(message.to_owned()),
        }
    }
}

impl Refusal {
    pub fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        let detail = message.clone();
        Refusal {
            status,
            code: Cow::Borrowed(code),
            message,
            kind: None,
            retryable: false,
            retry_after_ms: None,
            provider: Box::default(),
            detail,
            model: None,
        }
    }

    /// The line of a server's log: neither a key nor what the conversation says is in it.
    pub fn log_line(&self) -> String {
        match &self.model {
            Some(model) => model.log.clone(),
            None => format!("{}: {}", self.code, self.detail),
        }
    }

    /// The transport has struck the key out of what the error says.
    pub fn of_model(error: &ModelError, disclosure: Disclosure) -> Self {
        let detail = match error.status {
            Some(status) => format!("{} (HTTP {status})", error.message),
            None => error.message.clone(),
        };
        let (message, audience) = message_for(error, disclosure);
        // An endpoint behind the endpoint may have a word of its own for it.
        let code = match &error.code {
            Some(code) if disclosure == Disclosure::Own || code == MODEL_NOT_FOUND => {
                Cow::Owned(code.clone())
            }
            _ => Cow::Borrowed(error.kind.code()),
        };
        Refusal {
            status: status(error),
            code,
            message,
            kind: Some(error.kind),
            retryable: error.retryable,
            retry_after_ms: error.retry_after_ms,
            provider: Box::new(Provider::of(error, audience, disclosure)),
            detail,
            model: Some(Box::new(ModelFailure { error: to_text(error), log: log_line_of(error) })),
        }
    }

    /// As JSON; `detail` and `model` are in it.
    pub fn json(&self) -> String {
        self.written(true)
    }

    /// What a client is told, as JSON. The status is the response's.
    pub fn told(&self) -> String {
        self.written(false)
    }

    fn written(&self, for_server: bool) -> String {
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        if for_server {
            object.raw("status", &self.status.to_string());
        }
        object.text("code", &self.code).text("message", &self.message);
        if let Some(kind) = self.kind {
            object.raw("kind", &to_text(&kind));
        }
        object.raw("retryable", if self.retryable { "true" } else { "false" });
        if let Some(ms) = self.retry_after_ms {
            object.raw("retry_after_ms", &ms.to_string());
        }
        let Provider { status, code, request_id, transient, media } = self.provider.as_ref();
        if self.kind.is_some() {
            object.raw("transient", if *transient { "true" } else { "false" });
        }
        if *media {
            object.raw("media", "true");
        }
        if let Some(status) = status {
            object.raw("provider_status", &status.to_string());
        }
        for (name, text) in [("provider_code", code), ("request_id", request_id)] {
            if let Some(text) = text {
                object.text(name, text);
            }
        }
        if for_server {
            object.text("detail", &self.detail);
            if let Some(model) = &self.model {
                object.raw("model", &model.error).text("log", &model.log);
            }
        }
        object.end();
        out
    }
}

fn status(error: &ModelError) -> u16 {
    match error.kind {
        // No client could ask in another way.
        _ if error.code() == MODEL_NOT_FOUND => 500,
        ModelErrorKind::BadRequest | ModelErrorKind::ContextLength => 400,
        ModelErrorKind::TooLarge => 413,
        ModelErrorKind::RateLimit if !unpaid(error) => 429,
        ModelErrorKind::Config => 500,
        ModelErrorKind::Overloaded => 503,
        ModelErrorKind::Timeout => 504,
        // That the provider refuses the server's key says nothing about the client's rights.
        ModelErrorKind::Authentication
        | ModelErrorKind::RateLimit
        | ModelErrorKind::Network
        | ModelErrorKind::Cut
        | ModelErrorKind::Server
        | ModelErrorKind::BadResponse
        | ModelErrorKind::Adapter
        | ModelErrorKind::Plugin => 502,
    }
}

/// A provider may quote the conversation in its words, so a log has them only where they are about the set-up; the names that it gives
/// to what happened help to find the rest.
pub fn log_line_of(error: &ModelError) -> String {
    use ModelErrorKind::*;
    let is_about_setup = error.code() == MODEL_NOT_FOUND || matches!(error.kind, Config | Authentication);
    let is_our_own = error.status.is_none() && matches!(error.kind, Network | Cut | Timeout | Plugin);
    let words = match is_about_setup || is_our_own {
        true => error.message.clone(),
        false => message_for(error, Disclosure::None).0,
    };
    let mut known = Vec::new();
    if let Some(status) = error.status {
        known.push(format!("HTTP {status}"));
    }
    if let Some(code) = &error.provider_code {
        known.push(code.clone());
    }
    if let Some(id) = &error.request_id {
        known.push(format!("request {id}"));
    }
    let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
    format!("{}: {words}{known}", error.code())
}

const NOT_SET_UP: &str = "This server is not set up for its model.";

fn message_for(error: &ModelError, disclosure: Disclosure) -> (String, Audience) {
    use ModelErrorKind::*;
    let (own, audience) = match error.kind {
        _ if error.code() == MODEL_NOT_FOUND => (NOT_SET_UP, Audience::Setup),
        // What a connection failed with names the address, what was no answer quotes the body.
        Network => ("The connection to the model's provider failed.", Audience::Nobody),
        BadResponse => ("The model's provider sent an invalid response.", Audience::Nobody),
        Config | Adapter | Plugin => (NOT_SET_UP, Audience::Nobody),
        Authentication => ("The model's provider rejected this server's API key.", Audience::Operator),
        RateLimit if unpaid(error) => {
            ("This server's account with the model's provider has no quota left.", Audience::Operator)
        }
        RateLimit => ("The model's provider is limiting requests. Try again later.", Audience::Anyone),
        Overloaded => ("The model's provider is overloaded.", Audience::Anyone),
        Timeout => ("The model's provider took too long to answer.", Audience::Anyone),
        Server => ("The model's provider failed.", Audience::Anyone),
        Cut => ("The model's answer was cut off before its end.", Audience::Client),
        ContextLength => ("The conversation does not fit the model's context window.", Audience::Client),
        BadRequest => ("The model's provider refused the request.", Audience::Client),
        TooLarge => {
            let own = "The request is too large for the model's provider: send a smaller picture or file.";
            (own, Audience::Anyone)
        }
    };
    // A body without a message of its own is quoted behind its status.
    let quoted = error.status.is_some_and(|status| error.message.starts_with(&format!("HTTP {status}")));
    let message = match (disclosure, audience) {
        (Disclosure::Own, _) => error.message.clone(),
        (Disclosure::All, Audience::Operator | Audience::Setup | Audience::Anyone | Audience::Client)
            if !quoted =>
        {
            error.message.clone()
        }
        (Disclosure::Application, Audience::Anyone | Audience::Client)
        | (Disclosure::Safe, Audience::Client)
            if !quoted =>
        {
            struck(&error.message)
        }
        _ => own.to_owned(),
    };
    (message, audience)
}

/// The account has to be paid or raised first: the provider says so by status or in words, and asks not to try again.
fn unpaid(error: &ModelError) -> bool {
    let message = error.message.to_ascii_lowercase();
    let is_about_money =
        ["quota", "billing", "credit", "balance"].iter().any(|word| word_at(&message, word).is_some());
    !error.retryable && (error.status == Some(402) || is_about_money)
}

/// Whom the message of an error is for.
#[derive(Clone, Copy)]
enum Audience {
    Client,
    /// Nothing that a client could mend: our sentence says as much.
    Anyone,
    Operator,
    /// For the operator, but not secret: a client may read the provider's own code.
    Setup,
    /// To nobody outside.
    Nobody,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::errors::from_response;

    fn of(error: &ModelError, disclosure: Disclosure) -> (u16, String) {
        let refusal = Refusal::of_model(error, disclosure);
        (refusal.status, refusal.message)
    }

    #[test]
    fn a_client_is_told_what_the_provider_said_unless_it_is_about_the_server() {
        let table = [
            (400, r#"{"error":{"message":"tools: too many"}}"#, 400, "tools: too many"),
            (400, r#"{"error":{"message":"prompt is too long: 5 > 4"}}"#, 400, "prompt is too long: 5 > 4"),
            (
                401,
                r#"{"error":{"message":"bad key sk-c…"}}"#,
                502,
                "The model's provider rejected this server's API key.",
            ),
            (
                403,
                r#"{"error":{"message":"no access"}}"#,
                502,
                "The model's provider rejected this server's API key.",
            ),
            (
                402,
                r#"{"error":{"message":"pay"}}"#,
                502,
                "This server's account with the model's provider has no quota left.",
            ),
            (
                400,
                r#"{"error":{"message":"no model at http://10.0.0.1:8000 for org-Ab12"}}"#,
                400,
                "no model at … for …",
            ),
            (
                429,
                r#"{"error":{"message":"Rate limit reached in organization org-Ab12: Limit 30000"}}"#,
                429,
                "The model's provider is limiting requests. Try again later.",
            ),
            (
                500,
                r#"{"error":{"message":"dial tcp 10.0.0.12:11434: refused"}}"#,
                502,
                "The model's provider failed.",
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#,
                502,
                "This server's account with the model's provider has no quota left.",
            ),
            (500, "<html>trace of 10.0.0.1</html>", 502, "The model's provider failed."),
            (502, "", 502, "The model's provider failed."),
            (504, r#"{"error":{"message":"late"}}"#, 504, "The model's provider took too long to answer."),
            (529, r#"{"error":{"message":"at gpu-7"}}"#, 503, "The model's provider is overloaded."),
        ];
        for (status, body, expected, message) in table {
            let refused = of(&from_response(status, body), Disclosure::Safe);
            assert_eq!(refused, (expected, message.to_owned()), "{status} {body}");
        }
    }

    #[test]
    fn a_provider_that_asks_not_to_be_asked_again_is_not_taken_for_an_unpaid_one() {
        let mut error = from_response(429, r#"{"error":{"message":"slow down"}}"#);
        error.retryable = false;
        assert_eq!(of(&error, Disclosure::All), (429, "slow down".to_owned()));
    }

    #[test]
    fn an_address_or_a_body_is_never_told() {
        for kind in [ModelErrorKind::Network, ModelErrorKind::BadResponse, ModelErrorKind::Config] {
            let error = ModelError::new(kind, "http://10.0.0.1/secret <html>");
            for disclosure in [Disclosure::None, Disclosure::Safe, Disclosure::Application, Disclosure::All] {
                assert!(!of(&error, disclosure).1.contains("10.0.0.1"), "{kind:?}");
            }
        }
    }

    #[test]
    fn everything_or_nothing_can_be_chosen() {
        let error = from_response(401, r#"{"error":{"message":"Incorrect API key"}}"#);
        assert_eq!(of(&error, Disclosure::All).1, "Incorrect API key");
        let refusal = Refusal::of_model(&error, Disclosure::Safe);
        assert_eq!(refusal.detail, "Incorrect API key (HTTP 401)");
        let busy = from_response(429, r#"{"error":{"message":"org-7 is over its limit"}}"#);
        assert_eq!(
            of(&busy, Disclosure::None).1,
            "The model's provider is limiting requests. Try again later."
        );
    }

    #[test]
    fn the_words_of_an_own_model_are_told_without_addresses() {
        let error =
            ModelError::new(ModelErrorKind::RateLimit, "That were your 20 messages, says db.corp:5432.");
        assert_eq!(of(&error, Disclosure::Application).1, "That were your 20 messages, says ….");
        let error = ModelError::new(ModelErrorKind::Authentication, "bad key");
        assert_eq!(
            of(&error, Disclosure::Application).1,
            "The model's provider rejected this server's API key."
        );
    }

    #[test]
    fn a_refusal_is_written_with_all_that_a_client_can_use() {
        let mut error = ModelError::new(ModelErrorKind::RateLimit, "slow \"down\"");
        error.retry_after_ms = Some(1500);
        let json = Refusal::of_model(&error, Disclosure::All).json();
        let expected = r#"{"status":429,"code":"MODEL_RATE_LIMIT","message":"slow \"down\"","kind":"rate_limit","retryable":true,"retry_after_ms":1500,"transient":true,"detail":"slow \"down\"","model":{"kind":"rate_limit","message":"slow \"down\"","retryable":true,"transient":true,"retry_after_ms":1500},"log":"MODEL_RATE_LIMIT: The model's provider is limiting requests. Try again later."}"#;
        assert_eq!(json, expected);
    }

    #[test]
    fn a_log_says_what_happened_and_nothing_of_the_conversation() {
        let table = [
            (
                500,
                r#"{"error":{"message":"cannot read: my secret diary","type":"server_error"}}"#,
                "MODEL_SERVER: The model's provider failed. (HTTP 500, server_error, request r1)",
            ),
            (
                400,
                r#"{"error":{"message":"messages.0: my secret diary"}}"#,
                "MODEL_BAD_REQUEST: The model's provider refused the request. (HTTP 400, request r1)",
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#,
                "MODEL_RATE_LIMIT: This server's account with the model's provider has no quota left. (HTTP 429, insufficient_quota, request r1)",
            ),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#,
                "MODEL_NOT_FOUND: model: m (HTTP 404, not_found_error, request r1)",
            ),
        ];
        for (status, body, line) in table {
            let mut error = from_response(status, body);
            error.request_id = Some("r1".to_owned());
            assert_eq!(
                Refusal::of_model(&error, Disclosure::Safe).model.map(|model| model.log),
                Some(line.to_owned())
            );
        }
        let cut = ModelError::new(ModelErrorKind::Cut, "the model's answer was cut off");
        assert_eq!(log_line_of(&cut), "MODEL_STREAM_CUT: the model's answer was cut off");
        let echoed = ModelError::new(ModelErrorKind::BadResponse, "no JSON: my secret diary");
        assert!(!log_line_of(&echoed).contains("diary"));
    }

    #[test]
    fn a_model_that_does_not_exist_is_the_servers_own_fault() {
        let error = from_response(404, r#"{"error":{"message":"model 'm' not found"}}"#);
        let refusal = Refusal::of_model(&error, Disclosure::Safe);
        let told = (refusal.status, refusal.code.as_ref(), refusal.message.as_str());
        assert_eq!(told, (500, MODEL_NOT_FOUND, NOT_SET_UP));
        assert_eq!(of(&error, Disclosure::All).1, "model 'm' not found");
    }

    #[test]
    fn what_the_provider_called_it_is_told_where_it_is_about_the_request() {
        let of = |status, body: &str, disclosure| {
            let mut error = from_response(status, body);
            error.request_id = Some("req_1".to_owned());
            let Provider { status, code, request_id, .. } = *Refusal::of_model(&error, disclosure).provider;
            (status, code, request_id)
        };
        let (missing, key) = (
            r#"{"error":{"message":"no model","type":"invalid_request_error","code":"model_not_Found"}}"#,
            r#"{"error":{"message":"bad key","code":"invalid_api_key"}}"#,
        );
        let named = |code: &str| Some(code.to_owned());
        assert_eq!(of(404, missing, Disclosure::Safe), (Some(404), named("model_not_Found"), None));
        assert_eq!(of(404, missing, Disclosure::Own), (Some(404), named("model_not_Found"), named("req_1")));
        assert_eq!(of(404, missing, Disclosure::None), (None, None, None));
        assert_eq!(of(401, key, Disclosure::Safe), (None, None, None));
        assert_eq!(of(401, key, Disclosure::All), (Some(401), named("invalid_api_key"), named("req_1")));
        assert_eq!(
            of(402, r#"{"error":{"message":"pay","code":"no_credits"}}"#, Disclosure::Safe),
            (None, None, None)
        );
        for code in ["at_http://10.0.0.1/x", "secret_code_llm.internal", "acct_1N3kd9"] {
            let inner = format!(r#"{{"error":{{"message":"no","code":"{code}"}}}}"#);
            assert_eq!(of(400, &inner, Disclosure::Safe).1, named("…"), "{code}");
        }
    }
}
