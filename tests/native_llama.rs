//! A native program and llama.cpp's own server, whose address `GLOVE_LLAMA_URL` has: `npm test -- real` starts it and runs this.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::env;
use std::sync::{Arc, Mutex};

use futures_executor::block_on;
use futures_util::future::{Either, select};
use glove_wasm::http::{Http, HttpRequest, HttpResponse};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{Clock, Tool, ToolContext};
use glove_wasm::runtime::Glove;
use glove_wasm::system::SystemClock;
use glove_wasm_native::{NativeHttp, ProviderModel};
use serde_json::{Value, json};

const FORMATS: [(&str, &str); 2] = [("openai", "/v1"), ("anthropic", "")];

/// Tells the random model to call in the first round, and to say something in the next.
struct Steered {
    http: NativeHttp,
    rounds: Mutex<usize>,
}

impl Http for Steered {
    fn send(&self, mut request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        let mut rounds = self.rounds.lock().unwrap();
        let mut body: Value = serde_json::from_str(&request.body).unwrap();
        if let Some(tools) = body["tools"].as_array_mut() {
            // Of the framework's own tools the model shall know none.
            tools.retain(|tool| tool.to_string().contains("weather"));
            let anthropic = tools.iter().any(|tool| tool.get("input_schema").is_some());
            if tools.is_empty() {
                body.as_object_mut().unwrap().remove("tools");
            } else {
                body["tool_choice"] = match (anthropic, *rounds == 0) {
                    (true, true) => json!({ "type": "any" }),
                    (true, false) => json!({ "type": "none" }),
                    (false, true) => json!("required"),
                    (false, false) => json!("none"),
                };
            }
        }
        *rounds += 1;
        request.body = body.to_string();
        self.http.send(request)
    }
}

fn model(provider: &str, path: &str) -> (ProviderModel, Arc<dyn Http>) {
    let url = env::var("GLOVE_LLAMA_URL").unwrap();
    let model = ProviderModel::new(provider).key("none").model("tiny").base_url(format!("{url}{path}"));
    (model, Arc::new(Steered { http: NativeHttp::new().unwrap(), rounds: Mutex::new(0) }))
}

#[test]
fn a_conversation_calls_a_tool_and_goes_on_streaming_and_not() {
    for (provider, path) in FORMATS {
        for stream in [true, false] {
            let (model, http) = model(provider, path);
            let limited = model.request(|request| {
                request.stream = stream;
                request.max_tokens = Some(600);
            });
            let inputs = Arc::new(Mutex::new(Vec::<Value>::new()));
            let kept = Arc::clone(&inputs);
            let schema = json!({
                "type": "object",
                "properties": { "city": { "type": "string", "maxLength": 12 }, "unit": { "enum": ["c", "f"] } },
                "required": ["city", "unit"],
            });
            let weather =
                Tool::new("weather", "Tells the weather", schema, move |input: Value, _: ToolContext| {
                    kept.lock().unwrap().push(input);
                    std::future::ready("rain")
                });
            let agent = Glove::builder(limited.over(http).unwrap())
                .system_prompt("You are a test.")
                .fold(weather)
                .build()
                .unwrap();
            for text in ["How is the weather?", "And tomorrow?"] {
                let response = block_on(agent.process_request(text)).unwrap();
                assert!(!response.text().is_empty(), "{provider}, stream {stream}");
            }
            let inputs = inputs.lock().unwrap();
            assert!(inputs[0]["city"].is_string() && inputs[0]["unit"].is_string(), "{inputs:?}");
        }
    }
}

#[test]
fn a_conversation_that_is_too_long_and_a_wrong_path_are_known_as_such() {
    for (path, text, code, words) in [
        ("/v1", "word ".repeat(3000), "MODEL_CONTEXT_LENGTH", "exceeds the available context size"),
        ("/nowhere", "Hi".to_owned(), "MODEL_BAD_REQUEST", "File Not Found"),
    ] {
        let (model, http) = model("openai", path);
        let agent = Glove::builder(model.over(http).unwrap()).build().unwrap();
        let error = block_on(agent.process_request(text)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn an_answer_is_stopped_on_the_way_and_the_next_one_comes() {
    let (model, http) = model("openai", "/v1");
    let endless = model.request(|request| request.max_tokens = Some(3000));
    let agent = Glove::builder(endless.over(http).unwrap()).build().unwrap();
    {
        let asking = agent.process_request("Go on");
        let first = block_on(select(asking, SystemClock.sleep(2)));
        assert!(matches!(first, Either::Right(_)));
    }
    let response = block_on(agent.process_request("Hi")).unwrap();
    assert!(!response.text().is_empty());
}
