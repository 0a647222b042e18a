//! What a client posts to a chat endpoint, read within limits, and which model it may ask for.

use std::sync::Arc;

use crate::endpoint::Refusal;
use crate::json::Json;
use crate::json::codec::{Read, from_text};
use crate::json::reader::{Broken, Reader};
use crate::message::Message;
use crate::providers::Format;
use crate::providers::request::groups;
use crate::tool::ToolDefinition;

/// The whole context of one model call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WireRequest {
    pub system_prompt: String,
    pub messages: Vec<Arc<Message>>,
    pub tools: Vec<ToolDefinition>,
    /// The model that the client would like to be answered by.
    pub model: Option<String>,
}

/// How much one request may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimits {
    pub system_prompt_bytes: u64,
    pub messages: u64,
    pub tools: u64,
}

impl Default for RequestLimits {
    fn default() -> Self {
        RequestLimits { system_prompt_bytes: 64 * 1024, messages: 2_000, tools: 128 }
    }
}

impl WireRequest {
    /// Reads a body. Fields that are not of the protocol (an address, headers, a key) are passed over.
    pub fn read(body: &str, limits: &RequestLimits) -> Result<Self, Refusal> {
        let json = Json::parse(body).map_err(|error| {
            Refusal::new(400, "BODY_NOT_JSON", format!("The request body cannot be read: {error}"))
        })?;
        let mut request = WireRequest::default();
        request.fields(json.as_str()).map_err(|field| {
            let message = format!("The request's `{}` is not valid: {}", field.0, field.1);
            Refusal::new(400, "REQUEST_INVALID", message)
        })?;
        let within = [
            (
                "SYSTEM_PROMPT_TOO_LONG",
                request.system_prompt.len(),
                limits.system_prompt_bytes,
                "bytes of system prompt",
                "limits.systemPromptBytes",
            ),
            (
                "TOO_MANY_MESSAGES",
                request.messages.len(),
                limits.messages,
                "messages",
                "limits.messages, or let the client summarise earlier by `compaction`",
            ),
            ("TOO_MANY_TOOLS", request.tools.len(), limits.tools, "tools", "limits.tools"),
        ];
        for (code, found, most, what, option) in within {
            if found as u64 > most {
                let message = format!(
                    "The request has {found} {what}; at most {most} are allowed. To allow more, raise the handler's {option}."
                );
                return Err(Refusal::new(413, code, message));
            }
        }
        if !says_something(&request.messages) {
            let message = "No message of the request says anything, so there is nothing to answer.";
            return Err(Refusal::new(400, "REQUEST_INVALID", message));
        }
        Ok(request)
    }

    /// The model that answers: `default`, or that of `further` which the client asks for.
    pub fn chosen_model<'a>(&'a self, default: &'a str, further: &[String]) -> Result<&'a str, Refusal> {
        let model = self.model.as_deref().unwrap_or(default);
        if model != default && !further.iter().any(|known| known == model) {
            let message = format!("The model `{model}` cannot be chosen here.");
            return Err(Refusal::new(400, "MODEL_NOT_ALLOWED", message));
        }
        Ok(model)
    }

