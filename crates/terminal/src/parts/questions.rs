//! What a person is asked, read from the slots of the display: the same for a terminal and for plain lines.

use std::ops::Range;

use glove_wasm::display::{Slot, SlotStatus};
use glove_wasm::json::Json;
use glove_wasm::runtime::{DisplayManager, Session};
use glove_wasm::tool::Gate;
use glove_wasm::visible_text::isolated;
use glove_wasm_coding::Workspace;
use serde_json::{Map, Value, json};

pub use crate::parts::decision::Answer;
use crate::parts::decision::{Decision, Line, LineResult};
use crate::parts::reading::Reading;
use crate::parts::text;

/// A question, ready to be put.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub slot: String,
    pub message: String,
    /// To be read before the answer: what a call does.
    pub details: Vec<String>,
    /// Which of them are of a change.
    changed: Range<usize>,
    pub ask: Ask,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Something to read; the answer says that it was.
    Notice,
    /// Something may run or be spent after it.
    Decision(Decision),
    /// The usual one is taken by an empty line.
    Choice {
        choices: Vec<Choice>,
        default: Option<usize>,
    },
    Text {
        default: String,
    },
    Secret,
    Form(Vec<Field>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub label: String,
    /// `None` turns the question down.
    pub value: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    pub label: String,
    pub options: Vec<Choice>,
    pub default: String,
    pub required: bool,
    pub secret: bool,
}

/// What would let calls like the one that is asked about run, and the file that it would be written to.
#[derive(Debug, Clone)]
pub struct RuleOffer {
    pub rule: String,
    /// In words for a person.
    pub about: String,
    pub file: String,
}

/// What a line says to a question.
#[derive(Debug, PartialEq)]
pub enum Reply {
    Answer(Answer),
    /// How to answer it.
    Again(String),
}

impl Question {
    /// A change of a file is shown as one, where the folder is known.
    pub fn of(slot: &Slot, workspace: Option<&Workspace>, session: &Session) -> Question {
        Question::with_rule(slot, workspace, session, None)
    }

    /// The same; calls like this one may be allowed by this rule.
    pub fn with_rule(
        slot: &Slot,
        workspace: Option<&Workspace>,
        session: &Session,
        rule: Option<&RuleOffer>,
    ) -> Question {
        let is_of_arguments = session.with_run(|run| {
            let input: Option<Value> = slot.input.read().ok();
            let tool = input.as_ref().and_then(|input| text(input, "toolName"));
            run.settings()
                .tools
                .iter()
                .any(|known| Some(known.name.as_str()) == tool && known.permission == Gate::ByInput)
        });
        Question::made(slot, workspace, is_of_arguments, rule)
    }

    fn made(
        slot: &Slot,
        workspace: Option<&Workspace>,
        is_of_arguments: bool,
        rule: Option<&RuleOffer>,
    ) -> Question {
        let read: Result<Value, _> = slot.input.read();
        let is_read = read.is_ok();
        let input = read.unwrap_or_default();
        let allows =
            |decision: Decision| Ask::Decision(if is_read { decision } else { decision.without_yes() });
        let message =
            |usual: &str| text(&input, "message").map_or_else(|| usual.to_owned(), text::untrusted_lines);
        let tool = text(&input, "toolName").unwrap_or("this tool");
        let call = input.get("toolInput").unwrap_or(&Value::Null);
        let (message, ask) = match slot.renderer.as_str() {
            "permission_request" => {
                let question = text::call_question(tool, call);
                let name = text::isolated_name(tool);
                let decision = Decision::permission(&name);
                let decision = if is_of_arguments { decision.exactly(&name) } else { decision };
                let decision = match rule {
                    Some(RuleOffer { rule, about, file }) => {
                        decision.with_rule(&text::name(rule), &text::name(about), file)
                    }
                    None => decision,
                };
                (question, allows(decision))
            }
            "approval_request" => (text::call_question(tool, call), allows(Decision::approval())),
            "interrupted_call" => (
                format!(
                    "{} was interrupted, and may have taken effect. Run it again?",
                    text::isolated_name(tool)
                ),
                allows(Decision::unless("Don't run", "Run again")),
            ),
            "budget_reached" => (
                "This conversation has reached a limit. Continue?".to_owned(),
                Ask::Decision(Decision::unless("Stop", "Continue")),
            ),
            "info" => (message(""), Ask::Notice),
            "confirm" => (message("Please confirm."), Ask::Decision(confirm(&options(&input)))),
            "select" => {
                let choices = options(&input);
                let preset = input.get("default");
                let default = choices.iter().position(|choice| choice.value.as_ref() == preset);
                (message("Please choose:"), Ask::Choice { choices, default })
            }
            "secret" => {
                let name = text::isolated_name(text(&input, "key_name").unwrap_or("the secret"));
                let usual = format!("Please enter {name}:");
                (message(&usual), Ask::Secret)
            }
            "form" => (message("Please fill in:"), Ask::Form(fields(&input))),
            other => {
                let default = text(&input, "default").unwrap_or_default().to_owned();
                (
                    message(&format!("A tool asks for `{}`:", text::isolated_name(other))),
                    Ask::Text { default },
                )
            }
        };
        let (mut details, mut changed) = (Vec::new(), 0..0);
        if !is_read {
            details.push("This call cannot be shown in parts, so it cannot be allowed here:".to_owned());
            details.push(text::clean(slot.input.as_str()));
        }
        if let Some(title) = text(&input, "title") {
            details.push(text::untrusted_lines(title));
        }
        if let Some(reason) = text(&input, "reason") {
            details.push(text::untrusted_lines(reason));
        }
        if let Some(call) = input.get("toolInput") {
            let change = workspace.and_then(|folder| folder.change_of(tool, &Json::from(call.clone())));
            let (lines, of_change) = text::call_parts(tool, call, change.as_ref(), workspace.is_some());
            // The first one is the name of the file.
            changed = details.len() + 1..details.len() + of_change;
            details.extend(lines);
        }
        Question { slot: slot.id.clone(), message, details, changed, ask }
    }

