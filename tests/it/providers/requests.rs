//! What leaves for each provider: the shape of a record, of media and of the head of a body.

use crate::support::requests::{FORMATS, body_with, list, media, options, tool_turn, with_parts};
use glove_wasm::json::Json;
use glove_wasm::message::{ContentPart, ContentSource, Extra, Message};
use glove_wasm::providers::Format;
use glove_wasm::providers::facts::Facts;
use glove_wasm::providers::request::{CacheTtl, Options};
use serde_json::json;

fn at(host: &str) -> Facts {
    Facts::of(Format::OpenAiChat, host, "m", &[])
}

#[test]
fn anthropic_gets_results_first_and_text_after() {
    assert_eq!(
        list(Format::Anthropic, &tool_turn()),
        json!([
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Rome"}},
                {"type": "tool_use", "id": "c2", "name": "my_tool", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "sunny"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "Error: stopped by the user", "is_error": true},
                {"type": "text", "text": "by the way"},
                {"type": "text", "text": "and?"},
            ]},
        ])
    );
}

#[test]
fn chat_gets_a_tool_message_for_each_result() {
    assert_eq!(
        list(Format::OpenAiChat, &tool_turn()),
        json!([
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "Looking.", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Rome\"}"}},
                {"id": "c2", "type": "function", "function": {"name": "my_tool", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
            {"role": "tool", "tool_call_id": "c2", "content": "Error: stopped by the user"},
            {"role": "user", "content": "by the way\n\nand?"},
        ])
    );
}

#[test]
fn responses_gets_a_flat_list_of_items() {
    assert_eq!(
        list(Format::OpenAiResponses, &tool_turn()),
        json!([
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{\"city\":\"Rome\"}"},
            {"type": "function_call", "call_id": "c2", "name": "my_tool", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
            {"type": "function_call_output", "call_id": "c2", "output": "Error: stopped by the user"},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "by the way"}, {"type": "input_text", "text": "and?"},
            ]},
        ])
    );
}

#[test]
fn gemini_gets_function_responses_in_the_order_of_the_calls() {
    let mut turn = tool_turn();
    turn[1].tool_calls.as_mut().unwrap()[0].extra =
        Extra(vec![("thought_signature".to_owned(), Json::string("sig"))]);
    assert_eq!(
        list(Format::Gemini, &turn),
        json!([
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [
                {"text": "Looking."},
                {"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Rome"}}, "thoughtSignature": "sig"},
                {"functionCall": {"id": "c2", "name": "my_tool", "args": {}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "weather", "response": {"output": "sunny"}}},
                {"functionResponse": {"id": "c2", "name": "my_tool", "response": {"error": "Error: stopped by the user"}}},
                {"text": "by the way"},
                {"text": "and?"},
            ]},
        ])
    );
}

#[test]
fn an_endpoint_gets_the_records_own_shape() {
    assert_eq!(
        list(Format::Endpoint, &tool_turn()),
        json!([
            {"sender": "user", "text": "hi"},
            {"sender": "agent", "text": "Looking.", "tool_calls": [
                {"tool_name": "weather", "input_args": {"city": "Rome"}, "id": "c1"},
                {"tool_name": "my tool", "input_args": {}, "id": "c2"},
            ]},
            {"sender": "user", "text": "tool results", "tool_results": [
                {"tool_name": "weather", "call_id": "c1", "result": {"data": "sunny", "status": "success"}},
                {"tool_name": "my tool", "call_id": "c2", "result":
                    {"data": null, "status": "error", "message": "stopped by the user"}},
            ]},
            {"sender": "user", "text": "by the way\n\nand?"},
        ])
    );
}

