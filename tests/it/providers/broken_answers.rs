//! Streams that say less than they should: what may run of them, and what becomes an error.

use crate::support::streams::{answered, outcome};
use glove_wasm::answer::{Outcome, Turn};
use glove_wasm::error::ModelErrorKind;
use glove_wasm::providers::Format::{self, Anthropic, Endpoint, Gemini, OpenAiChat, OpenAiResponses};

fn answer(format: Format, events: &[&str]) -> Turn {
    answered(decode(format, events))
}

fn decode(format: Format, events: &[&str]) -> Outcome {
    outcome(format, events.iter().map(|event| format!("data: {event}\n\n")))
}

/// Name and arguments of the calls that may run.
fn runs(format: Format, events: &[&str]) -> Vec<(String, String)> {
    let turn = answer(format, events);
    let calls = turn.message.calls().iter().filter(|call| !call.unparsed_args);
    calls.map(|call| (call.tool_name.clone(), call.input_args.to_string())).collect()
}

fn call(name: &str, args: &str) -> (String, String) {
    (name.to_owned(), args.to_owned())
}

fn kind(format: Format, events: &[&str]) -> ModelErrorKind {
    match decode(format, events) {
        Outcome::Failed(failure) => failure.error.kind,
        Outcome::Answered(turn) => panic!("{format:?} {events:?}: answered {:?}", turn.message),
    }
}

const CHAT_CALL: &str = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"rm","arguments":""}}]}}]}"#;
const CHAT_STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const CHAT_FILTER: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}"#;
const CLAUDE_CALL: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"rm","input":{}}}"#;
const CLAUDE_ARGS: &str = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}"#;
const CLAUDE_BLOCK_STOP: &str = r#"{"type":"content_block_stop","index":0}"#;
const CLAUDE_STOP: &str = r#"{"type":"message_stop"}"#;
const ITEM_CALL: &str = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c","name":"rm","arguments":""}}"#;

#[test]
fn what_comes_behind_the_end_is_part_of_the_answer_only_when_that_ends_too() {
    let more = r#"{"choices":[{"index":0,"delta":{"content":"more"}}]}"#;
    for late in [CHAT_CALL, more] {
        assert_eq!(kind(OpenAiChat, &[CHAT_STOP, late]), ModelErrorKind::Cut, "{late}");
    }
    assert_eq!(answer(OpenAiChat, &[CHAT_STOP, more, "[DONE]"]).message.text, "more");
    assert_eq!(answer(OpenAiChat, &[CHAT_STOP, more, CHAT_STOP]).message.text, "more");
    assert_eq!(runs(OpenAiChat, &[CHAT_STOP, CHAT_CALL, "[DONE]"]), []);
    let empty = r#"{"choices":[{"index":0,"delta":{"content":""}}],"usage":{"prompt_tokens":3}}"#;
    assert_eq!(answer(OpenAiChat, &[more, CHAT_STOP, empty]).usage.tokens_in, 3);
    let text = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#;
    let blank = r#"{"candidates":[{"content":{"parts":[{"text":""}]}}]}"#;
    assert_eq!(answer(Gemini, &[text, blank]).message.text, "a");
}

