//! A provider's answer handed on to a client of an endpoint: what the client reads is what the provider said.

use std::sync::{Arc, Mutex};

use crate::support::streams::{decode, outcome, recordings};
use crate::support::strict::{address, expect_taken_at};
use crate::support::transport::ask_at_once;
use glove_wasm::answer::{Outcome, Turn};
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::http::retry::Policy;
use glove_wasm::http::{AnswerStream, Http, HttpModel, HttpOptions, HttpRequest, HttpResponse};
use glove_wasm::json::Json;
use glove_wasm::message::{Message, ToolCall, Usage};
use glove_wasm::portable::BoxFuture;
use glove_wasm::ports::Delta;
use glove_wasm::providers::Format;
use glove_wasm::providers::request::Options;
use glove_wasm::run::input::Reply;
use glove_wasm::testing::{FakeClock, SequentialIds};
use proptest::prelude::*;

/// A server that plays one stream, a piece at a time.
struct Player(Arc<Vec<u8>>);
struct Playing(Arc<Vec<u8>>, usize);

impl Http for Player {
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<Box<dyn HttpResponse>, String>> {
        expect_taken_at(&request);
        let playing = Playing(Arc::clone(&self.0), 0);
        Box::pin(async move { Ok(Box::new(playing) as Box<dyn HttpResponse>) })
    }
}

impl HttpResponse for Playing {
    fn status(&self) -> u16 {
        200
    }

    fn header(&self, _name: &str) -> Option<String> {
        None
    }

    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, String>> {
        let rest = self.0.get(self.1..).unwrap_or_default();
        let piece = rest.get(..rest.len().min(100)).unwrap_or_default().to_vec();
        self.1 += piece.len();
        Box::pin(async move { Ok(Some(piece).filter(|piece| !piece.is_empty())) })
    }
}

/// The provider's reply to a streamed request, and the stream that the client is sent of it.
fn relay(format: Format, stream: &[u8], reasoning_in_text: bool) -> (Result<Reply, ModelError>, String) {
    relay_as(format, stream, true, reasoning_in_text)
}

fn relay_as(
    format: Format,
    answer: &[u8],
    stream: bool,
    reasoning_in_text: bool,
) -> (Result<Reply, ModelError>, String) {
    let (url, headers) = address(format, stream);
    let options = HttpOptions {
        name: "m".to_owned(),
        format,
        url,
        headers,
        request: Options { model: "m".to_owned(), stream, ..Options::default() },
        policy: Policy { max_retries: 0, ..Policy::default() },
    };
    let (http, ids) = (Player(Arc::new(answer.to_vec())), Arc::new(SequentialIds::new("i")));
    let model = HttpModel::new(options, Arc::new(http), Arc::new(FakeClock::at(0)), ids);
    let answer = Arc::new(Mutex::new(AnswerStream::new(reasoning_in_text)));
    let told = Arc::clone(&answer);
    let reply = ask_at_once(&model, move |delta| told.lock().unwrap().delta(delta));
    let mut answer = answer.lock().unwrap();
    if let Ok(reply) = &reply {
        answer.done(reply.clone(), &SequentialIds::new("i"));
    }
    (reply, answer.take())
}

#[test]
fn what_every_recorded_stream_said_reaches_the_client() {
    let mut answered = 0;
    for recording in recordings() {
        let (reply, stream) = relay(recording.format, &recording.bytes, false);
        let (outcome, Ok(mut reply)) = (outcome(Format::Endpoint, [stream.as_bytes()]), reply) else {
            continue;
        };
        let Outcome::Answered(turn) = outcome else { panic!("{}: {stream}", recording.name) };
        answered += 1;
        let mut expected = reply.messages.remove(0);
        let ids = SequentialIds::new("i");
        for call in expected.tool_calls.iter_mut().flatten().filter(|call| call.id().is_empty()) {
            call.id = Some(format!("call_{}", glove_wasm::ports::IdSource::fresh(&ids)));
        }
        // Of the fields that are the provider's own the client keeps those that it sends back.
        expected.extra = turn.message.extra.clone();
        assert_eq!((turn.message, turn.usage), (expected, reply.usage), "{}", recording.name);
        assert_eq!(turn.stop_reason, reply.stop_reason, "{}", recording.name);
    }
    assert!(answered > 0);
    eprintln!("{answered} streams");
}

#[test]
fn a_failed_answer_has_no_end_statement() {
    let stream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"half\"}}]}\n\n";
    let (reply, told) = relay(Format::OpenAiChat, stream.as_bytes(), false);
    assert_eq!(reply.unwrap_err().kind, ModelErrorKind::Cut);
    assert_eq!(told, "data: {\"type\":\"text_delta\",\"text\":\"half\"}\n\n");
}

fn done(answer: &mut AnswerStream, message: Message) -> String {
    let reply = Reply { messages: vec![message], usage: Usage::default(), stop_reason: None, streamed: true };
    answer.done(reply, &SequentialIds::new("i"));
    answer.take()
}

