//! Answers with very many calls: each is read in a time that grows with its length, and has a limit.

use std::fmt::Write as _;
use std::time::Duration;

use crate::support::requests::FORMATS;
use crate::support::streams::outcome;
use crate::support::work_time::work_time;
use glove_wasm::answer::{MOST_CALLS, Outcome};
use glove_wasm::error::ModelErrorKind;
use glove_wasm::providers::Format::{self, Anthropic, Endpoint, Gemini, OpenAiChat, OpenAiResponses};
use glove_wasm::providers::read_response;

fn decode(format: Format, events: &[String]) -> Outcome {
    let mut stream = String::new();
    for event in events {
        write!(stream, "data: {event}\n\n").unwrap();
    }
    outcome(format, stream.as_bytes().chunks(64 * 1024))
}

/// The events of one call.
fn call(format: Format, n: usize) -> Vec<String> {
    match format {
        Anthropic => vec![
            format!(
                r#"{{"type":"content_block_start","index":{n},"content_block":{{"type":"tool_use","id":"c{n}","name":"go","input":{{}}}}}}"#
            ),
            format!(r#"{{"type":"content_block_stop","index":{n}}}"#),
        ],
        OpenAiChat => vec![format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{n},"id":"c{n}","function":{{"name":"go","arguments":"{{}}"}}}}]}}}}]}}"#
        )],
        OpenAiResponses => vec![format!(
            r#"{{"type":"response.output_item.done","output_index":{n},"item":{{"type":"function_call","id":"f{n}","call_id":"c{n}","name":"go","arguments":"{{}}"}}}}"#
        )],
        Gemini => vec![format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"id":"c{n}","name":"go","args":{{}}}}}}]}}}}]}}"#
        )],
        Endpoint => vec![format!(r#"{{"type":"tool_use","id":"c{n}","name":"go","input":{{}}}}"#)],
    }
}

fn end(format: Format) -> &'static str {
    match format {
        Anthropic => r#"{"type":"message_stop"}"#,
        OpenAiChat => r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        OpenAiResponses => r#"{"type":"response.completed","response":{"status":"completed"}}"#,
        Gemini => r#"{"candidates":[{"finishReason":"STOP"}]}"#,
        Endpoint => r#"{"type":"done","message":{"sender":"agent","text":""}}"#,
    }
}

fn streamed(format: Format, calls: usize) -> Vec<String> {
    let mut events: Vec<_> = (0..calls).flat_map(|n| call(format, n)).collect();
    events.push(end(format).to_owned());
    events
}

