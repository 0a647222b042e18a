//! Schemas of tools as providers take them, and the arguments that come back.

use std::sync::Arc;
use std::time::Instant;

use glove_wasm::answer::{ArgumentReader, Delta, Outcome, WireNames};
use glove_wasm::json::Json;
use glove_wasm::providers::facts::Facts;
use glove_wasm::providers::request::{
    Notice, Notices, Options, RequestParts, ToolChoice, ToolNames, fewer_tools,
};
use glove_wasm::providers::{Decoder, Format};
use glove_wasm::tool::ToolDefinition;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::requests::{FORMATS, body_for, call, calls, options};

/// What a provider is told of a tool with this schema.
struct Told {
    tool: Value,
    names: WireNames,
    notices: Vec<Notice>,
}

impl Told {
    fn schema(&self) -> Value {
        self.tool.clone()
    }

    fn on_wire(&self, value: &Value) -> Value {
        let text = value.to_string();
        match self.names.arguments.first() {
            Some((_, form)) => serde_json::from_str(&form.on_wire(&text)).unwrap(),
            None => value.clone(),
        }
    }

    fn real(&self, value: &Value) -> Value {
        match self.names.arguments.first() {
            Some((_, form)) => serde_json::from_str(&form.real(&value.to_string())).unwrap(),
            None => value.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum To {
    OpenAi,
    Responses,
    Anthropic,
    Gemini,
    GoogleChat,
}

fn told(to: To, schema: &Value) -> Told {
    let (format, host) = match to {
        To::OpenAi => (Format::OpenAiChat, "api.openai.com"),
        To::Responses => (Format::OpenAiResponses, "api.openai.com"),
        To::Anthropic => (Format::Anthropic, "api.anthropic.com"),
        To::Gemini => (Format::Gemini, "generativelanguage.googleapis.com"),
        To::GoogleChat => (Format::OpenAiChat, "generativelanguage.googleapis.com"),
    };
    let schema = Json::parse(&schema.to_string()).unwrap();
    let tools = [ToolDefinition { name: "t".to_owned(), description: String::new(), schema }];
    let options = Options { facts: Facts::of(format, host, "m", &[]), ..Options::default() };
    let (names, notices) = (ToolNames::new(format, &options.facts, &tools), Notices::default());
    let prompt = RequestParts {
        format,
        system: "",
        tools: &tools,
        names: &names,
        options: &options,
        notices: &notices,
    };
    let body: Value = serde_json::from_str(&prompt.body(&[])).unwrap();
    let tool = match to {
        To::OpenAi | To::GoogleChat => &body["tools"][0]["function"]["parameters"],
        To::Responses => &body["tools"][0]["parameters"],
        To::Anthropic => &body["tools"][0]["input_schema"],
        To::Gemini => &body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"],
    };
    Told { tool: tool.clone(), notices: notices.take(), names: names.into_wire() }
}

const ALL: [To; 5] = [To::OpenAi, To::Responses, To::Anthropic, To::Gemini, To::GoogleChat];
const MOST: [To; 3] = [To::OpenAi, To::Responses, To::Anthropic];

fn shapes() -> Value {
    json!({
        "$defs": {"side": {"type": "number", "exclusiveMinimum": 0}},
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"$ref": "#/$defs/side"}}, "required": ["kind", "radius"]},
            {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"$ref": "#/$defs/side"}}, "required": ["kind", "side"]}
        ]
    })
}

#[test]
fn a_union_at_the_root_is_put_behind_one_property_with_what_it_refers_to() {
    for to in MOST {
        let told = told(to, &shapes());
        let expected = json!({
            "type": "object",
            "properties": {"input": {"oneOf": shapes()["oneOf"]}},
            "required": ["input"],
            "$defs": shapes()["$defs"]
        });
        assert_eq!((told.schema(), told.notices.len()), (expected, 0), "{to:?}");
    }
    for to in [To::Gemini, To::GoogleChat] {
        let side = json!({"type": "number", "description": "(JSON Schema: {\"exclusiveMinimum\":0})"});
        let branch = |kind: &str, field: &str| {
            json!({
                "type": "object",
                "properties": {"kind": {"type": "string", "enum": [kind]}, field: side},
                "required": ["kind", field]
            })
        };
        let expected = json!({
            "type": "object",
            "properties": {"input": {"anyOf": [branch("circle", "radius"), branch("square", "side")]}},
            "required": ["input"]
        });
        assert_eq!(told(to, &shapes()).schema(), expected, "{to:?}");
    }
}

