//! Answers with a schema: asked for as a text in that form where the provider takes it, by a tool where it does not, and by the prompt
//! where there is neither. Each request is judged by what its vendor refuses.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::support::wait::block_on;
use futures_util::FutureExt;
use glove_wasm::error::ModelError;
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{Http, HttpModel, HttpOptions, HttpRequest, HttpResponse, Learned};
use glove_wasm::json::Json;
use glove_wasm::message::Message;
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::{AbortHandle, Delta, DeltaSink, ModelAdapter, ModelRequest, Purpose};
use glove_wasm::providers::Format;
use glove_wasm::providers::facts::Facts;
use glove_wasm::providers::request::{Options, ToolChoice};
use glove_wasm::run::Run;
use glove_wasm::run::input::Reply;
use glove_wasm::run::settings::Settings;
use glove_wasm::runtime::{Glove, Prompt};
use glove_wasm::testing::{FakeClock, SequentialIds};
use glove_wasm::tool::ToolDefinition;
use serde_json::{Value, json};

use crate::support::requests::{call, calls, result, results};
use crate::support::strict::expect_taken;

const ANSWER: &str = r#"{"city":"Oslo","days":3}"#;

/// Who is asked: the rules of its vendor, its format, host and model.
#[derive(Clone, Copy)]
struct Target(&'static str, Format, &'static str, &'static str);

const OPENAI: Target = Target("openai", Format::OpenAiChat, "https://api.openai.com/v1", "gpt-4.1");
const RESPONSES: Target =
    Target("openai-responses", Format::OpenAiResponses, "https://api.openai.com/v1", "gpt-5.1");
const CLAUDE: Target = Target("anthropic", Format::Anthropic, "https://api.anthropic.com", "claude-opus-4-6");
const GEMINI: Target = Target(
    "gemini",
    Format::Gemini,
    "https://generativelanguage.googleapis.com/v1beta",
    "gemini-3-pro-preview",
);
const OLD_GEMINI: Target =
    Target("gemini", Format::Gemini, "https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-flash");
const MISTRAL: Target =
    Target("mistral", Format::OpenAiChat, "https://api.mistral.ai/v1", "mistral-large-latest");
const GROK: Target = Target("xai", Format::OpenAiChat, "https://api.x.ai/v1", "grok-4");
const OLLAMA: Target = Target("ollama", Format::OpenAiChat, "http://localhost:11434/v1", "qwen3");
const GEMMA: Target = Target("ollama", Format::OpenAiChat, "http://localhost:11434/v1", "gemma3:4b");
const SONAR: Target = Target("perplexity", Format::OpenAiChat, "https://api.perplexity.ai", "sonar-pro");
const OTHER: Target = Target("compatible", Format::OpenAiChat, "https://nobody.example/v1", "m");
const OTHER_GEMMA: Target =
    Target("compatible", Format::OpenAiChat, "https://nobody.example/v1", "gemma3:4b");
const DEEPSEEK: Target = Target("deepseek", Format::OpenAiChat, "https://api.deepseek.com", "deepseek-chat");
const GROQ: Target =
    Target("groq", Format::OpenAiChat, "https://api.groq.com/openai/v1", "openai/gpt-oss-120b");
const OLD_CLAUDE: Target =
    Target("anthropic", Format::Anthropic, "https://api.anthropic.com", "claude-sonnet-4-20250514");

/// Answers with a text in three pieces, or refuses what its rule names.
struct Server {
    target: Target,
    refuses: fn(&Value) -> Option<&'static str>,
    texts: Mutex<VecDeque<&'static str>>,
    bodies: Mutex<Vec<Value>>,
}

struct Once(u16, Option<String>);

impl Http for Server {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        expect_taken(self.target.0, &request.url, &request.headers, &request.body);
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let (status, answer) = match (self.refuses)(&body) {
            Some(refusal) => (400, refusal.to_owned()),
            None => (200, stream(self.target.1, self.texts.lock().unwrap().pop_front().unwrap_or(ANSWER))),
        };
        self.bodies.lock().unwrap().push(body);
        Box::pin(async move { Ok(Box::new(Once(status, Some(answer))) as Box<dyn HttpResponse>) })
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
        let next = self.1.take().map(String::into_bytes);
        Box::pin(async move { Ok(next) })
    }
}

