//! What can go wrong outside the machine, each with a code that stays the same between releases.

use crate::json::codec::{Read, Ts, Write, through_codec};

/// A failure that reaches the application.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Model(#[from] ModelError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Tool(#[from] ToolDefinitionError),
    #[error("Operation aborted")]
    Aborted,
    #[error("the session is closed; open a new one to continue")]
    Closed,
    #[error("{0}")]
    Protocol(String),
    /// The run refuses it for a reason that has a code.
    #[error("{message}")]
    Refused { code: &'static str, message: String },
}

impl Error {
    pub fn code(&self) -> &str {
        match self {
            Error::Model(error) => error.code(),
            Error::Store(error) => error.kind.code(),
            Error::Tool(error) => error.code(),
            Error::Aborted => "ABORTED",
            Error::Closed => "SESSION_CLOSED",
            Error::Protocol(_) => "OUT_OF_PROTOCOL",
            Error::Refused { code, .. } => code,
        }
    }
}

/// Why a model call gave no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Read, Ts, Write)]
#[ts(name = "RunModelError")]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    /// What an endpoint calls the failure, where that is more than the kind says.
    pub code: Option<String>,
    pub message: String,
    pub status: Option<u16>,
    /// It is asked again by itself.
    #[json(default)]
    pub retryable: bool,
    /// It may pass: the same request may be answered later, whoever asks then.
    #[json(null_as_default, skip_if_default)]
    pub transient: bool,
    /// How long the server asks to wait.
    pub retry_after_ms: Option<u64>,
    pub request_id: Option<String>,
    /// What the provider calls it, in its own letters: `insufficient_quota`.
    pub provider_code: Option<String>,
    /// It is a picture or a file that the provider refused.
    #[json(null_as_default, skip_if_default)]
    pub media: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum ModelErrorKind {
    /// No connection, or it broke.
    Network,
    /// The stream ended before its end statement.
    Cut,
    /// No answer within a limit.
    Timeout,
    /// A wrong or missing key.
    Authentication,
    RateLimit,
    Overloaded,
    /// The provider refused the request as it is.
    BadRequest,
    /// More bytes than the other end takes.
    TooLarge,
    /// The conversation does not fit the model's context window.
    ContextLength,
    Server,
    /// An answer that is not in the provider's format.
    BadResponse,
    /// Refused before anything was sent (no key, a key in a page without the switch, unknown provider).
    Config,
    /// The application's own model failed.
    Adapter,
    /// A plugin failed that the request cannot do without.
    Plugin,
}

/// The code of a refused request whose model the provider does not have.
pub const MODEL_NOT_FOUND: &str = "MODEL_NOT_FOUND";

impl ModelErrorKind {
    pub fn code(self) -> &'static str {
        match self {
            ModelErrorKind::Network => "MODEL_NETWORK",
            ModelErrorKind::Cut => "MODEL_STREAM_CUT",
            ModelErrorKind::Timeout => "MODEL_TIMEOUT",
            ModelErrorKind::Authentication => "MODEL_AUTHENTICATION",
            ModelErrorKind::RateLimit => "MODEL_RATE_LIMIT",
            ModelErrorKind::Overloaded => "MODEL_OVERLOADED",
            ModelErrorKind::BadRequest => "MODEL_BAD_REQUEST",
            ModelErrorKind::TooLarge => "BODY_TOO_LARGE",
            ModelErrorKind::ContextLength => "MODEL_CONTEXT_LENGTH",
            ModelErrorKind::Server => "MODEL_SERVER",
            ModelErrorKind::BadResponse => "MODEL_BAD_RESPONSE",
            ModelErrorKind::Config => "MODEL_CONFIG",
            ModelErrorKind::Adapter => "MODEL_ADAPTER",
            ModelErrorKind::Plugin => "PLUGIN_FAILED",
        }
    }
}

impl ModelError {
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        let transient = matches!(
            kind,
            ModelErrorKind::Network
                | ModelErrorKind::RateLimit
                | ModelErrorKind::Overloaded
                | ModelErrorKind::Server
                | ModelErrorKind::Cut
                | ModelErrorKind::Timeout
        );
        ModelError {
            kind,
            code: None,
            message: message.into(),
            status: None,
            retryable: transient,
            transient,
            retry_after_ms: None,
            request_id: None,
            provider_code: None,
            media: false,
        }
    }

    pub fn code(&self) -> &str {
        self.code.as_deref().unwrap_or_else(|| self.kind.code())
    }
}

/// Why a store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Read, Ts, Write)]
#[ts(inline)]
#[error("{message}")]
pub struct StoreError {
    pub kind: StoreErrorKind,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Read, Ts, Write)]
#[ts(inline)]
pub enum StoreErrorKind {
    Unavailable,
    Quota,
    /// Written by a newer version; reading it here could damage it.
    Newer,
    Corrupt,
    /// It was stored, and is not there any more.
    Lost,
    Conflict,
    Failed,
}

impl StoreErrorKind {
    pub fn code(self) -> &'static str {
        match self {
            StoreErrorKind::Unavailable => "STORE_UNAVAILABLE",
            StoreErrorKind::Quota => "STORE_QUOTA",
            StoreErrorKind::Newer => "STORE_NEWER",
            StoreErrorKind::Corrupt => "STORE_CORRUPT",
            StoreErrorKind::Lost => "STORE_LOST",
            StoreErrorKind::Conflict => "STORE_CONFLICT",
            StoreErrorKind::Failed => "STORE_FAILED",
        }
    }
}

impl StoreError {
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        StoreError { kind, message: message.into() }
    }

    /// The session is open all the same, for reading.
    pub(crate) fn read_only(self) -> Self {
        let mut message = self.message.trim_end_matches('.').to_owned();
        message.push_str(
            ". What can be read is shown, and nothing is written to this session any more. Export it, or repair it: \
             that starts a new session from what can be read and leaves this one unchanged.",
        );
        StoreError { message, ..self }
    }
}

through_codec! { ModelError, ModelErrorKind, StoreError, StoreErrorKind }

/// Why a tool cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolDefinitionError {
    #[error("the tool has no name; name it after what it does, like `get_weather`")]
    EmptyName,
    #[error("there is already a tool named `{0}` (case is ignored); rename one of them")]
    DuplicateName(String),
    #[error("the input schema of `{tool}` is not a JSON Schema: {why}")]
    BadSchema { tool: String, why: String },
}

impl ToolDefinitionError {
    pub fn code(&self) -> &'static str {
        match self {
            ToolDefinitionError::EmptyName => "TOOL_NAME_EMPTY",
            ToolDefinitionError::DuplicateName(_) => "TOOL_NAME_TAKEN",
            ToolDefinitionError::BadSchema { .. } => "TOOL_SCHEMA_INVALID",
        }
    }
}