#[test]
fn references_lead_to_the_same_after_their_schema_was_moved() {
    let schema = json!({
        "$id": "https://x.example/tree",
        "anyOf": [{"type": "object", "properties": {"next": {"$ref": "#"}, "other": {"$ref": "https://x.example/tree#/anyOf/0"}, "n": {"$ref": "#/definitions/n"}}}],
        "definitions": {"n": {"type": "integer"}}
    });
    let branch = json!({"type": "object", "properties": {
        "next": {"$ref": "#/properties/input"},
        "other": {"$ref": "#/properties/input/anyOf/0"},
        "n": {"$ref": "#/definitions/n"}
    }});
    let expected = json!({
        "type": "object",
        "properties": {"input": {"anyOf": [branch]}},
        "required": ["input"],
        "definitions": {"n": {"type": "integer"}}
    });
    assert_eq!(told(To::OpenAi, &schema).schema(), expected);
    // A root that only refers is what it refers to.
    let named = json!({"$ref": "#/definitions/T", "definitions": {"T": {"type": "object", "properties": {"t": {"$ref": "#/definitions/T"}}}}});
    let schema = told(To::Anthropic, &named).schema();
    assert_eq!(schema["properties"], json!({"t": {"$ref": "#/definitions/T"}}));
    assert_eq!(schema["definitions"], named["definitions"]);
}

#[test]
fn every_array_has_items_and_a_tuple_stays_one() {
    let pair = json!([{"type": "string"}, {"type": "number"}]);
    let either = json!({"anyOf": [{"type": "string"}, {"type": "number"}]});
    let table = [
        (json!({"type": "array"}), json!({"type": "array", "items": {}})),
        (json!({"type": ["array", "null"]}), json!({"type": ["array", "null"], "items": {}})),
        (
            json!({"type": "array", "prefixItems": pair, "items": false, "minItems": 2}),
            json!({"type": "array", "minItems": 2, "prefixItems": pair, "items": either, "maxItems": 2}),
        ),
        (
            json!({"type": "array", "items": pair, "additionalItems": false, "maxItems": 1}),
            json!({"type": "array", "prefixItems": pair, "items": either, "maxItems": 1}),
        ),
        (
            json!({"type": "array", "items": pair, "additionalItems": {"type": "null"}}),
            json!({"type": "array", "prefixItems": pair, "items": {"type": "null"}}),
        ),
        (
            json!({"type": "array", "prefixItems": pair}),
            json!({"type": "array", "prefixItems": pair, "items": {}}),
        ),
        (json!({"type": "array", "items": true}), json!({"type": "array", "items": {}})),
        (
            json!({"type": "array", "items": {"items": [true]}}),
            json!({"type": "array", "items": {"prefixItems": [{}], "items": {}}}),
        ),
    ];
    for (given, expected) in table {
        for to in MOST {
            let told = told(to, &json!({"type": "object", "properties": {"list": given}}));
            assert_eq!(told.schema()["properties"]["list"], expected, "{to:?} {given}");
        }
    }
    // What is data is no schema.
    let data = json!({"type": "object", "properties": {"items": {"const": {"type": "array"}}}, "default": {"items": [true]}});
    assert_eq!(told(To::OpenAi, &data).schema(), data);
}

#[test]
fn keys_that_anthropic_refuses_have_other_names_there_in_calls_too() {
    let schema = json!({
        "type": "object",
        "properties": {
            "größe": {"type": "number", "description": "In cm."},
            "gr__e": {"type": "string"},
            "filter[id]": {"type": "object", "properties": {"filter[id]": {"type": "string"}}},
            "": {"$ref": "#/properties/größe"}
        },
        "required": ["größe", "gr__e"],
        "dependentRequired": {"größe": ["filter[id]"]}
    });
    let told = told(To::Anthropic, &schema);
    let expected = json!({
        "type": "object",
        "properties": {
            "gr__e_2": {"description": "größe: In cm.", "type": "number"},
            "gr__e": {"type": "string"},
            "filter_id_": {"description": "filter[id]", "type": "object", "properties": {"filter[id]": {"type": "string"}}},
            "_": {"description": "", "$ref": "#/properties/gr__e_2"}
        },
        "required": ["gr__e_2", "gr__e"],
        "dependentRequired": {"gr__e_2": ["filter_id_"]}
    });
    assert_eq!(told.schema(), expected);
    let (real, wire) =
        (json!({"größe": 3, "filter[id]": {"größe": 1}}), json!({"gr__e_2": 3, "filter_id_": {"größe": 1}}));
    assert_eq!((told.on_wire(&real), told.real(&wire)), (wire, real));
    // Where something else tells of keys by their names, they keep them behind one property.
    let by_name =
        json!({"type": "object", "properties": {"a b": {}}, "patternProperties": {"^a": {"type": "string"}}});
    assert_eq!(self::told(To::Anthropic, &by_name).schema()["properties"]["input"], by_name);
}