/// A text as the format streams it.
fn stream(format: Format, text: &str) -> String {
    let third = |n: usize| text.floor_char_boundary(text.len() * n / 3);
    let pieces = [0, 1, 2].map(|n| &text[third(n)..third(n + 1)]);
    let mut events = Vec::new();
    match format {
        Format::Anthropic => {
            events.push(json!({ "type": "message_start", "message": { "usage": { "input_tokens": 1 } } }));
            events.push(json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }));
            events.extend(pieces.map(|text| {
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
            }));
            events.push(json!({ "type": "content_block_stop", "index": 0 }));
            events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }));
            events.push(json!({ "type": "message_stop" }));
        }
        Format::OpenAiResponses => {
            let item = |content: Value| json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": content });
            events.push(
                json!({ "type": "response.output_item.added", "output_index": 0, "item": item(json!([])) }),
            );
            events.extend(pieces.map(|text| {
                json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "msg_1", "delta": text })
            }));
            let whole = item(json!([{ "type": "output_text", "text": text, "annotations": [] }]));
            events.push(json!({ "type": "response.output_text.done", "output_index": 0, "content_index": 0, "item_id": "msg_1", "text": text }));
            events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": whole }));
            events.push(json!({ "type": "response.completed", "response": { "status": "completed", "output": [whole] } }));
        }
        Format::Gemini => {
            events.extend(pieces.map(|text| {
                json!({ "candidates": [{ "index": 0, "content": { "role": "model", "parts": [{ "text": text }] } }] })
            }));
            events.push(json!({ "candidates": [{ "index": 0, "finishReason": "STOP" }] }));
        }
        Format::OpenAiChat | Format::Endpoint => {
            events.extend(
                pieces.map(|text| json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })),
            );
            events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }));
        }
    }
    let mut out = String::new();
    for event in events {
        if let Some(name) = event["type"].as_str() {
            out.push_str(&format!("event: {name}\n"));
        }
        out.push_str(&format!("data: {event}\n\n"));
    }
    out
}

fn tool(name: &str, schema: Value) -> ToolDefinition {
    ToolDefinition { name: name.to_owned(), description: "Does it.".to_owned(), schema: schema.into() }
}

fn trip() -> Value {
    json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "days": { "type": "integer", "minimum": 1 } },
        "required": ["city", "days"],
    })
}

/// What was asked, what came, and what was shown of it: the text, the call's arguments, and the codes of notices.
struct Came {
    bodies: Vec<Value>,
    reply: Result<Reply, ModelError>,
    text: String,
    input: String,
    notices: Vec<String>,
}

impl Came {
    /// The answer, which stands alone in its message.
    fn answer(&self) -> Value {
        let message = &self.reply.as_ref().unwrap().messages[0];
        assert_eq!((message.text.as_str(), self.text.as_str()), ("", ""), "nobody reads it as words");
        let [call] = message.calls() else { panic!("{message:?}") };
        assert_eq!((call.tool_name.as_str(), call.unparsed_args), ("give_answer", false));
        assert!(call.id().starts_with("call_") && call.id().len() <= 40, "{}", call.id());
        serde_json::from_str(call.input_args.as_str()).unwrap()
    }
}

#[derive(Default)]
struct Asked {
    schema: Option<Value>,
    beside: Vec<ToolDefinition>,
    messages: Vec<Message>,
    texts: Vec<&'static str>,
    refuses: Option<fn(&Value) -> Option<&'static str>>,
    learned: Arc<Learned>,
    change: Option<fn(&mut Options)>,
}