#[test]
fn text_that_came_only_with_the_end_is_told_too() {
    let mut answer = AnswerStream::new(false);
    answer.delta(Delta::Text("Hel"));
    let stream = done(&mut answer, Message::agent("Hello"));
    let texts: Vec<&str> = stream.split("\n\n").filter(|event| event.contains("text_delta")).collect();
    assert_eq!(
        texts,
        [r#"data: {"type":"text_delta","text":"Hel"}"#, r#"data: {"type":"text_delta","text":"lo"}"#]
    );
}

#[test]
fn thoughts_in_the_text_are_closed_before_it_goes_on_and_at_its_end() {
    let texts = |stream: &str| -> String {
        let events = stream.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
        let events = events.map(|event| serde_json::from_str::<serde_json::Value>(event).unwrap());
        events.filter_map(|event| event["text"].as_str().map(str::to_owned)).collect()
    };
    let mut answer = AnswerStream::new(true);
    for delta in [Delta::Reasoning("a"), Delta::Reasoning("b"), Delta::Text("c"), Delta::Reasoning("d")] {
        answer.delta(delta);
    }
    let stream = done(&mut answer, Message::agent("c"));
    assert_eq!(texts(&stream), "<think>ab</think>c<think>d</think>");
    assert!(stream.contains(r#""message":{"sender":"agent","text":"<think>ab</think>c<think>d</think>""#));
    let mut unstreamed = AnswerStream::new(true);
    let mut message = Message::agent("c");
    message.reasoning_content = Some("ab".to_owned());
    assert_eq!(texts(&done(&mut unstreamed, message)), "<think>ab</think>c");
}

#[test]
fn a_call_without_an_id_gets_one_and_its_pieces_stay_unsaid() {
    let mut answer = AnswerStream::new(false);
    answer.delta(Delta::ToolInput { id: "", name: "f", text: "{" });
    let call = ToolCall::new("f", Json::parse("{}").unwrap());
    let stream = done(&mut answer, Message::agent("").with_calls(vec![ToolCall { id: None, ..call }]));
    assert!(
        stream.starts_with(r#"data: {"type":"tool_use","id":"call_i1","name":"f","input":{}}"#),
        "{stream}"
    );
    let Outcome::Answered(turn) = outcome(Format::Endpoint, [stream.as_bytes()]) else {
        panic!("not answered")
    };
    assert_eq!(turn.message.calls().len(), 1);
}

/// The same JSON with this space around each of its marks.
fn spaced(json: &str, space: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        let mark = !quoted && "{}[],:".contains(c);
        out.push_str(if mark { space } else { "" });
        out.push(c);
        out.push_str(if mark { space } else { "" });
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    out
}

/// What a client reads, with its calls' arguments in one spelling.
fn told(stream: &str) -> Turn {
    for line in stream.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        let event = line.strip_prefix("data: ").unwrap_or_else(|| panic!("a line of its own: {line}"));
        Json::parse(event).unwrap_or_else(|error| panic!("{error}: {event}"));
    }
    let Outcome::Answered(mut turn) = outcome(Format::Endpoint, [stream.as_bytes()]) else {
        panic!("not answered: {stream}")
    };
    for call in turn.message.tool_calls.iter_mut().flatten() {
        call.input_args = Json::parse(&call.input_args.canonical()).unwrap();
    }
    for (_, value) in &mut turn.message.extra.0 {
        *value = Json::parse(&value.canonical()).unwrap();
    }
    turn
}

const SPACES: [&str; 6] = ["\n", "\r\n", "\r", "\n\t", "\n    ", "\n\n \r"];

#[test]
fn an_answer_reaches_the_client_however_its_json_is_broken_into_lines() {
    let args = r#"{"location":"Bos\\nton, \u2028\"MA\"","days":[1,2.50,{}],"deep":{"a":null}}"#;
    let text = Json::string(args);
    let bodies = [
        (
            Format::OpenAiChat,
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi\n\nthere","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":ARGS}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
            true,
        ),
        (
            Format::OpenAiResponses,
            r#"{"object":"response","status":"completed","output":[{"type":"reasoning","id":"rs","encrypted_content":"x","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":ARGS}],"usage":{"input_tokens":7,"output_tokens":3}}"#,
            true,
        ),
        (
            Format::Anthropic,
            r#"{"type":"message","content":[{"type":"redacted_thinking","data":"x"},{"type":"thinking","thinking":"h\nm","signature":"s"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"c","name":"f","input":ARGS}],"stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":3}}"#,
            false,
        ),
        (
            Format::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"Hi"},{"functionCall":{"id":"c","name":"f","args":ARGS},"thoughtSignature":"s"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}"#,
            false,
        ),
    ];
    for (format, body, args_are_text) in bodies {
        let compact = body.replace("ARGS", if args_are_text { text.as_str() } else { args });
        let expected = told(&relay_as(format, compact.as_bytes(), false, false).1);
        assert_eq!(expected.message.calls().len(), 1);
        for space in SPACES {
            let loose = spaced(args, space);
            let loose = if args_are_text { Json::string(&loose).to_string() } else { loose };
            let inside = body.replace("ARGS", &loose);
            for body in [&inside, &spaced(&compact, space), &spaced(&inside, space)] {
                let stream = relay_as(format, body.as_bytes(), false, false).1;
                assert_eq!(told(&stream), expected, "{format:?} {space:?}");
                // Cut anywhere, it is read in the same way or noticed.
                let whole = decode(Format::Endpoint, [stream.as_bytes()]);
                for at in 0..stream.len() {
                    let (head, tail) = stream.as_bytes().split_at(at);
                    assert_eq!(decode(Format::Endpoint, [head, tail]), whole, "{format:?} {at}");
                }
            }
        }
    }
}

#[test]
fn a_stream_reaches_the_client_however_its_events_are_broken_into_lines() {
    let mut compared = 0;
    for recording in recordings() {
        let (reply, stream) = relay(recording.format, &recording.bytes, false);
        let text = String::from_utf8_lossy(&recording.bytes);
        if reply.is_err() || text.contains('\r') {
            continue;
        }
        let expected = told(&stream);
        for space in SPACES {
            let lines = text.split('\n').map(|line| match line.strip_prefix("data:") {
                // Each line of an event's data has the name of the field before it.
                Some(json) if json.trim_start().starts_with('{') => {
                    format!(
                        "data: {}",
                        spaced(json, space).split(['\n', '\r']).collect::<Vec<_>>().join("\ndata: ")
                    )
                }
                _ => line.to_owned(),
            });
            let broken = lines.collect::<Vec<_>>().join("\n");
            let (reply, stream) = relay(recording.format, broken.as_bytes(), false);
            assert!(reply.is_ok(), "{}: {reply:?}", recording.name);
            assert_eq!(told(&stream), expected, "{} {space:?}", recording.name);
        }
        compared += 1;
    }
    assert!(compared > 0);
}

/// Texts with all that could break a line, an event or a string.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r"),
        Just("\n\n"),
        Just("\r\n\r\n"),
        Just("data: "),
        Just("\u{2028}"),
        Just("\u{85}"),
        Just("\u{0}"),
        Just("\u{FEFF}"),
        Just("\""),
        Just("\\"),
        Just("\\ud83d"),
        Just("}"),
        Just("é😀"),
        Just("[DONE]"),
        Just(": "),
        Just("a "),
        Just("{\"type\":\"done\""),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_a_model_says_reaches_the_client_word_for_word(
        pieces in proptest::collection::vec((any::<bool>(), any_text()), 0..6),
        calls in proptest::collection::vec((any_text(), 0usize..SPACES.len(), any::<bool>()), 0..4),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut answer = AnswerStream::new(false);
        let (mut message, mut thoughts) = (Message::agent(""), String::new());
        for (thinking, text) in &pieces {
            if *thinking {
                answer.delta(Delta::Reasoning(text));
                thoughts.push_str(text);
            } else {
                answer.delta(Delta::Text(text));
                message.text.push_str(text);
            }
        }
        message.reasoning_content = Some(thoughts).filter(|text| !text.is_empty());
        let mut made = Vec::new();
        for (at, (text, space, parsed)) in calls.iter().enumerate() {
            let json = spaced(&format!(r#"{{"a":{},"b":[1,{{}}]}}"#, Json::string(text)), SPACES[*space]);
            let raw = if *parsed { json } else { format!("{text}{json}") };
            let id = format!("c{at}");
            let (head, tail) = raw.split_at(raw.floor_char_boundary(raw.len() / 2));
            answer.delta(Delta::ToolInput { id: &id, name: "f", text: head });
            answer.delta(Delta::ToolInput { id: &id, name: "f", text: tail });
            made.push(ToolCall::from_model("f", Some(id), &raw));
        }
        message.tool_calls = Some(made).filter(|calls| !calls.is_empty());
        let stream = done(&mut answer, message.clone());
        let turn = told(&stream);
        for call in message.tool_calls.iter_mut().flatten() {
            call.input_args = Json::parse(&call.input_args.canonical()).unwrap();
        }
        prop_assert_eq!(turn.message, message);
        // Clients of the original cut at blank lines.
        for event in stream.split("\n\n").filter(|event| !event.is_empty()) {
            prop_assert!(Json::parse(event.strip_prefix("data: ").unwrap()).is_ok());
        }
        let (head, tail) = stream.as_bytes().split_at(cut.index(stream.len()));
        let whole = decode(Format::Endpoint, [stream.as_bytes()]);
        prop_assert_eq!(decode(Format::Endpoint, [head, tail]), whole);
    }
}
