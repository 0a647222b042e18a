//! The form of the files. Values that go to the model or the store keep their text, without the spaces of the file.

use glove_wasm::json::Json;
use glove_wasm::message::{ContentPart, InboxItem};
use glove_wasm::run::input::WhenBusy;
use glove_wasm::run::settings::{Budgets, Compaction, Limits};
use glove_wasm::tool::OnInterrupted;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub struct Scenario {
    #[serde(default)]
    pub tools: Vec<GoldenTool>,
    pub compaction: Option<Compaction>,
    pub limits: Option<Limits>,
    pub budgets: Option<Budgets>,
    #[serde(default)]
    pub inbox: Vec<InboxItem>,
    pub answers: Vec<Answer>,
    pub actions: Vec<Action>,
}

#[derive(Deserialize)]
pub struct Answer {
    pub text: Option<String>,
    pub deltas: Option<Vec<String>>,
    #[serde(default)]
    pub calls: Vec<GoldenCall>,
    pub tokens: Option<(u64, u64)>,
    pub error: Option<Box<RawValue>>,
    pub status: Option<u16>,
    #[serde(default)]
    pub cut: bool,
    #[serde(default)]
    pub holds: bool,
}

#[derive(Deserialize)]
pub struct GoldenCall {
    pub name: String,
    pub id: String,
    pub input: Box<RawValue>,
}

#[derive(Deserialize, Clone)]
#[serde(rename_all = "camelCase")]
pub struct GoldenTool {
    pub name: String,
    pub schema: Option<Box<RawValue>>,
    #[serde(default)]
    pub needs: Vec<String>,
    pub does: Vec<Deed>,
    #[serde(default)]
    pub permission: bool,
    pub approval: Option<String>,
    #[serde(default)]
    pub parallel: bool,
    pub retries: Option<u32>,
    #[serde(default)]
    pub undo: bool,
    #[serde(default)]
    pub un_abortable: bool,
    pub on_interrupted: Option<OnInterrupted>,
}

#[derive(Deserialize, Clone)]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    Returns(Box<RawValue>),
    Result(Box<RawValue>),
    Throws(String),
    Asks { renderer: String, input: Box<RawValue> },
    Waits(String),
}

/// The text of the file without its spaces, and what it says.
pub struct Action {
    pub text: String,
    pub kind: Kind,
}

/// One of these; `send` has two more fields.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kind {
    pub send: Option<String>,
    pub content: Option<Vec<ContentPart>>,
    pub when_busy: Option<WhenBusy>,
    pub allow: Option<Decision>,
    pub deny: Option<Decision>,
    pub resolve: Option<Box<RawValue>>,
    pub reject: Option<String>,
    pub open: Option<String>,
    pub tick: Option<u64>,
    pub undo: Option<u32>,
    pub r#do: Option<Deal>,
}

#[derive(Deserialize)]
pub struct Decision {
    pub remember: bool,
    pub reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deal {
    Abort,
    Resume,
    Reload,
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = compact(Box::<RawValue>::deserialize(deserializer)?.get());
        let kind = serde_json::from_str(&text).map_err(serde::de::Error::custom)?;
        Ok(Action { text, kind })
    }
}

/// JSON without the spaces between its tokens.
pub fn compact(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keep = |c: &char| {
        let kept = in_string || !c.is_ascii_whitespace();
        if *c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && *c == '\\' && !escaped;
        kept
    };
    json.chars().filter(keep).collect()
}

pub fn json(raw: &RawValue) -> Json {
    Json::parse(&compact(raw.get())).unwrap()
}
