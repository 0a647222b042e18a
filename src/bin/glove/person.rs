//! What a person is asked, read from the slots of the display: the same for a terminal and for plain lines.

use glove_wasm::display::Slot;
use glove_wasm::json::Json;
use serde_json::{Map, Value, json};

use crate::words;

/// A question, ready to be put.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub slot: String,
    pub message: String,
    /// To be read before the answer: what a call does.
    pub details: Vec<String>,
    pub ask: Ask,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ask {
    /// Something to read; the answer says that it was.
    Notice,
    Choice {
        choices: Vec<Choice>,
        default: usize,
    },
    Text {
        default: String,
    },
    Secret,
    Form(Vec<Field>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    pub label: String,
    /// `None` turns the question down.
    pub value: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub name: String,
    pub label: String,
    pub options: Vec<Choice>,
    pub default: String,
    pub required: bool,
    pub secret: bool,
}

/// What the person said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Value(Json),
    /// Turned down.
    No,
}

impl Question {
    pub(crate) fn of(slot: &Slot) -> Question {
        let input: Value = slot.input.read().unwrap_or_default();
        let message = |usual: &str| words::clean(text(&input, "message").unwrap_or(usual));
        let tool = text(&input, "toolName").unwrap_or("this tool");
        let (message, ask) = match slot.renderer.as_str() {
            "permission_request" => (
                format!("Run {}?", words::clean(tool)),
                choice(&[
                    ("Allow once", Some(json!("once"))),
                    ("Always allow", Some(json!(true))),
                    ("Deny", None),
                    ("Never allow", Some(json!(false))),
                ]),
            ),
            "approval_request" => (
                format!("Run {}?", words::clean(tool)),
                choice(&[("Approve", Some(json!(true))), ("Reject", None)]),
            ),
            "interrupted_call" => (
                format!("{} was interrupted, and may have taken effect. Run it again?", words::clean(tool)),
                choice(&[("Don't run", Some(json!(false))), ("Run again", Some(json!(true)))]),
            ),
            "budget_reached" => (
                "This conversation has reached a limit. Continue?".to_owned(),
                choice(&[("Stop", Some(json!(false))), ("Continue", Some(json!(true)))]),
            ),
            "info" => (message(""), Ask::Notice),
            "confirm" => {
                let choices = match options(&input) {
                    none if none.is_empty() => vec![chosen("Yes", json!("yes")), chosen("No", json!("no"))],
                    some => some,
                };
                (message("Please confirm."), Ask::Choice { choices, default: 0 })
            }
            "select" => {
                let choices = options(&input);
                let preset = input.get("default");
                let default = choices.iter().position(|choice| choice.value.as_ref() == preset).unwrap_or(0);
                (message("Please choose:"), Ask::Choice { choices, default })
            }
            "secret" => {
                let usual = format!("Please enter {}:", text(&input, "key_name").unwrap_or("the secret"));
                (message(&usual), Ask::Secret)
            }
            "form" => (message("Please fill in:"), Ask::Form(fields(&input))),
            other => {
                let default = text(&input, "default").unwrap_or_default().to_owned();
                (message(&format!("A tool asks for `{other}`:")), Ask::Text { default })
            }
        };
        let mut details = Vec::new();
        if let Some(title) = text(&input, "title") {
            details.push(words::clean(title));
        }
        if let Some(reason) = text(&input, "reason") {
            details.push(words::clean(reason));
        }
        if let Some(call) = input.get("toolInput") {
            details.extend(words::call_details(tool, call));
        }
        Question { slot: slot.id.clone(), message, details, ask }
    }

    /// What a line says to this question; an error tells how to answer.
    pub(crate) fn read(&self, line: &str) -> Result<Answer, String> {
        let said = line.trim();
        Ok(match &self.ask {
            Ask::Notice => Answer::Value(Json::null()),
            Ask::Choice { choices, .. } => match find(choices, said) {
                Some(choice) => choice.answer(),
                None => return Err(format!("answer with one of: {}", labels(choices))),
            },
            Ask::Text { default } if said.is_empty() => Answer::Value(Json::string(default)),
            Ask::Text { .. } | Ask::Secret => Answer::Value(Json::string(line)),
            Ask::Form(_) => match serde_json::from_str::<Map<String, Value>>(said) {
                Ok(values) => Answer::Value(Json::from(Value::Object(values))),
                Err(_) => return Err("answer with a JSON object of the fields".to_owned()),
            },
        })
    }

