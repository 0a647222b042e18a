//! The wire formats.

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
    /// The format, in a build that speaks it: without `providers` there is the endpoint's alone, so that what the
    /// others need is left out.
    pub(crate) const fn spoken(self) -> Format {
        if cfg!(feature = "providers") { self } else { Format::Endpoint }
    }
}
