//! What is known of hosts and models, in the requests that they get.

use crate::support::requests::{call, calls, fine, media, result, results, tools, with_parts};
use glove_wasm::answer::Outcome;
use glove_wasm::json::Json;
use glove_wasm::message::{ContentPart, Message, ToolResultData};
use glove_wasm::providers::facts::{Fact, Facts};
use glove_wasm::providers::request::{
    CacheTtl, Notice, Notices, Options, RequestParts, Thinking, ToolChoice, ToolNames,
};
use glove_wasm::providers::{Decoder, Format};
use glove_wasm::tool::ToolDefinition;
use serde_json::{Value, json};

/// A request to a model at a host, and the codes of what its developer is told.
fn ask(
    format: Format,
    at: (&str, &str),
    change: impl FnOnce(&mut Options),
    messages: &[Message],
) -> (Value, Vec<&'static str>) {
    let (body, told) = ask_and_hear(format, at, change, messages);
    (body, told.iter().map(|notice| notice.code).collect())
}

fn ask_and_hear(
    format: Format,
    at: (&str, &str),
    change: impl FnOnce(&mut Options),
    messages: &[Message],
) -> (Value, Vec<Notice>) {
    ask_with(format, at, change, messages, &tools())
}

fn ask_with(
    format: Format,
    (host, model): (&str, &str),
    change: impl FnOnce(&mut Options),
    messages: &[Message],
    tools: &[ToolDefinition],
) -> (Value, Vec<Notice>) {
    let facts = Facts::of(format, host, model, &[]);
    let mut options = Options { model: model.to_owned(), stream: true, facts, ..Options::default() };
    change(&mut options);
    let notices = Notices::default();
    let names = ToolNames::new(format, &options.facts, tools);
    let prompt =
        RequestParts { format, system: "sys", tools, names: &names, options: &options, notices: &notices };
    let body = prompt.body(&messages.iter().collect::<Vec<_>>());
    (serde_json::from_str(&body).unwrap(), notices.take())
}

const CHAT: Format = Format::OpenAiChat;
const PLAIN: (&str, &str) = ("nobody.example", "m");

fn hi() -> [Message; 1] {
    [Message::user("hi")]
}

/// A turn whose call was answered, and what the user said then.
fn round(then: Option<&str>) -> Vec<Message> {
    let mut messages = vec![
        Message::user("q"),
        calls("", vec![call("weather", "c1", "{}")]),
        results(vec![result("weather", "c1", fine("sunny"))]),
    ];
    messages.extend(then.map(Message::user));
    messages
}

fn with_extra(mut message: Message, key: &str, value: &str) -> Message {
    message.extra.0.push((key.to_owned(), Json::parse(value).unwrap()));
    message
}

fn think(effort: &str) -> Thinking {
    Thinking { effort: Some(effort.to_owned()), budget: None }
}

#[test]
fn the_longest_answer_is_said_in_the_models_field_on_every_host_and_only_where_it_was_set() {
    for (at, field) in [
        (("api.openai.com", "gpt-4.1"), "max_completion_tokens"),
        (("x.openai.azure.com", "my-deployment"), "max_completion_tokens"),
        (("proxy.example", "o4-mini"), "max_completion_tokens"),
        (("openrouter.ai", "openai/gpt-5-mini"), "max_completion_tokens"),
        (("openrouter.ai", "meta/llama"), "max_tokens"),
        (("api.mistral.ai", "mistral-large"), "max_tokens"),
        (PLAIN, "max_tokens"),
    ] {
        let (body, _) = ask(CHAT, at, |options| options.max_tokens = Some(9), &hi());
        let all = ["max_tokens", "max_completion_tokens"];
        let said: Vec<_> = all.iter().filter(|key| body.get(**key).is_some()).collect();
        assert_eq!(said, [&field], "{at:?}");
        let (body, _) = ask(CHAT, at, |_| {}, &hi());
        assert!(all.iter().all(|key| body.get(*key).is_none()), "{at:?}");
    }
    let (body, _) = ask(Format::Anthropic, ("api.anthropic.com", "claude-3-haiku-20240307"), |_| {}, &hi());
    assert_eq!(body["max_tokens"], 4_096, "it has to be said, and no more than the model's limit");
}

#[test]
fn a_model_that_refuses_an_option_is_asked_without_it_and_the_developer_is_told() {
    let all = |options: &mut Options| {
        options.temperature = Some(0.5);
        options.top_p = Some(0.9);
        options.seed = Some(7);
        options.stop_sequences = vec!["END".to_owned()];
    };
    let (body, codes) = ask(CHAT, PLAIN, all, &hi());
    assert_eq!(
        [&body["temperature"], &body["top_p"], &body["seed"], &body["stop"]],
        [&json!(0.5), &json!(0.9), &json!(7), &json!(["END"])]
    );
    assert_eq!(codes, [""; 0]);
    let (body, codes) = ask(CHAT, ("api.openai.com", "o4-mini"), all, &hi());
    assert!(["temperature", "top_p", "stop"].iter().all(|key| body.get(key).is_none()), "{body}");
    assert_eq!((&body["seed"], codes), (&json!(7), vec!["OPTION_LEFT_OUT"; 3]));
    let (body, _) = ask(CHAT, ("api.mistral.ai", "mistral-large"), all, &hi());
    assert_eq!((&body["random_seed"], body.get("seed")), (&json!(7), None));
    let (body, codes) = ask(Format::OpenAiResponses, ("api.openai.com", "gpt-4.1"), all, &hi());
    assert_eq!((&body["temperature"], body.get("stop"), codes.len()), (&json!(0.5), None, 2));
    let (body, codes) = ask(Format::Anthropic, ("api.anthropic.com", "claude-sonnet-4-5"), all, &hi());
    assert_eq!((&body["temperature"], body.get("top_p")), (&json!(0.5), None), "only one of the two");
    assert_eq!((&body["stop_sequences"], codes.len()), (&json!(["END"]), 2));
    let thinks = |options: &mut Options| {
        all(options);
        options.thinking = think("low");
    };
    let (body, _) = ask(Format::Anthropic, ("api.anthropic.com", "claude-3-7-sonnet"), thinks, &hi());
    assert_eq!((body.get("temperature"), body.get("top_p")), (None, None));
    let (body, _) = ask(Format::Gemini, ("", "gemini-2.5-pro"), all, &hi());
    assert_eq!(
        body["generationConfig"],
        json!({"temperature": 0.5, "topP": 0.9, "seed": 7, "stopSequences": ["END"]})
    );
}

