//! Which thoughts of earlier answers go back to the model's provider.

use crate::message::Message;
use crate::providers::facts::ReasoningBack;
use crate::providers::format::Format;
use crate::providers::provider_fields::WANTED_BACK;
use crate::providers::request::fragments::extra_field;
use crate::providers::request::options::Options;
use crate::providers::request::parts::RequestParts;

impl Options {
    /// Whether a model that is asked so wants the thoughts of its answers back, without being asked to take them. `details`: an answer has
    /// some in OpenRouter's form.
    pub(crate) fn wants_back(&self, format: Format, details: bool) -> bool {
        match format {
            Format::Anthropic => self.anthropic_thinks(),
            Format::OpenAiChat => match self.facts.reasoning_back {
                Some(ReasoningBack::Calls) => self.thinks_by_itself(),
                Some(ReasoningBack::DetailsAlways) => true,
                Some(ReasoningBack::Details) | None => details && self.is_told_to_think(),
                Some(ReasoningBack::Never | ReasoningBack::Asked) => false,
            },
            // Nothing is stored there.
            Format::OpenAiResponses => self.is_told_to_think(),
            Format::Gemini | Format::Endpoint => false,
        }
    }
}

impl RequestParts<'_> {
    /// The list of what the model's provider gave and wants back with the message.
    pub(in crate::providers) fn echoed<'m>(&self, message: &'m Message, field: &str) -> Option<&'m str> {
        let wanted = self.options.wants_back(self.format, false);
        let endpoint = self.format.spoken() == Format::Endpoint && is_wanted_back(message);
        (self.options.echo_reasoning || wanted || endpoint).then(|| extra_field(message, field))?
    }
}

/// Whether the endpoint that answered asked to have it back.
pub(in crate::providers) fn is_wanted_back(message: &Message) -> bool {
    message.extra.0.iter().any(|(key, value)| key == WANTED_BACK && value.as_str() == "true")
}
