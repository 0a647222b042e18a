//! A model behind HTTP on a clock of its own: what is answered, and what is told of what fails.

use std::future::ready;
use std::sync::{Arc, Mutex};

use crate::support::transport::{
    Answer, Break, Came, Chunk, END, HELLO, Step, Wait, call, call_with, drive_message, drive_model, kind,
    model_of, ok, options, status,
};
use glove_wasm::error::ModelErrorKind;
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{Http, HttpModel, HttpOptions, HttpRequest, HttpResponse};
use glove_wasm::portable::BoxFuture;
use glove_wasm::providers::Format;
use glove_wasm::providers::request::Options;
use glove_wasm::testing::{FakeClock, SequentialIds};

#[test]
fn an_answer_is_shown_as_it_comes_and_then_given_whole() {
    let came = call(&[ok(&[Wait(5), HELLO, Wait(7), END])]);
    assert_eq!(
        came,
        Came { result: Ok("Hello".to_owned()), shown: "Hello".to_owned(), asked: vec![0], ended: 12 }
    );
}

fn headers_of(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Keeps the headers of what it is asked.
#[derive(Default)]
struct Listening(Mutex<Vec<(String, String)>>);

impl Http for Listening {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        *self.0.lock().unwrap() = request.headers;
        Box::pin(ready(Err("offline".to_owned())))
    }
}

#[test]
fn every_request_says_that_its_body_is_json_and_what_answer_it_wants() {
    let sent = |format, headers: &[(&str, &str)]| {
        let server = Arc::new(Listening::default());
        let mut asked = options(format, Policy { max_retries: 0, ..Policy::default() });
        asked.headers = headers_of(headers);
        let clock = FakeClock::at(0);
        let http = Arc::clone(&server) as Arc<dyn Http>;
        let model = |_, _: &FakeClock| {
            HttpModel::new(asked, http, Arc::new(clock.clone()), Arc::new(SequentialIds::new("id")))
        };
        let (came, _) = drive_model(&[], &clock, None, model);
        assert_eq!(kind(&came), ModelErrorKind::Network);
        server.0.lock().unwrap().clone()
    };
    let json = ("content-type", "application/json");
    for format in [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini] {
        let all = [json, ("accept", "application/json"), ("x-key", "1")];
        assert_eq!(sent(format, &[("x-key", "1")]), headers_of(&all), "{format:?}");
    }
    let stream = ("accept", "text/event-stream");
    assert_eq!(sent(Format::Endpoint, &[]), headers_of(&[json, stream]));
    let own = ("Content-Type", "application/json; charset=utf-8");
    assert_eq!(sent(Format::Endpoint, &[own]), headers_of(&[stream, own]));
}

#[test]
fn a_conversation_in_which_nothing_is_said_is_not_sent() {
    for format in [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini] {
        let clock = FakeClock::at(0);
        let model =
            |server: Arc<dyn Http>, clock: &FakeClock| model_of(format, server, clock, Policy::default());
        let (came, _) = drive_message(&[ok(&[HELLO, END])], &clock, None, " \n", model);
        if format == Format::OpenAiChat {
            assert_eq!(came.asked, [0], "a system prompt among the messages may be answered");
            continue;
        }
        assert_eq!((kind(&came), came.asked.as_slice()), (ModelErrorKind::BadRequest, &[][..]), "{format:?}");
        let message = came.result.unwrap_err().1;
        assert!(message.contains("no text"), "{message}");
    }
}

#[test]
fn a_connection_that_fails_says_where_and_what_to_look_at() {
    let once = || Policy { max_retries: 0, ..Policy::default() };
    let said = |answers: &[Answer]| call_with(answers, once()).result.unwrap_err().1;
    let unreached = said(&[]);
    assert!(unreached.starts_with("the model could not be reached (cannot connect to "), "{unreached}");
    assert!(unreached.ends_with("check the connection and `baseURL` (/v1/chat/completions)"), "{unreached}");
    let broken = said(&[ok(&[HELLO, Break("connection reset")])]);
    assert_eq!(broken, "the connection to the model broke (connection reset)");
}

