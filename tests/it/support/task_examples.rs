//! The examples of tasks (`fixtures/tasks/examples.json`) that are played natively, in Node, in a page and over both servers.

use std::collections::BTreeMap;
use std::fs;

use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_task::{ApprovalPolicy, TaskEvent};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::task::asked;

#[derive(Deserialize, Clone)]
pub struct Example {
    pub name: String,
    pub goal: String,
    approvals: String,
    pub files: BTreeMap<String, String>,
    /// What a person says to what is asked, in order.
    #[serde(default)]
    pub decisions: Vec<Decided>,
    answers: Vec<Answer>,
    /// What stands in the folder at the end.
    pub artifacts: BTreeMap<String, String>,
}

#[derive(Deserialize, Clone)]
pub struct Decided {
    pub decision: String,
    pub reason: Option<String>,
}

#[derive(Deserialize, Clone)]
struct Answer {
    phase: String,
    title: Option<String>,
    #[serde(default)]
    round: usize,
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Deserialize, Clone)]
struct Call {
    tool: String,
    input: Value,
}

pub fn examples() -> Vec<Example> {
    serde_json::from_str(include_str!("../../fixtures/tasks/examples.json")).unwrap()
}

impl Example {
    pub fn policy(&self) -> ApprovalPolicy {
        match self.approvals.as_str() {
            "strict" => ApprovalPolicy::strict(),
            "automatic" => ApprovalPolicy::automatic(),
            _ => ApprovalPolicy::permissive(),
        }
    }

    /// Answers a request by its phase, the title of its step, and the rounds of calls since.
    pub fn model(&self) -> ScriptedModel {
        let answers = self.answers.clone();
        ScriptedModel::by(move |_, seen| {
            let (request, round) = asked(seen);
            let answer = answers.iter().find(|answer| {
                request.contains(&format!("Phase: {}.", answer.phase))
                    && answer.round == round
                    && answer.title.as_ref().is_none_or(|title| request.contains(title))
            });
            let answer = answer.unwrap_or_else(|| panic!("no answer to round {round} of: {request}"));
            let mut line = Line::text(&answer.text);
            for (at, call) in answer.calls.iter().enumerate() {
                line = line.and_call(&call.tool, &format!("c{round}{at}"), call.input.clone());
            }
            line
        })
    }

    /// The events that this example has everywhere; with `WRITE_FIXTURE=1` the native run writes them.
    #[track_caller]
    pub fn expect_events(&self, events: &[TaskEvent], task: &str) {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tasks/examples-events.json");
        let plain: Vec<Value> =
            events.iter().map(|event| plain(serde_json::to_value(event).unwrap(), task)).collect();
        let mut all: Map<String, Value> =
            fs::read_to_string(file).map_or_else(|_| Map::new(), |text| serde_json::from_str(&text).unwrap());
        if std::env::var_os("WRITE_FIXTURE").is_some() {
            all.insert(self.name.clone(), json!(plain));
            fs::write(file, serde_json::to_string_pretty(&all).unwrap() + "\n").unwrap();
        }
        assert_eq!(all[&self.name], json!(plain), "{}", self.name);
    }
}

/// Without what is of one run: times, how long it took, and the id of its task.
fn plain(value: Value, task: &str) -> Value {
    match value {
        Value::String(text) if text == task => json!("TASK"),
        Value::String(text) if is_time(&text) => json!("TIME"),
        Value::Array(items) => items.into_iter().map(|item| plain(item, task)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| match name.as_str() {
                "timestamp" => None,
                "duration_ms" => Some((name, json!(0))),
                _ => Some((name, plain(value, task))),
            };
            Value::Object(fields.into_iter().filter_map(field).collect())
        }
        other => other,
    }
}

fn is_time(text: &str) -> bool {
    let form = "0000-00-00T00:00:00";
    text.ends_with('Z')
        && text.len() > form.len()
        && text.bytes().zip(form.bytes()).all(
            |(byte, form)| {
                if form == b'0' { byte.is_ascii_digit() } else { byte == form }
            },
        )
}
