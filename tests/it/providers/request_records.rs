//! What leaves of records that providers would refuse as they are, and rules that hold for any record.

use std::collections::BTreeSet;

use crate::support::requests::{
    FORMATS, body_with, call, calls, fine, list, media, options, result, results, tool_turn, with_parts,
};
use crate::support::work_time::work_time;
use glove_wasm::json::Json;
use glove_wasm::message::{Message, Sender, ToolCall, ToolResult};
use glove_wasm::providers::Format;
use glove_wasm::providers::facts::Facts;
use glove_wasm::providers::request::{Notices, Options, RequestParts, ToolNames};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn ids_are_paired_per_turn_and_repeated_results_dropped() {
    let turn = |text: &str| {
        [
            calls("", vec![call("weather", "call_0", "{}")]),
            results(vec![
                result("weather", "call_0", fine(text)),
                result("weather", "call_0", fine("again")),
            ]),
        ]
    };
    let messages: Vec<_> = [Message::user("q")].into_iter().chain(turn("one")).chain(turn("two")).collect();
    let chat = list(Format::OpenAiChat, &messages);
    let told: Vec<_> = chat.as_array().unwrap().iter().filter(|m| m["role"] == "tool").collect();
    assert_eq!(told.iter().map(|m| m["content"].as_str().unwrap()).collect::<Vec<_>>(), ["one", "two"]);
    let anthropic = list(Format::Anthropic, &messages);
    let ids = [&anthropic[1], &anthropic[3]].map(|message| message["content"][0]["id"].as_str().unwrap());
    assert_eq!(ids, ["call_0", "call00001"]);
    assert_eq!(
        anthropic[4]["content"],
        json!([{"type": "tool_result", "tool_use_id": "call00001", "content": "two"}])
    );
}

/// The ids of calls and of their results, in the order in which they are sent.
fn sent_ids(host: &str, messages: &[Message]) -> (Vec<String>, Vec<String>) {
    let sent = body_with(
        Format::OpenAiChat,
        &Options { facts: Facts::of(Format::OpenAiChat, host, "m", &[]), ..options() },
        "",
        messages,
    );
    let (mut called, mut answered) = (Vec::new(), Vec::new());
    for message in sent["messages"].as_array().unwrap() {
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        called.extend(calls.map(|call| call["id"].as_str().unwrap().to_owned()));
        answered.extend(message["tool_call_id"].as_str().map(str::to_owned));
    }
    (called, answered)
}

fn one_turn(ids: &[&str]) -> [Message; 2] {
    [
        calls("", ids.iter().map(|id| call("weather", id, "{}")).collect()),
        results(ids.iter().map(|id| result("weather", id, fine("r"))).collect()),
    ]
}

#[test]
fn mistral_gets_ids_of_nine_letters_and_digits_each_the_same_every_time() {
    let given =
        ["D681PevKs", "call_PTLP8xhu3uwZk4l3nlnrrJha", "toolu_01A", "r1.c1", "", "call_0", "123456789é"];
    let mut messages = vec![Message::user("q")];
    messages.extend(one_turn(&given));
    // Further turns begin again with the same ids.
    messages.extend(one_turn(&["call_0", ""]));
    let (called, answered) = sent_ids("api.mistral.ai", &messages);
    assert_eq!(called, answered);
    assert_eq!(called[0], "D681PevKs");
    let fits = |id: &String| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    assert!(called.iter().all(fits), "{called:?}");
    assert_eq!(called.iter().collect::<BTreeSet<_>>().len(), 9, "{called:?}");
    messages.push(Message::agent("done"));
    assert_eq!(sent_ids("api.mistral.ai", &messages).0, called);
    assert_eq!(sent_ids("nobody.example", &messages).0[1], given[1]);
}

#[test]
fn very_many_ids_stay_apart_in_nine_letters() {
    let ids: Vec<_> = (0..20_000).map(|n| format!("call_{n}")).collect();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    let (called, answered) = sent_ids("api.mistral.ai", &one_turn(&ids));
    assert_eq!(called, answered);
    assert_eq!(called.iter().collect::<BTreeSet<_>>().len(), 20_000);
}