/// Calls are read out of the text without a stop, too.
#[test]
fn a_model_that_takes_no_stop_is_asked_for_calls_as_text_without_one() {
    for (at, sent) in [(PLAIN, true), (("api.openai.com", "o3"), false), (("api.x.ai", "grok-4"), false)] {
        let (body, codes) = ask(CHAT, at, |options| options.stop = Some("\nObservation:"), &hi());
        assert_eq!((body.get("stop").is_some(), codes.len()), (sent, 0), "{at:?}");
    }
}

#[test]
fn whether_tools_are_to_be_used_is_said_in_each_providers_way() {
    let said = |format, at, choice: ToolChoice, parallel| {
        let change = |options: &mut Options| {
            options.tool_choice = Some(choice);
            options.parallel_tool_calls = parallel;
        };
        let (body, codes) = ask(format, at, change, &hi());
        let key = if format == Format::Gemini { "toolConfig" } else { "tool_choice" };
        (body[key].clone(), body.get("parallel_tool_calls").cloned(), codes.len())
    };
    let tool = || ToolChoice::Tool("my tool".to_owned());
    let named = json!({"type": "function", "function": {"name": "my_tool"}});
    assert_eq!(said(CHAT, PLAIN, tool(), Some(false)), (named, Some(json!(false)), 0));
    assert_eq!(said(CHAT, PLAIN, ToolChoice::Required, None), (json!("required"), None, 0));
    assert_eq!(
        said(Format::OpenAiResponses, PLAIN, tool(), Some(true)),
        (json!({"type": "function", "name": "my_tool"}), Some(json!(true)), 0)
    );
    let claude = ("api.anthropic.com", "claude-sonnet-4-5");
    assert_eq!(
        said(Format::Anthropic, claude, ToolChoice::Required, Some(false)).0,
        json!({"type": "any", "disable_parallel_tool_use": true})
    );
    assert_eq!(said(Format::Anthropic, claude, ToolChoice::None, Some(false)).0, json!({"type": "none"}));
    assert_eq!(
        said(Format::Gemini, ("", "gemini-2.5-pro"), tool(), Some(false)),
        (json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["my_tool"]}}), None, 1)
    );
    assert_eq!(said(CHAT, PLAIN, ToolChoice::Tool("gone".to_owned()), None), (json!("auto"), None, 1));
    assert_eq!(said(CHAT, ("api.moonshot.ai", "kimi-k2.5"), ToolChoice::Required, None).0, json!("auto"));
    let thinks = |options: &mut Options| {
        options.tool_choice = Some(ToolChoice::Required);
        options.thinking = think("low");
    };
    let (body, codes) = ask(Format::Anthropic, claude, thinks, &hi());
    assert_eq!((&body["tool_choice"]["type"], codes), (&json!("auto"), vec!["OPTION_LEFT_OUT"]));
}

#[test]
fn an_answer_with_a_schema_is_forced_where_the_model_can_be_made_to_use_a_tool() {
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        schema: json!({ "type": "object", "properties": { "a": { "type": "string" } } }).into(),
    };
    let only = [tool("give_answer")];
    let beside = [tool("my tool"), tool("give_answer")];
    let said = |format, at, tools: &[ToolDefinition]| {
        let (body, codes) = ask_with(format, at, |_| {}, &round(None), tools);
        assert!(codes.is_empty());
        body.get("tool_choice").or(body.get("toolConfig")).cloned()
    };
    assert_eq!(said(CHAT, PLAIN, &only), Some(json!("required")));
    assert_eq!(said(CHAT, PLAIN, &beside), Some(json!("required")));
    let claude = ("api.anthropic.com", "claude-sonnet-4-5");
    assert_eq!(said(Format::Anthropic, claude, &beside), Some(json!({"type": "any"})));
    assert_eq!(
        said(Format::Gemini, ("", "gemini-2.5-pro"), &only),
        Some(json!({"functionCallingConfig": {"mode": "ANY"}}))
    );
    assert_eq!(said(CHAT, ("api.moonshot.ai", "kimi-k2.5"), &only), None);
    assert_eq!(said(CHAT, PLAIN, &[tool("my tool")]), None);
}

#[test]
fn a_model_that_had_to_use_a_tool_may_answer_when_the_result_is_there() {
    let required = |options: &mut Options| options.tool_choice = Some(ToolChoice::Required);
    for (messages, choice) in [
        (hi().to_vec(), "required"),
        (round(None), "auto"),
        (round(Some("and?")), "auto"),
        ([round(None), vec![Message::agent("Sunny."), Message::user("and tomorrow?")]].concat(), "required"),
    ] {
        assert_eq!(ask(CHAT, PLAIN, required, &messages).0["tool_choice"], choice, "{messages:?}");
    }
}

