//! Where an answer says that it comes from, in each provider's words, and that no model is told of it again.

use crate::support::requests::{FORMATS, body_with, options};
use crate::support::streams::{answered, outcome};
use glove_wasm::answer::{Outcome, Turn};
use glove_wasm::json::Json;
use glove_wasm::message::{Message, Source};
use glove_wasm::providers::Format::{self, Anthropic, Endpoint, Gemini, OpenAiChat, OpenAiResponses};
use glove_wasm::providers::read_response;

fn decode(format: Format, events: &[&str]) -> Outcome {
    outcome(format, events.iter().map(|event| format!("data: {event}\n\n")))
}

fn sources(turn: &Turn) -> String {
    turn.message.sources.as_ref().map_or_else(String::new, Json::to_string)
}

const ROME: &str =
    r#"[{"url":"https://rome.example/a","title":"Rome"},{"url":"http://b.example/","title":""}]"#;

#[test]
fn each_provider_names_its_sources_while_it_streams() {
    let table: [(Format, &[&str]); 6] = [
        (
            Anthropic,
            &[
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","cited_text":"x","url":"https://rome.example/a","title":"Rome","encrypted_index":"E"}}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"x","document_index":0,"document_title":"Mine"}}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"search_result_location","source":"http://b.example/","title":null,"cited_text":"x"}}}"#,
                r#"{"type":"content_block_stop","index":0}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#,
                r#"{"type":"message_stop"}"#,
            ],
        ),
        (
            OpenAiChat,
            &[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi","annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":1,"title":"Rome","url":"https://rome.example/a"}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"annotations":[{"type":"url_citation","url_citation":{"url":"https://rome.example/a","title":"Again"}},{"type":"url_citation","url_citation":{"url":"http://b.example/","title":""}},{"type":"file_citation","file_id":"f"}]},"finish_reason":"stop"}]}"#,
                "[DONE]",
            ],
        ),
        (
            OpenAiChat,
            &[
                r#"{"choices":[{"index":0,"delta":{"content":"Hi"}}],"citations":["https://rome.example/a","http://b.example/"],"search_results":[{"title":"Rome","url":"https://rome.example/a","date":null,"last_updated":null,"snippet":"","source":"web"},{"source":"web","url":"http://b.example/"}]}"#,
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"citations":["https://rome.example/a","http://b.example/"]}"#,
                "[DONE]",
            ],
        ),
        (
            OpenAiResponses,
            &[
                r#"{"type":"response.output_text.delta","output_index":0,"item_id":"m","delta":"Hi"}"#,
                r#"{"type":"response.output_text.annotation.added","output_index":0,"item_id":"m","content_index":0,"annotation_index":0,"annotation":{"type":"url_citation","url":"https://rome.example/a","title":"Rome","start_index":0,"end_index":2}}"#,
                r#"{"type":"response.output_text.annotation.added","annotation":{"type":"url_citation","url":"http://b.example/"}}"#,
                r#"{"type":"response.output_text.annotation.added","annotation":{"type":"file_citation","file_id":"f","filename":"x"}}"#,
                r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#,
            ],
        ),
        (
            Gemini,
            &[
                r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}"#,
                r#"{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["q"],"groundingChunks":[{"web":{"uri":"https://rome.example/a","title":"Rome"}},{"retrievedContext":{"uri":"http://b.example/"}},{"retrievedContext":{"uri":"gs://bucket/x","title":"x"}}],"groundingSupports":[]}}]}"#,
            ],
        ),
        (
            Endpoint,
            &[
                r#"{"type":"text_delta","text":"Hi"}"#,
                r#"{"type":"done","message":{"sender":"agent","text":"Hi","sources":[{"url":"https://rome.example/a","title":"Rome"},{"url":"http://b.example/","title":""}]},"tokens_in":1,"tokens_out":1}"#,
            ],
        ),
    ];
    for (format, events) in table {
        let turn = answered(decode(format, events));
        assert_eq!((turn.message.text.as_str(), sources(&turn).as_str()), ("Hi", ROME), "{format:?}");
    }
}

