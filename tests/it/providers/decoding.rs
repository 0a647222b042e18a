//! Decoding beyond the recordings: whole answers, bodies that are no stream, hostile input, the endpoint protocol's
//! two ends.

use crate::support::requests::FORMATS;
use crate::support::streams::{answered, decode, outcome, own_recordings};
use glove_wasm::answer::{Delta, Failure, Finish, Outcome, Turn};
use glove_wasm::endpoint::{RequestLimits, WireDone, WireEvent, WireRequest};
use glove_wasm::error::ModelErrorKind;
use glove_wasm::json::Json;
use glove_wasm::message::{Message, ToolCall, Usage};
use glove_wasm::providers::facts::Facts;
use glove_wasm::providers::request::{Notices, Options, RequestParts, ToolNames};
use glove_wasm::providers::{Decoder, Format, read_response};
use proptest::prelude::*;

fn finish(format: Format, input: &[u8]) -> Outcome {
    outcome(format, [input])
}

fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failed(failure) => failure,
        Outcome::Answered(turn) => panic!("answered: {turn:?}"),
    }
}

#[test]
fn an_answer_in_one_piece_may_begin_with_a_mark_of_its_encoding() {
    let whole = "\u{FEFF}{\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}";
    assert_eq!(answered(read_response(Format::OpenAiChat, Vec::new(), whole)).message.text, "Hi");
    let page = failure(read_response(Format::OpenAiChat, Vec::new(), "<html>Sign in</html>")).error;
    assert_eq!(page.message, "the answer does not match the requested format: a web page (Sign in)");
}

