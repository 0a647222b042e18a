//! The wire formats.

use crate::portable::SPEAKS_TO_PROVIDERS;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Anthropic,
    OpenAiChat,
    OpenAiResponses,
    Gemini,
    /// The original's own protocol, spoken by chat endpoints.
    Endpoint,
}

impl Format {
    /// The format, in a build that speaks it; in others the endpoint's.
    pub(crate) const fn spoken(self) -> Format {
        if SPEAKS_TO_PROVIDERS { self } else { Format::Endpoint }
    }
}