#[test]
fn a_model_without_tools_reads_earlier_calls_as_text() {
    let at = ("api.perplexity.ai", "sonar");
    let (body, codes) = ask(CHAT, at, |_| {}, &round(Some("and?")));
    assert_eq!((body.get("tools"), codes), (None, vec!["TOOLS_LEFT_OUT"]));
    assert_eq!(
        body["messages"].as_array().unwrap()[1..],
        [
            json!({"role": "user", "content": "q"}),
            json!({"role": "assistant", "content": "[Used weather: {}]"}),
            json!({"role": "user", "content": "[Result of weather: sunny]\n\nand?"}),
        ]
    );
    assert_eq!(ask(CHAT, ("localhost", "gemma3:4b"), |_| {}, &hi()).1, ["TOOLS_LEFT_OUT"]);
    assert!(ask(CHAT, ("localhost", "llama3.2"), |_| {}, &hi()).0.get("tools").is_some());
}

#[test]
fn mistral_gets_no_user_right_behind_a_tool() {
    for (at, between) in
        [(("api.mistral.ai", "m"), 1), (("host.example", "mistralai/devstral-small"), 1), (PLAIN, 0)]
    {
        let (body, _) = ask(CHAT, at, |options| options.echo_reasoning = true, &round(Some("and?")));
        let roles: Vec<_> =
            body["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
        let mut expected = vec!["system", "user", "assistant", "tool", "assistant", "user"];
        expected.drain(4..5 - between);
        assert_eq!(roles, expected, "{at:?}");
    }
}

#[test]
fn ids_of_the_chat_format_have_forty_characters_at_most() {
    let long = "call_".to_owned() + &"é1".repeat(40);
    let messages = [
        Message::user("q"),
        calls("", vec![call("weather", &long, "{}"), call("weather", &(long.clone() + "x"), "{}")]),
    ];
    let (body, _) = ask(CHAT, PLAIN, |_| {}, &messages);
    let called = &body["messages"][2]["tool_calls"];
    let ids = [0, 1].map(|at| called[at]["id"].as_str().unwrap());
    assert!(ids.iter().all(|id| id.len() == 40 && id.is_ascii()) && ids[0] != ids[1], "{ids:?}");
    assert_eq!(body["messages"][3]["tool_call_id"], ids[0]);
}

#[test]
fn reasoning_goes_back_where_it_is_refused_without_and_not_where_it_is_refused() {
    let mut thought = round(None);
    thought[1].reasoning_content = Some("hm".to_owned());
    let sent = |at, change: fn(&mut Options), messages: &[Message]| {
        ask(CHAT, at, change, messages).0["messages"][2].get("reasoning_content").cloned()
    };
    let kimi = ("api.moonshot.ai", "kimi-k2.5");
    for at in [kimi, ("api.deepseek.com", "deepseek-v4"), ("api.xiaomimimo.com", "mimo-v2.5")] {
        assert_eq!(sent(at, |_| {}, &thought), Some(json!("hm")), "{at:?}");
        assert_eq!(sent(at, |_| {}, &round(None)), Some(json!(" ")), "{at:?}");
        assert_eq!(sent(at, |options| options.thinking = think("none"), &thought), None, "{at:?}");
    }
    let asked = |options: &mut Options| options.echo_reasoning = true;
    assert_eq!(sent(PLAIN, |_| {}, &thought), None);
    assert_eq!(sent(PLAIN, asked, &thought), Some(json!("hm")));
    for host in ["api.mistral.ai", "api.groq.com", "api.cerebras.ai"] {
        assert_eq!(sent((host, "m"), asked, &thought), None, "{host}");
        assert_eq!(ask(CHAT, (host, "m"), asked, &thought).1, ["OPTION_LEFT_OUT"]);
    }
    let mimo = ask(CHAT, ("api.xiaomimimo.com", "mimo-v2.5"), |_| {}, &thought).0;
    assert_eq!(mimo["messages"][2]["content"], "");
}

#[test]
fn a_call_of_another_model_is_signed_as_such_for_gemini() {
    let google = "generativelanguage.googleapis.com";
    let unsigned = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";
    let sent = |model, messages: &[Message]| {
        let part =
            ask(Format::Gemini, (google, model), |_| {}, messages).0["contents"][1]["parts"][0].clone();
        let call = ask(CHAT, (google, model), |_| {}, messages).0["messages"][2]["tool_calls"][0].clone();
        [part["thoughtSignature"].clone(), call["extra_content"]["google"]["thought_signature"].clone()]
    };
    assert_eq!(sent("gemini-3-pro-preview", &round(None)), [unsigned, unsigned]);
    assert_eq!(sent("gemini-2.5-pro", &round(None)), [Value::Null, Value::Null]);
}

#[test]
fn a_conversation_that_ends_with_an_answer_goes_on_with_a_user() {
    let messages = [Message::user("q"), Message::agent("a")];
    for format in [Format::Anthropic, CHAT, Format::OpenAiResponses, Format::Gemini] {
        let (body, _) = ask(format, PLAIN, |_| {}, &messages);
        let list = ["messages", "input", "contents"].iter().find_map(|key| body.get(*key)).unwrap();
        let last = list.as_array().unwrap().last().unwrap();
        assert!(last["role"] == "user" && last.to_string().contains("[Go on.]"), "{format:?} {list}");
    }
}

#[test]
fn openrouters_reasoning_is_put_together_and_passed_back() {
    let pieces = [
        r#"[{"type":"reasoning.text","text":"Let ","format":"google-gemini-v1","index":0,"signature":null}]"#,
        r#"[{"type":"reasoning.text","text":"me \"see\".","index":0,"signature":"s1"}]"#,
        r#"[{"type":"reasoning.encrypted","data":"AAA","id":"t1","format":"google-gemini-v1","index":1}]"#,
    ];
    let chunk = |delta: String, end: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}},\"finish_reason\":{end}}}]}}\n\n")
    };
    let mut decoder = Decoder::new(CHAT, Vec::new());
    for piece in pieces {
        decoder.push(chunk(format!("\"reasoning_details\":{piece}"), "null").as_bytes());
    }
    let called = r#""tool_calls":[{"index":0,"id":"c1","function":{"name":"weather","arguments":"{}"}}]"#;
    decoder.push(chunk(called.to_owned(), "\"tool_calls\"").as_bytes());
    // Some come with the end, or behind it.
    decoder.push(
        chunk(r#""reasoning_details":[{"type":"reasoning.encrypted","data":"B"}]"#.to_owned(), "null")
            .as_bytes(),
    );
    let Outcome::Answered(turn) = decoder.finish() else { panic!("not answered") };
    let expected = json!([
        {"type": "reasoning.text", "format": "google-gemini-v1", "index": 0, "signature": "s1", "text": "Let me \"see\"."},
        {"type": "reasoning.encrypted", "data": "AAA", "id": "t1", "format": "google-gemini-v1", "index": 1},
        {"type": "reasoning.encrypted", "data": "B"},
    ]);
    assert_eq!(turn.message.extra.0.iter().filter(|(key, _)| key == "reasoning_details").count(), 1);
    let mut messages = round(None);
    messages[1] = turn.message;
    let sent = |model, asked: bool, messages: &[Message]| {
        let (body, _) =
            ask(CHAT, ("openrouter.ai", model), |options| options.echo_reasoning = asked, messages);
        body["messages"][2].get("reasoning_details").cloned()
    };
    assert_eq!(sent("google/gemini-3-pro-preview", false, &messages), Some(expected.clone()));
    assert_eq!(sent("anthropic/claude-sonnet-4.5", false, &messages), None);
    assert_eq!(sent("anthropic/claude-sonnet-4.5", true, &messages), Some(expected.clone()));
    // Behind a handler it comes through the endpoint, when the handler has said that it is wanted.
    let through = |message: &Message| {
        let mut messages = messages.clone();
        messages[1] = message.clone();
        ask(Format::Endpoint, PLAIN, |_| {}, &messages).0["messages"][1].get("reasoning_details").cloned()
    };
    assert_eq!(through(&messages[1]), None);
    assert_eq!(through(&with_extra(messages[1].clone(), "wanted_back", "true")), Some(expected));
}

