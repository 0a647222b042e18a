//! A refusal that names one parameter: the request is made again without it, once, and the next ones are made without it from the
//! start. The server takes a request by what stands in it, as providers do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::support::transport::ask_at_once;

use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{Http, HttpModel, HttpOptions, HttpRequest, HttpResponse, Learned};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::Delta;
use glove_wasm::providers::Format;
use glove_wasm::providers::request::Options;
use glove_wasm::testing::{FakeClock, SequentialIds};
use serde_json::Value;

const KEY: &str = "sk-canary-4711";
const STREAM: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const WHOLE: &str =
    r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}"#;

const CLAUDE: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

type Rule = fn(&Value) -> Option<(u16, String)>;

/// Refuses by a rule, and else answers as it is asked to.
#[derive(Clone)]
struct Strict {
    rule: Rule,
    bodies: Arc<Mutex<Vec<Value>>>,
}

struct Once(u16, VecDeque<Vec<u8>>);

impl Http for Strict {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let (status, text) = (self.rule)(&body).unwrap_or_else(|| match body["stream"].as_bool() {
            Some(true) => (200, STREAM.to_owned()),
            _ => (200, WHOLE.to_owned()),
        });
        self.bodies.lock().unwrap().push(body);
        Box::pin(
            async move { Ok(Box::new(Once(status, [text.into_bytes()].into())) as Box<dyn HttpResponse>) },
        )
    }
}

impl HttpResponse for Once {
    fn status(&self) -> u16 {
        self.0
    }

    fn header(&self, _: &str) -> Option<String> {
        None
    }

    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>> {
        let next = self.1.pop_front();
        Box::pin(async move { Ok(next) })
    }
}

fn strict(rule: Rule) -> Strict {
    Strict { rule, bodies: Arc::default() }
}

fn model(server: &Strict) -> HttpModel {
    model_with(server, |_| {})
}

fn model_with(server: &Strict, set: fn(&mut HttpOptions)) -> HttpModel {
    let mut options = HttpOptions {
        name: "m".to_owned(),
        format: Format::OpenAiChat,
        url: "https://model.test/v1/chat/completions".to_owned(),
        headers: vec![("authorization".to_owned(), format!("Bearer {KEY}"))],
        request: Options {
            model: "m".to_owned(),
            stream: true,
            max_tokens: Some(9_000),
            temperature: Some(0.5),
            stop: Some("x"),
            ..Options::default()
        },
        policy: Policy { max_retries: 0, ..Policy::default() },
    };
    set(&mut options);
    let http = Arc::new(server.clone());
    HttpModel::new(options, http, Arc::new(FakeClock::at(0)), Arc::new(SequentialIds::new("id")))
}

#[derive(Debug, Default)]
struct Told {
    text: String,
    notices: Vec<(String, String)>,
}

fn ask(model: &HttpModel) -> (Result<String, ModelError>, Told) {
    let told: Arc<Mutex<Told>> = Arc::default();
    let telling = Arc::clone(&told);
    let came = ask_at_once(model, move |delta| match delta {
        Delta::Text(text) => telling.lock().unwrap().text.push_str(text),
        Delta::Notice { code, message } => {
            assert_eq!(telling.lock().unwrap().text, "", "a notice comes in front of the answer");
            telling.lock().unwrap().notices.push((code.to_owned(), message.to_owned()));
        }
        Delta::Reasoning(_) | Delta::ToolInput { .. } | Delta::Retry { .. } => {}
    });
    let told = std::mem::take(&mut *told.lock().unwrap());
    (came.map(|reply| reply.messages[0].text.clone()), told)
}