    /// In plain lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = self.details.clone();
        let how = match &self.ask {
            Ask::Notice => String::new(),
            Ask::Choice { choices, .. } => format!(" [{}]", labels(choices)),
            Ask::Text { default } if default.is_empty() => String::new(),
            Ask::Text { default } => format!(" [{default}]"),
            Ask::Secret => " (not shown)".to_owned(),
            Ask::Form(fields) => {
                let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
                format!(" [a JSON object with {}]", names.join(", "))
            }
        };
        lines.push(format!("? {}{how}", self.message));
        lines
    }
}

impl Choice {
    pub(crate) fn answer(&self) -> Answer {
        self.value.clone().map_or(Answer::No, |value| Answer::Value(Json::from(value)))
    }
}

fn chosen(label: &str, value: Value) -> Choice {
    Choice { label: words::clean(label), value: Some(value) }
}

fn choice(choices: &[(&str, Option<Value>)]) -> Ask {
    let choices =
        choices.iter().map(|(label, value)| Choice { label: (*label).to_owned(), value: value.clone() });
    Ask::Choice { choices: choices.collect(), default: 0 }
}

fn labels(choices: &[Choice]) -> String {
    choices.iter().map(|choice| choice.label.as_str()).collect::<Vec<_>>().join(" / ")
}

/// By its label, its first letter where no other begins so, or its number.
fn find<'a>(choices: &'a [Choice], said: &str) -> Option<&'a Choice> {
    let said = said.to_lowercase();
    if let Some(exact) = choices.iter().find(|choice| choice.label.to_lowercase() == said) {
        return Some(exact);
    }
    if let Ok(number) = said.parse::<usize>() {
        return choices.get(number.checked_sub(1)?);
    }
    let mut begin =
        choices.iter().filter(|choice| !said.is_empty() && choice.label.to_lowercase().starts_with(&said));
    begin.next().filter(|_| begin.next().is_none())
}

fn text<'a>(input: &'a Value, name: &str) -> Option<&'a str> {
    input.get(name)?.as_str()
}

/// Texts, or objects with a label and a value.
fn options(input: &Value) -> Vec<Choice> {
    let given = input.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let option = |option: &Value| match (text(option, "label"), option.get("value"), option) {
        (Some(label), value, _) => chosen(label, value.cloned().unwrap_or_else(|| json!(label))),
        (None, _, Value::String(label)) => chosen(label, option.clone()),
        (None, ..) => chosen(&option.to_string(), option.clone()),
    };
    given.iter().map(option).collect()
}

fn fields(input: &Value) -> Vec<Field> {
    let given = input.get("fields").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let field = |field: &Value| {
        let name = text(field, "name").or(field.as_str())?.to_owned();
        Some(Field {
            label: words::clean(text(field, "label").unwrap_or(&name)),
            options: options(field),
            default: text(field, "default").unwrap_or_default().to_owned(),
            required: field.get("required").and_then(Value::as_bool).unwrap_or(true),
            secret: text(field, "type") == Some("secret"),
            name,
        })
    };
    given.iter().filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(renderer: &str, input: &Value) -> Question {
        let slot = json!({ "id": "s1", "renderer": renderer, "input": input, "waits": true, "created_at": 0, "status": "pending" });
        Question::of(&serde_json::from_value(slot).unwrap())
    }

    #[test]
    fn a_permission_is_given_by_its_label_a_letter_or_its_number() {
        let asked =
            question("permission_request", &json!({ "toolName": "bash", "toolInput": { "command": "ls" } }));
        assert_eq!(asked.read("Always allow"), Ok(Answer::Value(Json::from(json!(true)))));
        assert_eq!(asked.read("1"), Ok(Answer::Value(Json::from(json!("once")))));
        assert_eq!(asked.read("d"), Ok(Answer::No));
        assert!(asked.read("al").is_err(), "it could be either of two");
        assert!(asked.read("").is_err());
        assert!(asked.details.iter().any(|line| line.contains("ls")));
    }

    #[test]
    fn an_option_with_a_value_answers_with_the_value() {
        let asked = question(
            "select",
            &json!({ "options": [{ "label": "Two", "value": 2 }, "three"], "default": "three" }),
        );
        assert_eq!(asked.read("two"), Ok(Answer::Value(Json::from(json!(2)))));
        assert!(matches!(asked.ask, Ask::Choice { default: 1, .. }));
    }

    #[test]
    fn what_a_tool_shows_cannot_control_the_terminal() {
        let asked =
            question("confirm", &json!({ "message": "Sure?\u{1b}[2J\u{9b}31m", "options": ["a\u{7}b"] }));
        assert_eq!(asked.message, "Sure?\\u001B[2J\\u009B31m");
        assert_eq!(asked.lines(), ["? Sure?\\u001B[2J\\u009B31m [a\\u0007b]"]);
    }
}
