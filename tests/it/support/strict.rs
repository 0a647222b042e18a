//! What a vendor would refuse in a request: its address, its headers and its body, by the data of `tests/strict`.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, LazyLock, Mutex};

use glove_wasm::http::HttpRequest;
use glove_wasm::providers::Format;
use jsonschema::Validator;
use serde_json::{Value, json};

fn read(name: &str) -> Value {
    let path = format!("{}/strict/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

static HOSTS: LazyLock<Value> = LazyLock::new(|| read("hosts.json"));
static MODELS: LazyLock<Value> = LazyLock::new(|| read("models.json"));

/// The host whose rules hold where nothing but the format is known.
pub fn host_of(format: Format) -> &'static str {
    match format {
        Format::Anthropic => "anthropic",
        Format::OpenAiChat => "compatible",
        Format::OpenAiResponses => "openai-responses",
        Format::Gemini => "gemini",
        Format::Endpoint => "endpoint",
    }
}

fn host(id: &str) -> &'static Value {
    let mut all = HOSTS["hosts"].as_array().unwrap().iter();
    all.find(|host| host["id"] == id).unwrap_or_else(|| panic!("no rules are known for {id}"))
}

/// The schema of a host: its API's, with the operations of its row done.
fn schema(host: &Value) -> Value {
    let mut schema = read(&format!("schemas/{}.json", host["schema"].as_str().unwrap()));
    for step in host["patch"].as_array().unwrap() {
        let steps = match step {
            Value::String(name) => HOSTS["patches"][name].as_array().unwrap().clone(),
            one => vec![one.clone()],
        };
        for step in steps {
            apply(&mut schema, &step);
        }
    }
    schema
}

fn apply(schema: &mut Value, step: &Value) {
    let path = step["add"].as_str().or_else(|| step["remove"].as_str()).unwrap();
    let (parent, last) = path.rsplit_once('/').unwrap();
    match (schema.pointer_mut(parent).unwrap(), step.get("value")) {
        (Value::Object(parent), Some(value)) => drop(parent.insert(last.to_owned(), value.clone())),
        (Value::Object(parent), None) => drop(parent.remove(last)),
        (Value::Array(parent), Some(value)) => match parent.get_mut(last.parse::<usize>().unwrap()) {
            Some(place) => *place = value.clone(),
            None => parent.push(value.clone()),
        },
        (Value::Array(parent), None) => drop(parent.remove(last.parse().unwrap())),
        _ => panic!("{path} leads nowhere"),
    }
}

fn misfits(schema: &Value, value: &Value) -> Vec<String> {
    // Schemas are few, and compiling one takes longer than asking it.
    static COMPILED: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap();
    let validator = compiled
        .entry(schema.to_string())
        .or_insert_with(|| Arc::new(jsonschema::validator_for(schema).unwrap()));
    let validator = Arc::clone(validator);
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// What is wrong with a body. `model` is in the address of Gemini's requests, and else in the body.
pub fn judge_body(id: &str, model: Option<&str>, body: &Value) -> Vec<String> {
    let host = host(id);
    let mut found = misfits(&schema(host), body);
    let model = model.or_else(|| body["model"].as_str()).unwrap_or_default();
    for row in MODELS["rows"].as_array().unwrap() {
        let named = |list: &Value| list.as_array().is_none_or(|list| list.contains(&json!(id)));
        let fits = |pattern: &Value| {
            pattern.is_null() || misfits(&json!({ "pattern": pattern }), &json!(model)).is_empty()
        };
        // The version is a header's matter.
        if row["api"] != host["api"]
            || !named(&row["hosts"])
            || !fits(&row["model"])
            || !row["version"].is_null()
        {
            continue;
        }
        if !misfits(&row["body"], body).is_empty() {
            found.push(format!("{}: {}", row["rule"].as_str().unwrap(), row["says"].as_str().unwrap()));
        }
    }
    found
}

/// What is wrong with a request; every one is a POST.
pub fn judge(id: &str, url: &str, headers: &[(String, String)], body: &str) -> Vec<String> {
    let host = host(id);
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let streams = path.ends_with(":streamGenerateContent");
    let right = match host["api"].as_str().unwrap() {
        "chat" => path.ends_with("/chat/completions") && query.is_empty(),
        "responses" => path.ends_with("/responses") && query.is_empty(),
        "anthropic" => path.ends_with("/v1/messages") && query.is_empty(),
        "gemini" if streams => path.contains("/models/") && query == "alt=sse",
        "gemini" => path.contains("/models/") && path.ends_with(":generateContent") && query.is_empty(),
        _ => true,
    };
    let mut found = Vec::new();
    if !right {
        found.push(format!("http.path: {url}"));
    }
    let header = |name: &str| {
        let mut all = headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        let first = all.next().map(|(_, value)| value.as_str());
        assert!(all.next().is_none(), "the header {name} is there twice");
        first
    };
    if header("content-type") != Some("application/json") {
        found.push(format!("http.content-type: {:?}", header("content-type")));
    }
    let bearer = header("authorization").map(|value| value.starts_with("Bearer ") && value.len() > 7);
    let authorized = match host["auth"].as_str().unwrap() {
        "x-api-key" => header("x-api-key").is_some() && bearer.is_none(),
        "x-api-key-or-bearer" => header("x-api-key").is_some() != (bearer == Some(true)),
        "x-goog-api-key" => header("x-goog-api-key").is_some() && bearer.is_none(),
        "bearer" => bearer == Some(true),
        _ => bearer != Some(false),
    };
    if !authorized {
        found.push("http.auth: the key is not where it is looked for".to_owned());
    }
    if host["api"] == "anthropic" && header("anthropic-version") != Some("2023-06-01") {
        found.push(format!("http.version: {:?}", header("anthropic-version")));
    }
    match serde_json::from_str::<Value>(body) {
        Ok(value) => {
            let model = path.rsplit_once("/models/").and_then(|(_, rest)| rest.split_once(':'));
            found.extend(judge_body(id, model.map(|(model, _)| model), &value));
        }
        Err(error) => found.push(format!("body.json: {error}")),
    }
    found
}

/// Ends the test when a vendor would refuse this.
pub fn expect_taken(id: &str, url: &str, headers: &[(String, String)], body: &str) {
    let found = judge(id, url, headers, body);
    assert!(found.is_empty(), "{id} would refuse {url} {body}:\n{}", found.join("\n"));
}

/// The same for a server of a test, which knows of a request's format by its address alone.
pub fn expect_taken_at(request: &HttpRequest) {
    // A gateway may have a query of its own in its address.
    let (path, query) = request.url.split_once('?').unwrap_or((&request.url, ""));
    let url = if query.contains("alt=sse") { format!("{path}?alt=sse") } else { path.to_owned() };
    let format = if path.ends_with("/chat/completions") {
        Format::OpenAiChat
    } else if path.ends_with("/responses") {
        Format::OpenAiResponses
    } else if path.ends_with("/messages") {
        Format::Anthropic
    } else if path.contains("/models/") {
        Format::Gemini
    } else {
        Format::Endpoint
    };
    expect_taken(host_of(format), &url, &request.headers, &request.body);
}

/// Where a server of a test is asked in this format, and with which headers.
pub fn address(format: Format, stream: bool) -> (String, Vec<(String, String)>) {
    let base = "https://model.test/v1";
    let headers = format.headers(base, "canary-key").into_iter();
    (format.url(base, "m", stream), headers.map(|(name, value)| (name.to_owned(), value)).collect())
}