#[test]
fn the_head_of_each_body_is_in_the_providers_form() {
    let options = Options {
        max_tokens: Some(100),
        temperature: Some(0.5),
        extra: Some(Json::parse(r#"{"top_k":5}"#).unwrap()),
        ..options()
    };
    let properties = json!({"city": {"type": "string"}});
    let schema = json!({"type": "object", "properties": properties});
    let empty = json!({"type": "object", "properties": {}});
    let hi = [Message::user("hi")];
    let anthropic = body_with(Format::Anthropic, &options, "sys", &hi);
    assert_eq!(anthropic["tools"][0], json!({"name": "weather", "description": "d", "input_schema": schema}));
    assert_eq!((&anthropic["system"], &anthropic["max_tokens"]), (&json!("sys"), &json!(100)));
    assert_eq!((&anthropic["top_k"], &anthropic["stream"]), (&json!(5), &json!(true)));
    let chat = body_with(Format::OpenAiChat, &options, "sys", &hi);
    assert_eq!(chat["messages"][0], json!({"role": "system", "content": "sys"}));
    assert_eq!(
        chat["tools"][1]["function"],
        json!({"name": "my_tool", "description": "d", "parameters": empty})
    );
    assert_eq!(
        (&chat["max_tokens"], &chat["stream_options"]),
        (&json!(100), &json!({"include_usage": true}))
    );
    let openai =
        body_with(Format::OpenAiChat, &Options { facts: at("api.openai.com"), ..options.clone() }, "", &hi);
    assert_eq!((&openai["max_completion_tokens"], openai.get("max_tokens")), (&json!(100), None));
    let mistral =
        body_with(Format::OpenAiChat, &Options { facts: at("api.mistral.ai"), ..options.clone() }, "", &hi);
    assert_eq!(mistral.get("stream_options"), None);
    let responses = body_with(Format::OpenAiResponses, &options, "sys", &hi);
    assert_eq!((&responses["instructions"], &responses["store"]), (&json!("sys"), &json!(false)));
    assert_eq!(responses["tools"][0]["parameters"], schema);
    let gemini = body_with(Format::Gemini, &options, "sys", &hi);
    assert_eq!(gemini["systemInstruction"], json!({"parts": [{"text": "sys"}]}));
    assert_eq!(gemini["generationConfig"], json!({"maxOutputTokens": 100, "temperature": 0.5}));
    assert_eq!(gemini["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"], schema);
    let endpoint = body_with(Format::Endpoint, &options, "sys", &hi);
    assert_eq!(endpoint["systemPrompt"], "sys");
    assert_eq!(endpoint["tools"][1], json!({"name": "my tool", "description": "d", "parameters": empty}));
}

#[test]
fn media_take_the_form_that_each_provider_knows() {
    let message = with_parts(vec![
        media("image", "base64", "image/png", "AAAA"),
        media("image", "url", "", "https://x.example/i.png"),
        media("document", "base64", "application/pdf", "BBBB"),
        media("document", "url", "application/pdf", "https://x.example/d.pdf"),
        media("video", "base64", "video/mp4", "CCCC"),
        ContentPart { kind: "text".to_owned(), text: Some("see".to_owned()), ..Default::default() },
    ]);
    let messages = [Message::user("before"), message];
    assert_eq!(
        list(Format::Anthropic, &messages)[0]["content"],
        json!([
            {"type": "text", "text": "before"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            {"type": "image", "source": {"type": "url", "url": "https://x.example/i.png"}},
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "BBBB"}},
            {"type": "document", "source": {"type": "url", "url": "https://x.example/d.pdf"}},
            {"type": "text", "text": "[Video attachment: video/mp4]"},
            {"type": "text", "text": "see"},
        ])
    );
    assert_eq!(
        list(Format::OpenAiChat, &messages)[0]["content"],
        json!([
            {"type": "text", "text": "before"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "image_url", "image_url": {"url": "https://x.example/i.png"}},
            {"type": "text", "text": "[Document attachment: application/pdf]"},
            {"type": "text", "text": "[Document attachment: application/pdf]"},
            {"type": "text", "text": "[Video attachment: video/mp4]"},
            {"type": "text", "text": "see"},
        ])
    );
    assert_eq!(
        list(Format::OpenAiResponses, &messages)[0]["content"][3],
        json!({"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,BBBB"})
    );
    assert_eq!(
        list(Format::Gemini, &messages)[0]["parts"][4],
        json!({"fileData": {"mimeType": "application/pdf", "fileUri": "https://x.example/d.pdf"}})
    );
    let endpoint = list(Format::Endpoint, &messages);
    assert_eq!(endpoint[0]["text"], "before\n\nsee");
    assert_eq!(
        endpoint[0]["content"][1],
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})
    );
}

#[test]
fn a_pdf_is_a_file_where_the_chat_format_has_files_and_a_note_elsewhere() {
    let messages = [with_parts(vec![
        media("document", "base64", "application/pdf", "BBBB"),
        media("document", "url", "application/pdf", "https://x.example/d.pdf"),
        media("document", "base64", "application/zip", "CCCC"),
    ])];
    let sent = |host| {
        let options = Options { facts: at(host), ..options() };
        body_with(Format::OpenAiChat, &options, "", &messages)["messages"][0]["content"].clone()
    };
    let file = |data: &str| json!({"type": "file", "file": {"filename": "document.pdf", "file_data": data}});
    let note =
        |kind: &str| json!({"type": "text", "text": format!("[Document attachment: application/{kind}]")});
    let embedded = file("data:application/pdf;base64,BBBB");
    assert_eq!(sent("api.openai.com"), json!([embedded, note("pdf"), note("zip")]));
    assert_eq!(sent("openrouter.ai"), json!([embedded, file("https://x.example/d.pdf"), note("zip")]));
    for host in ["nobody.example", "api.mistral.ai", "generativelanguage.googleapis.com"] {
        let notes = ["pdf", "pdf", "zip"].map(|kind| format!("[Document attachment: application/{kind}]"));
        assert_eq!(sent(host), json!(notes.join("\n\n")), "{host}");
    }
}