#[test]
fn many_keys_that_become_the_same_name_are_told_apart_in_time() {
    let letters: Vec<char> = ('а'..='я').collect();
    let short =
        |n: usize| [n / 1_024, n / 32 % 32, n % 32, 0].map(|at| letters[at]).iter().collect::<String>();
    let long = |n: usize| format!("{}{n:05}é", "x".repeat(58));
    let names: [&dyn Fn(usize) -> String; 2] = [&short, &long];
    for name in names {
        let properties: serde_json::Map<_, _> =
            (0..10_000).map(|n| (name(n), json!({"type": "string"}))).collect();
        let schema = json!({"type": "object", "properties": properties});
        for to in [To::Anthropic, To::GoogleChat] {
            let begun = Instant::now();
            let told = told(to, &schema);
            let took = begun.elapsed();
            assert!(took.as_secs() < 10, "{to:?} took {took:?}");
            judge(to, &told.schema()).unwrap();
            let value = json!({name(0): 1, name(5_000): 2, name(9_999): 3});
            assert_eq!(told.real(&told.on_wire(&value)), value);
            if to == To::Anthropic {
                assert_eq!(told.schema()["properties"].as_object().unwrap().len(), 10_000);
            }
        }
    }
}

#[test]
fn what_gemini_has_no_word_for_is_said_in_descriptions() {
    let schema = json!({
        "$schema": "x",
        "type": "object",
        "properties": {
            "maybe": {"type": ["object", "null"], "properties": {"a": {"type": "string", "format": "uuid"}}, "required": ["a", "b"]},
            "count": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
            "even": {"type": "integer", "multipleOf": 2, "description": "Even."},
            "one": {"const": 1},
            "level": {"enum": [1, 2, 5]},
            "word": {"enum": ["a", "b", null]},
            "blank": {"enum": ["", "a"]},
            "yes": {"const": true},
            "map": {"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {"type": "number"}},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false},
            "both": {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"minLength": 2}, "b": {"type": "boolean"}}}]},
            "list": {"type": "array"},
            "never": false,
            "when": {"type": "string", "format": "date-time", "title": "When"}
        },
        "additionalProperties": false,
        "anyOf_": 1
    });
    let told = told(To::GoogleChat, &schema);
    let said = told.schema();
    let of = |name: &str| said["properties"][name].clone();
    let scalars = [json!({"type": "string"}), json!({"type": "number"}), json!({"type": "boolean"})];
    let mut item = scalars.to_vec();
    item.push(json!({"type": "object", "properties": {}}));
    let mut anything = item.clone();
    item.push(json!({"type": "array", "items": {"anyOf": scalars}}));
    anything.push(json!({"type": "array", "items": {"anyOf": item}}));
    let anything = json!({"anyOf": anything});
    let a = json!({"type": "string", "description": "(JSON Schema: {\"format\":\"uuid\"})"});
    assert_eq!(
        of("maybe"),
        json!({"anyOf": [{"type": "object", "properties": {"a": a, "b": anything}, "required": ["a", "b"]}, {"type": "null"}]})
    );
    assert_eq!(of("count"), json!({"type": "integer", "minimum": 1, "maximum": 9}));
    assert_eq!(
        of("even"),
        json!({"type": "integer", "description": "Even. (JSON Schema: {\"multipleOf\":2})"})
    );
    assert_eq!(of("one"), json!({"type": "number", "minimum": 1, "maximum": 1}));
    assert_eq!(
        of("level"),
        json!({"type": "number", "minimum": 1, "maximum": 5, "description": "(JSON Schema: {\"enum\":[1,2,5]})"})
    );
    assert_eq!(of("word"), json!({"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]}));
    assert_eq!(
        of("blank"),
        json!({"type": "string", "description": "(JSON Schema: {\"enum\":[\"\",\"a\"]})"})
    );
    assert_eq!(of("yes"), json!({"type": "boolean", "description": "(JSON Schema: {\"enum\":[true]})"}));
    assert_eq!(of("map")["description"], "(JSON Schema: {\"additionalProperties\":{\"type\":\"number\"}})");
    assert_eq!(of("pair")["items"], json!({"anyOf": [{"type": "string"}, {"type": "number"}]}));
    assert_eq!(of("pair")["maxItems"], 2);
    assert_eq!(
        of("both"),
        json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 2}, "b": {"type": "boolean"}}})
    );
    assert_eq!(of("when"), json!({"type": "string", "format": "date-time", "description": "When"}));
    assert!(said["properties"].get("never").is_none() && said.get("additionalProperties").is_none());
    // Its own format has room for a little more.
    let own = self::told(To::Gemini, &schema).schema();
    assert_eq!(own["properties"]["map"]["additionalProperties"], json!({"type": "number"}));
    assert_eq!(own["properties"]["level"], json!({"type": "number", "enum": [1, 2, 5]}));
    assert!(own["properties"]["pair"].get("prefixItems").is_some());
    assert_eq!(own["additionalProperties"], false);
}

#[test]
fn a_function_without_parameters_has_none_for_gemini() {
    for to in [To::Gemini, To::GoogleChat] {
        for schema in [
            json!({}),
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            json!(null),
        ] {
            assert_eq!(told(to, &schema).schema(), Value::Null, "{to:?} {schema}");
        }
    }
    for to in MOST {
        assert_eq!(told(to, &json!({})).schema(), json!({"type": "object", "properties": {}}), "{to:?}");
    }
}