fn ask(target: Target, asked: Asked) -> Came {
    let Target(_, format, base, model) = target;
    let host = base.split("//").nth(1).unwrap().split(['/', ':']).next().unwrap();
    let facts = Facts::of(format, host, model, &[]);
    let server = Arc::new(Server {
        target,
        refuses: asked.refuses.unwrap_or(|_| None),
        texts: Mutex::new(asked.texts.into()),
        bodies: Mutex::default(),
    });
    let mut request =
        Options { model: model.to_owned(), stream: true, max_tokens: Some(900), facts, ..Options::default() };
    if let Some(change) = asked.change {
        change(&mut request);
    }
    let headers = format.headers(base, "canary-key").into_iter();
    let options = HttpOptions {
        name: "m".to_owned(),
        format,
        url: format.url(base, model, true),
        headers: headers.map(|(name, value)| (name.to_owned(), value)).collect(),
        request,
        policy: Policy { max_retries: 0, ..Policy::default() },
    };
    let http = Arc::clone(&server) as Arc<dyn Http>;
    let ids = Arc::new(SequentialIds::new("f0f0-"));
    let model = HttpModel::new(options, http, Arc::new(FakeClock::at(0)), ids).learned(asked.learned);
    let mut tools = asked.beside;
    tools.push(tool("give_answer", asked.schema.unwrap_or_else(trip)));
    let messages = if asked.messages.is_empty() { vec![Message::user("Where to?")] } else { asked.messages };
    let run = Run::new(Settings::default(), messages.into_iter().map(Arc::new).collect());
    let shown: Arc<Mutex<(String, String, Vec<String>)>> = Arc::default();
    let showing = Arc::clone(&shown);
    let receive = move |delta: Delta<'_>| {
        let mut shown = showing.lock().unwrap();
        match delta {
            Delta::Text(text) => shown.0.push_str(text),
            Delta::ToolInput { id, name, text } => {
                assert_eq!((name, id.is_empty()), ("give_answer", false));
                shown.1.push_str(text);
            }
            Delta::Notice { code, .. } => shown.2.push(code.to_owned()),
            Delta::Reasoning(_) | Delta::Retry { .. } => {}
        }
    };
    let request = ModelRequest {
        purpose: Purpose::Turn,
        system_prompt: "You help.",
        messages: run.model_request(),
        tools: &tools,
    };
    let asking = model.prompt(request, DeltaSink::to(receive), AbortHandle::new().signal());
    let reply = asking.now_or_never().expect("it waits for nothing");
    let (text, input, notices) = std::mem::take(&mut *shown.lock().unwrap());
    let bodies = std::mem::take(&mut *server.bodies.lock().unwrap());
    Came { bodies, reply, text, input, notices }
}

/// The form that a body asks for its answer in, and the names of its tools.
fn form(body: &Value) -> (Option<&Value>, Vec<&str>) {
    let form = [
        "/response_format/json_schema/schema",
        "/text/format/schema",
        "/output_config/format/schema",
        "/generationConfig/responseJsonSchema",
    ];
    let tools = body.pointer("/tools/0/functionDeclarations").unwrap_or(&body["tools"]);
    let names = tools
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| tool["name"].as_str().or(tool["function"]["name"].as_str()).unwrap());
    (form.iter().find_map(|place| body.pointer(place)), names.collect())
}

#[test]
fn a_provider_that_knows_schemas_is_asked_for_a_text_in_that_form_which_becomes_the_answers_call() {
    for target in [OPENAI, RESPONSES, CLAUDE, GEMINI, OLD_GEMINI, MISTRAL, GROK, OLLAMA] {
        let came = ask(target, Asked::default());
        assert_eq!(came.answer(), json!({ "city": "Oslo", "days": 3 }), "{}", target.0);
        assert_eq!(came.input, ANSWER, "it is followed while it is written");
        let (schema, tools) = form(&came.bodies[0]);
        let schema = schema.unwrap_or_else(|| panic!("{}: {}", target.0, came.bodies[0]));
        assert_eq!(schema["properties"]["city"]["type"], "string");
        assert_eq!((tools.len(), came.bodies.len(), came.notices.len()), (0, 1, 0));
    }
    let strict = &ask(OPENAI, Asked::default()).bodies[0]["response_format"];
    let (name, closed) =
        (&strict["json_schema"]["name"], &strict["json_schema"]["schema"]["additionalProperties"]);
    assert_eq!(
        (name, &strict["json_schema"]["strict"], closed),
        (&json!("answer"), &json!(true), &json!(false))
    );
}

#[test]
fn tools_of_the_application_stand_beside_the_form_where_the_provider_allows_both_and_else_the_answer_comes_by_a_tool()
 {
    for (target, beside) in [
        (OPENAI, true),
        (RESPONSES, true),
        (CLAUDE, true),
        (GEMINI, true),
        (GROK, true),
        (OLD_GEMINI, false),
        (MISTRAL, false),
        (OLLAMA, false),
        (OTHER, false),
        (DEEPSEEK, false),
        (GROQ, false),
        (OLD_CLAUDE, false),
    ] {
        let came = ask(target, Asked { beside: vec![tool("weather", trip())], ..Asked::default() });
        let (schema, tools) = form(&came.bodies[0]);
        let wanted = if beside { vec!["weather"] } else { vec!["weather", "give_answer"] };
        assert_eq!((schema.is_some(), tools), (beside, wanted), "{}", target.0);
        if beside {
            assert_eq!(came.answer()["city"], "Oslo");
        }
    }
    for target in [OTHER, DEEPSEEK, GROQ, OLD_CLAUDE] {
        let came = ask(target, Asked::default());
        assert_eq!(form(&came.bodies[0]), (None, vec!["give_answer"]), "{}", target.0);
    }
}

