//! The codec and the strict check against serde_json, on texts that are JSON, nearly JSON, and none.

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::codec::*;
use crate::error::{ModelError, StoreError};
use crate::event::Question;
use crate::json::{JsonError, MAX_DEPTH, check};
use crate::message::{InboxItem, Message, Task, ToolResultData, Usage, dollars};
use crate::run::input::{Input, Reply};
use crate::run::journal::Record;
use crate::run::settings::{Limits, Settings};
use crate::tool::ToolSpec;

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The record of a whole run: it has most of the types in it.
const STORED: &str = include_str!("../../tests/fixtures/run-v1.json");

fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        Just(r#""\ud83d\udE00\/\b\f\n\r\t\"\\ \u00e9""#.to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let space = "[ \t\r\n]{0,2}";
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..4), space)
                .prop_map(|(items, space)| format!("[{space}{}{space}]", items.join(&format!("{space},")))),
            (prop::collection::vec((any::<String>(), inner), 0..4), space).prop_map(|(fields, space)| {
                let field = |(key, value): &(String, String)| {
                    format!("{space}{}{space}:{value}", serde_json::to_string(key).unwrap())
                };
                format!("{{{space}{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

/// A text with one character changed, taken out or put in.
fn mutated(text: &str, at: usize, how: u8, with: char) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    match how % 3 {
        0 => chars.insert(at, with),
        _ if at == chars.len() => chars.push(with),
        1 => chars[at] = with,
        _ => {
            chars.remove(at);
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #[test]
    fn the_check_takes_what_serde_json_takes(text in json_text(), at in any::<usize>(), how in any::<u8>(),
        with in prop_oneof![prop::sample::select(r#"{}[],:"\/0189-+.eEunltrf "#.chars().collect::<Vec<_>>()), any::<char>()])
    {
        prop_assert!(check(&text, usize::MAX).is_ok(), "{}", text);
        let other = mutated(&text, at, how, with);
        prop_assert_eq!(check(&other, usize::MAX).is_ok(), is_json(&other), "{}", other);
    }

    #[test]
    fn the_check_takes_what_serde_json_takes_of_any_text(text in r#"[ \t\n{}\[\],:"\\/0189+.eEunltrfas-]{0,12}"#) {
        prop_assert_eq!(check(&text, usize::MAX).is_ok(), is_json(&text), "{}", text);
    }

    #[test]
    fn texts_are_written_as_serde_json_writes_them(text in any::<String>()) {
        let written = to_text(&text);
        prop_assert_eq!(&written, &serde_json::to_string(&text).unwrap());
        prop_assert_eq!(from_text::<String>(&written).unwrap(), text);
    }

    #[test]
    fn amounts_of_money_are_the_same_again(amount in prop_oneof![0.0..2e6, 0.0..1e-6, (0u64..1_000_000_000).prop_map(|n| n as f64)]) {
        let amount = dollars(amount).unwrap();
        let text = to_text(&amount);
        prop_assert_eq!(from_text::<f64>(&text).unwrap(), amount, "{}", text);
        prop_assert_eq!(text.parse::<f64>().unwrap(), amount, "{}", text);
    }

    #[test]
    fn numbers_up_to_fifteen_digits_are_the_same_again(digits in 0u64..1_000_000_000_000_000, places in 0u32..15) {
        let number: f64 = format!("{digits}e-{places}").parse().unwrap();
        let text = to_text(&number);
        prop_assert_eq!(from_text::<f64>(&text).unwrap(), number, "{}", text);
        // Smaller ones serde_json writes with an exponent.
        if number >= 1e-5 {
            prop_assert_eq!(&text, &serde_json::to_string(&number).unwrap());
        }
    }

    #[test]
    fn any_number_is_written_as_json_that_is_near_it(number in any::<f64>()) {
        let text = to_text(&number);
        prop_assert!(is_json(&text), "{}", text);
        if number.abs() < 1e15 {
            let read = from_text::<f64>(&text).unwrap();
            prop_assert!((read - number).abs() <= number.abs() * 1e-15 + 1e-15, "{} {}", number, text);
        }
    }

    #[test]
    fn numbers_with_few_digits_are_exact(whole in 0u64..1_000_000_000_000_000, places in 0i32..22, sign in any::<bool>()) {
        let text = format!("{}{whole}e-{places}", if sign { "-" } else { "" });
        prop_assert_eq!(from_text::<f64>(&text).unwrap(), text.parse::<f64>().unwrap(), "{}", text);
    }

    #[test]
    fn a_canonical_text_means_the_same(text in json_text()) {
        let json = Json::parse(&text).unwrap();
        let canonical = Json::parse(&json.canonical()).unwrap();
        prop_assert_eq!(canonical.canonical(), canonical.as_str());
        let value = |json: &Json| serde_json::from_str::<serde_json::Value>(json.as_str()).ok();
        prop_assert_eq!(value(&canonical), value(&json));
    }

    #[test]
    fn a_stored_text_that_was_damaged_is_read_or_refused_and_what_was_read_is_whole(at in any::<usize>(), how in any::<u8>(), with in any::<char>()) {
        for record in records() {
            let text = mutated(&record, at, how, with);
            if let Ok(read) = from_text::<Record>(&text) {
                let written = to_text(&read);
                prop_assert!(is_json(&text));
                prop_assert_eq!(from_text::<Record>(&written).unwrap(), read);
            }
        }
    }
}

fn records() -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Stored {
        records: Vec<Box<RawValue>>,
    }
    let stored: Stored = serde_json::from_str(STORED).unwrap();
    stored.records.iter().map(|record| record.to_string()).collect()
}

/// What the text is after it was read and written.
fn again<T: Read + Write>(text: &str) -> String {
    from_text::<T>(text).map_or_else(|fault| fault.to_string(), |value| to_text(&value))
}

#[test]
fn records_are_written_as_they_were_stored() {
    for record in records() {
        let plain: serde_json::Value = serde_json::from_str(&record).unwrap();
        let read: serde_json::Value = serde_json::from_str(&again::<Record>(&record)).unwrap();
        assert_eq!(read, plain);
    }
}

#[test]
fn every_kind_of_value_is_written_as_it_always_was() {
    let same = [
        again::<Input>(r#""recovered""#) == r#""recovered""#,
        again::<Input>(r#"{"timer_fired":{"timer":5}}"#) == r#"{"timer_fired":{"timer":5}}"#,
    ];
    assert_eq!(same, [true; 2]);
    let table = [
        (again::<Input>(r#"{"aborted":{"why":"user"}}"#), r#"{"aborted":{"why":"user"}}"#),
        (
            again::<Input>(r#"{"undo_finished":{"call_id":"c"}}"#),
            r#"{"undo_finished":{"call_id":"c","error":null}}"#,
        ),
        (
            again::<Input>(
                r#"{"tool_finished":{"call_id":"c","outcome":{"invalid":[{"path":["a",1],"message":"m"}]}}}"#,
            ),
            r#"{"tool_finished":{"call_id":"c","outcome":{"invalid":[{"path":["a",1],"message":"m"}]}}}"#,
        ),
        (
            again::<Input>(
                r#"{"approval_checked":{"call_id":"c","verdict":{"needed":{"reason":"why \ud83d\ude00"}}}}"#,
            ),
            r#"{"approval_checked":{"call_id":"c","verdict":{"needed":{"reason":"why 😀"}}}}"#,
        ),
        (
            again::<Usage>(r#"{"tokens_in":1,"cost":0.0125}"#),
            r#"{"tokens_in":1,"tokens_out":0,"cost":0.0125}"#,
        ),
        (again::<ToolSpec>(r#"{"name":"a","undo":true}"#), r#"{"name":"a","undo":true}"#),
        (
            again::<ToolSpec>(r#"{"on_interrupted":"fail","permission":"never"}"#),
            r#"{"name":"","on_interrupted":"fail"}"#,
        ),
        (again::<Reply>("{}"), r#"{"messages":[],"usage":{"tokens_in":0,"tokens_out":0}}"#),
        (
            again::<Limits>(r#"{"turns":7}"#),
            r#"{"turns":7,"calls_per_turn":128,"result_bytes":262144,"error_rounds":3,"same_rounds":3,"undo_steps":100}"#,
        ),
        (
            again::<Task>(r#" { "content" : "c", "\u0069d":"1", "new":[ 1 ] } "#),
            r#"{"id":"1","content":"c","activeForm":"","status":"","new":[ 1 ]}"#,
        ),
    ];
    for (written, expected) in table {
        assert_eq!(written, expected);
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let table = [
        (again::<Message>("{}"), "missing field `sender`"),
        (again::<Message>(r#"{"sender":"cat"}"#), "expected a known word in `sender.cat`"),
        (
            again::<Message>(r#"{"sender":"user","usage":{"tokens_in":-1}}"#),
            "expected a whole number that is not negative in `usage.tokens_in`",
        ),
        (
            again::<Message>(r#"{"sender":"user","usage":{"tokens_in":1.0}}"#),
            "expected a whole number that is not negative in `usage.tokens_in`",
        ),
        (again::<Message>(r#"{"sender":"user","text":5}"#), "expected a text in `text`"),
        (again::<Message>("[]"), "expected an object"),
        (again::<Message>(r#"{"sender":"user" "text":""}"#), "not JSON: unexpected text at byte 17"),
        (again::<Message>(r#"{"sender":"user""#), "not JSON: it ends too early"),
        (again::<Usage>(r#"{"tokens_in":1,"tokens_in":2}"#), "duplicate field `tokens_in`"),
        (again::<StoreError>(r#"{"kind":"quota","message":null}"#), "expected a text in `message`"),
        (
            again::<ModelError>(r#"{"kind":"cut","message":"m","status":65536}"#),
            "expected a whole number that is not negative in `status`",
        ),
        (again::<Input>(r#"{"recovered":5}"#), "expected null in `recovered`"),
        (again::<Input>(r#"{"resumed":null,"recovered":null}"#), "expected one variant"),
        (again::<Input>(r#""request""#), "expected more than a name in `request`"),
        (again::<Input>(r#""dance""#), "expected a known variant in `dance`"),
        (again::<Input>(r#"{"timer_fired":{}}"#), "missing field `timer` in `timer_fired`"),
        (again::<Question>(r#"{"id":"q","kind":"budget"}"#), "missing field `asked_at`"),
        (again::<Settings>(r#"{"budgets":{"ask":1}}"#), "expected true or false in `budgets.ask`"),
        (again::<InboxItem>(r#"{"id":"1","tag":{}}"#), "expected a text in `tag`"),
    ];
    for (found, expected) in table {
        assert_eq!(found, expected);
    }
}

#[test]
fn in_an_open_record_the_last_of_equal_keys_counts() {
    assert_eq!(
        again::<ToolResultData>(r#"{"message":"a","message":"b"}"#),
        r#"{"data":null,"status":"success","message":"b"}"#
    );
}

#[test]
fn depth_is_judged_where_a_value_is_kept() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let message = |depth| format!(r#"{{"sender":"user","odd":{}}}"#, nested(depth));
    assert!(from_text::<Message>(&message(MAX_DEPTH)).is_ok());
    let fault = from_text::<Message>(&message(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(*fault, *inside(JsonError::TooDeep.into(), "odd"));
    assert!(from_text::<Message>(&message(1_000_000)).is_err());
    assert!(from_text::<Message>(&nested(1_000_000)).is_err());
}

#[test]
fn two_objects_are_joined_also_when_one_is_empty() {
    struct Of(&'static str);
    impl Write for Of {
        fn write(&self, out: &mut String) {
            out.push_str(self.0);
        }
    }
    let joined = |fields: &[(&str, &dyn Write)], rest: &'static str| {
        let mut out = String::new();
        object_and(&mut out, fields, &Of(rest));
        out
    };
    assert_eq!(joined(&[("a", &1u64)], r#"{"b":2}"#), r#"{"a":1,"b":2}"#);
    assert_eq!(joined(&[("a", &1u64)], "{}"), r#"{"a":1}"#);
    assert_eq!(joined(&[], r#"{"b":2}"#), r#"{"b":2}"#);
    assert_eq!(joined(&[], "{}"), "{}");
}