    /// What is read before the answer: what a call does, and all of a long message but its end, which is the question.
    pub fn read_first(&self) -> Reading {
        let mut reading = self.reading();
        let message: Vec<&str> = self.message.lines().collect();
        if let Some((_, before)) = message.split_last() {
            reading.extend(Reading::plain(before.iter().map(|line| (*line).to_owned())));
        }
        reading
    }

    /// What a call does.
    pub fn reading(&self) -> Reading {
        Reading::with_change(self.details.clone(), &self.changed)
    }

    /// The question itself, in one line.
    pub fn last_line(&self) -> &str {
        self.message.lines().next_back().unwrap_or_default()
    }

    /// What a line says to this question.
    pub fn read(&mut self, line: &str) -> Reply {
        let entered = line.trim();
        Reply::Answer(match &mut self.ask {
            Ask::Notice => Answer::Value(Json::null()),
            Ask::Decision(decision) => match decision.read(line) {
                LineResult::Answer(answer) => answer,
                LineResult::Again(how) => return Reply::Again(how),
                // Nothing is folded where lines are printed.
                LineResult::Open => return Reply::Again(decision.how()),
            },
            Ask::Choice { choices, default } => match read_choice(choices, *default, line) {
                Ok(choice) => choice.answer(),
                Err(how) => return Reply::Again(how),
            },
            Ask::Text { default } if entered.is_empty() => Answer::Value(Json::string(default)),
            Ask::Text { .. } | Ask::Secret => Answer::Value(Json::string(line)),
            Ask::Form(_) => match serde_json::from_str::<Map<String, Value>>(entered) {
                Ok(values) => Answer::Value(Json::from(Value::Object(values))),
                Err(_) => return Reply::Again("answer with a JSON object of the fields".to_owned()),
            },
        })
    }

    /// In plain lines.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.details.clone();
        let how = match &self.ask {
            Ask::Notice | Ask::Decision(_) | Ask::Choice { .. } => String::new(),
            Ask::Text { default } if default.is_empty() => String::new(),
            Ask::Text { default } => format!(" [{}]", text::isolated_name(default)),
            Ask::Secret => " (not shown)".to_owned(),
            Ask::Form(fields) => {
                let names: Vec<_> = fields.iter().map(|field| text::isolated_name(&field.name)).collect();
                format!(" [a JSON object with {}]", names.join(", "))
            }
        };
        lines.push(format!("? {}{how}", self.message));
        match &self.ask {
            Ask::Decision(decision) => lines.extend(decision.lines()),
            Ask::Choice { choices, default } => lines.extend(choice_lines(choices, *default)),
            _ => {}
        }
        lines
    }
}

impl Choice {
    pub fn answer(&self) -> Answer {
        self.value.clone().map_or(Answer::No(None), |value| Answer::Value(Json::from(value)))
    }
}

fn chosen(label: &str, value: Value) -> Choice {
    Choice { label: text::in_line(label), value: Some(value) }
}