#[test]
fn a_schema_that_the_form_cannot_say_comes_by_the_tool() {
    let optional = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let record = json!({ "type": "object", "properties": { "all": { "type": "object", "additionalProperties": { "type": "number" } } }, "required": ["all"] });
    for (target, schema, in_text) in [
        (OPENAI, &optional, false),
        (RESPONSES, &optional, false),
        (CLAUDE, &optional, true),
        (OLLAMA, &optional, true),
        (OPENAI, &record, false),
        (CLAUDE, &record, false),
        (OLLAMA, &record, true),
    ] {
        let came = ask(target, Asked { schema: Some(schema.clone()), ..Asked::default() });
        assert_eq!(form(&came.bodies[0]).0.is_some(), in_text, "{} {schema}", target.0);
    }
}

#[test]
fn what_was_not_right_the_first_time_is_put_right_by_the_tool() {
    let misfit = r#"{"city":"Oslo","days":0}"#;
    let wrong = vec![
        Message::user("Where to?"),
        calls("", vec![call("give_answer", "call_1", misfit)]),
        results(vec![result(
            "give_answer",
            "call_1",
            glove_wasm::message::ToolResultData::error("days: too small"),
        )]),
    ];
    let words = vec![
        Message::user("Where to?"),
        Message::agent("To Oslo."),
        Message::user("Give the answer by calling give_answer."),
    ];
    for messages in [wrong.clone(), words] {
        let came = ask(OPENAI, Asked { messages, ..Asked::default() });
        assert_eq!(form(&came.bodies[0]), (None, vec!["give_answer"]));
    }
    // A further question is asked in the form again.
    let next = [wrong, vec![Message::user("And then?")]].concat();
    assert!(form(&ask(OPENAI, Asked { messages: next, ..Asked::default() }).bodies[0]).0.is_some());
}

