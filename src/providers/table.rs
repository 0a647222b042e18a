//! The providers that are known by name, as data, and where a request to one of them goes.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::error::{ModelError, ModelErrorKind};
use crate::providers::facts::{Fact, Facts};
use crate::providers::format::Format;
use crate::providers::host::{host, is_at};

/// A provider. `format` is `None` for one that is listed but not supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    pub id: &'static str,
    pub name: &'static str,
    pub env_var: &'static str,
    pub base_url: &'static str,
    pub default_model: &'static str,
    pub models: Vec<&'static str>,
    pub format: Option<Format>,
    pub max_tokens: u32,
    pub needs_key: bool,
}

/// A line of the table, which JavaScript is built from too.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Row {
    id: &'static str,
    name: &'static str,
    format: &'static str,
    #[serde(rename = "baseURL")]
    base_url: &'static str,
    env_var: &'static str,
    max_tokens: u32,
    models: Vec<&'static str>,
    /// What `npm run check -- models` reads: the last days of models, and when and where the row was read.
    #[serde(default)]
    #[expect(dead_code, reason = "for the check alone")]
    ends: std::collections::BTreeMap<&'static str, &'static str>,
    #[expect(dead_code, reason = "for the check alone")]
    date: &'static str,
    #[expect(dead_code, reason = "for the check alone")]
    source: &'static str,
}

/// In the order in which they are listed. The first model is the default one.
pub static PROVIDERS: LazyLock<Vec<Provider>> = LazyLock::new(|| {
    let rows: Vec<Row> = serde_json::from_str(include_str!("table.json")).unwrap_or_default();
    rows.into_iter().map(Provider::from).collect()
});

impl From<Row> for Provider {
    fn from(row: Row) -> Self {
        let Row { id, name, format, base_url, env_var, max_tokens, models, .. } = row;
        let format = match format {
            "openai" => Some(Format::OpenAiChat),
            "anthropic" => Some(Format::Anthropic),
            _ => None,
        };
        let default_model = models.first().copied().unwrap_or_default();
        let needs_key = !env_var.is_empty();
        Provider { id, name, env_var, base_url, default_model, models, format, max_tokens, needs_key }
    }
}

/// Who chose the key that is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrigin {
    /// Given together with the address: whoever did so knows where it goes.
    Explicit,
    /// Found under the provider's name; it is that provider's and goes nowhere else that is known.
    Environment,
}

/// A provider that can be called, with the model and the address to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub provider: &'static Provider,
    pub format: Format,
    pub base_url: String,
    pub model: String,
}

/// Finds a provider by its id; an unknown one is refused with the list of those that are known.
pub fn find(id: &str) -> Result<&'static Provider, ModelError> {
    PROVIDERS.iter().find(|provider| provider.id == id).ok_or_else(|| {
        let ids: Vec<_> = PROVIDERS.iter().map(|provider| provider.id).collect();
        config(format!("Unknown provider \"{id}\". Available: {}", ids.join(", ")))
    })
}

/// Settles what is called, before anything is sent. `facts` are what the application knows of models.
pub fn resolve(
    id: &str,
    model: Option<&str>,
    base_url: Option<&str>,
    key: KeyOrigin,
    facts: &[Fact],
) -> Result<Target, ModelError> {
    let provider = find(id)?;
    let Some(format) = provider.format else {
        let message = format!(
            "Provider \"{}\" is not supported here. Use another provider, or a chat endpoint on your server.",
            provider.id
        );
        return Err(config(message));
    };
    let model = model.filter(|model| !model.is_empty()).unwrap_or(provider.default_model);
    if model.is_empty() {
        let message = format!("No model specified for provider \"{}\". Pass a model name.", provider.name);
        return Err(config(message));
    }
    let base_url = base_url.filter(|url| !url.is_empty()).unwrap_or(provider.base_url);
    let host = host(base_url);
    let stranger = PROVIDERS.iter().find(|other| {
        other.needs_key
            && !other.base_url.is_empty()
            && is_at(host, self::host(other.base_url))
            && other.id != id
    });
    if let (Some(other), KeyOrigin::Environment) = (stranger, key) {
        let message = format!(
            "{} belongs to {}; the key in {} is not sent there. Use provider \"{}\", or pass the key yourself.",
            host, other.name, provider.env_var, other.id
        );
        return Err(config(message));
    }
    let format = format.for_model(host, model, facts);
    Ok(Target { provider, format, base_url: base_url.to_owned(), model: model.to_owned() })
}