/// Yes or no, or what a tool has in their place: which of those lets something happen, it alone knows.
fn confirm(options: &[Choice]) -> Decision {
    if options.is_empty() {
        return Decision::new(vec![
            Line::new('y', "Yes", Some(json!("yes")), true),
            Line::new('n', "No", Some(json!("no")), false),
        ]);
    }
    let only = |word: &str| {
        let mut found =
            options.iter().enumerate().filter(|(_, choice)| choice.label.eq_ignore_ascii_case(word));
        found.next().map(|(at, _)| at).filter(|_| found.next().is_none())
    };
    let (yes, no) = (only("yes"), only("no"));
    let line = |(at, choice): (usize, &Choice)| Line {
        key: if yes == Some(at) { Some('y') } else { (no == Some(at)).then_some('n') },
        label: choice.label.clone(),
        value: choice.value.clone(),
        allows: no != Some(at),
        sure: None,
    };
    Decision::new(options.iter().enumerate().map(line).collect())
}

/// Choices of a list, each with its number.
pub fn choice_lines(choices: &[Choice], default: Option<usize>) -> Vec<String> {
    let shown = |(at, choice): (usize, &Choice)| {
        let usual = if default == Some(at) { " (usual)" } else { "" };
        format!("  {}  {}{usual}", at + 1, isolated(&choice.label))
    };
    choices.iter().enumerate().map(shown).collect()
}

/// By its number, or its words as they stand; an empty line is the usual one. An error tells how to answer.
pub fn read_choice<'a>(
    choices: &'a [Choice],
    default: Option<usize>,
    line: &str,
) -> Result<&'a Choice, String> {
    let entered = line.trim();
    let numbered = || {
        choices.iter().enumerate().find(|(at, _)| entered == (at + 1).to_string()).map(|(_, choice)| choice)
    };
    let found = match entered {
        "" => default.and_then(|at| choices.get(at)),
        _ => choices.iter().find(|choice| choice.label == entered).or_else(numbered),
    };
    let usual = if default.is_some() { ", or an empty line for the usual one" } else { "" };
    found.ok_or_else(|| {
        format!("answer with a number from 1 to {}, or the words of a line{usual}", choices.len())
    })
}

/// Something to read that nobody waits for; a question that is answered is none.
pub fn is_notice(slot: &Slot) -> bool {
    !slot.waits && slot.status == SlotStatus::Pending
}

/// Gives the answer to whoever asked. Where it is not taken, what is told of it; after an answer of another kind the question is still open.
pub fn settle(display: &DisplayManager, slot: &str, answer: Answer) -> Option<String> {
    let value = match answer {
        Answer::Value(value) => value,
        Answer::No(reason) => {
            display.reject(slot, reason);
            return None;
        }
    };
    match display.resolve(slot, value) {
        Ok(true) => None,
        Ok(false) => Some("! this question is no longer open".to_owned()),
        Err(error) => Some(format!("! {}", text::clean(&error.to_string()))),
    }
}

fn text<'a>(input: &'a Value, name: &str) -> Option<&'a str> {
    input.get(name)?.as_str()
}