#[test]
fn a_provider_that_refuses_the_form_is_asked_by_the_tool_at_once_and_from_then_on() {
    let refuses = |body: &Value| {
        form(body).0.map(|_| r#"{"error":{"message":"This model does not support response format `json_schema`.","type":"invalid_request_error"}}"#)
    };
    for target in [OPENAI, CLAUDE, GEMINI, RESPONSES] {
        let learned = Arc::<Learned>::default();
        let asked = || Asked {
            refuses: Some(refuses),
            learned: Arc::clone(&learned),
            beside: vec![tool("weather", trip())],
            texts: vec!["Hm."],
            ..Asked::default()
        };
        let came = ask(target, asked());
        let forms: Vec<_> =
            came.bodies.iter().map(|body| (form(body).0.is_some(), form(body).1.len())).collect();
        assert_eq!(forms, [(true, 1), (false, 2)], "{}", target.0);
        assert_eq!((came.text.as_str(), came.notices), ("Hm.", vec!["PARAMETER_CHANGED".to_owned()]));
        // Nothing else is different in it.
        let list = ["messages", "input", "contents"];
        for key in list {
            assert_eq!(came.bodies[0].get(key), came.bodies[1].get(key));
        }
        let again = ask(target, asked());
        assert_eq!((again.bodies.len(), again.notices.len()), (1, 0));
    }
}

#[test]
fn a_schema_that_is_refused_and_an_answer_that_missed_it_say_nothing_of_the_next_ones() {
    let refused: fn(&Value) -> _ = |body| {
        form(body).0.map(|_| r#"{"error":{"message":"Invalid schema for response_format 'answer': too much.","param":"response_format"}}"#)
    };
    let missed: fn(&Value) -> _ = |body| {
        form(body).0.map(|_| r#"{"error":{"message":"Failed to generate JSON. Please adjust your prompt.","code":"json_validate_failed"}}"#)
    };
    for refuses in [refused, missed] {
        let learned = Arc::<Learned>::default();
        let asked = |refuses| Asked { refuses, learned: Arc::clone(&learned), ..Asked::default() };
        let came = ask(OPENAI, asked(Some(refuses)));
        assert_eq!((came.bodies.len(), form(&came.bodies[1]).1), (2, vec!["give_answer"]));
        assert_eq!(ask(OPENAI, asked(None)).answer()["days"], 3);
    }
}

#[test]
fn a_refusal_of_something_else_is_no_refusal_of_the_form() {
    let refuses = |_: &Value| Some(r#"{"error":{"message":"The prompt was flagged.","code":"flagged"}}"#);
    let came = ask(OPENAI, Asked { refuses: Some(refuses), ..Asked::default() });
    assert!(came.reply.is_err() && came.bodies.len() == 1);
}

#[test]
fn a_model_without_tools_reads_the_schema_in_its_prompt_and_its_answer_is_found_in_its_words() {
    for (target, form_too) in [(GEMMA, true), (SONAR, true), (OTHER_GEMMA, false)] {
        let texts = vec!["Sure:\n\n```json\n{\"city\":\"Oslo\",\"days\":3}\n```\n"];
        let came = ask(target, Asked { texts, ..Asked::default() });
        let body = &came.bodies[0];
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(
            system.starts_with("You help.\n\nAnswer with one JSON object")
                && system.ends_with(&trip().to_string()),
            "{system}"
        );
        assert_eq!((form(body).0.is_some(), form(body).1.len()), (form_too, 0), "{}", target.0);
        let message = &came.reply.unwrap().messages[0];
        assert_eq!(message.text.trim(), "Sure:");
        assert_eq!(message.calls()[0].input_args.as_str(), ANSWER);
    }
}

#[test]
fn words_in_the_place_of_an_answer_are_words_and_half_an_answer_is_none() {
    let came = ask(OPENAI, Asked { texts: vec!["I cannot {say} that."], ..Asked::default() });
    assert_eq!(came.text, "I cannot {say} that.");
    let message = &came.reply.unwrap().messages[0];
    assert_eq!((message.text.as_str(), message.calls().len()), ("I cannot {say} that.", 0));
    let came = ask(OPENAI, Asked { texts: vec![r#"{"city":"Os"#], ..Asked::default() });
    let message = &came.reply.unwrap().messages[0];
    assert!(message.text.is_empty() && message.calls()[0].unparsed_args);
}

#[test]
fn a_tool_that_has_to_be_used_and_a_model_that_thinks_are_no_hindrance() {
    let think = |options: &mut Options| {
        options.thinking.effort = Some("high".to_owned());
    };
    let came = ask(CLAUDE, Asked { change: Some(think), ..Asked::default() });
    assert_eq!(came.bodies[0]["output_config"]["effort"], "high");
    assert_eq!(came.answer()["days"], 3);
    let required = |options: &mut Options| options.tool_choice = Some(ToolChoice::Required);
    let beside = vec![tool("weather", trip())];
    let came = ask(OPENAI, Asked { change: Some(required), beside, ..Asked::default() });
    assert_eq!(came.bodies[0]["tool_choice"], "required");
    assert!(Json::parse(&came.input).is_ok());
}

#[test]
fn a_native_agent_gets_the_checked_value_and_puts_a_wrong_one_right_by_the_tool() {
    let Target(_, format, base, name) = OPENAI;
    let texts = [r#"{"city":"Oslo","days":0}"#, "I cannot.", "No."];
    let server = Arc::new(Server {
        target: OPENAI,
        refuses: |_| None,
        texts: Mutex::new(texts.into()),
        bodies: Mutex::default(),
    });
    let facts = Facts::of(format, "api.openai.com", name, &[]);
    let options = HttpOptions {
        name: name.to_owned(),
        format,
        url: format.url(base, name, true),
        headers: vec![("authorization".to_owned(), "Bearer canary-key".to_owned())],
        request: Options { model: name.to_owned(), stream: true, facts, ..Options::default() },
        policy: Policy::default(),
    };
    let http = Arc::clone(&server) as Arc<dyn Http>;
    let ids = Arc::new(SequentialIds::new("n"));
    let model = HttpModel::new(options, http, Arc::new(FakeClock::at(0)), ids);
    let agent = Glove::builder(model).build().unwrap();
    let ask = || {
        let response = block_on(agent.process_request(Prompt::new("Where to?").answer(trip()))).unwrap();
        response.answer::<Value>().map_err(|error| error.code().to_owned())
    };
    assert_eq!(ask(), Err("ANSWER_MISSING".to_owned()), "a misfit, and then words");
    assert_eq!(ask(), Ok(json!({ "city": "Oslo", "days": 3 })));
    let bodies = server.bodies.lock().unwrap();
    let in_form: Vec<_> = bodies.iter().map(|body| form(body).0.is_some()).collect();
    assert_eq!(in_form, [true, false, false, true]);
}