fn unsupported(param: &str) -> (u16, String) {
    let message = format!("Unsupported parameter: '{param}' is not supported with {KEY}.");
    (
        400,
        format!(r#"{{"error":{{"message":"{message}","param":"{param}","code":"unsupported_parameter"}}}}"#),
    )
}

/// A model that thinks: it takes neither a temperature nor `max_tokens`.
fn thinking(body: &Value) -> Option<(u16, String)> {
    let named = ["max_tokens", "temperature"].into_iter().find(|name| body.get(name).is_some());
    named.map(unsupported)
}

#[test]
fn the_parameters_that_are_named_are_left_out_and_told_and_known_from_then_on() {
    let server = strict(thinking);
    let model = model(&server);
    let (came, told) = ask(&model);
    assert_eq!((came.unwrap().as_str(), told.text.as_str()), ("Hello", "Hello"));
    assert_eq!(
        told.notices,
        [
            (
                "PARAMETER_CHANGED".to_owned(),
                "`max_tokens` is sent as `max_completion_tokens`, because the model's provider refused the request with it: Unsupported parameter: 'max_tokens' is not supported with …."
                    .to_owned()
            ),
            (
                "PARAMETER_LEFT_OUT".to_owned(),
                "`temperature` is left out, because the model's provider refused the request with it: Unsupported parameter: 'temperature' is not supported with …."
                    .to_owned()
            ),
        ]
    );
    let (came, told) = ask(&model);
    assert!(came.is_ok() && told.notices.is_empty(), "{told:?}");
    let bodies = server.bodies.lock().unwrap();
    assert_eq!(bodies.len(), 4, "two were refused, and the second request knew of them");
    assert_eq!(
        (&bodies[3]["max_completion_tokens"], &bodies[3]["stop"][0]),
        (&Value::from(9_000), &Value::from("x"))
    );
    assert_eq!(bodies[2], bodies[3]);
}

#[test]
fn what_was_learned_can_be_given_to_a_model_that_is_made_anew() {
    let server = strict(thinking);
    let learned = Arc::new(Learned::default());
    assert!(ask(&model(&server).learned(Arc::clone(&learned))).0.is_ok());
    let (came, told) = ask(&model(&server).learned(learned));
    assert!(came.is_ok() && told.notices.is_empty());
    assert_eq!(server.bodies.lock().unwrap().len(), 4);
}

#[test]
fn a_server_that_refuses_whatever_it_gets_is_asked_a_handful_of_times_and_nothing_is_learned() {
    let names = |body: &Value| -> Option<(u16, String)> {
        let fields = body.as_object().unwrap();
        let named = fields.keys().find(|key| !["model", "messages"].contains(&key.as_str()));
        Some(unsupported(named.map_or("model", String::as_str)))
    };
    let server = strict(names);
    let model = model(&server);
    for _ in 0..2 {
        let (came, told) = ask(&model);
        assert_eq!(came.unwrap_err().kind, ModelErrorKind::BadRequest);
        assert!(told.notices.is_empty(), "{told:?}");
        let asked = server.bodies.lock().unwrap().drain(..).count();
        assert!((2..=7).contains(&asked), "{asked}");
    }
}

#[test]
fn one_that_takes_neither_name_of_the_token_limit_gets_none() {
    let server = strict(|body| {
        ["max_tokens", "max_completion_tokens"]
            .into_iter()
            .find(|name| body.get(name).is_some())
            .map(unsupported)
    });
    let model = model(&server);
    assert!(ask(&model).0.is_ok() && ask(&model).0.is_ok());
    assert_eq!(server.bodies.lock().unwrap().len(), 4);
}

#[test]
fn a_limit_of_tokens_that_is_too_high_becomes_the_highest_of_the_model() {
    let server = strict(|body| {
        let is_high = body["max_tokens"].as_u64().is_some_and(|tokens| tokens > 4_096);
        let said = r#"{"error":{"message":"max_tokens is too large: 9000. This model supports at most 4096 completion tokens.","param":"max_tokens","code":"invalid_value"}}"#;
        is_high.then(|| (400, said.to_owned()))
    });
    let (came, told) = ask(&model(&server));
    assert!(
        came.is_ok() && told.notices[0].1.starts_with("`max_tokens` is sent as 4096, because"),
        "{told:?}"
    );
}

#[test]
fn an_account_that_may_not_stream_gets_its_answer_in_one_piece() {
    let server = strict(|body| {
        let said = r#"{"error":{"message":"Your organization must be verified to stream this model.","param":"stream","code":"unsupported_value"}}"#;
        (body["stream"] == true).then(|| (400, said.to_owned()))
    });
    let model = model(&server);
    let (came, told) = ask(&model);
    assert_eq!((came.unwrap().as_str(), told.notices.len()), ("Hello", 1));
    assert_eq!(server.bodies.lock().unwrap()[1].get("stream_options"), None);
    assert_eq!(ask(&model).0.unwrap(), "Hello");
}

#[test]
fn what_else_is_refused_stays_an_error_at_once() {
    let table: [Rule; 4] = [
        |_| {
            Some((400, r#"{"error":{"message":"Invalid 'temperature': expected a value <= 2.","param":"temperature","code":"decimal_above_max_value"}}"#.to_owned()))
        },
        |_| {
            Some((404, r#"{"error":{"message":"The model `m` does not exist","param":null,"code":"model_not_found"}}"#.to_owned()))
        },
        |_| {
            Some((401, r#"{"error":{"message":"temperature is not supported","param":"temperature","code":"unsupported_parameter"}}"#.to_owned()))
        },
        |_| Some((400, "<html>temperature is not supported</html>".to_owned())),
    ];
    for (at, rule) in table.into_iter().enumerate() {
        let server = strict(rule);
        let (came, told) = ask(&model(&server));
        assert!(came.is_err() && told.notices.is_empty());
        assert_eq!(server.bodies.lock().unwrap().len(), 1, "{at}");
    }
}

#[test]
fn a_model_that_takes_no_tools_is_never_asked_without_them_in_silence_and_the_error_says_what_to_do() {
    let server = strict(|_| {
        Some((
            400,
            r#"{"error":"registry.ollama.ai/library/gemma3:latest does not support tools"}"#.to_owned(),
        ))
    });
    let error = ask(&model(&server)).0.unwrap_err();
    assert_eq!(
        error.message,
        "registry.ollama.ai/library/gemma3:latest does not support tools; set `toolUse: \"text\"` to describe the tools in the prompt instead"
    );
    assert_eq!(server.bodies.lock().unwrap().len(), 1);
}

#[test]
fn thoughts_that_no_longer_fit_under_a_lowered_limit_are_lowered_too_and_told() {
    let server = strict(|body| {
        let (most, budget) = (body["max_tokens"].as_u64()?, body["thinking"]["budget_tokens"].as_u64());
        let refused = |said: &str| {
            let error = r#"{"type":"error","error":{"type":"invalid_request_error","message":"SAID"}}"#;
            Some((400, error.replace("SAID", said)))
        };
        match budget {
            _ if most > 8_192 => refused(
                "max_tokens: 32768 > 8192, which is the maximum allowed number of output tokens for m",
            ),
            Some(budget) if budget >= most => {
                refused("`max_tokens` must be greater than `thinking.budget_tokens`.")
            }
            _ => Some((200, CLAUDE.to_owned())),
        }
    });
    let model = model_with(&server, |options| {
        options.format = Format::Anthropic;
        options.request.thinking.budget = Some(24_576);
        options.request.temperature = None;
    });
    let (came, told) = ask(&model);
    assert_eq!((came.unwrap().as_str(), told.notices.len()), ("Hello", 2), "{told:?}");
    assert!(told.notices[1].1.starts_with("`thinking.budget_tokens` is sent as 4096, because"), "{told:?}");
    assert!(ask(&model).0.is_ok());
    assert_eq!(server.bodies.lock().unwrap().len(), 3, "the second request knew of it");
}