#[test]
fn what_goes_wrong_behind_the_end_of_an_answer_does_not_take_it_back() {
    const STOP: Step =
        Chunk("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    let policy =
        Policy { max_retries: 0, first_byte_ms: 50, idle_ms: 30_000, total_ms: 60_000, answer_bytes: 0 };
    let reset = call_with(&[ok(&[HELLO, STOP, Break("connection reset")])], policy);
    assert_eq!((reset.result, reset.asked.len()), (Ok("Hello".to_owned()), 1));
    let hangs = call_with(&[ok(&[HELLO, STOP, Wait(50_000)])], policy);
    assert_eq!((hangs.result, hangs.ended), (Ok("Hello".to_owned()), 2_000));
}

#[test]
fn a_redirect_is_no_answer_and_says_where_it_leads() {
    // 0 is what browsers tell of a redirect that is not followed.
    for code in [0, 301, 302, 303, 307, 308] {
        let came = call(&[status(code, &[("location", "https://elsewhere.test/v1")], "")]);
        let (kind, message) = came.result.unwrap_err();
        assert_eq!((kind, came.asked.len()), (ModelErrorKind::Config, 1), "{code}");
        assert!(message.contains(" to https://elsewhere.test/v1, which is not followed"), "{message}");
    }
    let (_, message) = call(&[status(0, &[], "")]).result.unwrap_err();
    assert!(message.contains("a redirect, which is not followed"), "{message}");
}

#[test]
fn a_page_or_json_where_a_stream_was_expected_is_quoted() {
    let came = call(&[ok(&[Chunk("<!doctype html><title>Sign in</title>")])]);
    let (kind, message) = came.result.unwrap_err();
    assert_eq!(kind, ModelErrorKind::BadResponse);
    assert!(message.contains("Sign in"), "{message}");
}

#[test]
fn the_key_is_in_no_error_whoever_is_asked_and_whatever_fails() {
    const KEY: &str = "sk-canary-4711";
    let json = r#"{"error":{"message":"Incorrect API key: sk-canary-4711","type":"sk-canary-4711"}}"#;
    let long = Box::leak(format!("<html>{}sk-canary-4711</html>", "x".repeat(285)).into_boxed_str());
    let failures = [
        vec![],
        vec![status(400, &[], json)],
        vec![status(401, &[], json)],
        vec![status(403, &[], "no: sk-canary-4711")],
        vec![status(429, &[("x-request-id", "r")], json)],
        vec![status(500, &[], r#"{"detail":"at https://h/?key=sk-canary-4711"}"#)],
        vec![status(503, &[], long)],
        vec![ok(&[Chunk("<html>sk-canary-4711</html>")])],
        vec![ok(&[Chunk(r#"{"error":{"message":"sk-canary-4711 is no key"}}"#)])],
        vec![ok(&[Chunk(
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"sk-canary-4711\"}}\n\n",
        )])],
        vec![ok(&[Chunk("event: error\ndata: sk-canary-4711\n\n")])],
        vec![ok(&[Chunk("event: message_start\ndata: {sk-canary-4711\n\n")])],
        vec![ok(&[Break("reset by https://sk-canary-4711@h/")])],
        vec![ok(&[])],
    ];
    let formats =
        [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini, Format::Endpoint];
    let bases = ["https://h/v1", "https://me:sk-canary-4711@h/v1", "https://h/v1?key=sk-canary-4711"];
    for (format, base) in formats.into_iter().flat_map(|format| bases.map(|base| (format, base))) {
        for stream in [true, false] {
            let headers = format.headers(base, KEY).into_iter();
            let options = HttpOptions {
                name: "test".to_owned(),
                format,
                url: format.url(base, "m", stream),
                headers: headers.map(|(name, value)| (name.to_owned(), value)).collect(),
                request: Options { model: "m".to_owned(), stream, ..Options::default() },
                policy: Policy { max_retries: 0, ..Policy::default() },
            };
            assert!(!format!("{options:?}").contains("canary"));
            for answers in &failures {
                let (came, _) = drive_model(answers, &FakeClock::at(0), None, |server, clock| {
                    let model = HttpModel::new(
                        options.clone(),
                        server,
                        Arc::new(clock.clone()),
                        Arc::new(SequentialIds::new("id")),
                    );
                    assert!(!format!("{model:?}").contains("canary"));
                    model
                });
                assert!(
                    came.result.is_err() && !format!("{came:?}").contains("canary"),
                    "{format:?} {came:?}"
                );
            }
        }
    }
}