/// As Snowflake and some gateways end their streams.
#[test]
fn a_stream_that_is_done_counts_without_a_reason_where_its_tokens_were_told_and_its_calls_are_whole() {
    let text = r#"{"choices":[{"index":0,"delta":{"content":"Hi"}}]}"#;
    let told = r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
    let args = |args: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":"{args}"}}}}]}}}}]}}"#
        )
    };
    let (object, half, list) = (args(r#"{\"a\":1}"#), args(r#"{\"a\":"#), args("[1]"));
    let nameless = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"","arguments":"{}"}}]}}]}"#;
    assert_eq!(runs(OpenAiChat, &[CHAT_CALL, &object, told, "[DONE]"]), [call("rm", r#"{"a":1}"#)]);
    let turn = answer(OpenAiChat, &[text, told, "[DONE]"]);
    assert_eq!((turn.message.text.as_str(), turn.stop_reason, turn.usage.tokens_in), ("Hi", None, 3));
    let none = r#"{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}"#;
    for cut in [
        &[text, told][..],
        &[text, "[DONE]"],
        &[text, none, "[DONE]"],
        &[told, "[DONE]"],
        &[CHAT_CALL, told, "[DONE]"],
        &[CHAT_CALL, &half, told, "[DONE]"],
        &[CHAT_CALL, &list, told, "[DONE]"],
        &[nameless, told, "[DONE]"],
        &[CHAT_CALL, &object, told],
    ] {
        assert_eq!(kind(OpenAiChat, cut), ModelErrorKind::Cut, "{cut:?}");
    }
    let error = r#"{"error":{"message":"overloaded","code":503}}"#;
    assert_ne!(kind(OpenAiChat, &[text, told, error, "[DONE]"]), ModelErrorKind::Cut);
}

#[test]
fn nothing_runs_of_what_a_filter_or_a_refusal_ended() {
    assert_eq!(runs(OpenAiChat, &[CHAT_CALL, CHAT_FILTER, "[DONE]"]), []);
    let refusal = r#"{"type":"message_delta","delta":{"stop_reason":"refusal"}}"#;
    for events in [
        &[CLAUDE_CALL, refusal, CLAUDE_STOP][..],
        &[CLAUDE_CALL, CLAUDE_ARGS, CLAUDE_BLOCK_STOP, refusal, CLAUDE_STOP],
    ] {
        assert_eq!(runs(Anthropic, events), []);
    }
    let filtered = r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}}"#;
    assert_eq!(runs(OpenAiResponses, &[ITEM_CALL, filtered]), []);
    let open =
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"rm","willContinue":true}}]}}]}"#;
    assert_eq!(runs(Gemini, &[open, r#"{"candidates":[{"finishReason":"SAFETY"}]}"#]), []);
}

#[test]
fn a_call_that_never_ended_is_asked_again() {
    let by_calls = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#;
    for events in
        [&[CLAUDE_CALL, by_calls, CLAUDE_STOP][..], &[CLAUDE_CALL, CLAUDE_ARGS, by_calls, CLAUDE_STOP]]
    {
        let turn = answer(Anthropic, events);
        assert!(turn.message.calls()[0].unparsed_args, "{events:?}");
    }
    let half = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"rm","willContinue":true,"partialArgs":[{"jsonPath":"$.path","stringValue":"/ho"}]}}]}}]}"#;
    for reason in ["STOP", "MAX_TOKENS"] {
        let end = format!(r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#);
        assert!(answer(Gemini, &[half, &end]).message.calls()[0].unparsed_args, "{reason}");
    }
    let none = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
    assert!(answer(OpenAiResponses, &[ITEM_CALL, none]).message.calls()[0].unparsed_args);
}

#[test]
fn an_endpoint_of_the_ai_sdk_is_named() {
    for first in [r#"{"type":"start","messageId":"m"}"#, r#"{"type":"text-delta","id":"t","delta":"Hi"}"#] {
        let Outcome::Failed(failure) = decode(Endpoint, &[first]) else { panic!("{first}") };
        assert_eq!(failure.error.kind, ModelErrorKind::BadResponse);
        assert!(failure.error.message.contains("AI SDK"), "{}", failure.error.message);
    }
}

#[test]
fn an_endpoint_of_the_older_ai_sdk_is_named() {
    for first in ["0:\"Hi\"\n", "f:{\"messageId\":\"m\"}\n0:\"Hi\"\n", "2:[1]\n", "\n0:\"Hi"] {
        let Outcome::Failed(failure) = outcome(Endpoint, [first]) else { panic!("{first}") };
        assert_eq!(failure.error.kind, ModelErrorKind::BadResponse, "{first}");
        assert!(failure.error.message.contains("AI SDK"), "{first}: {}", failure.error.message);
    }
    for other in ["0:Hi", "Hi: \"you\"", "a", "{\"a\":1}"] {
        let Outcome::Failed(failure) = outcome(Endpoint, [other]) else { panic!("{other}") };
        assert!(!failure.error.message.contains("AI SDK"), "{other}: {}", failure.error.message);
    }
}