#[test]
fn gemini_gets_back_the_ids_that_it_gave_and_none_that_were_made() {
    // By a run, by a chat handler in a page and in a program, by other providers.
    for id in ["", "r1.c1", "call_aaaaaaaaaaaaaaaaaaab", "call_0123456789abcdef0123456789abcdef", "toolu_01A"]
    {
        let sent = list(Format::Gemini, &one_turn(&[id]));
        assert_eq!(sent[1]["parts"][0]["functionCall"], json!({"name": "weather", "args": {}}), "{id}");
        assert_eq!(sent[2]["parts"][0]["functionResponse"].get("id"), None, "{id}");
    }
    for id in ["abc12345", "function-call-1234", "k.c", "k.c1x"] {
        let sent = list(Format::Gemini, &one_turn(&[id]));
        assert_eq!(sent[1]["parts"][0]["functionCall"]["id"], id);
        assert_eq!(sent[2]["parts"][0]["functionResponse"]["id"], id);
    }
    // One that was given twice can be sent once.
    let sent = list(Format::Gemini, &one_turn(&["abc12345", "abc12345"]));
    assert_eq!(sent[1]["parts"][1]["functionCall"].get("id"), None);
    assert_eq!(sent[2]["parts"][1]["functionResponse"].get("id"), None);
}

#[test]
fn a_result_that_is_stored_behind_a_later_answer_is_sent_at_its_call() {
    let [called, answered] = one_turn(&["c1", "c2"]);
    let [first, second] = [0, 1].map(|at| results(vec![answered.results()[at].clone()]));
    let messages = [
        Message::user("q"),
        called,
        second,
        Message::user("and?"),
        Message::agent("it takes long"),
        Message::user("well"),
        first,
        Message::agent("there it is"),
    ];
    for format in FORMATS {
        let sent = list(format, &messages).to_string();
        assert!(!sent.contains("No result available"), "{format:?} {sent}");
    }
    let sent = list(Format::Anthropic, &messages);
    assert_eq!(sent[2]["content"][0], json!({"type": "tool_result", "tool_use_id": "c1", "content": "r"}));
    assert_eq!(sent[2]["content"][2], json!({"type": "text", "text": "and?"}));
    assert_eq!(sent[4]["content"], json!([{"type": "text", "text": "well"}]));
}

#[test]
fn a_late_result_belongs_to_the_call_before_it_that_has_none() {
    let turn = |text: &str| {
        let [called, mut answered] = one_turn(&["call_0"]);
        answered.tool_results.as_mut().unwrap()[0].result = fine(text);
        [called, answered]
    };
    let ([called, _], [_, late], [_, early]) = (turn(""), turn("late"), turn("early"));
    let told = |messages: &[&Message]| {
        let messages: Vec<_> = messages.iter().map(|message| (*message).clone()).collect();
        let sent = list(Format::OpenAiChat, &messages);
        let told = sent.as_array().unwrap().iter().filter(|message| message["role"] == "tool");
        told.map(|message| message["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (user, agent) = (Message::user("q"), Message::agent("a"));
    // A result before its call is none of it, and a result of its own counts.
    assert_eq!(told(&[&user, &early, &agent, &user, &called, &user, &agent]), ["No result available"]);
    let both = [&user, &called, &user, &agent, &user, &called, &early, &agent, &user, &late, &agent];
    assert_eq!(told(&both), ["late", "early"]);
    assert_eq!(told(&[&user, &called, &early, &agent, &user, &late, &agent]), ["early"]);
}

#[test]
fn calls_that_were_never_answered_are_answered() {
    let messages = [
        Message::user("q"),
        calls("", vec![call("a", "1", "{}"), call("b", "", "{}")]),
        Message::user("so?"),
    ];
    let found = list(Format::Anthropic, &messages);
    assert_eq!(
        found[2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "1", "content": "No result available"},
            {"type": "tool_result", "tool_use_id": "call00001", "content": "No result available"},
            {"type": "text", "text": "so?"},
        ])
    );
    assert_eq!(list(Format::OpenAiChat, &messages[..2]).as_array().unwrap().len(), 4);
}

#[test]
fn results_without_calls_are_not_sent() {
    let messages = [
        Message::user("q"),
        Message::agent("a"),
        results(vec![result("x", "9", fine("r"))]),
        Message::agent("b"),
    ];
    assert_eq!(
        list(Format::Anthropic, &messages)[1]["content"],
        json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])
    );
}