#[test]
fn an_end_of_an_endpoint_without_a_message_is_no_answer() {
    for event in
        [r#"{"type":"done"}"#, r#"{"type":"done","message":"hi"}"#, r#"{"type":"done","message":null}"#]
    {
        let error = failure(finish(Format::Endpoint, format!("data: {event}\n\n").as_bytes())).error;
        let message = format!("the endpoint's `done` event has no valid message: {event}");
        assert_eq!((error.kind, error.message), (ModelErrorKind::BadResponse, message));
    }
}

#[test]
fn a_body_that_is_no_stream_is_an_error_with_an_excerpt() {
    for format in FORMATS {
        let found = failure(finish(format, b"<!doctype html>\n<title>Sign in</title>")).error;
        assert_eq!((found.kind, found.retryable), (ModelErrorKind::BadResponse, false));
        assert!(found.message.contains("Sign in"), "{}", found.message);
        let body = br#"{"error":{"message":"No such model","type":"invalid_request_error"}}"#;
        assert_eq!(failure(finish(format, body)).error.message, "No such model");
        for begun in [
            &b""[..],
            b"\n\n",
            b": PROCESSING\n\n",
            b"da",
            b"event: message_start\n",
            b"\xEF\xBB\xBFdata: {\"a",
        ] {
            assert_eq!(failure(finish(format, begun)).error.kind, ModelErrorKind::Cut, "{begun:?}");
        }
    }
}

#[test]
fn an_event_that_is_no_json_is_an_error_and_not_a_gap() {
    for format in FORMATS {
        let found = failure(finish(format, b"data: {\"type\": broken\n\n")).error;
        assert_eq!(found.kind, ModelErrorKind::BadResponse, "{format:?}");
        assert_eq!(failure(finish(format, b"event: error\ndata: gone\n\n")).error.message, "gone");
    }
}

#[test]
fn what_a_provider_says_of_its_failure_is_told_in_whatever_form_it_comes() {
    let told = [
        (
            Format::OpenAiChat,
            "event: error\ndata: {\"message\":\"quota gone\",\"code\":429}\n\n",
            "quota gone",
        ),
        (Format::Gemini, "event: error\ndata: {\"message\":\"quota gone\",\"code\":429}\n\n", "quota gone"),
        (
            Format::OpenAiResponses,
            "event: error\ndata: {\"code\":429,\"message\":\"quota gone\"}\n\n",
            "quota gone",
        ),
        (
            Format::OpenAiChat,
            "data: {\"object\":\"error\",\"message\":\"quota gone\",\"type\":\"RateLimitError\",\"code\":429}\n\n",
            "quota gone",
        ),
        (
            Format::OpenAiChat,
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\",\"error\":{\"code\":429,\"message\":\"quota gone\"}}]}\n\n",
            "quota gone",
        ),
        (
            Format::OpenAiChat,
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"error\":{\"code\":429,\"message\":\"quota gone\"}}]}\n\n",
            "quota gone",
        ),
        // llama.cpp's own field.
        (
            Format::OpenAiChat,
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\nerror: {\"code\":429,\"message\":\"quota gone\",\"type\":\"server_error\"}\n\n",
            "quota gone",
        ),
        (Format::OpenAiChat, "error: {\"code\":429,\"message\":\"quota gone\"}\n\n", "quota gone"),
        (Format::OpenAiChat, "event: error\ndata: quota gone", "quota gone"),
        (Format::Anthropic, "event: error\ndata: quota gone", "quota gone"),
    ];
    for (format, stream, message) in told {
        let failure = failure(finish(format, stream.as_bytes()));
        assert_eq!(failure.error.message, message, "{stream}");
        let by_words = !stream.contains("429");
        assert_eq!(failure.error.kind == ModelErrorKind::RateLimit, !by_words, "{stream}");
    }
    // Half of such an event is none, and null is no error.
    let cut = failure(finish(Format::OpenAiChat, b"event: error\ndata: {\"message\":\"quo"));
    assert_eq!(cut.error.kind, ModelErrorKind::Cut);
    let fine = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\",\"error\":null}]}\n\n";
    assert_eq!(answered(finish(Format::OpenAiChat, fine)).message.text, "Hi");
}

#[test]
fn calls_without_an_index_are_as_many_as_came() {
    let item = |ids: &str, n: usize| {
        format!(
            "data: {{\"type\":\"response.output_item.done\",\"item\":{{\"type\":\"function_call\",{ids}\"name\":\"f\",\"arguments\":\"{{\\\"n\\\":{n}}}\"}}}}\n\n"
        )
    };
    let end =
        "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n";
    for ids in [
        ["\"id\":\"i1\",\"call_id\":\"c1\",", "\"id\":\"i2\",\"call_id\":\"c2\","],
        ["\"call_id\":\"c1\",", "\"call_id\":\"c2\","],
    ] {
        let [first, second] = [item(ids[0], 1), item(ids[1], 2)];
        // What is sent twice is one.
        let stream = format!("{first}{second}{first}{end}");
        let turn = answered(finish(Format::OpenAiResponses, stream.as_bytes()));
        let calls: Vec<_> =
            turn.message.calls().iter().map(|call| (call.id(), call.input_args.as_str())).collect();
        assert_eq!(calls, [("c1", "{\"n\":1}"), ("c2", "{\"n\":2}")], "{stream}");
    }
}

#[test]
fn an_event_above_the_limit_is_a_typed_error_and_what_came_before_is_kept() {
    let mut decoder = Decoder::with_limit(Format::Endpoint, Vec::new(), 1000);
    let first = decoder.push(b"data: {\"type\":\"text_delta\",\"text\":\"ok\"}\n\ndata: ");
    assert_eq!(first, [Delta::Text { text: "ok".to_owned() }]);
    decoder.push(&[b'x'; 2000]);
    assert!(decoder.is_settled());
    let found = failure(decoder.finish());
    assert_eq!((found.error.kind, found.partial.unwrap().text.as_str()), (ModelErrorKind::BadResponse, "ok"));
}

#[test]
fn whole_answers_give_the_same_turn_as_streams() {
    let table = [
        (
            Format::Anthropic,
            r#"{"id":"msg","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hi"},{"type":"tool_use","id":"c1","name":"f","input":{"b":1,"a":12345678901234567890}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":3}}"#,
        ),
        (
            Format::OpenAiChat,
            r#"{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","reasoning_content":"hm","refusal":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"b\":1,\"a\":12345678901234567890}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":2}}}"#,
        ),
        (
            Format::OpenAiResponses,
            r#"{"id":"r","object":"response","status":"completed","output":[{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","id":"fc","call_id":"c1","name":"f","arguments":"{\"b\":1,\"a\":12345678901234567890}"}],"usage":{"input_tokens":7,"output_tokens":3,"input_tokens_details":{"cached_tokens":2}}}"#,
        ),
        (
            Format::Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Hi"},{"functionCall":{"id":"c1","name":"f","args":{"b":1,"a":12345678901234567890}}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"cachedContentTokenCount":2}}"#,
        ),
    ];
    for (format, body) in table {
        let turn = answered(read_response(format, Vec::new(), body));
        let call = &turn.message.calls()[0];
        assert_eq!(
            (turn.message.text.as_str(), call.id(), call.tool_name.as_str()),
            ("Hi", "c1", "f"),
            "{format:?}"
        );
        assert_eq!(call.input_args.as_str(), r#"{"b":1,"a":12345678901234567890}"#, "the model's own text");
        assert_eq!(
            (turn.usage.tokens_in, turn.usage.tokens_out, turn.usage.cache_read),
            (7, 3, 2),
            "{format:?}"
        );
        assert_eq!((turn.finish, turn.message.reasoning_content.as_deref()), (Finish::ToolCalls, Some("hm")));
        for body in [
            "{}",
            "",
            "<html>",
            "null",
            r#"{"type":"error","error":{"message":"no"}}"#,
            &body[..body.len() - 1],
        ] {
            failure(read_response(format, Vec::new(), body));
        }
    }
}

#[test]
fn a_whole_answer_counts_without_a_reason_why_it_ended() {
    let chat = |reason: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"message":{{"content":"Hi","tool_calls":[{{"id":"c1","function":{{"name":"f","arguments":"{{}}"}}}},{{"id":"c2","function":{{"name":"g","arguments":""}}}}]}}{reason}}}]}}"#
        )
    };
    let gemini = r#"{"candidates":[{"content":{"parts":[{"text":"Hi"},{"functionCall":{"id":"c1","name":"f","args":{}}},{"functionCall":{"id":"c2","name":"g"}}]}}]}"#;
    let anthropic = r#"{"type":"message","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"c1","name":"f","input":{}},{"type":"tool_use","id":"c2","name":"g","input":{}}],"stop_reason":null}"#;
    let table = [
        (Format::OpenAiChat, chat(r#","finish_reason":"""#)),
        (Format::OpenAiChat, chat(r#","finish_reason":null"#)),
        (Format::OpenAiChat, chat("")),
        (Format::Gemini, gemini.to_owned()),
        (Format::Anthropic, anthropic.to_owned()),
    ];
    for (format, body) in table {
        let turn = answered(read_response(format, Vec::new(), &body));
        let calls: Vec<_> = turn.message.calls().iter().map(|call| (call.id(), call.unparsed_args)).collect();
        // An empty text is no arguments where nobody says that the model was done with them.
        let unsure = format == Format::OpenAiChat || format == Format::Gemini;
        assert_eq!(calls, [("c1", false), ("c2", unsure)], "{body}");
        assert_eq!((turn.message.text.as_str(), turn.stop_reason), ("Hi", None), "{body}");
    }
    for reason in [r#""""#, "null"] {
        let text = format!(r#"{{"choices":[{{"message":{{"content":"Hi"}},"finish_reason":{reason}}}]}}"#);
        assert_eq!(answered(read_response(Format::OpenAiChat, Vec::new(), &text)).message.text, "Hi");
        let empty = format!(r#"{{"choices":[{{"message":{{"content":""}},"finish_reason":{reason}}}]}}"#);
        failure(read_response(Format::OpenAiChat, Vec::new(), &empty));
    }
    let refused = r#"{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":null}]}"#;
    let turn = answered(read_response(Format::OpenAiChat, Vec::new(), refused));
    assert_eq!((turn.message.text.as_str(), turn.finish), ("No.", Finish::Refused));
}

#[test]
fn of_a_message_and_a_delta_in_one_choice_the_message_is_the_whole_and_the_delta_a_piece() {
    let choice = |index: &str, delta: &str, message: &str| {
        format!(
            r#"{{"choices":[{{{index}"delta":{{"role":"assistant","content":{delta}}},"message":{{"role":"assistant","content":{message}}},"finish_reason":"stop"}}]}}"#
        )
    };
    let table = [(r#""""#, r#""Hi""#), ("null", r#""Hi""#), (r#""i""#, r#""Hi""#), (r#""Hi""#, r#""""#)];
    for (delta, message) in table {
        for index in ["", r#""index":0,"#] {
            let body = choice(index, delta, message);
            let turn = answered(read_response(Format::OpenAiChat, Vec::new(), &body));
            assert_eq!(turn.message.text, "Hi", "{body}");
        }
    }
    // A stream may be one chunk.
    for index in ["", r#""index":0,"#] {
        let stream = format!("data: {}\n\n", choice(index, r#""""#, r#""Hi""#));
        assert_eq!(answered(finish(Format::OpenAiChat, stream.as_bytes())).message.text, "Hi", "{stream}");
    }
    // In a stream each chunk has what is new and the whole so far.
    let stream = [(r#""H""#, r#""H""#), (r#""i""#, r#""Hi""#), (r#""""#, r#""Hi""#)];
    let stream = stream.map(|(delta, message)| format!("data: {}\n\n", choice("", delta, message))).concat();
    assert_eq!(answered(finish(Format::OpenAiChat, stream.as_bytes())).message.text, "Hi");
}

#[test]
fn the_figures_of_a_later_chunk_are_not_mixed_with_those_of_an_earlier_one() {
    let chunk = |usage: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"x\"}}]}},\"finishReason\":\"STOP\"}}],\"usageMetadata\":{{{usage}}}}}\n\n"
        )
    };
    let guess = chunk(
        r#""promptTokenCount":9,"candidatesTokenCount":8,"thoughtsTokenCount":7,"cachedContentTokenCount":6"#,
    );
    let table = [
        (r#""promptTokenCount":5,"candidatesTokenCount":3"#, (5, 3, 0, 0)),
        (r#""promptTokenCount":5"#, (5, 0, 0, 0)),
        (r#""candidatesTokenCount":3,"thoughtsTokenCount":2,"totalTokenCount":5"#, (0, 5, 2, 0)),
        // These say nothing of tokens.
        (r#""trafficType":"ON_DEMAND""#, (9, 15, 7, 6)),
        ("", (9, 15, 7, 6)),
    ];
    for (last, expected) in table {
        let usage = answered(finish(Format::Gemini, (guess.clone() + &chunk(last)).as_bytes())).usage;
        assert_eq!(
            (usage.tokens_in, usage.tokens_out, usage.reasoning, usage.cache_read),
            expected,
            "{last}"
        );
    }
}

#[test]
fn half_of_a_character_whose_other_half_never_comes_is_shown_as_one_that_is_unknown() {
    let chat = |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let anthropic = |text: &str| {
        format!(
            "data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n\
             data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}}}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    let done = |text: &str| {
        format!("data: {{\"type\":\"done\",\"message\":{{\"sender\":\"agent\",\"text\":\"{text}\"}}}}\n\n")
    };
    let told = |text: &str| format!("data: {{\"type\":\"text_delta\",\"text\":\"{text}\"}}\n\n");
    let table = [
        (Format::OpenAiChat, chat("\\ud83d") + end, "\u{FFFD}"),
        (Format::OpenAiChat, chat("Hi \\ud83d") + end, "Hi \u{FFFD}"),
        (Format::OpenAiChat, chat("Hi \\ud83d") + &chat("\\ude00!") + end, "Hi 😀!"),
        (Format::Anthropic, anthropic("Hi \\ud83d"), "Hi \u{FFFD}"),
        (Format::Endpoint, done("\\ud83d"), "\u{FFFD}"),
        (Format::Endpoint, told("Hi \\ud83d") + &done("Hi \\ud83d"), "Hi \u{FFFD}"),
        (Format::Endpoint, told("Hi \\ud83d") + &done("Hi \\ud83d\\ude00"), "Hi 😀"),
        (Format::Endpoint, told("Hi \\ud83d") + &told("\\ude00") + &done("Hi \\ud83d\\ude00"), "Hi 😀"),
    ];
    for (format, stream, text) in table {
        assert_eq!(answered(finish(format, stream.as_bytes())).message.text, text, "{stream}");
    }
    // It belongs to what was being said.
    let thought = "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm \\ud83d\"}}]}\n\n";
    let message = answered(finish(Format::OpenAiChat, (thought.to_owned() + end).as_bytes())).message;
    assert_eq!((message.text.as_str(), message.reasoning_content.as_deref()), ("", Some("Hm \u{FFFD}")));
}

#[test]
fn real_tool_names_come_back() {
    let names = vec![("my_tool".to_owned(), "my tool".to_owned())];
    let mut decoder = Decoder::new(Format::OpenAiChat, names);
    let batch = decoder.push(
        b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"my_tool\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
    );
    assert_eq!(
        batch,
        [
            Delta::CallStarted { index: 0, id: Some("c".to_owned()), name: "my tool".to_owned() },
            Delta::CallArgs { index: 0, text: "{}".to_owned() },
            Delta::CallEnded { index: 0 },
        ]
    );
    assert_eq!(answered(decoder.finish()).message.calls()[0].tool_name, "my tool");
}

#[test]
fn what_a_provider_wants_back_is_kept_for_the_next_request() {
    let recordings = own_recordings();
    let body_after = |name: &str| {
        let recording = recordings.iter().find(|recording| recording.name.ends_with(name)).unwrap();
        let turn = answered(finish(recording.format, &recording.bytes));
        let options = Options { model: "m".to_owned(), echo_reasoning: true, ..Options::default() };
        let names = ToolNames::new(recording.format, &Facts::default(), &[]);
        let prompt = RequestParts {
            format: recording.format,
            system: "",
            tools: &[],
            names: &names,
            options: &options,
            notices: &Notices::default(),
        };
        prompt.body(&[&Message::user("q"), &turn.message])
    };
    let thinking = r#"{"type":"thinking","thinking":"Let me see.","signature":"c2ln"}"#;
    assert!(body_after("/thinking-and-two-calls").contains(thinking));
    assert!(body_after("/text-and-reasoning").contains(r#""encrypted_content": "enc""#));
    assert!(body_after("/calls-with-signature").contains(r#""thoughtSignature":"sig""#));
}

#[test]
fn what_one_end_of_the_endpoint_protocol_writes_the_other_reads() {
    let mut message = Message::agent("Hi é").with_calls(vec![ToolCall::from_model(
        "f",
        Some("c".to_owned()),
        r#"{"a": 1}"#,
    )]);
    message.reasoning_content = Some("hm".to_owned());
    message.tool_calls.as_mut().unwrap()[0]
        .extra
        .0
        .push(("thought_signature".to_owned(), Json::string("sig")));
    let usage = Usage {
        tokens_in: 5,
        tokens_out: 6,
        cache_creation: 1,
        cache_read: 2,
        reasoning: 3,
        cost: Some(0.25),
    };
    let turn = Turn { message, usage, finish: Finish::Length, stop_reason: Some("max_tokens".to_owned()) };
    let call = &turn.message.calls()[0];
    let mut stream = String::new();
    for event in [
        WireEvent::ReasoningDelta { text: "hm" },
        WireEvent::TextDelta { text: "Hi é" },
        WireEvent::ToolInputDelta { id: "c", name: "f", delta: "{\"a\"" },
        WireEvent::ToolInputDelta { id: "c", name: "f", delta: ": 1}" },
        WireEvent::ToolUse { id: "c", name: "f", input: &call.input_args },
        WireEvent::Done(Box::new(WireDone::of(&turn))),
    ] {
        event.write(&mut stream);
    }
    assert_eq!(answered(finish(Format::Endpoint, stream.as_bytes())), turn);
    let mut failed = String::new();
    let mut error = glove_wasm::error::ModelError::new(ModelErrorKind::Overloaded, "busy");
    error.retry_after_ms = Some(1500);
    WireEvent::Error(&error).write(&mut failed);
    assert_eq!(failure(finish(Format::Endpoint, failed.as_bytes())).error, error);
}

#[test]
fn a_posted_request_is_read_back() {
    let options = Options { model: "m".to_owned(), ..Options::default() };
    let names = ToolNames::new(Format::Endpoint, &Facts::default(), &[]);
    let prompt = RequestParts {
        format: Format::Endpoint,
        system: "sys",
        tools: &[],
        names: &names,
        options: &options,
        notices: &Notices::default(),
    };
    let body = prompt.body(&[&Message::user("hi")]);
    let request = WireRequest::read(&body, &RequestLimits::default()).unwrap();
    assert_eq!(
        (request.system_prompt.as_str(), request.messages, request.tools),
        ("sys", vec![Message::user("hi").into()], vec![])
    );
}

fn any_event() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        Just("message_start"),
        Just("content_block_start"),
        Just("content_block_delta"),
        Just("content_block_stop"),
        Just("message_delta"),
        Just("message_stop"),
        Just("error"),
        Just("done"),
        Just("text_delta"),
        Just("tool_use"),
        Just("response.output_item.added"),
        Just("response.output_item.done"),
        Just("response.completed"),
        Just("response.function_call_arguments.delta"),
        Just("response.failed"),
        Just("tool_input_delta"),
    ];
    let piece = prop_oneof![
        Just(r#""index":0"#),
        Just(r#""index":1"#),
        Just(r#""delta":{"text":"t","partial_json":"{"}"#),
        Just(r#""delta":"x""#),
        Just(r#""content_block":{"type":"tool_use","id":"a","name":"f"}"#),
        Just(r#""content_block":{"type":"text"}"#),
        Just(r#""item":{"type":"function_call","id":"i","name":"n"}"#),
        Just(
            r#""choices":[{"delta":{"content":"c","tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}}]"#
        ),
        Just(r#""choices":[{"finish_reason":"stop"}]"#),
        Just(r#""candidates":[{"content":{"parts":[{"text":"x"}]}}]"#),
        Just(
            r#""candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true,"partialArgs":[{"jsonPath":"$.a[2].b","stringValue":"s"}]}}]}}]"#
        ),
        Just(r#""candidates":[{"finishReason":"STOP"}]"#),
        Just(r#""message":{"sender":"agent","text":"m"}"#),
        Just(
            r#""usage":{"input_tokens":18446744073709551615,"cache_read_input_tokens":18446744073709551615}"#
        ),
        Just(r#""usage":null"#),
        Just(r#""error":null"#),
        Just(r#""response":{"status":"completed","output":[{}]}"#),
        Just(r#""id":5,"name":[],"input":"{""#),
        Just(r#""choices":{},"candidates":5,"delta":null,"item":[]"#),
    ];
    (kind, proptest::collection::vec(piece, 0..5)).prop_map(|(kind, pieces)| {
        let mut fields = vec![format!(r#""type":"{kind}""#)];
        fields.extend(pieces.into_iter().map(str::to_owned));
        format!("data: {{{}}}\n\n", fields.join(","))
    })
}

/// Events with a place for a text: those that bring nothing else, and those that only look like it.
const SHAPES: &[&str] = &[
    r#"{"type":"text_delta","text":"@"}"#,
    r#"{"type":"reasoning_delta","text":"@"}"#,
    r#"{"type":"tool_input_delta","id":"c","name":"f","delta":"@"}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f"}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"@"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"@"}   }"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"thinking":"@","signature":"s"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"text":"@","thinking":"t"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"text":"@","x":" "}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"text":"@","x":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"text":"@","partial_json":"{"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"partial_json":"@"}}"#,
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"@","refusal":null},"finish_reason":null}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@","reasoning":"r"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@","reasoning_details":[{"type":"x","text":"r"}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@","tool_calls":[{"index":0,"function":{"name":"f","arguments":"{"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@"},"finish_reason":"stop"}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@"}},{"index":0,"delta":{"content":"x"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"@","content":"x"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"refusal":"no"},"delta":{"content":"@"}}]}"#,
    r#"{"choices":[{"delta":{"content":"@"},"message":{"content":"@"}}]}"#,
    r#"{"choices":[{"index":1,"delta":{"content":"@"}}]}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"@"}]}}]}"#,
    r#"{"type":"response.output_text.delta","delta":"@"}"#,
];
const TEXTS: &[&str] =
    &["a", "b c", "é", "", "ping", r"\n", r#"\""#, r"\ud83d", r"\ude00", r"a\ud83d\ude00", r#"","x":""#];

proptest! {
    #[test]
    fn an_event_is_read_the_same_behind_one_like_it_and_behind_another(
        shapes in proptest::collection::vec(proptest::sample::select(SHAPES), 2),
        events in proptest::collection::vec((0usize..2, proptest::sample::select(TEXTS)), 0..12),
    ) {
        let events = events.iter().map(|(shape, text)| format!("data: {}\n\n", shapes[*shape].replace('@', text)));
        let events = Vec::from_iter(events);
        for format in FORMATS {
            let (alike, apart) = (events.concat(), events.join("data: {\"x\":[1]}\n\n"));
            prop_assert_eq!(decode(format, [alike.as_bytes()]), decode(format, [apart.as_bytes()]));
        }
    }

    #[test]
    fn random_bytes_never_panic_and_are_never_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for format in FORMATS {
            failure(finish(format, &bytes));
            failure(read_response(format, Vec::new(), &String::from_utf8_lossy(&bytes)));
        }
    }

    #[test]
    fn odd_events_never_panic_and_give_one_transcript_in_any_pieces(
        events in proptest::collection::vec(any_event(), 0..12),
        size in 1usize..40,
        cut in 0usize..40,
    ) {
        let mut text = events.concat();
        text.truncate(text.len().saturating_sub(cut));
        for format in FORMATS {
            let whole = decode(format, [text.as_bytes()]);
            prop_assert_eq!(&decode(format, text.as_bytes().chunks(size)), &whole);
        }
    }
}