#[test]
fn a_schema_inside_itself_is_cut_for_gemini_and_the_developer_is_told() {
    let schema = json!({"type": "object", "properties": {"value": {"type": "number"}, "children": {"type": "array", "items": {"$ref": "#"}}}});
    let told = told(To::Gemini, &schema);
    let deep = "/properties/children/items/properties/children/items";
    assert_eq!(told.schema().pointer(deep).unwrap()["type"], "object");
    assert_eq!(told.notices.len(), 1);
    assert_eq!(told.notices[0].code, "SCHEMA_SIMPLIFIED");
    assert!(told.notices[0].message.contains("`t` refers to itself"));
    assert!(!told.schema().to_string().contains("than can be told"), "{}", told.schema());
    let not = json!({"type": "object", "properties": {"a": {"not": {"const": 1}, "type": "number"}}});
    assert!(self::told(To::GoogleChat, &not).notices[0].message.contains("`not`"));
    assert_eq!(self::told(To::OpenAi, &not).notices, []);
}

#[test]
fn what_is_cut_for_gemini_names_what_it_is_or_says_that_there_is_more() {
    let person = json!({"type": "object", "description": "A person.", "properties": {"home": {"$ref": "#/$defs/house"}}});
    let house = json!({"type": "object", "properties": {"owner": {"$ref": "#/$defs/person"}}});
    let schema = json!({"type": "object", "properties": {"who": {"$ref": "#/$defs/person"}}, "$defs": {"person": person, "house": house}});
    let text = told(To::Gemini, &schema).schema().to_string();
    assert!(text.contains("A person. (Of the form of `person` above.)"), "{text}");
    let whole = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    let text = told(To::Gemini, &whole).schema().to_string();
    assert!(text.contains("(Of the form of the arguments as a whole.)"), "{text}");
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    let told = told(To::Gemini, &deep);
    assert!(told.schema().to_string().contains("(More stands here than can be told.)"));
    assert!(
        told.notices[0].message.contains("`t` is larger than this provider allows."),
        "{:?}",
        told.notices
    );
}

#[test]
fn a_description_beside_a_reference_is_kept_wherever_it_stands() {
    // Keys stand in the order of the alphabet, the reference first.
    let home = json!({"$ref": "#/$defs/house", "description": "Where he lives."});
    let house =
        json!({"type": "object", "description": "A house.", "properties": {"street": {"type": "string"}}});
    let inner = json!({"type": "object", "properties": {"home": home}, "$defs": {"house": house}});
    let mut root = home;
    root["$defs"] = json!({"house": house});
    for to in ALL {
        assert_eq!(
            told(to, &inner).schema()["properties"]["home"]["description"],
            "Where he lives.",
            "{to:?}"
        );
        assert_eq!(told(to, &root).schema()["description"], "Where he lives.", "{to:?}");
    }
}

#[test]
fn a_map_as_arguments_is_told_to_gemini_behind_one_property() {
    for to in [To::Gemini, To::GoogleChat] {
        for (schema, word) in [
            (
                json!({"type": "object", "description": "Words.", "additionalProperties": {"type": "string"}}),
                "additionalProperties",
            ),
            (
                json!({"type": "object", "description": "Words.", "properties": {}, "additionalProperties": {}}),
                "",
            ),
            (
                json!({"type": "object", "description": "Words.", "patternProperties": {"^a": {"type": "string"}}}),
                "patternProperties",
            ),
        ] {
            let told = told(to, &schema);
            judge(to, &told.schema()).unwrap();
            let input = &told.schema()["properties"]["input"];
            assert!(input["description"].as_str().unwrap().starts_with("Words."), "{to:?} {input}");
            assert!(input.to_string().contains(word), "{to:?} {input}");
            let has_notice = told.notices.iter().any(|notice| notice.message.contains("`patternProperties`"));
            assert_eq!(has_notice, word == "patternProperties", "{:?}", told.notices);
            let value = json!({"a": "b"});
            assert_eq!(told.real(&json!({"input": value})), value);
            assert_eq!(told.on_wire(&value), json!({"input": value}));
        }
    }
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    assert_eq!(told(To::Anthropic, &map).schema()["additionalProperties"], json!({"type": "string"}));
}