#[test]
fn media_that_lead_nowhere_are_named_and_not_sent() {
    let nowhere = |from: &str| {
        let source = ContentSource {
            kind: from.to_owned(),
            media_type: "image/png".to_owned(),
            ..ContentSource::default()
        };
        ContentPart { kind: "image".to_owned(), source: Some(source), ..ContentPart::default() }
    };
    let messages = [with_parts(vec![nowhere("base64"), nowhere("url"), nowhere("file")])];
    for format in FORMATS.into_iter().filter(|format| *format != Format::Endpoint) {
        let sent = list(format, &messages).to_string();
        assert_eq!(sent.matches("[Image attachment: image/png]").count(), 3, "{format:?} {sent}");
        assert!(!sent.contains("url"), "{format:?} {sent}");
    }
}

#[test]
fn the_mark_of_the_cache_stands_before_what_the_page_tells_which_is_another_one_with_the_next_request() {
    let page = || {
        let mut page = Message::user("The cart: tea");
        page.framework_context = Some("page".to_owned());
        page
    };
    let options = Options { facts: at("openrouter.ai"), cache: Some(CacheTtl::FiveMinutes), ..options() };
    let mark = json!({"type": "ephemeral"});
    let said = [Message::user("Hi"), page()];
    let after_tools = [tool_turn(), vec![page()]].concat();
    let body = body_with(Format::Anthropic, &options, "", &said);
    let content = &body["messages"][0]["content"];
    assert_eq!((&content[0]["cache_control"], content[1].get("cache_control")), (&mark, None));
    let before = body_with(Format::Anthropic, &options, "", &tool_turn());
    let body = body_with(Format::Anthropic, &options, "", &after_tools);
    assert_eq!(body["messages"][2]["content"][3], before["messages"][2]["content"][3]);
    assert_eq!(body["messages"][2]["content"][3]["cache_control"], mark);
    let body = body_with(Format::OpenAiChat, &options, "", &said);
    let content =
        &body["messages"].as_array().and_then(|all| all.last()).map(|last| &last["content"]).cloned();
    let content = content.clone().unwrap_or_default();
    assert_eq!((&content[0]["cache_control"], content[1].get("cache_control")), (&mark, None), "{body}");
    assert_eq!(content[1]["text"], "The cart: tea");
}

#[test]
fn caching_puts_two_marks() {
    let options = Options { cache: Some(CacheTtl::OneHour), ..options() };
    let mark = json!({"type": "ephemeral", "ttl": "1h"});
    let body = body_with(Format::Anthropic, &options, "sys", &tool_turn());
    assert_eq!(body.to_string().matches("cache_control").count(), 2);
    assert_eq!(body["system"][0]["cache_control"], mark);
    assert_eq!(body["messages"][2]["content"][3]["cache_control"], mark);
    let body = body_with(Format::Anthropic, &options, "", &tool_turn()[..4]);
    assert_eq!(body["tools"][1]["cache_control"], mark);
    let router =
        Options { facts: at("openrouter.ai"), cache: Some(CacheTtl::FiveMinutes), ..options.clone() };
    let body = body_with(Format::OpenAiChat, &router, "sys", &tool_turn());
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(body.to_string().matches("cache_control").count(), 2);
    assert!(
        !body_with(Format::OpenAiChat, &options, "sys", &tool_turn()).to_string().contains("cache_control")
    );
}

#[test]
fn where_to_stop_is_told_to_those_who_can_be_told() {
    let body = |format| {
        body_with(format, &Options { stop: Some("\nObservation:"), ..options() }, "", &[Message::user("hi")])
    };
    let stop = json!(["\nObservation:"]);
    assert_eq!(body(Format::Anthropic)["stop_sequences"], stop);
    assert_eq!(body(Format::OpenAiChat)["stop"], stop);
    assert_eq!(body(Format::Gemini)["generationConfig"]["stopSequences"], stop);
    assert!(!body(Format::OpenAiResponses).to_string().contains("Observation"));
}