#[test]
fn arguments_are_always_an_object() {
    let table = [
        (call("t", "1", r#"{"a":"#), json!({"unparsed_arguments": "{\"a\":"})),
        (call("t", "1", "[1]"), json!({"value": [1]})),
        (call("t", "1", "null"), json!({})),
        (ToolCall::new("t", Json::string(r#"{"a":1}"#)), json!({"a": 1})),
        // glove kept no arguments so.
        (ToolCall::new("t", Json::string("")), json!({})),
        (ToolCall::new("t", Json::string("text")), json!({"unparsed_arguments": "text"})),
    ];
    for (call, input) in table {
        let messages = [Message::user("q"), calls("", vec![call])];
        assert_eq!(list(Format::Anthropic, &messages)[1]["content"][0]["input"], input);
        assert_eq!(list(Format::Gemini, &messages)[1]["parts"][0]["functionCall"]["args"], input);
        let chat = list(Format::OpenAiChat, &messages);
        let text = chat[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), input);
    }
}

#[test]
fn unfinished_answers_are_not_sent_unless_a_person_went_on_from_them() {
    let partial = || Message { partial: true, ..Message::agent("half") };
    let texts = |messages: &[Message]| list(Format::Anthropic, messages).to_string().matches("half").count();
    assert_eq!(texts(&[Message::user("q"), partial()]), 0);
    assert_eq!(texts(&[Message::user("q"), partial(), Message::agent("whole")]), 0);
    assert_eq!(texts(&[Message::user("q"), partial(), Message::user("go on")]), 1);
}

#[test]
fn a_conversation_that_an_agent_began_starts_with_a_user_where_that_is_needed() {
    let messages = [Message::agent("Welcome!"), Message::user("hi")];
    for (format, role) in [
        (Format::Anthropic, "user"),
        (Format::Gemini, "user"),
        (Format::OpenAiChat, "user"),
        (Format::OpenAiResponses, "assistant"),
    ] {
        assert_eq!(list(format, &messages)[0]["role"], role);
    }
    assert_eq!(list(Format::Anthropic, &[Message::agent("Well ")])[1]["content"][0]["text"], "Well");
}

#[test]
fn ten_thousand_messages_are_written_in_linear_time() {
    let turn: Vec<Message> = tool_turn();
    let time = |count: usize| {
        let messages: Vec<Message> = turn.iter().cycle().take(count).cloned().collect();
        let took = work_time(|| drop(body_with(Format::Anthropic, &options(), "", &messages)));
        took.as_secs_f64() / count as f64
    };
    // The best of a few runs, since other programs run too; quadratic time would be ten times as much.
    let best = |count: usize| (0..4).map(|_| time(count)).fold(f64::MAX, f64::min);
    let (few, many) = (best(1000), best(10_000));
    assert!(many < few * 5.0, "{many} s a message against {few}");
}

/// A client may send the very ids that would be made for calls without one.
#[test]
fn ids_that_are_taken_already_cost_no_search_over_all_of_them() {
    let time = |format, count: usize| {
        let mut list: Vec<_> =
            (0..count).map(|n| call("weather", &format!("call{:05}", count + n), "{}")).collect();
        list.extend((0..count).map(|_| call("weather", "", "{}")));
        let messages = [calls("", list)];
        let took = work_time(|| drop(body_with(format, &options(), "", &messages)));
        took.as_secs_f64() / count as f64
    };
    for format in [Format::OpenAiChat, Format::Anthropic] {
        // Other programs run too, so the best run counts; quadratic time is eight times as much.
        let few = (0..5).map(|_| time(format, 400)).fold(f64::MAX, f64::min);
        assert!((0..5).any(|_| time(format, 6_000) < few * 4.0), "{format:?}");
    }
}

#[test]
fn ids_that_are_made_differ_from_all_that_were_given() {
    let list: Vec<_> =
        ["call00003", "", "call00004", "", ""].into_iter().map(|id| call("weather", id, "{}")).collect();
    let sent = body_with(Format::OpenAiChat, &options(), "", &[calls("", list)]);
    let sent = sent["messages"][1]["tool_calls"].as_array().unwrap().clone();
    let ids: Vec<_> = sent.iter().map(|call| call["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["call00003", "call00001", "call00004", "call00005", "call00006"]);
}

fn any_message() -> impl Strategy<Value = Message> {
    let id = || prop_oneof![Just(""), Just("call_0"), Just("a.b"), Just("a:b"), Just("call00001"), Just("x")];
    let name = || prop_oneof![Just("weather"), Just("my tool"), Just("gone")];
    let text = || prop_oneof![Just(""), Just(" "), Just("text"), Just("more\n")];
    let some_calls =
        proptest::collection::vec((name(), id(), prop_oneof![Just(""), Just("{"), Just("{\"a\":1}")]), 0..3);
    let some_results = proptest::collection::vec((name(), id(), text()), 0..4);
    let agent = (text(), some_calls, any::<bool>()).prop_map(|(text, list, partial)| {
        let list: Vec<_> = list.into_iter().map(|(name, id, args)| call(name, id, args)).collect();
        Message { partial: partial && list.is_empty(), ..calls(text, list) }
    });
    let told = some_results.prop_map(|list| {
        results(list.into_iter().map(|(name, id, text)| result(name, id, fine(text))).collect())
    });
    let user = (text(), any::<bool>()).prop_map(|(text, image)| match image {
        true => with_parts(vec![media("image", "base64", "image/png", "AAA")]),
        false => Message::user(text),
    });
    prop_oneof![agent, told, user]
}

/// The rules of Anthropic's API, which are the strictest.
fn check_anthropic(messages: &Value) {
    let mut role = "assistant";
    let mut ids = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    for message in messages.as_array().unwrap() {
        let now = message["role"].as_str().unwrap();
        assert_ne!(now, role, "roles alternate");
        role = now;
        let content = message["content"].as_array().unwrap();
        assert!(!content.is_empty());
        let kinds: Vec<_> = content.iter().map(|block| block["type"].as_str().unwrap()).collect();
        let answered = kinds.iter().take_while(|kind| **kind == "tool_result").count();
        assert!(!kinds[answered..].contains(&"tool_result"), "results come first");
        let told: Vec<_> =
            content[..answered].iter().map(|b| b["tool_use_id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(told, open, "each call has its one result");
        open = content.iter().filter_map(|block| block["id"].as_str().map(str::to_owned)).collect();
        for block in content {
            if let Some(text) = block["text"].as_str() {
                assert!(!text.trim().is_empty());
            }
            assert!(block["type"] != "tool_use" || block["input"].is_object());
        }
        for id in &open {
            assert!(ids.insert(id.clone()), "ids are unique");
            assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
        }
    }
    assert!(open.is_empty());
}

proptest! {
    #[test]
    fn any_record_becomes_a_request_that_is_accepted(messages in proptest::collection::vec(any_message(), 0..12)) {
        check_anthropic(&list(Format::Anthropic, &messages));
        let chat = list(Format::OpenAiChat, &messages);
        let mut open: Vec<&str> = Vec::new();
        for message in chat.as_array().unwrap() {
            match message["role"].as_str().unwrap() {
                "tool" => prop_assert_eq!(open.remove(0), message["tool_call_id"].as_str().unwrap()),
                _ => prop_assert!(open.is_empty()),
            }
            open.extend(message["tool_calls"].as_array().into_iter().flatten().map(|c| c["id"].as_str().unwrap()));
        }
        prop_assert!(open.is_empty());
        for format in FORMATS {
            body_with(format, &options(), "s", &messages);
        }
    }

    #[test]
    fn settled_groups_stay_as_they_are_when_the_conversation_goes_on(
        messages in proptest::collection::vec(any_message(), 0..12),
        more in proptest::collection::vec(any_message(), 1..4),
    ) {
        // But for the results of calls that are settled, which come late; `BodyWriter` sees to those.
        let called: BTreeSet<_> = messages.iter().flat_map(Message::calls).map(ToolCall::id).collect();
        let is_late = |result: &ToolResult| {
            result.call_id.as_deref().is_some_and(|id| !id.is_empty() && called.contains(id))
        };
        let more: Vec<_> = more.into_iter().filter(|message| !message.results().iter().any(is_late)).collect();
        let all: Vec<_> = messages.iter().chain(&more).cloned().collect();
        for format in FORMATS {
            let options = options();
            let names = ToolNames::new(format, &Facts::default(), &[]);
            let prompt = RequestParts { format, system: "", tools: &[], names: &names, options: &options, notices: &Notices::default() };
            let written = |messages: &[Message]| {
                let borrowed: Vec<_> = messages.iter().collect();
                let mut texts = Vec::new();
                for group in prompt.groups(&borrowed, false) {
                    let mut out = String::new();
                    prompt.write_group(&group, false, &mut out);
                    texts.push(out);
                }
                texts
            };
            let (before, after) = (written(&messages), written(&all));
            let settled = before.len().saturating_sub(2);
            prop_assert_eq!(&before[..settled], &after[..settled]);
        }
    }

    #[test]
    fn senders_are_kept_apart(text in "[a-z]{1,5}") {
        let body = list(Format::OpenAiChat, &[Message::new(Sender::User, text.clone()), Message::agent(text.clone())]);
        let said = body.as_array().unwrap()[..2].to_vec();
        prop_assert_eq!(said, [json!({"role": "user", "content": &text}), json!({"role": "assistant", "content": &text})]);
    }
}