#[test]
fn what_gemini_is_told_of_a_large_schema_has_an_end_and_the_developer_is_told() {
    let empty = |count: usize| -> serde_json::Map<_, _> {
        (0..count).map(|n| (format!("p{n}"), json!({}))).collect()
    };
    let branches: Vec<_> = (0..2_000).map(|n| json!({"required": ["x"], "minProperties": n})).collect();
    let values: Vec<_> = (0..20_000).collect();
    let table = [
        json!({"type": "object", "properties": {"x": {"properties": empty(2_000), "anyOf": branches}}}),
        json!({"type": "object", "properties": {"x": {"enum": values, "anyOf": branches}}}),
        json!({"type": "object", "properties": empty(10_000), "additionalProperties": false}),
        json!({"type": "object", "required": (0..10_000).map(|n| format!("p{n}")).collect::<Vec<_>>()}),
        json!({"type": "object", "properties": {"x": {"prefixItems": vec![json!({}); 10_000], "items": false}}}),
    ];
    for schema in table {
        let length = schema.to_string().len();
        for to in [To::Gemini, To::GoogleChat] {
            let begun = Instant::now();
            let told = told(to, &schema);
            let took = begun.elapsed();
            let (text, begin) =
                (told.schema().to_string(), schema.to_string().chars().take(200).collect::<String>());
            assert!(took.as_secs() < 5, "{to:?} took {took:?} of {begin}");
            assert!(text.len() < length * 5 + 150_000, "{to:?} made {} of {length} of {begin}", text.len());
            judge(to, &told.schema()).unwrap();
            assert!(text.contains("(More stands here than can be told.)"), "{to:?} {begin}");
            assert!(!text.contains(r#""additionalProperties":false"#), "{to:?} {begin}");
            assert!(
                told.notices[0].message.contains("is larger than this provider allows"),
                "{:?}",
                told.notices
            );
        }
    }
}

#[test]
fn roots_that_are_no_objects_and_no_schemas_are_told_in_a_form_that_is_taken() {
    let table = [
        json!({"type": "string"}),
        json!({"type": "array", "items": {"type": "number"}}),
        json!({"enum": [{"a": 1}]}),
        json!({"not": {"required": ["a"]}}),
        json!({"$ref": "#/$defs/gone"}),
        json!({"$ref": "#"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"type": "object", "allOf": [{"properties": {"a": true}}]}),
        json!(false),
        json!(true),
        json!("x"),
        json!([]),
    ];
    for schema in table {
        for to in ALL {
            judge(to, &told(to, &schema).schema()).unwrap_or_else(|why| panic!("{to:?} {schema}: {why}"));
        }
    }
}

#[test]
fn earlier_calls_are_written_and_new_ones_read_in_the_form_that_the_model_was_told() {
    let tools = [
        ("shape", shapes()),
        ("size", json!({"type": "object", "properties": {"größe": {"type": "number"}}})),
    ]
    .map(|(name, schema)| ToolDefinition {
        name: name.to_owned(),
        description: "d".to_owned(),
        schema: Json::parse(&schema.to_string()).unwrap(),
    });
    let options = options();
    let names = ToolNames::new(Format::Anthropic, &options.facts, &tools);
    let notices = Notices::default();
    let prompt = RequestParts {
        format: Format::Anthropic,
        system: "",
        tools: &tools,
        names: &names,
        options: &options,
        notices: &notices,
    };
    let said = calls(
        "",
        vec![call("shape", "1", r#"{"kind":"circle","radius":1}"#), call("size", "2", r#"{"größe":3}"#)],
    );
    let body: Value = serde_json::from_str(&prompt.body(&[&said])).unwrap();
    let content = &body["messages"][1]["content"];
    assert_eq!(content[0]["input"], json!({"input": {"kind": "circle", "radius": 1}}));
    assert_eq!(content[1]["input"], json!({"gr__e": 3}));

    let events = [
        r#"{"type":"message_start","message":{"usage":{}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"shape","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"in"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"put\": {\"kind\":\"square\"}"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"size","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"gr__e\":4}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let mut decoder = Decoder::new(Format::Anthropic, names.into_wire());
    let mut shown = [String::new(), String::new()];
    for event in events {
        for delta in decoder.push(format!("data: {event}\n\n").as_bytes()) {
            if let Delta::CallArgs { index, text } = delta {
                shown[index].push_str(&text);
            }
        }
    }
    let Outcome::Answered(turn) = decoder.finish() else { panic!("no answer") };
    let args: Vec<_> = turn.message.calls().iter().map(|call| call.input_args.as_str().to_owned()).collect();
    assert_eq!(args, [r#"{"kind":"square"}"#, r#"{"größe":4}"#]);
    assert_eq!(shown.to_vec(), args);
}

#[test]
fn names_with_letters_that_json_escapes_are_told_to_an_endpoint_as_they_are() {
    let schema = json!({ "type": "object", "properties": { "a \"b\"": {} }, "x-\"odd\"\\\n": { "y\"": 1 } });
    let tool = ToolDefinition {
        name: "t".to_owned(),
        description: String::new(),
        schema: Json::parse(&schema.to_string()).unwrap(),
    };
    let body = body_for(Format::Endpoint, &options(), "", &[], &[tool]);
    assert_eq!(body["tools"][0]["parameters"], schema);
}

#[test]
fn further_fields_of_a_request_keep_their_names() {
    let extra = json!({ "x-\"odd\"": 1, "metadata": { "a\\b": 2 } });
    let options = Options { extra: Some(Json::parse(&extra.to_string()).unwrap()), ..options() };
    for format in FORMATS {
        let body = body_for(format, &options, "", &[], &[]);
        assert_eq!(
            (&body["x-\"odd\""], &body["metadata"]["a\\b"]),
            (&json!(1), &json!(2)),
            "{format:?}: {body}"
        );
    }
}

#[test]
fn of_too_many_tools_those_that_are_needed_go_out_and_both_sides_are_told() {
    let tool = |name: String| ToolDefinition {
        name,
        description: String::new(),
        schema: Json::parse("{}").unwrap(),
    };
    let mut tools: Vec<_> = (0..200).map(|n| tool(format!("t{n}"))).collect();
    tools.push(tool("glove_update_tasks".to_owned()));
    let said = calls("", vec![call("t190", "1", "{}")]);
    let notices = Notices::default();
    let (kept, system) =
        fewer_tools(Format::OpenAiChat, None, &tools, "s", || vec![&said], &notices).unwrap();
    let names: Vec<_> = kept.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((kept.len(), &names[124..]), (128, &["t124", "t125", "t190", "glove_update_tasks"][..]));
    assert!(system.starts_with("s\n\n73 further tools"), "{system}");
    let told = notices.take();
    assert_eq!(told[0].code, "TOOLS_LEFT_OUT");
    assert!(told[0].message.contains("`t126`") && !told[0].message.contains("`t190`"), "{}", told[0].message);
    for (format, tools) in
        [(Format::OpenAiChat, &tools[..128]), (Format::Anthropic, &tools[..]), (Format::Endpoint, &tools[..])]
    {
        assert!(fewer_tools(format, None, tools, "", Vec::new, &notices).is_none(), "{format:?}");
    }
}

#[test]
fn of_too_many_tools_the_one_that_the_model_is_to_use_goes_out() {
    let tool = |name: String| ToolDefinition {
        name,
        description: String::new(),
        schema: Json::parse("{}").unwrap(),
    };
    let choice = ToolChoice::Tool("chosen".to_owned());
    for own in ["t", "glove_"] {
        let mut tools: Vec<_> = (0..200).map(|n| tool(format!("{own}{n}"))).collect();
        tools.push(tool("chosen".to_owned()));
        let notices = Notices::default();
        let (kept, _) =
            fewer_tools(Format::OpenAiChat, Some(&choice), &tools, "", Vec::new, &notices).unwrap();
        assert_eq!((kept.len(), kept[127].name.as_str()), (128, "chosen"));
    }
}

#[test]
fn large_and_tangled_schemas_are_rewritten_in_time() {
    let wide: serde_json::Map<_, _> =
        (0..4_000).map(|n| (format!("fält {n}"), json!({"type": "array"}))).collect();
    let mut deep = json!({"type": "array"});
    for _ in 0..50 {
        deep = json!({"type": "array", "prefixItems": [deep], "items": false});
    }
    // Each refers to the next twice: written out it would be longer than any memory.
    let tangle: serde_json::Map<_, _> = (0..60)
        .map(|n| {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            (format!("d{n}"), json!({"type": "object", "properties": {"a": next, "b": next}}))
        })
        .collect();
    let unions: Vec<_> = (0..30)
        .map(|n| json!({"anyOf": [{"const": n}, {"properties": {"x": {"anyOf": [{}, {}]}}}]}))
        .collect();
    let table = [
        json!({"type": "object", "properties": wide}),
        json!({"type": "object", "properties": {"deep": deep}}),
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": tangle}),
        json!({"type": "object", "properties": {"x": {"allOf": unions}}}),
    ];
    for schema in table {
        let length = schema.to_string().len();
        for to in ALL {
            let begun = Instant::now();
            let told = told(to, &schema);
            let took = begun.elapsed();
            assert!(took.as_secs() < 30, "{to:?} took {took:?} for {length} bytes");
            let longest = length * 16 + 500_000;
            assert!(
                told.schema().to_string().len() < longest,
                "{to:?} made {} of {length}",
                told.schema().to_string().len()
            );
        }
    }
}

/// Whether a provider takes a schema, by its rules.
fn judge(to: To, schema: &Value) -> Result<(), String> {
    let gemini = matches!(to, To::Gemini | To::GoogleChat);
    if gemini && schema.is_null() {
        return Ok(());
    }
    if schema["type"] != "object" {
        return Err("the root is no object".to_owned());
    }
    for word in ["anyOf", "oneOf", "allOf", "enum", "not"] {
        if schema.get(word).is_some() {
            return Err(format!("`{word}` at the root"));
        }
    }
    for key in schema["properties"].as_object().ok_or("no properties")?.keys() {
        let fits = (1..=64).contains(&key.len())
            && key.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
        if to == To::Anthropic && !fits {
            return Err(format!("the key {key:?}"));
        }
    }
    if gemini { judge_gemini(to, schema) } else { judge_most(schema) }
}

fn judge_most(schema: &Value) -> Result<(), String> {
    let Some(fields) = schema.as_object() else { return Err(format!("{schema} is no schema")) };
    let is_array = schema["type"] == "array"
        || schema["type"].as_array().is_some_and(|types| types.contains(&json!("array")));
    if is_array && !schema["items"].is_object() {
        return Err(format!("an array without items: {schema}"));
    }
    for (key, value) in fields {
        match key.as_str() {
            "properties" | "$defs" | "definitions" | "patternProperties" => {
                value.as_object().into_iter().flat_map(|map| map.values()).try_for_each(judge_most)?;
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value.as_array().into_iter().flatten().try_for_each(judge_most)?;
            }
            "items" | "not" => judge_most(value)?,
            _ => {}
        }
    }
    Ok(())
}

fn judge_gemini(to: To, schema: &Value) -> Result<(), String> {
    let fields = schema.as_object().ok_or_else(|| format!("{schema} is no schema"))?;
    let native = ["prefixItems", "additionalProperties"];
    let known = [
        "type",
        "description",
        "properties",
        "required",
        "items",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "enum",
        "format",
        "anyOf",
    ];
    for key in fields.keys() {
        let is_known = known.contains(&key.as_str()) || to == To::Gemini && native.contains(&key.as_str());
        if !is_known {
            return Err(format!("`{key}` is no word of its"));
        }
    }
    if let Some(branches) = schema.get("anyOf") {
        if fields.keys().any(|key| key != "anyOf" && key != "description") {
            return Err(format!("beside anyOf: {schema}"));
        }
        return branches.as_array().ok_or("no list")?.iter().try_for_each(|branch| judge_gemini(to, branch));
    }
    let kind = schema["type"].as_str().ok_or_else(|| format!("no type: {schema}"))?;
    match (kind, schema.get("items"), schema.get("properties")) {
        ("array", Some(items), None) => judge_gemini(to, items)?,
        ("object", None, Some(properties)) => {
            let properties = properties.as_object().ok_or("no properties")?;
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            for name in required {
                if !properties.contains_key(name.as_str().unwrap_or_default()) {
                    return Err(format!("{name} is required, and no property"));
                }
            }
            properties.values().try_for_each(|property| judge_gemini(to, property))?;
        }
        ("array" | "object", ..) => return Err(format!("not whole: {schema}")),
        (_, None, None) => {}
        _ => return Err(format!("items or properties of a {kind}")),
    }
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    for value in values {
        let fits =
            value.as_str().is_some_and(|text| !text.is_empty()) || to == To::Gemini && value.is_number();
        if !fits {
            return Err(format!("{value} in an enum"));
        }
    }
    Ok(())
}

/// A schema and a value, which mostly fits.
type Pair = (Value, Value);

fn leaf() -> impl Strategy<Value = Pair> {
    let number = (-3i64..4, 0i64..4)
        .prop_map(|(n, span)| (json!({"type": "integer", "minimum": n, "maximum": n + span}), json!(n)));
    let text = "[ab]{0,3}".prop_map(|text| (json!({"type": "string", "maxLength": 2}), json!(text)));
    prop_oneof![
        number,
        text,
        (-3i64..4).prop_map(|n| (json!({"type": "integer", "exclusiveMinimum": n}), json!(n + 1))),
        (0u8..3).prop_map(|n| (json!({"const": n}), json!(n))),
        (0usize..3).prop_map(|n| (json!({"enum": ["a", "b", null]}), json!(["a", "b", null])[n].clone())),
        any::<bool>().prop_map(|value| (json!({"type": ["boolean", "null"]}), json!(value))),
        Just((json!({"type": "array"}), json!([1, "a"]))),
        Just((json!(true), json!("x"))),
        Just((json!({"$ref": "#/$defs/n"}), json!(3))),
    ]
}

fn key() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "a", "b", "c", "größe", "gr__e", "$top", "a b", "x.y", "items", "input", "ein\"e", "1st", "",
    ])
    .prop_map(str::to_owned)
}

fn object(inner: impl Strategy<Value = Pair> + 'static) -> impl Strategy<Value = Pair> {
    let fields = proptest::collection::btree_map(key(), (inner, any::<bool>(), any::<bool>()), 0..4);
    (fields, any::<bool>(), any::<bool>()).prop_map(|(fields, closed, odd)| {
        let (mut properties, mut value, mut required) =
            (serde_json::Map::new(), serde_json::Map::new(), Vec::new());
        for (name, ((schema, fitting), needed, there)) in fields {
            properties.insert(name.clone(), schema);
            if needed {
                required.push(name.clone());
            }
            if there || needed && !odd {
                value.insert(name, fitting);
            }
        }
        let mut schema = json!({"type": "object", "properties": properties, "required": required});
        if closed {
            schema["additionalProperties"] = json!(false);
        }
        if let [first, .., last] = required.as_slice() {
            schema["dependentRequired"] = json!({first.as_str(): [last]});
        }
        (schema, Value::Object(value))
    })
}

fn pair() -> BoxedStrategy<Pair> {
    leaf()
        .prop_recursive(3, 20, 4, |inner| {
            let list = proptest::collection::vec(inner.clone(), 1..3);
            let tuple = (list, 0u8..5).prop_map(|(pairs, form)| {
                let (schemas, values): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                let schema = match form {
                    0 => json!({"type": "array", "items": schemas, "additionalItems": false}),
                    1 => json!({"type": "array", "items": schemas, "additionalItems": {"type": "string"}}),
                    2 => json!({"type": "array", "prefixItems": schemas, "items": false, "minItems": values.len()}),
                    3 => json!({"type": "array", "prefixItems": schemas, "items": false, "maxItems": 1}),
                    _ => json!({"type": "array", "prefixItems": schemas}),
                };
                (schema, Value::Array(values))
            });
            let union = (proptest::collection::vec(inner.clone(), 1..3), any::<prop::sample::Index>()).prop_map(|(pairs, at)| {
                let value = at.get(&pairs).1.clone();
                (json!({"anyOf": pairs.into_iter().map(|(schema, _)| schema).collect::<Vec<_>>()}), value)
            });
            prop_oneof![object(inner), tuple, union]
        })
        .boxed()
}

/// A schema of arguments: an object, a union of objects, or both in one; with definitions and references to itself.
fn arguments() -> impl Strategy<Value = Pair> {
    let branches = proptest::collection::vec(object(pair()), 1..4);
    (branches, 0u8..6, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(pairs, form, at, itself)| {
        let (mut schema, mut value) = at.get(&pairs).clone();
        let all: Vec<_> = pairs.iter().map(|(schema, _)| schema.clone()).collect();
        match form {
            0 => schema = json!({"anyOf": all}),
            1 => schema = json!({"type": "object", "oneOf": all}),
            2 => schema["allOf"] = json!([all[0]]),
            3 => schema = json!({"$ref": "#/$defs/root", "$defs": {"root": schema}}),
            4 => schema["propertyNames"] = json!({"maxLength": 4}),
            _ => {}
        }
        if itself && schema.get("properties").is_some() {
            schema["properties"]["self"] = json!({"$ref": "#"});
            value["self"] = value.clone();
        }
        schema["$defs"]["n"] = json!({"type": "integer", "minimum": 2});
        (schema, value)
    })
}

fn accepts(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap_or_else(|why| panic!("{why}: {schema}")).is_valid(value)
}

/// The same as draft 2020-12 has it: tuples had another word before.
fn modern(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut made = serde_json::Map::new();
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("items", Value::Array(_)) => made.insert("prefixItems".to_owned(), modern(value)),
                    ("additionalItems", _) => made.insert("items".to_owned(), modern(value)),
                    _ => made.insert(key.clone(), modern(value)),
                };
            }
            Value::Object(made)
        }
        Value::Array(items) => items.iter().map(modern).collect(),
        other => other.clone(),
    }
}