impl Format {
    /// The format that a model wants where the application names none: some of OpenAI's take no tools in the chat format.
    pub fn for_model(self, host: &str, model: &str, facts: &[Fact]) -> Format {
        match self {
            Format::OpenAiChat if Facts::of(self, host, model, facts).responses == Some(true) => {
                Format::OpenAiResponses
            }
            _ => self,
        }
    }

    /// The address of a call below a base URL; a query of the base URL stays at the end.
    pub fn url(self, base_url: &str, model: &str, stream: bool) -> String {
        let (base, query) = match base_url.split_once('?') {
            Some((base, query)) => (base, Some(query)),
            None => (base_url, None),
        };
        let base = base.trim_end_matches('/');
        // Its own format is spoken beside the compatible one.
        let base = if self == Format::Gemini { base.strip_suffix("/openai").unwrap_or(base) } else { base };
        let (path, own_query): (Cow<'_, str>, Option<&str>) = match self {
            Format::Anthropic if base.ends_with("/v1") => ("/messages".into(), None),
            Format::Anthropic => ("/v1/messages".into(), None),
            Format::OpenAiChat => ("/chat/completions".into(), None),
            Format::OpenAiResponses => ("/responses".into(), None),
            Format::Gemini if stream => {
                (format!("/models/{model}:streamGenerateContent").into(), Some("alt=sse"))
            }
            Format::Gemini => (format!("/models/{model}:generateContent").into(), None),
            Format::Endpoint => return base_url.to_owned(),
        };
        let mut url = format!("{base}{path}");
        for (mark, query) in ['?', '&'].into_iter().zip(own_query.into_iter().chain(query)) {
            url.push(mark);
            url.push_str(query);
        }
        url
    }

    /// The headers that carry the key, and those without which a provider answers nothing.
    pub fn headers(self, base_url: &str, key: &str) -> Vec<(&'static str, String)> {
        let azure = is_at(host(base_url), AZURE);
        let mut headers = match self {
            _ if key.is_empty() => Vec::new(),
            Format::Anthropic => vec![("x-api-key", key.to_owned())],
            Format::Gemini => vec![("x-goog-api-key", key.to_owned())],
            Format::OpenAiChat | Format::OpenAiResponses if azure => vec![("api-key", key.to_owned())],
            Format::OpenAiChat | Format::OpenAiResponses | Format::Endpoint => {
                vec![("authorization", format!("Bearer {key}"))]
            }
        };
        if self == Format::Anthropic {
            headers.push(("anthropic-version", "2023-06-01".to_owned()));
        }
        headers
    }
}

/// Whose hosts take a key in a header of their own.
const AZURE: &str = "openai.azure.com";

/// Whose address this is, in the words of OpenTelemetry's conventions.
pub fn provider_at(url: &str) -> &'static str {
    let found =
        PROVIDERS.iter().find(|known| !known.base_url.is_empty() && host(known.base_url) == host(url));
    match found.map(|provider| provider.id) {
        Some("gemini") => "gcp.gemini",
        Some(id) => id,
        None => "custom",
    }
}

