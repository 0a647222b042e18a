//! The patches against serde_json, in every cut.

use std::time::{Duration, Instant};

use super::*;
use proptest::prelude::*;
use serde_json::Value;

/// What a screen makes of the patches.
fn apply(patches: &[Patch]) -> Value {
    let mut root = Value::Null;
    for Patch { path, op } in patches {
        let new = match op {
            Op::Start { kind: Kind::Object } => Value::Object(serde_json::Map::new()),
            Op::Start { kind: Kind::Array } => Value::Array(Vec::new()),
            Op::Start { kind: Kind::Text } => Value::String(String::new()),
            Op::Set { value } => value.read().unwrap(),
            Op::Append { text } => {
                let Some(Value::String(old)) = root.pointer_mut(path) else { panic!("no text at {path}") };
                old.push_str(text);
                continue;
            }
            Op::Complete => {
                assert!(root.pointer(path).is_some(), "{path}");
                continue;
            }
        };
        let Some((parent, key)) = path.rsplit_once('/') else {
            root = new;
            continue;
        };
        match root.pointer_mut(parent).unwrap() {
            Value::Object(map) => {
                map.insert(key.replace("~1", "/").replace("~0", "~"), new);
            }
            Value::Array(list) => {
                assert_eq!(key, list.len().to_string());
                list.push(new);
            }
            other => panic!("{other} holds nothing"),
        }
    }
    root
}

fn parse(text: &str, step: usize) -> (PartialJson, Vec<Patch>) {
    let (mut parser, mut patches) = (PartialJson::new(), Vec::new());
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = step.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        parser.push(&rest[..at], &mut patches);
        rest = &rest[at..];
    }
    parser.finish(&mut patches);
    (parser, patches)
}

const VALUE: &str = r#" {"a/b~":[1,-2.5e3,true,null,[],{}],"text":"é\n\u00e9\ud83c\udf89 \"q\" \\","":{"n":{"x":"y"}},"last":12345678901234567890 } "#;

#[test]
fn the_patches_of_any_pieces_make_the_value() {
    for step in 1..40 {
        let (parser, patches) = parse(VALUE, step);
        assert_eq!(apply(&patches), serde_json::from_str::<Value>(VALUE).unwrap(), "step {step}");
        assert_eq!(parser.status(), Status::Complete);
        let value = parser.value().unwrap();
        assert_eq!(value.read::<Value>().unwrap(), apply(&patches));
        assert!(value.as_str().contains("12345678901234567890"));
    }
}

#[test]
fn a_text_grows_and_completes() {
    let (mut parser, mut patches) = (PartialJson::new(), Vec::new());
    parser.push(r#"{"city":"Par"#, &mut patches);
    let at = |path: &str, op| Patch { path: path.to_owned(), op };
    let append = |text: &str| Op::Append { text: text.to_owned() };
    let (object, text) = (Op::Start { kind: Kind::Object }, Op::Start { kind: Kind::Text });
    assert_eq!(patches, [at("", object), at("/city", text), at("/city", append("Par"))]);
    assert_eq!(parser.value().unwrap().as_str(), r#"{"city":"Par"}"#);
    patches.clear();
    parser.push(r#"is"}"#, &mut patches);
    assert_eq!(patches, [at("/city", append("is")), at("/city", Op::Complete), at("", Op::Complete)]);
}

#[test]
fn the_value_at_every_cut_is_readable_json() {
    for (at, _) in VALUE.char_indices().skip(2) {
        let (mut parser, mut patches) = (PartialJson::new(), Vec::new());
        parser.push(&VALUE[..at], &mut patches);
        let value = parser.value().unwrap_or_else(|| panic!("at {at}"));
        assert_eq!(value.read::<Value>().unwrap(), apply(&patches), "at {at}");
    }
}

#[test]
fn what_is_no_json_is_broken_and_keeps_what_it_had() {
    let table = [
        "]",
        "}",
        "{1",
        "{\"a\" 1",
        "{\"a\":1]",
        "[1}",
        "tru e",
        "1.2.3 ",
        "{}{",
        "[1,,",
        "é",
        "\"\\uZ",
        "{\"a\":.5}",
    ];
    for text in table {
        assert_eq!(parse(text, 1).0.status(), Status::Broken, "{text}");
    }
    assert_eq!(parse(r#"{"a":1,"b":x"#, 3).0.value().unwrap().as_str(), r#"{"a":1}"#);
}

#[test]
fn raw_line_ends_in_a_text_are_forgiven() {
    let (parser, patches) = parse("{\"a\":\"x\ny\u{1}\"}", 2);
    assert_eq!(apply(&patches), serde_json::json!({"a": "x\ny\u{1}"}));
    assert_eq!(parser.value().unwrap().read::<Value>().unwrap(), apply(&patches));
}

#[test]
fn depth_has_a_limit() {
    assert_eq!(parse(&"[".repeat(MAX_DEPTH), 8).0.status(), Status::Streaming);
    assert_eq!(parse(&"[".repeat(100_000), 8).0.status(), Status::Broken);
    let full = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    assert_eq!(parse(&full, 8).0.status(), Status::Complete);
}

#[test]
fn sixty_four_kibibytes_in_small_deltas_take_a_few_milliseconds() {
    let mut text = "{\"items\":[".to_owned();
    while text.len() < 65_536 {
        text.push_str(r#"{"id":1,"name":"some name","tags":["a","b"],"in":{"deep":{"deeper":true}}},"#);
    }
    text.push_str("null]}");
    // Of each piece the best of many tries: the machine may be busy with other things.
    let mut best = vec![Duration::MAX; text.len().div_ceil(1_024)];
    for _ in 0..20 {
        let (mut parser, mut patches) = (PartialJson::new(), Vec::new());
        for (best, piece) in best.iter_mut().zip(text.as_bytes().chunks(1_024)) {
            let started = Instant::now();
            for delta in piece.chunks(8) {
                parser.push(str::from_utf8(delta).unwrap(), &mut patches);
            }
            *best = started.elapsed().min(*best);
        }
        parser.finish(&mut patches);
        assert_eq!(parser.status(), Status::Complete);
    }
    let whole: Duration = best.iter().sum();
    assert!(whole.as_millis() < 30, "{whole:?}");
}

proptest! {
    #[test]
    fn nothing_panics_and_the_value_follows_the_patches(text in r#"[\[\]{}",:\\ua-fn0-9.eE\-+ trfé🎉\n]{0,60}"#, step in 1usize..9) {
        let (parser, patches) = parse(&text, step);
        if let Some(value) = parser.value() {
            prop_assert_eq!(value.read::<Value>().unwrap(), apply(&patches));
        }
        prop_assert_eq!(parse(&text, 1000).0.value(), parser.value());
    }
}