/// Whether its lists hold texts, numbers and booleans, or lists of them: what a list that may hold anything is told to hold there.
fn has_plain_lists(value: &Value) -> bool {
    let is_scalar = |item: &Value| item.is_string() || item.is_number() || item.is_boolean();
    match value {
        Value::Array(items) => items.iter().all(|item| match item {
            Value::Array(inner) => inner.iter().all(is_scalar),
            item => is_scalar(item),
        }),
        Value::Object(fields) => fields.values().all(has_plain_lists),
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn openai_and_anthropic_take_the_same_values_as_the_schema((schema, value) in arguments(), (_, other) in arguments()) {
        let given = modern(&schema);
        for to in MOST {
            let told = told(to, &schema);
            judge(to, &told.schema()).map_err(TestCaseError::fail)?;
            prop_assert_eq!(&told.real(&told.on_wire(&value)), &value);
            for value in [&value, &other] {
                let wire = told.on_wire(value);
                // A key that is no property may be one that stands for another on the wire.
                if told.real(&wire) != *value {
                    continue;
                }
                prop_assert_eq!(accepts(&given, value), accepts(&told.schema(), &wire), "{:?} {} of {}", to, told.schema(), value);
            }
        }
    }

    #[test]
    fn gemini_takes_no_value_less((schema, value) in arguments()) {
        prop_assume!(accepts(&modern(&schema), &value) && has_plain_lists(&value));
        for to in [To::Gemini, To::GoogleChat] {
            let told = told(to, &schema);
            judge(to, &told.schema()).map_err(TestCaseError::fail)?;
            let wire = told.on_wire(&value);
            prop_assert_eq!(&told.real(&wire), &value);
            if !told.schema().is_null() {
                prop_assert!(accepts(&told.schema(), &wire), "{:?} {} takes no {}", to, told.schema(), wire);
            }
        }
    }

    #[test]
    fn arguments_in_pieces_are_read_as_the_whole((schema, value) in arguments(), bare in any::<bool>(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let told = told(To::Anthropic, &schema);
        let Some((_, form)) = told.names.arguments.first() else { return Ok(()) };
        let written = if bare { value.clone() } else { told.on_wire(&value) };
        let text = serde_json::to_string_pretty(&written).unwrap();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let mut reader = ArgumentReader::new(Arc::clone(form));
        let pieces: String = places.windows(2).map(|ends| reader.push(&text[ends[0]..ends[1]])).collect();
        prop_assert_eq!(&pieces, &form.real(&text));
        prop_assert_eq!(serde_json::from_str::<Value>(&pieces).unwrap(), value);
    }
}