fn config(message: String) -> ModelError {
    ModelError::new(ModelErrorKind::Config, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_called_what_the_conventions_call_them() {
        #[derive(Deserialize)]
        struct Table {
            providers: Vec<(String, String)>,
        }
        let table = include_str!("../../tests/fixtures/endpoint/traced.json");
        for (url, name) in serde_json::from_str::<Table>(table).unwrap().providers {
            assert_eq!(provider_at(&url), name, "{url}");
        }
    }

    #[test]
    fn every_provider_of_the_table_is_called_at_its_own_address() {
        let chat = "/chat/completions";
        let table = [
            ("openrouter", "anthropic/claude-sonnet-5.5", format!("https://openrouter.ai/api/v1{chat}")),
            ("anthropic", "claude-sonnet-5-5", "https://api.anthropic.com/v1/messages".to_owned()),
            ("openai", "gpt-6.1-sol", "https://api.openai.com/v1/responses".to_owned()),
            (
                "gemini",
                "gemini-3.8-flash",
                format!("https://generativelanguage.googleapis.com/v1beta/openai{chat}"),
            ),
            ("minimax", "MiniMax-M3", format!("https://api.minimax.io/v1{chat}")),
            ("kimi", "kimi-k3.1-pro", format!("https://api.moonshot.ai/v1{chat}")),
            ("glm", "glm-5.3", format!("https://open.bigmodel.cn/api/paas/v4{chat}")),
            ("mimo", "mimo-v2.5", format!("https://api.xiaomimimo.com/v1{chat}")),
        ];
        for (id, model, url) in table {
            let target = resolve(id, None, None, KeyOrigin::Environment, &[]).unwrap();
            assert_eq!(
                (target.model.as_str(), target.format.url(&target.base_url, model, true)),
                (model, url)
            );
        }
    }

    #[test]
    fn what_cannot_be_called_is_refused_by_name_before_anything_is_sent() {
        let message_of =
            |id, model, url| resolve(id, model, url, KeyOrigin::Environment, &[]).unwrap_err().message;
        assert!(
            message_of("nope", None, None)
                .starts_with("Unknown provider \"nope\". Available: openrouter, anthropic")
        );
        assert!(
            message_of("bedrock", Some("m"), Some("https://example.com"))
                .contains("\"bedrock\" is not supported")
        );
        let no_model = "No model specified for provider \"Ollama\". Pass a model name.";
        assert_eq!(message_of("ollama", None, None), no_model);
    }

    #[test]
    fn a_key_is_never_sent_to_another_providers_host() {
        for url in [
            "https://api.openai.com/v1",
            "https://user@api.openai.com:443/x",
            "https://API.OpenAI.com.?x",
            "https://us.api.openai.com/v1",
            "https://EU.api.openai.com",
        ] {
            let error = resolve("kimi", None, Some(url), KeyOrigin::Environment, &[]).unwrap_err();
            assert_eq!(error.kind, ModelErrorKind::Config, "{url}");
        }
        for (id, url) in [
            ("anthropic", "https://proxy.example/x"),
            ("openai", "https://api.openai.com/v2"),
            ("openai", "https://eu.api.openai.com/v1"),
            ("kimi", "https://evilapi.openai.com"),
        ] {
            assert_eq!(resolve(id, None, Some(url), KeyOrigin::Environment, &[]).unwrap().base_url, url);
        }
        let own_choice =
            resolve("anthropic", None, Some("https://api.moonshot.ai/anthropic"), KeyOrigin::Explicit, &[]);
        assert!(own_choice.is_ok());
    }

    #[test]
    fn a_key_stands_in_the_header_that_its_host_wants() {
        let upper = Format::OpenAiChat.headers("https://X.OpenAI.Azure.com/openai", "k");
        assert_eq!(upper, [("api-key", "k".to_owned())]);
        let evil = Format::OpenAiChat.headers("https://evilopenai.azure.com/openai", "k");
        assert_eq!(evil, [("authorization", "Bearer k".to_owned())]);
    }

    #[test]
    fn addresses_keep_their_query() {
        let azure = "https://x.openai.azure.com/openai/deployments/d?api-version=1";
        let url = Format::OpenAiChat.url(azure, "m", true);
        assert_eq!(url, "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1");
        assert_eq!(Format::OpenAiChat.headers(azure, "k"), [("api-key", "k".to_owned())]);
        let gemini = Format::Gemini.url("https://g.example/v1beta/", "m", true);
        assert_eq!(gemini, "https://g.example/v1beta/models/m:streamGenerateContent?alt=sse");
        assert_eq!(Format::Gemini.url("https://g.example/v1beta/openai/", "m", true), gemini);
        assert_eq!(Format::Anthropic.url("https://p.example/v1", "m", true), "https://p.example/v1/messages");
        assert_eq!(Format::Endpoint.url("/api/chat?x=1", "m", true), "/api/chat?x=1");
    }
}
