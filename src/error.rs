//! What can go wrong outside the machine, each with a code that stays the same between releases.

use crate::json::codec::{record, through_codec, words};

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
    #[error("the session is closed; open a new one to go on")]
    Closed,
    #[error("{0}")]
    Protocol(String),
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
        }
    }
}

record! {
    /// Why a model call gave no answer.
    #[derive(Debug, Clone, PartialEq, thiserror::Error)]
    #[error("{message}")]
    pub struct ModelError {
        "kind" => required pub kind: ModelErrorKind,
        /// What an endpoint calls the failure, where that is more than the kind says.
        "code" => optional pub code: String,
        "message" => required pub message: String,
        "status" => optional pub status: u16,
        /// It is asked again by itself.
        "retryable" => plain pub retryable: bool,
        /// It may pass: the same request may be answered later, whoever asks then.
        "transient" => flag pub transient: bool,
        /// How long the server asks to wait.
        "retry_after_ms" => optional pub retry_after_ms: u64,
        "request_id" => optional pub request_id: String,
        /// What the provider calls it, in its own letters: `insufficient_quota`.
        "provider_code" => optional pub provider_code: String,
        /// It is a picture or a file that the provider refused.
        "media" => flag pub media: bool,
    }
}

words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ModelErrorKind {
        /// No connection, or it broke.
        "network" => Network,
        /// The stream ended before its end statement.
        "cut" => Cut,
        /// No answer within a limit.
        "timeout" => Timeout,
        /// A wrong or missing key.
        "authentication" => Authentication,
        "rate_limit" => RateLimit,
        "overloaded" => Overloaded,
        /// The provider refused the request as it is.
        "bad_request" => BadRequest,
        /// More bytes than the other end takes.
        "too_large" => TooLarge,
        /// The conversation does not fit into the model's context.
        "context_length" => ContextLength,
        "server" => Server,
        /// An answer that is not in the provider's format.
        "bad_response" => BadResponse,
        /// Refused before anything was sent (no key, a key in a page without the switch, unknown provider).
        "config" => Config,
        /// The application's own model failed.
        "adapter" => Adapter,
    }
}

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

record! {
    /// Why a store did not do what it was asked.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    #[error("{message}")]
    pub struct StoreError {
        "kind" => required pub kind: StoreErrorKind,
        "message" => required pub message: String,
    }
}

words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum StoreErrorKind {
        "unavailable" => Unavailable,
        "quota" => Quota,
        /// Written by a newer version; reading it here could damage it.
        "newer" => Newer,
        "corrupt" => Corrupt,
        "conflict" => Conflict,
        "failed" => Failed,
    }
}

impl StoreErrorKind {
    pub fn code(self) -> &'static str {
        match self {
            StoreErrorKind::Unavailable => "STORE_UNAVAILABLE",
            StoreErrorKind::Quota => "STORE_QUOTA",
            StoreErrorKind::Newer => "STORE_NEWER",
            StoreErrorKind::Corrupt => "STORE_CORRUPT",
            StoreErrorKind::Conflict => "STORE_CONFLICT",
            StoreErrorKind::Failed => "STORE_FAILED",
        }
    }
}

impl StoreError {
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        StoreError { kind, message: message.into() }
    }
}

through_codec! { ModelError, ModelErrorKind, StoreError, StoreErrorKind }

/// Why a tool cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolDefinitionError {
    #[error("a tool needs a name; give it one that says what it does, like `get_weather`")]
    EmptyName,
    #[error(
        "the tool name `{0}` is taken; tool names are compared without regard to case, so choose another"
    )]
    DuplicateName(String),
    #[error("the input schema of `{tool}` is no JSON Schema: {why}")]
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