/// Texts, or objects with a label and a value.
pub fn options(input: &Value) -> Vec<Choice> {
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
            label: text::in_line(text(field, "label").unwrap_or(&name)),
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
        Question::made(&serde_json::from_value(slot).unwrap(), None, false, None)
    }

    #[test]
    fn a_call_that_cannot_be_read_is_shown_as_it_is_and_cannot_be_allowed() {
        let deep = format!("{}1{}", "[".repeat(126), "]".repeat(126));
        let input = format!(r#"{{"toolName":"bash","toolInput":{{"command":"rm -rf x","x":{deep}}}}}"#);
        let kinds = ["permission_request", "approval_request", "interrupted_call"];
        for kind in kinds {
            let slot = json!({ "id": "s1", "renderer": kind, "input": null, "waits": true, "created_at": 0, "status": "pending" });
            let mut slot: Slot = serde_json::from_value(slot).unwrap();
            slot.input = glove_wasm::json::written(input.as_str());
            let mut asked = Question::made(&slot, None, false, None);
            assert!(
                asked.lines().iter().any(|line| line.contains("rm -rf x")),
                "{kind}: {:?}",
                asked.lines()
            );
            for typed in ["y", "a", "1", "2", "3"] {
                let reply = asked.read(typed);
                assert!(
                    matches!(&reply, Reply::Again(_) | Reply::Answer(Answer::No(_)))
                        || reply == Reply::Answer(Answer::Value(Json::from(Value::Bool(false)))),
                    "{kind}: {typed}: {reply:?}"
                );
            }
        }
    }

    #[test]
    fn an_edit_in_a_folder_that_is_not_known_is_not_said_to_change_nothing() {
        let call = json!({ "path": "a.rs", "old": "one", "new": "two" });
        let lines =
            question("permission_request", &json!({ "toolName": "edit_file", "toolInput": call })).lines();
        assert_eq!(lines[..3], ["a.rs", "- one", "+ two"], "{lines:?}");
    }

    #[test]
    fn a_label_is_one_line_and_moves_no_cursor() {
        let options = json!({ "message": "Which?", "options": ["delete all\r\n  1     keep all  ", "a\rb"] });
        let lines = question("select", &options).lines();
        assert!(lines.iter().all(|line| !line.contains(['\r', '\n'])), "{lines:?}");
    }

    #[test]
    fn what_a_permission_is_asked_for_is_shown_with_how_to_answer() {
        let mut asked =
            question("permission_request", &json!({ "toolName": "bash", "toolInput": { "command": "ls" } }));
        let lines = [
            "$ ls",
            "? Run this command?",
            "  1  y  Allow once",
            "  2  a  Always allow",
            "  3  n  Deny",
            "  4  x  Never allow",
        ];
        assert_eq!(asked.lines(), lines);
        assert_eq!(
            asked.read("Always"),
            Reply::Again("answer with y, a, n, x, or a number from 1 to 4".to_owned())
        );
        assert_eq!(asked.read("x"), Reply::Answer(Answer::Value(Json::from(json!(false)))));
    }

    #[test]
    fn an_option_with_a_value_answers_with_the_value_and_the_usual_one_is_the_tools() {
        let options = json!([{ "label": "Two", "value": 2 }, "three"]);
        let mut asked = question("select", &json!({ "options": options, "default": "three" }));
        assert_eq!(asked.read("Two"), Reply::Answer(Answer::Value(Json::from(json!(2)))));
        assert_eq!(asked.read("1"), Reply::Answer(Answer::Value(Json::from(json!(2)))));
        assert_eq!(asked.read(""), Reply::Answer(Answer::Value(Json::from(json!("three")))));
        assert!(matches!(asked.read("t"), Reply::Again(_)));
        let mut asked = question("select", &json!({ "options": options }));
        for line in ["", "n", "0", "3", "01", "+1"] {
            assert!(matches!(asked.read(line), Reply::Again(_)), "{line:?} is no line of it");
        }
    }

    #[test]
    fn a_tools_own_words_for_yes_and_no_are_chosen_by_number() {
        let keys =
            |options: Value| question("confirm", &json!({ "message": "Sure?", "options": options })).lines();
        assert_eq!(keys(json!(["No", "Yes"])), ["? Sure?", "  1  n  No", "  2  y  Yes"]);
        assert_eq!(keys(json!(["Yes", "yes"])), ["? Sure?", "  1     Yes", "  2     yes"]);
        assert_eq!(
            keys(json!(["Not now", "Do it\n  2  n  No"])),
            ["? Sure?", "  1     Not now", "  2     Do it   2  n  No"]
        );
    }

    #[test]
    fn what_is_written_from_the_right_turns_nothing_beside_it_in_a_question() {
        let own = |text: &str| format!("\u{2068}{text}\u{2069}");
        let input = json!({ "message": "איזה?\nNow", "options": ["כן", "b"], "default": "כן" });
        let mut asked = question("select", &input);
        assert_eq!(
            asked.lines(),
            [format!("? {}\nNow", own("איזה?")), format!("  1  {} (usual)", own("כן")), "  2  b".to_owned()]
        );
        assert_eq!(asked.read("כן"), Reply::Answer(Answer::Value(Json::from(json!("כן")))));
        let confirm = question("confirm", &json!({ "message": "Sure?", "options": ["כן", "לא"] }));
        assert_eq!(
            confirm.lines()[1..],
            [format!("  1     {}", own("כן")), format!("  2     {}", own("לא"))]
        );
        let text = question("text", &json!({ "message": "Who?", "default": "אב\u{202e}\u{7}" }));
        assert_eq!(text.lines(), [format!("? Who? [{}]", own("אב\\u202E\\u0007"))]);
        let form = question("form", &json!({ "message": "Fill in", "fields": [{ "name": "שם\u{1b}[2J" }] }));
        assert_eq!(form.lines(), [format!("? Fill in [a JSON object with {}]", own("שם\\u001B[2J"))]);
        let mut permission = question("permission_request", &json!({ "toolName": "קרא", "toolInput": {} }));
        assert_eq!(permission.lines()[0], format!("? Run {}?", own("קרא")));
        assert!(matches!(permission.read("a"), Reply::Again(sure) if sure.contains(&own("קרא"))));
    }

    #[test]
    fn what_a_tool_shows_cannot_control_the_terminal() {
        let asked =
            question("confirm", &json!({ "message": "Sure?\u{1b}[2J\u{9b}31m", "options": ["a\u{7}b"] }));
        assert_eq!(asked.message, "Sure?\\u001B[2J\\u009B31m");
        assert_eq!(asked.lines(), ["? Sure?\\u001B[2J\\u009B31m", "  1     a\\u0007b"]);
    }
}