    fn fields(&mut self, body: &str) -> Result<(), Wrong> {
        let mut reader = Reader::new(body);
        if !reader.object().map_err(|_| Wrong::of("body"))? {
            return Err(Wrong("body", "it is not an object".to_owned()));
        }
        while let Some(key) = reader.key().map_err(|_| Wrong::of("body"))? {
            let value = reader.raw().map_err(|_| Wrong::of("body"))?;
            match key {
                "systemPrompt" => {
                    self.system_prompt = read::<Option<String>>("systemPrompt", value)?.unwrap_or_default();
                }
                "messages" => self.messages = read("messages", value)?,
                "tools" => self.tools = tools(value).map_err(|_| Wrong::of("tools"))?,
                "model" => self.model = read("model", value)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a model would read any of it: blank texts, half an answer and results of no call are left out of what it is sent.
fn says_something(messages: &[Arc<Message>]) -> bool {
    let messages: Vec<&Message> = messages.iter().map(|message| &**message).collect();
    !groups(Format::Endpoint, None, &messages, false).is_empty()
}

/// A field, and what is wrong with it.
struct Wrong(&'static str, String);

impl Wrong {
    fn of(field: &'static str) -> Self {
        Wrong(field, "it has the wrong type".to_owned())
    }
}

fn read<T: Read>(field: &'static str, value: &str) -> Result<T, Wrong> {
    from_text(value).map_err(|error| Wrong(field, error.to_string()))
}

fn tools(list: &str) -> Result<Vec<ToolDefinition>, Broken> {
    let mut reader = Reader::new(list);
    let mut tools = Vec::new();
    if !reader.array()? {
        return if list.trim() == "null" { Ok(tools) } else { Err(Broken) };
    }
    while reader.item()? {
        let (mut name, mut description, mut schema) = (String::new(), String::new(), Json::null());
        if !reader.object()? {
            return Err(Broken);
        }
        while let Some(key) = reader.key()? {
            match key {
                "name" => name = reader.text()?.into_owned(),
                "description" => description = reader.text()?.into_owned(),
                "parameters" => schema = Json::parse(reader.raw()?).map_err(|_| Broken)?,
                _ => reader.skip()?,
            }
        }
        if name.is_empty() {
            return Err(Broken);
        }
        tools.push(ToolDefinition { name, description, schema });
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn refused(body: &str) -> (u16, &'static str) {
        let limits = RequestLimits { system_prompt_bytes: 4, messages: 2, tools: 1 };
        let refusal = WireRequest::read(body, &limits).unwrap_err();
        match refusal.code {
            Cow::Borrowed(code) => (refusal.status, code),
            Cow::Owned(code) => panic!("a code of its own: {code}"),
        }
    }

    #[test]
    fn a_request_is_read_and_what_is_no_part_of_it_is_passed_over() {
        let body = r#"{"systemPrompt":"s","messages":[{"sender":"user","text":"hi"}],"model":"m","url":"http://x",
            "headers":{"a":"b"},"tools":[{"name":"t","description":"d","parameters":{"type":"object"},"x":1}]}"#;
        let request = WireRequest::read(body, &RequestLimits::default()).unwrap();
        let schema = Json::parse(r#"{"type":"object"}"#).unwrap();
        let tool = ToolDefinition { name: "t".to_owned(), description: "d".to_owned(), schema };
        assert_eq!(
            request,
            WireRequest {
                system_prompt: "s".to_owned(),
                messages: vec![Arc::new(Message::user("hi"))],
                tools: vec![tool],
                model: Some("m".to_owned()),
            }
        );
        let bare =
            WireRequest::read(r#"{"messages":[{"sender":"user","text":"hi"}]}"#, &RequestLimits::default());
        assert_eq!(bare.unwrap().tools, []);
        let empty =
            r#"{"systemPrompt":null,"messages":[{"sender":"user","text":"hi"}],"tools":null,"model":null}"#;
        let request = WireRequest::read(empty, &RequestLimits::default()).unwrap();
        assert_eq!((request.system_prompt.as_str(), request.tools, request.model), ("", vec![], None));
    }

    #[test]
    fn a_request_of_another_form_is_refused_with_its_field() {
        let deep = format!("{{\"messages\":{}{}}}", "[".repeat(200), "]".repeat(200));
        let hi = r#"{"sender":"user","text":"hi"}"#;
        let table = [
            ("", "BODY_NOT_JSON"),
            ("{\"messages\":[", "BODY_NOT_JSON"),
            (deep.as_str(), "BODY_NOT_JSON"),
            ("[]", "REQUEST_INVALID"),
            ("{}", "REQUEST_INVALID"),
            ("{\"messages\":[]}", "REQUEST_INVALID"),
            ("{\"messages\":[{\"sender\":\"agent\",\"text\":\" \"}]}", "REQUEST_INVALID"),
            ("{\"messages\":[{\"sender\":\"system\"}]}", "REQUEST_INVALID"),
            (&format!("{{\"messages\":[{hi}],\"systemPrompt\":5}}"), "REQUEST_INVALID"),
            (
                &format!("{{\"messages\":[{hi}],\"tools\":[{{\"description\":\"nameless\"}}]}}"),
                "REQUEST_INVALID",
            ),
            (&format!("{{\"messages\":[{hi}],\"tools\":{{}}}}"), "REQUEST_INVALID"),
        ];
        for (body, code) in table {
            assert_eq!(refused(body), (400, code), "{body}");
        }
    }

    #[test]
    fn a_client_chooses_among_the_models_that_are_allowed() {
        let chosen = |model: Option<&str>| {
            let request = WireRequest { model: model.map(str::to_owned), ..WireRequest::default() };
            let model = request.chosen_model("large", &["small".to_owned()]).map(str::to_owned);
            model.map_err(|refusal| (refusal.status, refusal.code.into_owned()))
        };
        assert_eq!(chosen(None), Ok("large".to_owned()));
        assert_eq!(chosen(Some("large")), Ok("large".to_owned()));
        assert_eq!(chosen(Some("small")), Ok("small".to_owned()));
        assert_eq!(chosen(Some("smaller")), Err((400, "MODEL_NOT_ALLOWED".to_owned())));
    }

    #[test]
    fn more_than_the_limits_allow_is_refused() {
        let hi = r#"{"sender":"user","text":"hi"}"#;
        let body = |fields: &str| format!("{{\"messages\":[{hi}]{fields}}}");
        assert_eq!(refused(&body(",\"systemPrompt\":\"ééé\"")), (413, "SYSTEM_PROMPT_TOO_LONG"));
        assert_eq!(refused(&format!("{{\"messages\":[{hi},{hi},{hi}]}}")), (413, "TOO_MANY_MESSAGES"));
        assert_eq!(refused(&body(",\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"}]")), (413, "TOO_MANY_TOOLS"));
    }
}
