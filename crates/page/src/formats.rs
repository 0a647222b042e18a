//! The wire formats, as JavaScript names them.

use glove_wasm::json::reader::Broken;
use glove_wasm::providers::Format;

pub fn format_of(word: &str) -> Result<Format, Broken> {
    match word {
        // A model of the application, told in the protocol of endpoints.
        "endpoint" => Ok(Format::Endpoint),
        "anthropic" => Ok(Format::Anthropic),
        "openai_chat" => Ok(Format::OpenAiChat),
        "openai_responses" => Ok(Format::OpenAiResponses),
        "gemini" => Ok(Format::Gemini),
        _ => Err(Broken),
    }
}
