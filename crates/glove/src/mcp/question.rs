//! What a call asks a person, as a form of the protocol, and what their answer means.

use glove_wasm::display::Slot;
use glove_wasm::json::Json;
use glove_wasm::runtime::Session;
use glove_wasm_coding::Workspace;
use rmcp::model::{ClientCapabilities, ElicitRequestParams};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::allow_file::NAME;
use crate::chat::tool_of;
use crate::questions::{Answer, Ask, Choice, Question, options};
use crate::terminal_text::isolated_name;

/// More than that nobody reads before they allow it.
const MOST_LETTERS: usize = 16_000;
const MOST_REASON: usize = 1_000;

/// A question that a client can put.
pub(super) struct Form {
    pub params: ElicitRequestParams,
    answers: Answers,
}

enum Answers {
    /// Only `approved: true` allows anything, and this is what it gives then.
    Approval(Value),
    Choice(Vec<Choice>),
    Text,
}

/// What a person said to it.
#[derive(Deserialize)]
pub(super) struct Said {
    action: String,
    #[serde(default)]
    content: Value,
}

/// A client that says nothing of its kinds of questions knows forms.
pub(super) fn asks_people(client: Option<&ClientCapabilities>) -> bool {
    let elicitation = client.and_then(|client| client.elicitation.as_ref());
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// The sentence where the client has no way to ask.
pub(super) fn unasked(slot: &Slot) -> String {
    let tool = tool_of(slot);
    let what = tool.as_deref().map_or_else(|| "A tool".to_owned(), isolated_name);
    let rule = match tool {
        Some(tool) if slot.renderer == "permission_request" => {
            format!(
                " `--allow {}`, or a rule in {NAME}, lets it run without a question.",
                isolated_name(&tool)
            )
        }
        _ => String::new(),
    };
    format!("{what} asks a person, and this client cannot be asked: it needs elicitation.{rule}")
}

/// The form; a sentence where a person cannot be asked so.
pub(super) fn form(slot: &Slot, workspace: &Workspace, session: &Session) -> Result<Form, String> {
    let question = Question::of(slot, Some(workspace), session);
    let input: Value =
        slot.input.read().map_err(|_| "This call cannot be shown, so it cannot be allowed.")?;
    let mut parts = vec![question.message];
    if !question.details.is_empty() {
        parts.push(question.details.join("\n"));
    }
    let message = parts.join("\n\n");
    if message.chars().count() > MOST_LETTERS {
        return Err("What a person would have to read before they allow it is too long.".to_owned());
    }
    let is_run = matches!(
        slot.renderer.as_str(),
        "permission_request" | "approval_request" | "interrupted_call" | "budget_reached"
    );
    let (schema, answers) = match question.ask {
        _ if is_run => {
            // What is remembered is decided in the terminal.
            let once = slot.renderer == "permission_request";
            (approval(), Answers::Approval(if once { json!("once") } else { json!(true) }))
        }
        Ask::Decision(_) => choice(yes_or_no(&input)),
        Ask::Choice { choices, .. } => choice(choices),
        Ask::Text { default } => (text(&default), Answers::Text),
        // Secrets have no place in a form.
        Ask::Notice | Ask::Secret | Ask::Form(_) => {
            return Err("A tool asked something that a client of MCP cannot show.".to_owned());
        }
    };
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let params = serde_json::from_value(params).map_err(|error| error.to_string())?;
    Ok(Form { params, answers })
}

impl Form {
    pub(super) fn answer(&self, said: &Said) -> Answer {
        let field = |name: &str| said.content.get(name);
        let accepted = said.action == "accept";
        let answer = field("answer").and_then(Value::as_str).filter(|_| accepted);
        match &self.answers {
            Answers::Approval(allows) => {
                if accepted && field("approved") == Some(&Value::Bool(true)) {
                    return Answer::Value(Json::from(allows.clone()));
                }
                let reason = field("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
                Answer::No(reason.map(|reason| reason.chars().take(MOST_REASON).collect()))
            }
            Answers::Choice(choices) => {
                let chosen = answer.and_then(|answer| choices.iter().find(|choice| choice.label == answer));
                chosen.map_or_else(nothing, Choice::answer)
            }
            Answers::Text => answer.map_or_else(nothing, |answer| Answer::Value(Json::string(answer))),
        }
    }
}

/// Or what a tool has in their place.
fn yes_or_no(input: &Value) -> Vec<Choice> {
    let own = options(input);
    if !own.is_empty() {
        return own;
    }
    let choice = |label: &str, value: &str| Choice { label: label.to_owned(), value: Some(json!(value)) };
    vec![choice("Yes", "yes"), choice("No", "no")]
}

fn nothing() -> Answer {
    Answer::No(Some("The person gave no answer.".to_owned()))
}

fn approval() -> Value {
    json!({
        "type": "object",
        "properties": {
            "approved": { "type": "boolean", "title": "Allow", "default": false },
            "reason": { "type": "string", "title": "Why not", "maxLength": MOST_REASON }
        },
        "required": ["approved"]
    })
}

fn choice(choices: Vec<Choice>) -> (Value, Answers) {
    let labels: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
    let schema = json!({
        "type": "object",
        "properties": { "answer": { "type": "string", "title": "Answer", "enum": labels } },
        "required": ["answer"]
    });
    (schema, Answers::Choice(choices))
}

fn text(default: &str) -> Value {
    let mut answer = json!({ "type": "string", "title": "Answer" });
    if let (Some(fields), false) = (answer.as_object_mut(), default.is_empty()) {
        fields.insert("default".to_owned(), json!(default));
    }
    json!({ "type": "object", "properties": { "answer": answer }, "required": ["answer"] })
}
