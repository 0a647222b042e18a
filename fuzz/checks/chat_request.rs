//! What anybody may post to a chat endpoint.

use glove_wasm::endpoint::{RequestLimits, WireRequest};
use glove_wasm::providers::Format;
use glove_wasm::providers::facts::Facts;
use glove_wasm::providers::request::{Notices, Options, RequestParts, ToolNames};
use serde::de::IgnoredAny;

const TARGETS: [(Format, &str, &str); 5] = [
    (Format::Anthropic, "api.anthropic.com", "claude-sonnet-4-5"),
    (Format::OpenAiChat, "api.groq.com", "llama-3.3-70b-versatile"),
    (Format::OpenAiResponses, "api.openai.com", "gpt-5"),
    (Format::Gemini, "generativelanguage.googleapis.com", "gemini-2.5-pro"),
    (Format::Endpoint, "", ""),
];

/// It is refused with a status and JSON, or a request to any provider can be made of it, which is JSON.
pub fn check(input: &[u8]) {
    let request = match WireRequest::read(&String::from_utf8_lossy(input), &RequestLimits::default()) {
        Ok(request) => request,
        Err(refusal) => {
            assert!(matches!(refusal.status, 400 | 413), "{}", refusal.status);
            is_json(&refusal.json());
            return;
        }
    };
    for (format, host, model) in TARGETS {
        let facts = Facts::of(format, host, model, &[]);
        let options = Options { model: model.to_owned(), stream: true, facts, ..Options::default() };
        let parts = RequestParts {
            format,
            system: &request.system_prompt,
            tools: &request.tools,
            names: &ToolNames::new(format, &options.facts, &request.tools),
            options: &options,
            notices: &Notices::default(),
        };
        let messages: Vec<_> = request.messages.iter().map(|message| &**message).collect();
        assert!(!parts.groups(&messages, false).is_empty(), "{format:?}: nothing is said");
        let body = parts.body(&messages);
        is_json(&body);
        if let Format::Endpoint = format {
            // An endpoint in front of an endpoint understands it.
            let read = WireRequest::read(&body, &RequestLimits::default());
            assert!(read.is_ok(), "{}", read.unwrap_err().detail);
        }
    }
}

fn is_json(text: &str) {
    let read = serde_json::from_str::<IgnoredAny>(text);
    assert!(read.is_ok(), "{}: {text}", read.unwrap_err());
}