#[test]
fn arguments_without_a_place_are_no_answer() {
    let elsewhere = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"path\":1}"}}]}}]}"#;
    assert_eq!(kind(OpenAiChat, &[CHAT_CALL, elsewhere, CHAT_STOP]), ModelErrorKind::BadResponse);
    for events in [
        &[CLAUDE_ARGS, CLAUDE_CALL, CLAUDE_BLOCK_STOP, CLAUDE_STOP],
        &[CLAUDE_CALL, CLAUDE_BLOCK_STOP, CLAUDE_ARGS, CLAUDE_STOP],
    ] {
        assert_eq!(kind(Anthropic, events), ModelErrorKind::BadResponse, "{events:?}");
    }
    let early =
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"{}"}"#;
    let completed = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
    assert_eq!(kind(OpenAiResponses, &[early, ITEM_CALL, completed]), ModelErrorKind::BadResponse);
    let far = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"rm","partialArgs":[{"jsonPath":"$.l[17]","stringValue":"x"}]}}]},"finishReason":"STOP"}]}"#;
    assert_eq!(kind(Gemini, &[far]), ModelErrorKind::BadResponse);
    let odd = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"rm","partialArgs":[{"jsonPath":"$['a]b'].c","stringValue":"x"}]}}]},"finishReason":"STOP"}]}"#;
    assert_eq!(runs(Gemini, &[odd]), [call("rm", r#"{"a]b":{"c":"x"}}"#)]);
}

#[test]
fn what_the_whole_says_of_a_call_counts() {
    let completed = |args: &str| {
        format!(
            r#"{{"type":"response.completed","response":{{"status":"completed","output":[{{"type":"function_call","id":"f","call_id":"c","name":"rm","arguments":"{args}"}}]}}}}"#
        )
    };
    let delta =
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"f","delta":"{}"}"#;
    let whole = completed(r#"{\"path\":1}"#);
    let text = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Let me look."}"#;
    for events in [&[ITEM_CALL, &whole][..], &[ITEM_CALL, delta, &whole], &[text, &whole]] {
        assert_eq!(runs(OpenAiResponses, events), [call("rm", r#"{"path":1}"#)], "{events:?}");
    }
    let done = |n: u8| {
        format!(
            r#"{{"type":"response.output_item.done","item":{{"type":"function_call","id":"f{n}","call_id":"c{n}","name":"t{n}","arguments":"{{}}"}}}}"#
        )
    };
    let none = r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;
    assert_eq!(runs(OpenAiResponses, &[&done(1), &done(2), none]), [call("t1", "{}"), call("t2", "{}")]);
}

#[test]
fn a_call_without_a_name_and_one_that_the_provider_cannot_read_are_no_answers() {
    let nameless = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}"#;
    assert_eq!(kind(OpenAiChat, &[nameless]), ModelErrorKind::BadResponse);
    // Some send an empty entry.
    let gap = r#"{"choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":""}}]},"finish_reason":"stop"}]}"#;
    assert_eq!(answer(OpenAiChat, &[gap]).message.text, "a");
    let malformed = r#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: foo("}]}"#;
    let Outcome::Failed(failure) = decode(Gemini, &[malformed]) else { panic!("answered") };
    assert_eq!(failure.error.kind, ModelErrorKind::BadResponse);
    assert_eq!(failure.error.message, "Malformed function call: foo(");
    assert!(failure.error.retryable);
}

#[test]
fn an_endpoint_s_message_says_which_calls_there_are() {
    let done = |calls: &str| {
        format!(
            r#"{{"type":"done","message":{{"sender":"agent","text":"","tool_calls":[{calls}]}},"tokens_in":1,"tokens_out":1}}"#
        )
    };
    let (pay, pay_x) = (
        r#"{"type":"tool_use","name":"pay","input":{"a":1}}"#,
        r#"{"type":"tool_use","id":"x","name":"pay","input":{"a":1}}"#,
    );
    let (call_1, call_x) = (
        r#"{"tool_name":"pay","input_args":{"a":1}}"#,
        r#"{"id":"x","tool_name":"pay","input_args":{"a":1}}"#,
    );
    let one = [call("pay", r#"{"a":1}"#)];
    for streamed in [pay, pay_x] {
        for listed in [call_1, call_x] {
            assert_eq!(runs(Endpoint, &[streamed, &done(listed)]), one, "{streamed} {listed}");
            assert_eq!(runs(Endpoint, &[streamed, streamed, &done(listed)]), one, "{streamed} {listed}");
        }
    }
    let other = r#"{"id":"x","tool_name":"pay","input_args":{"a":2}}"#;
    let both = done(&format!("{call_x},{other}"));
    let other = r#"{"type":"tool_use","id":"x","name":"pay","input":{"a":2}}"#;
    for events in [&[both.as_str()][..], &[pay_x, &both], &[pay_x, other, &both]] {
        assert_eq!(
            runs(Endpoint, events),
            [call("pay", r#"{"a":1}"#), call("pay", r#"{"a":2}"#)],
            "{events:?}"
        );
    }
    // Simple handlers do not repeat the calls; one whose arguments never came is not whole.
    let silent = r#"{"type":"done","message":{"sender":"agent","text":"so"},"tokens_in":1,"tokens_out":1}"#;
    assert_eq!(runs(Endpoint, &[pay_x, silent]), one);
    assert_eq!(
        runs(Endpoint, &[r#"{"type":"tool_input_delta","id":"x","name":"pay","delta":""}"#, silent]),
        []
    );
}

#[test]
fn an_emoji_that_was_cut_in_halves_is_whole_again() {
    let chat = |text: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#);
    let turn = answer(OpenAiChat, &[&chat(r"a\ud83d"), &chat(r"\ude00b"), CHAT_STOP]);
    assert_eq!(turn.message.text, "a😀b");
    let text = |text: &str| format!(r#"{{"type":"text_delta","text":"{text}"}}"#);
    let done = r#"{"type":"done","message":{"sender":"agent","text":"a😀b"},"tokens_in":1,"tokens_out":1}"#;
    assert_eq!(answer(Endpoint, &[&text(r"a\ud83d"), &text(r"\ude00b"), done]).message.text, "a😀b");
}

#[test]
fn an_empty_error_field_is_no_error() {
    let chunk = r#"{"error":"","choices":[{"index":0,"delta":{"content":"hi"}}]}"#;
    assert_eq!(answer(OpenAiChat, &[chunk, CHAT_STOP]).message.text, "hi");
}

#[test]
fn parallel_calls_that_nothing_tells_apart_are_told_by_their_whole_arguments() {
    let piece = |name: &str, args: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"function":{{"name":"{name}","arguments":"{args}"}}}}]}}}}]}}"#
        )
    };
    let (one, two) = (piece("look", r#"{\"a\":1}"#), piece("look", r#"{\"a\":2}"#));
    let calls = [call("look", r#"{"a":1}"#), call("look", r#"{"a":2}"#)];
    assert_eq!(runs(OpenAiChat, &[&one, &two, CHAT_STOP]), calls);
}

#[test]
fn at_the_token_limit_only_the_last_call_is_in_doubt() {
    let (first, last) = (CHAT_CALL, CHAT_CALL.replace(r#""index":0,"id":"a""#, r#""index":1,"id":"b""#));
    let limit = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#;
    let turn = answer(OpenAiChat, &[first, &last, limit]);
    let unparsed: Vec<_> = turn.message.calls().iter().map(|call| call.unparsed_args).collect();
    assert_eq!(unparsed, [false, true]);
}

#[test]
fn the_end_of_a_block_is_that_of_the_last_one_with_its_index() {
    let second = CLAUDE_CALL.replace(r#""id":"t","name":"rm""#, r#""id":"u","name":"ls""#);
    let by_calls = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#;
    let events =
        [CLAUDE_CALL, &second, CLAUDE_ARGS, CLAUDE_BLOCK_STOP, CLAUDE_BLOCK_STOP, by_calls, CLAUDE_STOP];
    assert_eq!(runs(Anthropic, &events), [call("rm", "{}"), call("ls", r#"{"a":1}"#)]);
}

#[test]
fn an_answer_that_begins_like_an_old_error_and_cost_tokens_is_an_answer() {
    let done = |tokens: u8| {
        format!(
            r#"{{"type":"done","message":{{"sender":"agent","text":"Error: 404 means not found."}},"tokens_in":{tokens},"tokens_out":{tokens}}}"#
        )
    };
    assert_eq!(answer(Endpoint, &[&done(3)]).message.text, "Error: 404 means not found.");
    assert_eq!(kind(Endpoint, &[&done(0)]), ModelErrorKind::Server);
}