#[test]
fn a_whole_answer_names_them_too() {
    let table = [
        (
            Anthropic,
            r#"{"type":"message","content":[{"type":"text","text":"Hi","citations":[{"type":"web_search_result_location","url":"https://rome.example/a","title":"Rome"},{"type":"search_result_location","source":"http://b.example/"}]}],"stop_reason":"end_turn"}"#,
        ),
        (
            OpenAiChat,
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi","annotations":[{"type":"url_citation","url_citation":{"url":"https://rome.example/a","title":"Rome"}},{"type":"url_citation","url_citation":{"url":"http://b.example/"}}]},"finish_reason":"stop"}]}"#,
        ),
        (
            OpenAiResponses,
            r#"{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi","annotations":[{"type":"url_citation","url":"https://rome.example/a","title":"Rome"},{"type":"url_citation","url":"http://b.example/"}]}]}]}"#,
        ),
        (
            Gemini,
            r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP","groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://rome.example/a","title":"Rome"}},{"web":{"uri":"http://b.example/"}}]}}]}"#,
        ),
        // As some writers of JSON escape slashes.
        (
            OpenAiChat,
            r#"{"model":"a/b","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","annotations":[{"url_citation":{"url":"https:\/\/rome.example\/a","title":"Rome"}},{"url_citation":{"url":"http:\/\/b.example\/"}}]},"finish_reason":"stop"}]}"#,
        ),
    ];
    for (format, body) in table {
        let turn = answered(read_response(format, Vec::new(), body));
        let named = sources(&turn).replace(r"\/", "/");
        assert_eq!((turn.message.text.as_str(), named.as_str()), ("Hi", ROME), "{format:?}");
    }
}

#[test]
fn what_is_no_address_of_the_web_too_long_or_too_much_is_no_source() {
    let mut annotations = ["javascript:alert(1)", "data:text/html,x", "/relative", "", " https://a.example"]
        .map(|url| format!(r#"{{"url_citation":{{"url":{},"title":"x"}}}}"#, Json::string(url)))
        .to_vec();
    annotations.push(format!(r#"{{"url":"https://a.example/{}"}}"#, "a".repeat(30_000)));
    annotations
        .extend((0..5_000).map(|n| format!(r#"{{"url":"https://a.example/{n}","title":"Page {n}"}}"#)));
    annotations.extend(["5", "null", "[]", r#"{"url":5,"title":{}}"#].map(str::to_owned));
    let deep = format!("{}{}", r#"{"web":["#.repeat(50_000), r#"]}"#.repeat(50_000));
    annotations.push(deep);
    let event = format!(
        r#"{{"choices":[{{"index":0,"delta":{{"content":"Hi","annotations":[{}]}},"finish_reason":"stop"}}]}}"#,
        annotations.join(",")
    );
    let turn = answered(decode(OpenAiChat, &[&event, "[DONE]"]));
    let kept: Vec<Source> = turn.message.sources.as_ref().unwrap().read().unwrap();
    assert_eq!(kept[0], Source { url: "https://a.example/0".to_owned(), title: Some("Page 0".to_owned()) });
    assert!((100..1_000).contains(&kept.len()), "{}", kept.len());
    for odd in [r#""annotations":null"#, r#""annotations":{}"#, r#""annotations":"x""#] {
        let event = format!(
            r#"{{"choices":[{{"index":0,"delta":{{"content":"Hi",{odd}}},"finish_reason":"stop"}}]}}"#
        );
        let turn = answered(decode(OpenAiChat, &[&event, "[DONE]"]));
        assert_eq!((turn.message.text.as_str(), turn.message.sources), ("Hi", None), "{odd}");
    }
}

#[test]
fn arguments_of_calls_are_no_sources() {
    let body = r#"{"type":"message","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"x","input":{"citations":[{"url":"https://a.example/"}]}}],"stop_reason":"tool_use"}"#;
    assert_eq!(answered(read_response(Anthropic, Vec::new(), body)).message.sources, None);
    let event = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":{"citations":[{"url":"https://a.example/"}]}}}]},"finishReason":"STOP"}]}"#;
    assert_eq!(answered(decode(Gemini, &[event])).message.sources, None);
}

#[test]
fn no_provider_is_sent_the_sources_of_an_earlier_answer() {
    let mut answer = Message::agent("Hi");
    answer.sources = Some(Json::parse(ROME).unwrap());
    let messages = [Message::user("q"), answer, Message::user("more")];
    for format in FORMATS {
        let body = body_with(format, &options(), "s", &messages).to_string();
        assert!(body.contains("more") && !body.contains("rome.example"), "{format:?}: {body}");
    }
}