#[test]
fn thoughts_go_back_to_anthropic_where_they_stood() {
    let block = |index: usize, start: &str, delta: &str| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{start}}}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{delta}}}\n\n\
             data: {{\"type\":\"content_block_stop\",\"index\":{index}}}\n\n"
        )
    };
    let thought = |index, sign: &str| {
        let start = format!(r#"{{"type":"thinking","thinking":"","signature":"{sign}"}}"#);
        block(index, &start, r#"{"type":"thinking_delta","thinking":"t"}"#)
    };
    let text = |index, said: &str| {
        block(index, r#"{"type":"text","text":""}"#, &format!(r#"{{"type":"text_delta","text":"{said}"}}"#))
    };
    let used = |index, id: &str| {
        block(
            index,
            &format!(r#"{{"type":"tool_use","id":"{id}","name":"weather","input":{{}}}}"#),
            r#"{"type":"input_json_delta","partial_json":"{}"}"#,
        )
    };
    let answer = |blocks: &[String]| {
        let mut decoder = Decoder::new(Format::Anthropic, Vec::new());
        decoder.push(blocks.concat().as_bytes());
        decoder.push(b"data: {\"type\":\"message_stop\"}\n\n");
        let Outcome::Answered(turn) = decoder.finish() else { panic!("not answered") };
        turn.message
    };
    let sent = |answer: Message| {
        let messages = [Message::user("q"), answer];
        let at = ("api.anthropic.com", "claude-opus-4-6");
        let (body, _) = ask(Format::Anthropic, at, |options| options.thinking = think("high"), &messages);
        let content = body["messages"][1]["content"].as_array().unwrap().clone();
        let word = |block: &Value| {
            let keys =
                ["signature", "text", "id"].map(|key| block[key].as_str().unwrap_or_default().to_owned());
            keys.concat()
        };
        content.iter().map(word).collect::<Vec<_>>()
    };
    let mixed = answer(&[
        thought(0, "s1"),
        text(1, "É one. "),
        thought(2, "s2"),
        used(3, "c1"),
        thought(4, "s3"),
        used(5, "c2"),
    ]);
    assert_eq!(sent(mixed.clone()), ["s1", "É one. ", "s2", "c1", "s3", "c2"]);
    let first = answer(&[thought(0, "s1"), text(1, "one"), used(2, "c1")]);
    assert!(
        first.extra.0.iter().all(|(key, _)| key != "thinking_places"),
        "the stored form of most stays as it was"
    );
    assert_eq!(sent(first), ["s1", "one", "c1"]);
    assert_eq!(
        sent(answer(&[text(0, "one"), thought(1, "s1")])),
        ["s1", "one"],
        "no turn ends with a thought"
    );
    // Whoever changes the text loses the places, not the thoughts.
    let mut changed = mixed;
    changed.text = "É".to_owned();
    assert_eq!(sent(changed), ["s1", "É", "s2", "c1", "s3", "c2"]);
}

#[test]
fn thinking_that_is_turned_on_between_a_call_and_its_result_waits_for_the_next_turn() {
    let signed = r#"[{"type":"thinking","thinking":"t","signature":"s"}]"#;
    let thought = || {
        let mut messages = round(None);
        messages[1] = with_extra(messages[1].clone(), "thinking_blocks", signed);
        messages
    };
    let mixed = [round(None), thought()[1..].to_vec()].concat();
    let over = [round(None), vec![Message::agent("Sunny."), Message::user("and?")]].concat();
    let at = ("api.anthropic.com", "claude-sonnet-4-5");
    for (messages, thinks) in
        [(round(None), false), (thought(), true), (mixed, false), (over, true), (hi().to_vec(), true)]
    {
        let (body, codes) = ask(Format::Anthropic, at, |options| options.thinking = think("low"), &messages);
        assert_eq!((body.get("thinking").is_some(), codes.is_empty()), (thinks, thinks), "{messages:?}");
    }
}

#[test]
fn thoughts_and_answer_stay_within_the_models_limit() {
    let asked = |model, max_tokens, budget| {
        let change = |options: &mut Options| {
            options.max_tokens = max_tokens;
            options.thinking = Thinking { effort: None, budget: Some(budget) };
        };
        let (body, _) = ask(Format::Anthropic, ("api.anthropic.com", model), change, &hi());
        (body["max_tokens"].as_u64().unwrap(), body["thinking"]["budget_tokens"].as_u64().unwrap_or_default())
    };
    assert_eq!(asked("claude-opus-4-20250514", None, 24_576), (32_000, 23_808));
    assert_eq!(asked("claude-opus-4-1", Some(32_000), 8_192), (32_000, 8_192));
    assert_eq!(asked("claude-opus-4-1", Some(90_000), 90_000), (32_000, 16_000));
    assert_eq!(asked("claude-sonnet-4-5", Some(100), 10), (1_124, 1_024));
}

#[test]
fn a_word_for_thinking_becomes_one_that_the_model_knows() {
    let chat = |at, effort: &str| {
        let (body, codes) = ask(CHAT, at, |options| options.thinking = think(effort), &hi());
        let keys = ["reasoning_effort", "thinking", "reasoning"];
        let said: Vec<_> = keys.iter().filter_map(|key| Some(json!({ *key: body.get(*key)? }))).collect();
        (said, codes)
    };
    let effort = |word: &str| vec![json!({ "reasoning_effort": word })];
    assert_eq!(chat(("api.openai.com", "o3"), "minimal"), (effort("low"), vec!["OPTION_CHANGED"]));
    assert_eq!(chat(("api.openai.com", "gpt-5"), "minimal"), (effort("minimal"), vec![]));
    assert_eq!(chat(("api.openai.com", "gpt-5.2"), "max"), (effort("xhigh"), vec!["OPTION_CHANGED"]));
    assert_eq!(chat(("api.openai.com", "gpt-4.1"), "low"), (vec![], vec!["OPTION_LEFT_OUT"]));
    assert_eq!(chat(("api.mistral.ai", "mistral-large"), "low"), (vec![], vec!["OPTION_LEFT_OUT"]));
    let on = json!({"thinking": {"type": "enabled"}});
    assert_eq!(chat(("api.moonshot.ai", "kimi-k2.5"), "low").0, vec![on.clone()]);
    let both = [json!({"reasoning_effort": "high"}), on];
    assert_eq!(chat(("api.deepseek.com", "deepseek-v4"), "medium").0, both);
    assert_eq!(
        chat(("api.deepseek.com", "deepseek-v4"), "none").0,
        [json!({"thinking": {"type": "disabled"}})]
    );
    assert_eq!(
        chat(("openrouter.ai", "openai/o3"), "minimal").0,
        [json!({"reasoning": {"effort": "minimal"}})]
    );
    assert_eq!(chat(PLAIN, "whatever").0, effort("whatever"));
    let none = |options: &mut Options| options.thinking = Thinking { effort: None, budget: Some(0) };
    let (body, _) = ask(CHAT, ("openrouter.ai", "x/y"), none, &hi());
    assert_eq!(body["reasoning"], json!({"effort": "none"}));
    let short = |options: &mut Options| options.max_tokens = Some(1);
    let (body, codes) = ask(Format::OpenAiResponses, PLAIN, short, &hi());
    assert_eq!((&body["max_output_tokens"], codes), (&json!(16), vec!["OPTION_CHANGED"]));
    let claude = |model, effort: &str| {
        let change = |options: &mut Options| options.thinking = think(effort);
        let (body, _) = ask(Format::Anthropic, ("api.anthropic.com", model), change, &hi());
        (body["thinking"]["type"].clone(), body["output_config"]["effort"].clone())
    };
    assert_eq!(claude("claude-opus-4-6", "minimal"), (json!("adaptive"), json!("low")));
    assert_eq!(claude("claude-opus-5", "none"), (json!("disabled"), Value::Null));
    assert_eq!(claude("claude-opus-5-5", "none"), (Value::Null, json!("low")));
    assert_eq!(claude("claude-3-5-haiku-latest", "high"), (Value::Null, Value::Null));
}

#[test]
fn only_media_that_a_provider_reads_are_sent_and_the_rest_becomes_a_note_and_a_notice() {
    let png = "iVBORw0KGgoAAA";
    let files = [
        ("png", media("image", "base64", "image/png", png)),
        ("jpg", media("image", "base64", "image/JPG", "/9j/4AAQ")),
        ("untyped", media("image", "base64", "", png)),
        ("svg", media("image", "base64", "image/svg+xml", "PHN2Zz4")),
        ("heic", media("image", "base64", "image/heic", "AAAA")),
        ("svg at an address", media("image", "url", "", "https://x.example/a.svg?b")),
        ("pdf", media("document", "base64", "application/pdf", "JVBERi0x")),
        ("text", media("document", "base64", "text/plain", "SGkh")),
        ("docx", media("document", "base64", DOCX, "UEsD")),
        ("zip", media("document", "base64", "application/zip", "UEsD")),
        ("mp3", media("document", "base64", "audio/mpeg", "SUQz")),
        ("mp4", media("video", "base64", "video/mp4", "AAAA")),
        ("of the page", media("image", "url", "image/png", "blob:https://x.example/1")),
    ];
    let sent = |format, at| {
        let kind = |part: &ContentPart| {
            let (body, codes) = ask(format, at, |_| {}, &[with_parts(vec![part.clone()])]);
            let block = match format {
                Format::Anthropic => body["messages"][0]["content"][0].clone(),
                Format::OpenAiChat => body["messages"][1]["content"].clone(),
                Format::OpenAiResponses => body["input"][0]["content"][0].clone(),
                _ => body["contents"][0]["parts"][0].clone(),
            };
            assert_eq!(
                block.to_string().contains(" attachment"),
                codes == ["MEDIA_LEFT_OUT"],
                "{block} {codes:?}"
            );
            codes.is_empty()
        };
        files.iter().filter(|(_, part)| kind(part)).map(|(name, _)| *name).collect::<Vec<_>>()
    };
    let pictures = ["png", "jpg", "untyped"];
    let with =
        |more: &[&'static str]| pictures.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>();
    assert_eq!(sent(Format::Anthropic, ("api.anthropic.com", "claude-sonnet-4")), with(&["pdf", "text"]));
    assert_eq!(sent(CHAT, ("api.openai.com", "gpt-4.1")), with(&["pdf", "text"]));
    assert_eq!(sent(CHAT, ("openrouter.ai", "x/y")), with(&["pdf", "text", "mp4"]));
    assert_eq!(sent(CHAT, PLAIN), with(&["text"]));
    assert_eq!(sent(CHAT, ("api.deepseek.com", "deepseek-chat")), ["text"]);
    assert_eq!(sent(Format::OpenAiResponses, ("api.openai.com", "gpt-4.1")), with(&["pdf", "text", "docx"]));
    assert_eq!(sent(Format::Gemini, ("", "gemini-2.5-pro")), with(&["heic", "pdf", "text", "mp3", "mp4"]));
}

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

#[test]
fn files_take_the_form_of_each_provider() {
    let one = |format, at, part: ContentPart| ask(format, at, |_| {}, &[with_parts(vec![part])]).0;
    let text = || media("document", "base64", "text/markdown", "SGkh");
    assert_eq!(
        one(Format::Anthropic, PLAIN, text())["messages"][0]["content"][0],
        json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Hi!"}})
    );
    assert_eq!(one(CHAT, PLAIN, text())["messages"][1]["content"], "Hi!");
    let url = "data:image/jpg;base64,/9j/4A";
    assert_eq!(
        one(Format::Anthropic, PLAIN, media("image", "url", "", url))["messages"][0]["content"][0]["source"],
        json!({"type": "base64", "media_type": "image/jpeg", "data": "/9j/4A=="})
    );
    assert_eq!(
        one(CHAT, ("openrouter.ai", "m"), media("video", "url", "video/mp4", "https://x.example/v.mp4"))["messages"]
            [1]["content"][0],
        json!({"type": "video_url", "video_url": {"url": "https://x.example/v.mp4"}})
    );
    assert_eq!(
        one(Format::OpenAiResponses, PLAIN, media("document", "base64", DOCX, "UEsD"))["input"][0]["content"]
            [0]["filename"],
        "document.docx"
    );
}

#[test]
fn blank_texts_are_not_sent_to_anthropic_marked_or_not() {
    let blank =
        ContentPart { kind: "note".to_owned(), text: Some(" \n".to_owned()), ..ContentPart::default() };
    let messages = [with_parts(vec![blank]), Message::user("hi")];
    let tools = tools();
    for cache in [None, Some(CacheTtl::FiveMinutes)] {
        let options = Options { model: "m".to_owned(), cache, ..Options::default() };
        let names = ToolNames::new(Format::Anthropic, &options.facts, &tools);
        let notices = Notices::default();
        let (format, system) = (Format::Anthropic, " \n");
        let prompt = RequestParts {
            format,
            system,
            tools: &tools,
            names: &names,
            options: &options,
            notices: &notices,
        };
        let body: Value = serde_json::from_str(&prompt.body(&messages.iter().collect::<Vec<_>>())).unwrap();
        let content = body["messages"][0]["content"].as_array().unwrap();
        assert!(content.iter().all(|block| !block["text"].as_str().unwrap().trim().is_empty()), "{body}");
        assert_eq!(body.get("system"), None);
    }
}

#[test]
fn fields_of_the_application_take_the_place_of_those_that_would_be_there() {
    let extra = |options: &mut Options| {
        options.temperature = Some(0.5);
        options.extra = Some(Json::parse(r#"{"temperature":0.1,"top_k":5,"messages":"no"}"#).unwrap());
    };
    let facts = Facts::of(CHAT, "", "m", &[]);
    let mut options = Options { model: "m".to_owned(), facts, ..Options::default() };
    extra(&mut options);
    let (names, notices) = (ToolNames::new(CHAT, &options.facts, &[]), Notices::default());
    let prompt = RequestParts {
        format: CHAT,
        system: "",
        tools: &[],
        names: &names,
        options: &options,
        notices: &notices,
    };
    assert_eq!(
        prompt.body(&[&Message::user("hi")]),
        r#"{"model":"m","temperature":0.1,"top_k":5,"messages":[{"role":"user","content":"hi"}]}"#
    );
}

#[test]
fn gemini_gets_no_seed_that_it_cannot_hold() {
    for (seed, sent) in [(2_147_483_647, true), (2_147_483_648, false)] {
        let (body, codes) =
            ask(Format::Gemini, ("", "gemini-2.5-pro"), |options| options.seed = Some(seed), &hi());
        assert_eq!(body["generationConfig"]["seed"].as_u64(), sent.then_some(seed));
        assert_eq!(codes.len(), usize::from(!sent), "{codes:?}");
    }
}

#[test]
fn a_model_that_reads_text_alone_gets_no_pdf() {
    let pdf = [with_parts(vec![media("document", "base64", "application/pdf", "JVBERi0x")])];
    for (model, taken) in [("gpt-3.5-turbo", false), ("gpt-4.1", true)] {
        let (body, codes) = ask(CHAT, ("api.openai.com", model), |_| {}, &pdf);
        assert_eq!(body.to_string().contains("JVBERi0x"), taken, "{body}");
        assert_eq!(codes.contains(&"MEDIA_LEFT_OUT"), !taken, "{model}");
    }
}

#[test]
fn notices_say_what_was_sent() {
    let said = |format, at, change: fn(&mut Options), messages: &[Message]| {
        let (_, told) = ask_and_hear(format, at, change, messages);
        told.into_iter().map(|notice| notice.message).collect::<Vec<_>>()
    };
    let stops = |options: &mut Options| options.stop_sequences = vec!["a".to_owned(); 7];
    assert_eq!(
        said(CHAT, ("", "gpt-4.1"), stops, &hi()),
        ["`gpt-4.1` accepts 4 strings in `stop`; the first 4 of 7 were sent."]
    );
    let both = |options: &mut Options| (options.temperature, options.top_p) = (Some(0.5), Some(0.5));
    assert_eq!(
        said(Format::Anthropic, ("api.anthropic.com", "claude-sonnet-4-5"), both, &hi()),
        [
            "`topP` was left out of the request: `claude-sonnet-4-5` accepts only one of `temperature` and `topP`."
        ]
    );
    let unknown = |options: &mut Options| options.tool_choice = Some(ToolChoice::Tool("x".to_owned()));
    assert_eq!(
        said(CHAT, PLAIN, unknown, &hi()),
        ["`toolChoice` was sent as `auto`: there is no tool `x` in this request."]
    );
    let broken = [with_parts(vec![media("image", "base64", "image/png", "no base64!")])];
    assert_eq!(
        said(CHAT, PLAIN, |_| {}, &broken),
        [
            "[Image attachment: image/png] was left out of the request and replaced by this note: its data is not base64."
        ]
    );
}

#[test]
fn objects_of_the_application_add_to_those_that_would_be_there() {
    let with = |format, model: &str, extra: &'static str, change: fn(&mut Options)| {
        let set = |options: &mut Options| {
            change(options);
            options.extra = Some(Json::parse(extra).unwrap());
        };
        ask(format, ("nobody.example", model), set, &hi()).0
    };
    let body = with(
        Format::Gemini,
        "gemini-2.5-flash",
        r#"{"generationConfig":{"topK":5,"temperature":1}}"#,
        |options| {
            (options.max_tokens, options.temperature) = (Some(9), Some(0.5));
        },
    );
    assert_eq!(body["generationConfig"], json!({"maxOutputTokens": 9, "temperature": 1, "topK": 5}));

    let effort = |options: &mut Options| options.thinking.effort = Some("low".to_owned());
    let format = r#"{"output_config":{"format":{"type":"json_schema"}}}"#;
    let body = with(Format::Anthropic, "claude-opus-4-7", format, effort);
    assert_eq!(body["output_config"], json!({"effort": "low", "format": {"type": "json_schema"}}));

    let summary = r#"{"reasoning":{"summary":"auto"}}"#;
    let body = with(Format::OpenAiResponses, "gpt-5", summary, effort);
    assert_eq!(
        (&body["reasoning"]["effort"], &body["reasoning"]["summary"]),
        (&json!("low"), &json!("auto"))
    );

    // Which fields stand beside a `type` depends on it.
    let off = r#"{"thinking":{"type":"disabled"}}"#;
    let body =
        with(Format::Anthropic, "claude-sonnet-4-5", off, |options| options.thinking.budget = Some(2000));
    assert_eq!(body["thinking"], json!({"type": "disabled"}));
}

#[test]
fn an_application_knows_better() {
    let own = [Fact { model: Some("house-*".to_owned()), tools: Some(false), ..Fact::default() }];
    let facts = |model| Facts::of(CHAT, "api.openai.com", model, &own);
    assert_eq!((facts("house-1").tools, facts("gpt-5").tools), (Some(false), None));
}

/// Base64 in a text is a hundred thousand tokens that say nothing.
#[test]
fn a_picture_that_a_tool_gives_reaches_providers_as_one_where_they_take_it() {
    let png = r#"{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}"#;
    let pdf = r#"{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}"#;
    let data = format!(
        r#"[{{"type":"text","text":"The map:"}},{{"type":"image","source":{png}}},{{"type":"document","source":{pdf}}}]"#
    );
    let mut messages = round(None);
    messages[2].tool_results.as_mut().unwrap()[0].result =
        ToolResultData::success(Json::parse(&data).unwrap());
    let body = |format| ask(format, PLAIN, |_| {}, &messages);
    let (claude, codes) = body(Format::Anthropic);
    let source = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let expected = json!([
        {"type": "text", "text": "The map:"},
        {"type": "image", "source": source(png)},
        {"type": "document", "source": source(pdf)},
    ]);
    let content = claude["messages"].as_array().unwrap().iter().find_map(|message| {
        message["content"].as_array()?.iter().find(|block| block["type"] == "tool_result")
    });
    assert_eq!((content.unwrap()["content"].clone(), codes), (expected, vec![]));
    let (responses, codes) = body(Format::OpenAiResponses);
    let output =
        responses["input"].as_array().unwrap().iter().find(|item| item["type"] == "function_call_output");
    let expected = json!([
        {"type": "input_text", "text": "The map:"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "input_file", "filename": "document.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    ]);
    assert_eq!((output.unwrap()["output"].clone(), codes), (expected, vec![]));
    let (gemini, codes) = body(Format::Gemini);
    let parts = gemini["contents"].as_array().unwrap().iter().find_map(|content| {
        content["parts"].as_array().filter(|parts| parts[0].get("functionResponse").is_some())
    });
    let parts = parts.unwrap();
    let told = "The map:\n[Image attachment: image/png]\n[Document attachment: application/pdf]";
    assert_eq!(parts[0]["functionResponse"]["response"], json!({"output": told}));
    assert_eq!(parts[1], json!({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}));
    assert_eq!((parts[2]["inlineData"]["mimeType"].clone(), codes), (json!("application/pdf"), vec![]));
    // Its results are texts.
    let (chat, codes) = body(CHAT);
    let result = chat["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool");
    assert_eq!(result.unwrap()["content"], told);
    assert_eq!(codes, ["MEDIA_LEFT_OUT", "MEDIA_LEFT_OUT"]);
    // A page tells it from a file of the person's, which may be taken.
    let (_, notices) = ask_with(CHAT, PLAIN, |_| {}, &messages, &tools());
    assert_eq!(
        notices[0].message,
        "[Image attachment: image/png] of a tool's result was left out of the request and replaced by this note: `m` takes only text from a tool."
    );
    // Whose endpoint it goes through knows what its provider takes.
    assert!(body(Format::Endpoint).0.to_string().contains(r#""media_type":"image/png""#));
}

#[test]
fn thoughts_go_back_without_an_option_where_a_model_is_asked_to_think() {
    let mut messages = round(None);
    messages[1] = with_extra(
        with_extra(
            messages[1].clone(),
            "reasoning_items",
            r#"[{"type":"reasoning","id":"rs","encrypted_content":"e","summary":[]}]"#,
        ),
        "reasoning_details",
        r#"[{"type":"reasoning.text","text":"hm","signature":"s"}]"#,
    );
    messages[1].reasoning_content = Some("hm".to_owned());
    let high = |options: &mut Options| options.thinking = think("high");
    let none = |options: &mut Options| options.thinking = think("none");
    // At OpenAI, at xAI, and behind an address that nobody knows.
    for at in [("api.openai.com", "gpt-6.1-sol"), ("api.x.ai", "grok-4.5"), ("proxy.example", "m")] {
        let sent = |change: fn(&mut Options)| {
            let body = ask(Format::OpenAiResponses, at, change, &messages).0;
            let item = body["input"].as_array().unwrap().iter().any(|item| item["type"] == "reasoning");
            (body["include"] == json!(["reasoning.encrypted_content"]), item)
        };
        assert_eq!((sent(high), sent(|_| {})), ((true, true), (false, false)), "{at:?}");
    }
    let details = |at, change: fn(&mut Options)| {
        let body = ask(CHAT, at, change, &messages).0;
        let message = &body["messages"][2];
        (message.get("reasoning_details").is_some(), message.get("reasoning_content").is_some())
    };
    for at in [("openrouter.ai", "anthropic/claude-sonnet-5.5"), ("proxy.example", "claude")] {
        assert_eq!(details(at, high), (true, false), "{at:?}");
        assert_eq!((details(at, |_| {}), details(at, none)), ((false, false), (false, false)), "{at:?}");
    }
    // Who refuses them gets none.
    for at in [
        ("api.groq.com", "openai/gpt-oss-120b"),
        ("api.moonshot.ai", "moonshot-v1-128k"),
        ("api.x.ai", "grok-4.5"),
        ("api.fireworks.ai", "accounts/fireworks/models/kimi-k3"),
        ("dashscope.aliyuncs.com", "qwen-plus"),
        ("dashscope-intl.aliyuncs.com", "qwen-plus"),
    ] {
        assert_eq!(details(at, high), (false, false), "{at:?}");
    }
    // Who thinks by default wants its thoughts back with the results of calls, in its own field.
    for at in [("open.bigmodel.cn", "glm-5.2"), ("api.z.ai", "glm-5.3")] {
        assert_eq!((details(at, high), details(at, |_| {})), ((false, true), (false, true)), "{at:?}");
    }
    assert_eq!(details(("api.z.ai", "glm-5.2"), none), (false, false));
    // An application that asks for it sends the thoughts in these hosts' own field.
    let echoes = |options: &mut Options| options.echo_reasoning = true;
    assert_eq!(details(("api.x.ai", "grok-4.5"), echoes), (false, true));
}