/// The same calls in one piece: a body, or the message at the end of an endpoint's stream.
fn whole(format: Format, calls: usize) -> Outcome {
    let list = |item: &dyn Fn(usize) -> String| (0..calls).map(item).collect::<Vec<_>>().join(",");
    let body = match format {
        Anthropic => format!(
            r#"{{"type":"message","content":[{}],"stop_reason":"tool_use"}}"#,
            list(&|n| format!(r#"{{"type":"tool_use","id":"c{n}","name":"go","input":{{"n":{n}}}}}"#))
        ),
        OpenAiChat => format!(
            r#"{{"choices":[{{"index":0,"message":{{"tool_calls":[{}]}},"finish_reason":"tool_calls"}}]}}"#,
            list(&|n| format!(r#"{{"id":"c{n}","function":{{"name":"go","arguments":"{{}}"}}}}"#))
        ),
        OpenAiResponses => format!(
            r#"{{"status":"completed","output":[{}]}}"#,
            list(&|n| format!(
                r#"{{"type":"function_call","id":"f{n}","call_id":"c{n}","name":"go","arguments":"{{}}"}}"#
            ))
        ),
        Gemini => format!(
            r#"{{"candidates":[{{"content":{{"parts":[{}]}},"finishReason":"STOP"}}]}}"#,
            list(&|n| format!(r#"{{"functionCall":{{"id":"c{n}","name":"go","args":{{}}}}}}"#))
        ),
        Endpoint => format!(
            r#"{{"type":"done","message":{{"sender":"agent","text":"","tool_calls":[{}]}}}}"#,
            list(&|n| format!(r#"{{"tool_name":"go","input_args":{{}},"id":"c{n}"}}"#))
        ),
    };
    if format == Endpoint { decode(format, &[body]) } else { read_response(format, Vec::new(), &body) }
}

fn count(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Answered(turn) => turn.message.calls().len(),
        Outcome::Failed(failure) => panic!("{}", failure.error.message),
    }
}

fn assert_too_many(outcome: &Outcome) {
    let Outcome::Failed(failure) = outcome else { panic!("answered") };
    assert_eq!(failure.error.kind, ModelErrorKind::BadResponse);
    assert!(failure.error.message.contains("1000 tool calls"), "{}", failure.error.message);
    assert!(!failure.error.retryable);
}

#[test]
fn an_answer_may_hold_a_thousand_calls_and_not_one_more() {
    for format in FORMATS {
        assert_eq!(count(&decode(format, &streamed(format, MOST_CALLS))), 1_000, "{format:?}");
        assert_eq!(count(&whole(format, MOST_CALLS)), 1_000, "{format:?}");
        assert_too_many(&decode(format, &streamed(format, MOST_CALLS + 1)));
        assert_too_many(&whole(format, MOST_CALLS + 1));
    }
}

/// The shortest of some runs: the others were disturbed.
fn shortest(mut work: impl FnMut()) -> Duration {
    (0..3).map(|_| work_time(&mut work)).min().unwrap()
}

/// Four times as much takes about four times as long; sixteen times would be the square of it.
fn assert_linear(what: &str, work: impl Fn(usize)) {
    let (less, more) = (shortest(|| work(3_000)), shortest(|| work(12_000)));
    assert!(more < less * 9, "{what}: {less:?}, then {more:?}");
}

#[test]
fn the_time_for_an_answer_grows_with_its_length_however_many_calls_it_holds() {
    for format in FORMATS {
        assert_linear(&format!("{format:?} streamed"), |n| drop(decode(format, &streamed(format, n))));
        assert_linear(&format!("{format:?} whole"), |n| drop(whole(format, n)));
    }
}

fn chat(call: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#)
}

#[test]
fn arguments_are_not_read_again_with_each_piece_that_could_begin_another_call() {
    let piece = |args: &str| chat(&format!(r#"{{"index":0,"function":{{"arguments":"{args}"}}}}"#));
    let named =
        |args: &str| chat(&format!(r#"{{"index":0,"function":{{"name":"go","arguments":"{args}"}}}}"#));
    assert_linear("open arguments", |n| {
        let begin = format!(r#"{{\"a\":[{}\""#, "1,".repeat(20 * n));
        let mut events = vec![named(&begin)];
        events.extend(std::iter::repeat_n(named("{"), n / 10));
        drop(decode(OpenAiChat, &events));
    });
    assert_linear("arguments with something behind them", |n| {
        let long = format!(r#"{{\"a\":[{}1]}}"#, "1,".repeat(20 * n));
        let mut events = vec![named(""), piece(&long), piece("{}")];
        events.extend(std::iter::repeat_n(named("{}"), n / 10));
        drop(decode(OpenAiChat, &events));
    });
}

#[test]
fn reasoning_blocks_and_arguments_in_very_many_pieces_are_read_in_linear_time() {
    assert_linear("reasoning items", |n| {
        let item = |n: usize| {
            format!(
                r#"{{"type":"response.output_item.done","item":{{"type":"reasoning","id":"rs_{n:06}","encrypted_content":"{}"}}}}"#,
                "e".repeat(200)
            )
        };
        drop(decode(OpenAiResponses, &(0..n).map(item).collect::<Vec<_>>()));
    });
    assert_linear("blocks that never end", |n| {
        let block = |n: usize| {
            format!(
                r#"{{"type":"content_block_start","index":{n},"content_block":{{"type":"text","text":"a"}}}}"#
            )
        };
        let lost =
            r#"{"type":"content_block_delta","index":9999999,"delta":{"type":"text_delta","text":"a"}}"#;
        let events: Vec<_> = (0..n).flat_map(|n| [block(n), lost.to_owned()]).collect();
        drop(decode(Anthropic, &events));
    });
    assert_linear("fields of arguments", |n| {
        let field = |n: usize| format!(r#"{{"jsonPath":"$.a{n:06}","numberValue":1}}"#);
        let fields = (0..n).map(field).collect::<Vec<_>>().join(",");
        let part = format!(r#"{{"functionCall":{{"name":"go","partialArgs":[{fields}]}}}}"#);
        drop(decode(Gemini, &[format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#)]));
    });
}
